// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"maps"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// Corpus is the size of a corpus (tkde table 2).
type Corpus struct {
	Documents   int          `json:"documents"`
	Patients    int          `json:"patients"`
	Tokens      int          `json:"tokens"`
	Sensitive   int          `json:"sensitive"`
	Informative int          `json:"informative"` // sensitive tokens that are neither signs nor common words
	Names       int          `json:"names"`       // sensitive spans
	ByLabel     []LabelCount `json:"by_label"`
}

// LabelCount is the size of one label.
type LabelCount struct {
	Label     annotate.Label `json:"label"`
	Sensitive int            `json:"sensitive"`
	Spans     int            `json:"spans"`
}

// CorpusOf counts documents.
func CorpusOf(docs []annotate.Note) Corpus {
	c := Corpus{Documents: len(docs), Patients: Patients(docs)}
	labels := map[annotate.Label]*LabelCount{}
	for i := range docs {
		c.Tokens += len(docs[i].Words)
		c.count(&docs[i], labels)
	}
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		c.ByLabel = append(c.ByLabel, *labels[name])
	}
	return c
}

// count adds the sensitive tokens and spans of a document.
func (c *Corpus) count(d *annotate.Note, labels map[annotate.Label]*LabelCount) {
	seen := map[int]bool{}
	for x, sensitive := range d.Sensitive {
		if !sensitive {
			continue
		}
		l := labels[d.Labels[x]]
		if l == nil {
			l = &LabelCount{Label: d.Labels[x]}
			labels[d.Labels[x]] = l
		}
		c.Sensitive++
		l.Sensitive++
		if greedy.Informative(d.Words[x]) {
			c.Informative++
		}
		if !seen[d.SpanOf[x]] {
			seen[d.SpanOf[x]] = true
			c.Names++
			l.Spans++
		}
	}
}

// Patients counts the patients of documents; a document of no known patient is one of its
// own.
func Patients(docs []annotate.Note) int {
	known := map[string]bool{}
	for _, d := range docs {
		known[d.Group] = true
	}
	return len(known)
}

// Sensitive keeps the spans of the given labels, nil for all.
func Sensitive(notes []annotate.Annotated, labels []annotate.Label) []annotate.Note {
	docs := make([]annotate.Note, len(notes))
	for i, n := range notes {
		docs[i] = annotate.NewNote(n).Only(func(l annotate.Label) bool { return labels == nil || slices.Contains(labels, l) })
	}
	return docs
}

// SensitiveLabels are the sensitive labels of documents, sorted.
func SensitiveLabels(docs []annotate.Note) []annotate.Label {
	used := map[annotate.Label]bool{}
	for _, d := range docs {
		for _, l := range d.Labels {
			used[l] = true
		}
	}
	delete(used, "")
	return slices.Sorted(maps.Keys(used))
}
