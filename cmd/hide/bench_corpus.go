// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hide/internal/annotate"
)

// benchCorpus is what a benchmark trains on.
type benchCorpus struct {
	docs           []annotate.Note
	labels, folded []annotate.Label // sorted
	keep           map[annotate.Label]annotate.Label
}

// nameLabel is what all labels of names become, so that there are three states.
const nameLabel annotate.Label = "NAME"

func readBench(ctx context.Context, v benchFlags) (benchCorpus, error) {
	notes, _, err := readNotes(ctx, v.in)
	if err != nil {
		return benchCorpus{}, err
	}
	keep, err := benchLabels(labelsIn(notes), v.labels)
	if err != nil {
		return benchCorpus{}, fmt.Errorf("%s: %w", v.in, err)
	}
	c := benchCorpus{docs: upToTokens(benchDocs(notes, keep), v.tokens), keep: keep}
	c.labels = labelsIn(notes[:len(c.docs)])
	if v.labels == "names" {
		c.folded = slices.Sorted(maps.Keys(keep))
	}
	return c, nil
}

// readBenchTest reads what is tagged and scored, with the same labels. It comes
// after training, whose memory is measured.
func readBenchTest(ctx context.Context, v benchFlags, keep map[annotate.Label]annotate.Label) ([]annotate.Note, error) {
	if v.test == "" {
		return nil, nil
	}
	notes, _, err := readNotes(ctx, v.test)
	if err != nil {
		return nil, err
	}
	if v.labels == "all" {
		keep = maps.Clone(keep)
		for _, label := range labelsIn(notes) {
			keep[label] = label
		}
	}
	return benchDocs(notes, keep), nil
}

// labelsIn lists the labels of the notes' spans, sorted.
func labelsIn(notes []annotate.Annotated) []annotate.Label {
	var labels []annotate.Label
	for _, n := range notes {
		for _, s := range n.Spans {
			if at, found := slices.BinarySearch(labels, s.Label); !found {
				labels = slices.Insert(labels, at, s.Label)
			}
		}
	}
	return labels
}

// benchLabels says what becomes of each label that counts.
func benchLabels(have []annotate.Label, which string) (map[annotate.Label]annotate.Label, error) {
	keep := map[annotate.Label]annotate.Label{}
	for _, label := range have {
		switch {
		case which == "names" && meansName(label):
			keep[label] = nameLabel
		case which == "all" || slices.Contains(strings.Split(which, ","), string(label)):
			keep[label] = label
		}
	}
	if len(keep) == 0 {
		return nil, withHint(fmt.Errorf("none of its %d labels is asked for", len(have)), "--labels is names, all, or labels with commas between; case counts")
	}
	return keep, nil
}

// meansName reports whether a label means the name of a person: between dots,
// dashes and underscores, it has a word for a person or a name and none for
// something else that people and things have.
func meansName(label annotate.Label) bool {
	const (
		person = " NAME NAMES FIRSTNAME LASTNAME SURNAME NOMBRE NOM PER PERS PERSON PATIENT DOCTOR "
		other  = " ID AGE EMAIL PHONE ADDRESS DOMAIN HOSPITAL ORGANIZATION STREET CITY USER "
	)
	named := false
	for _, part := range strings.FieldsFunc(strings.ToUpper(string(label)), func(r rune) bool { return strings.ContainsRune("._-", r) }) {
		if strings.Contains(other, " "+part+" ") {
			return false
		}
		named = named || strings.Contains(person, " "+part+" ")
	}
	return named
}

// benchDocs cuts the notes into tokens, with the spans that count.
func benchDocs(notes []annotate.Annotated, keep map[annotate.Label]annotate.Label) []annotate.Note {
	docs := make([]annotate.Note, len(notes))
	for i := range notes {
		n := &notes[i]
		n.Spans = slices.DeleteFunc(n.Spans, func(s annotate.Span) bool { return keep[s.Label] == "" })
		for j := range n.Spans {
			n.Spans[j].Label = keep[n.Spans[j].Label]
		}
		docs[i] = annotate.NewNote(*n)
	}
	return docs
}

// upToTokens is the documents from the start that make up n tokens; all for 0.
func upToTokens(docs []annotate.Note, n int) []annotate.Note {
	if n == 0 {
		return docs
	}
	for i, d := range docs {
		if n -= len(d.Words); n <= 0 {
			return docs[:i+1]
		}
	}
	return docs
}
