// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

// corpusJSON is the size of a corpus (tkde table 2).
type corpusJSON struct {
	Documents   int           `json:"documents"`
	Patients    int           `json:"patients"`
	Tokens      int           `json:"tokens"`
	Sensitive   int           `json:"sensitive"`
	Informative int           `json:"informative"` // sensitive tokens that are neither signs nor common words
	Names       int           `json:"names"`       // sensitive spans
	ByLabel     []corpusLabel `json:"by_label"`
}

type corpusLabel struct {
	Label     annotate.Label `json:"label"`
	Sensitive int            `json:"sensitive"`
	Spans     int            `json:"spans"`
}

func corpusOf(docs []annotate.Note) corpusJSON {
	c := corpusJSON{Documents: len(docs), Patients: patientsIn(docs)}
	labels := map[annotate.Label]*corpusLabel{}
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
func (c *corpusJSON) count(d *annotate.Note, labels map[annotate.Label]*corpusLabel) {
	seen := map[int]bool{}
	for x, sensitive := range d.Sensitive {
		if !sensitive {
			continue
		}
		l := labels[d.Labels[x]]
		if l == nil {
			l = &corpusLabel{Label: d.Labels[x]}
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
