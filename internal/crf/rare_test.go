// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"fmt"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// many returns n documents with the word w<i>, each also with the words of say(i).
func many(n int, say func(i int) string) []sequence {
	docs := make([]sequence, n)
	for i := range docs {
		words := strings.Fields(fmt.Sprintf("w%d w%d %s", i, i, say(i)))
		docs[i] = sequence{words: words, labels: make([]annotate.Label, len(words))}
		docs[i].labels[0] = "X"
	}
	return docs
}

func TestAttributesOfOneDocumentAreLeftOut(t *testing.T) {
	two := func(i int) string {
		if i < 2 {
			return "both all"
		}
		return "all"
	}
	names := func(docs []sequence, o Options) string {
		m, _ := train(t, docs, o)
		return strings.Join(sortedNames(m), " ")
	}
	o := Options{Features: Term, MinDocuments: 2}
	if got, want := names(many(10, two), o), "TERM_all TERM_both"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := names(many(9, two), o); !strings.Contains(got, "TERM_w3") {
		t.Errorf("with few documents every word counts, got only %s", got)
	}
	docs := many(11, two)
	docs[0].group, docs[1].group = "p", "p"
	if got, want := names(docs, o), "TERM_all"; got != want {
		t.Errorf("one patient's documents count as one: %s, want %s", got, want)
	}
	o.MinDocuments = 3
	if got, want := names(many(10, two), o), "TERM_all"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestGroupsKeepDocumentsWithoutAPatientApart(t *testing.T) {
	got := grouped([]sequence{{}, {group: "p"}, {}, {group: "q"}, {group: "p"}})
	if want := [][]int{{0}, {1, 4}, {2}, {3}}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}
