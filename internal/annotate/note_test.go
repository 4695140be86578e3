// SPDX-License-Identifier: Apache-2.0

package annotate_test

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

func seen() annotate.Annotated {
	return annotate.Annotated{
		Document: annotate.Document{Name: "n1", Text: "Seen by Dr. Ana Weiss on May 4.", Patient: "p", Attributes: map[string]string{"name": "Ana", "mrn": "77", "empty": ""}},
		Spans:    []annotate.Span{{Start: 12, End: 21, Label: "NAME"}, {Start: 25, End: 30, Label: "DATE"}},
	}
}

func TestNewNoteLabelsTheTokensOfItsSpans(t *testing.T) {
	all := annotate.NewNote(seen())
	names := all.Only(func(l annotate.Label) bool { return l == "NAME" })
	if want := []int{-1, -1, -1, -1, 0, 0, -1, 1, 1, -1}; !slices.Equal(all.SpanOf, want) {
		t.Errorf("spans of all labels %v, want %v", all.SpanOf, want)
	}
	if want := []int{-1, -1, -1, -1, 0, 0, -1, -1, -1, -1}; !slices.Equal(names.SpanOf, want) {
		t.Errorf("spans of NAME %v, want %v", names.SpanOf, want)
	}
	if all.Words[4] != "Ana" || all.Group != seen().Group() || all.Check() != nil || names.Check() != nil {
		t.Errorf("word %q, group %q, check %v and %v", all.Words[4], all.Group, all.Check(), names.Check())
	}
	if want := []string{"p", "77", "Ana"}; !slices.Equal(all.Known, want) {
		t.Errorf("known identifiers %q, want %q", all.Known, want)
	}
	if got := all.TokenSpans(); !slices.Equal(got, seen().Spans) {
		t.Errorf("spans %v, want %v", got, seen().Spans)
	}
}

func TestANoteSaysNothingOfItsText(t *testing.T) {
	n := annotate.NewNote(seen())
	for _, s := range []string{n.String(), n.GoString()} {
		if strings.Contains(s, "Ana") || strings.Contains(s, "p") && strings.Contains(s, "77") {
			t.Errorf("the printed note is %q", s)
		}
	}
}

func TestAViewHidesRedactedWordsAndTheirLabels(t *testing.T) {
	n := annotate.NewNote(seen())
	v := annotate.View{Note: &n, Redacted: make([]bool, len(n.Words)), Skip: make([]bool, len(n.Words))}
	v.Redacted[4], v.Redacted[6], v.Skip[5] = true, true, true
	if got, want := strings.Join(v.VisibleWords(), " "), "Seen by Dr . [NAME] Weiss [NAME] May 4 ."; got != want {
		t.Errorf("reads %q, want %q", got, want)
	}
	if v.Remaining(4) || !v.Remaining(5) || v.Remaining(6) {
		t.Error("of the name, only Weiss is sensitive and visible")
	}
	if v.InTraining(4) || v.InTraining(5) || !v.InTraining(7) {
		t.Error("training uses a redacted or skipped token, or not the date")
	}
}

func TestPublishedIsWhatAReaderHas(t *testing.T) {
	d := annotate.NewNote(annotate.Annotated{Document: annotate.Document{Text: " Dr. Ana Ruiz,\nward 7"}})
	v := annotate.View{Note: &d, Redacted: []bool{false, false, true, true, false, false, true}}
	text, tokens := v.Published()
	if want := " Dr. [NAME],\nward [NAME]"; text != want {
		t.Fatalf("got %q, want %q", text, want)
	}
	for x, token := range tokens {
		if got := text[token.Start:token.End]; got != v.Word(x) {
			t.Errorf("token %d reads %q, want %q", x, got, v.Word(x))
		}
	}
}

func TestPublishedWithoutPlacesHasBlanks(t *testing.T) {
	d := annotate.Note{Words: strings.Fields("seen by Ana today")}
	if text, _ := (annotate.View{Note: &d, Redacted: []bool{false, false, true, false}}).Published(); text != "seen by [NAME] today" {
		t.Errorf("got %q", text)
	}
	if text, _ := (annotate.View{Note: &d, Redacted: nil}).Published(); text != "seen by Ana today" {
		t.Errorf("got %q", text)
	}
}
