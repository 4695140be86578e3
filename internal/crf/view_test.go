// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"slices"
	"testing"

	"hide/internal/annotate"
)

func TestOnlyTheVisiblePartOfASpanIsLabelled(t *testing.T) {
	n := annotate.Note{Text: "a b c d e", Tokens: annotate.Tokenize("a b c d e"), Words: []string{"a", "b", "c", "d", "e"},
		Sensitive: []bool{true, true, true, true, false}, SpanOf: []int{0, 0, 0, 1, -1}}
	got := labelled(annotate.View{Note: &n, Redacted: []bool{false, true, false, false, false}})
	want := []annotate.Label{Folded, "", Folded, Folded, ""}
	if !slices.Equal(got.labels, want) || !slices.Equal(got.begins, []bool{true, false, true, true, false}) {
		t.Errorf("labels %q, begins %v", got.labels, got.begins)
	}
	if got.words[1] != annotate.Placeholder || len(got.tokens) != 5 {
		t.Errorf("got %q with %d tokens", got.words[1], len(got.tokens))
	}
}

// noteSequence splits a document into words with the labels of its spans.
func noteSequence(a annotate.Annotated) sequence {
	n := annotate.NewNote(a)
	return labelled(n.View())
}

// view returns a note with the words and labels of d.
func (d sequence) view() annotate.View {
	n := annotate.Note{Text: d.text, Tokens: d.tokens, Words: d.words, Group: d.group, Known: d.known, Labels: d.labels,
		Sensitive: make([]bool, len(d.words)), SpanOf: make([]int, len(d.words))}
	span := -1
	for i := range d.words {
		n.SpanOf[i] = -1
		if i < len(d.labels) && d.labels[i] != "" {
			if d.opens(i) {
				span++
			}
			n.Sensitive[i], n.SpanOf[i] = true, span
		}
	}
	return annotate.View{Note: &n, Skip: d.skip}
}

func views(docs []sequence) []annotate.View {
	out := make([]annotate.View, len(docs))
	for i, d := range docs {
		out[i] = d.view()
	}
	return out
}

// spans returns the spans that labels and begins describe.
func (d sequence) spans() []annotate.Span {
	begins := make([]bool, len(d.labels))
	for i := range d.labels {
		begins[i] = d.opens(i)
	}
	return annotate.SpansOf(d.tokens, d.labels, begins)
}
