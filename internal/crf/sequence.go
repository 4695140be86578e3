// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"cmp"
	"slices"

	"hide/internal/annotate"
)

// sequence is what the algorithm reads of a view: redacted words replaced, labels of
// what remains, folded or not, and what the first pass says. It is a type of its own
// because training rewrites labels and marks, which a shared note must not suffer.
// Nothing of a redacted word reaches it: of the text, features read only the white
// space between tokens.
type sequence struct {
	text   string
	tokens []annotate.Token // nil, or one per word; without them one space separates words
	words  []string
	labels []annotate.Label // nil, or one per word; "" is not sensitive
	begins []bool           // nil, or whether the word opens a span; a change of label always does
	group  string           // "", or the patient: what a patient's documents share counts once
	known  []string         // identifiers of the patient from structured fields
	skip   []bool           // nil, or which words training leaves out; features still see them

	firstPass []firstPassEvidence // nil, or per word what the first pass says of it elsewhere
}

// unlabelled reads a view for tagging.
func unlabelled(v annotate.View) sequence {
	return sequence{text: v.Text, tokens: v.Tokens, words: v.VisibleWords(), group: v.Group, known: v.Known, skip: v.Skip}
}

// labelled reads a view for training. A span that a redacted token cuts becomes two.
func labelled(v annotate.View) sequence {
	d := unlabelled(v)
	if !slices.Contains(v.Sensitive, true) {
		return d
	}
	d.labels, d.begins = make([]annotate.Label, len(d.words)), make([]bool, len(d.words))
	for i := range d.words {
		if v.Remaining(i) {
			d.labels[i] = cmp.Or(v.Label(i), Folded)
			d.begins[i] = v.Opens(i) || !v.Remaining(i-1)
		}
	}
	return d
}

func labelledAll(views []annotate.View) []sequence {
	out := make([]sequence, len(views))
	for i, v := range views {
		out[i] = labelled(v)
	}
	return out
}

// opens reports whether labelled token i is the first of its span.
func (d sequence) opens(i int) bool {
	return i == 0 || d.labels[i-1] != d.labels[i] || d.begins != nil && d.begins[i]
}

// skips reports whether training leaves token i out.
func (d sequence) skips(i int) bool { return d.skip != nil && d.skip[i] }

// folded is d with every label replaced by [Folded]. Neighbouring spans stay
// separate.
func (d sequence) folded() sequence {
	f := d
	f.labels = make([]annotate.Label, len(d.labels))
	f.begins = make([]bool, len(d.labels))
	for i, label := range d.labels {
		if label != "" {
			f.labels[i], f.begins[i] = Folded, d.opens(i)
		}
	}
	return f
}

// labelsOf lists the labels that the documents use, sorted.
func labelsOf(docs []sequence) []annotate.Label {
	seen := map[annotate.Label]bool{}
	for _, d := range docs {
		for _, l := range d.labels {
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
