// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"slices"

	"hide/internal/annotate"
)

// Doc is one sequence: all tokens of one document.
//
// Words is the only required field. Features look at Words, and at Text only for
// the white space between Tokens, so a caller may replace a word by a
// placeholder such as "[NAME]" and nothing of the original reaches the model.
// Without Tokens, words count as separated by one space each. Labels is nil for
// a document to be tagged.
type Doc struct {
	Text   string
	Tokens []annotate.Token // nil, or one per word
	Words  []string         // surface of each token, or what stands for it
	Labels []annotate.Label // nil, or one per word; "" is not sensitive
	Begins []bool           // nil, or whether the word opens a span; a change of label always does
	Group  string           // "", or whose document it is: what a patient's documents say alike counts once
	Known  []string         // nil, or identifiers of the patient that structured fields gave
	Skip   []bool           // nil, or which words training leaves out of the sequence; features still see them

	heard []hearsay // nil, or per word what the first pass says of it elsewhere
}

// NewDoc cuts a document into tokens and lays its spans over them. Its patient and
// its structured fields become Group and Known.
func NewDoc(a annotate.Annotated) Doc {
	d := Doc{Text: a.Text, Tokens: annotate.Tokenize(a.Text), Group: a.Patient, Known: a.Known()}
	d.Words = make([]string, len(d.Tokens))
	for i, t := range d.Tokens {
		d.Words[i] = a.Text[t.Start:t.End]
	}
	d.Labels, d.Begins = annotate.TokenLabels(d.Tokens, a.Spans)
	return d
}

// Spans are the spans that Labels and Begins describe. It needs Tokens.
func (d Doc) Spans() []annotate.Span {
	begins := make([]bool, len(d.Labels))
	for i := range d.Labels {
		begins[i] = d.opens(i)
	}
	return annotate.SpansOf(d.Tokens, d.Labels, begins)
}

// opens reports whether labelled token i is the first of its span.
func (d Doc) opens(i int) bool {
	return i == 0 || d.Labels[i-1] != d.Labels[i] || d.Begins != nil && d.Begins[i]
}

// skips reports whether training leaves token i out.
func (d Doc) skips(i int) bool { return d.Skip != nil && d.Skip[i] }

// folded is d with every label replaced by [Folded]. Neighbouring spans stay
// apart.
func (d Doc) folded() Doc {
	f := d
	f.Labels = make([]annotate.Label, len(d.Labels))
	f.Begins = make([]bool, len(d.Labels))
	for i, label := range d.Labels {
		if label != "" {
			f.Labels[i], f.Begins[i] = Folded, d.opens(i)
		}
	}
	return f
}

// labelsOf lists the labels that the documents use, sorted.
func labelsOf(docs []Doc) []annotate.Label {
	seen := map[annotate.Label]bool{}
	for _, d := range docs {
		for _, l := range d.Labels {
			if l != "" {
				seen[l] = true
			}
		}
	}
	labels := make([]annotate.Label, 0, len(seen))
	for l := range seen {
		labels = append(labels, l)
	}
	slices.Sort(labels)
	return labels
}
