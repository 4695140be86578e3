// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/option"
)

// crfCorpus is what the CRF is trained on.
type crfCorpus struct {
	docs           []annotate.Note
	labels, folded []annotate.Label // sorted
	keep           map[annotate.Label]annotate.Label
}

// nameLabel is what all labels of names become, so that there are three states.
const nameLabel annotate.Label = "NAME"

func newCRFCorpus(notes []annotate.Annotated, o CRFOptions) (crfCorpus, error) {
	keep, err := keptLabels(annotate.Labels(notes), o.Labels)
	if err != nil {
		return crfCorpus{}, err
	}
	c := crfCorpus{docs: upToTokens(crfDocs(notes, keep), o.MaxTokens), keep: keep}
	c.labels = annotate.Labels(notes[:len(c.docs)])
	if o.Labels == "names" {
		c.folded = slices.Sorted(maps.Keys(keep))
	}
	return c, nil
}

// testDocs are notes to score, with the same labels.
func (c crfCorpus) testDocs(notes []annotate.Annotated, which string) []annotate.Note {
	keep := c.keep
	if which == "all" {
		keep = maps.Clone(keep)
		for _, label := range annotate.Labels(notes) {
			keep[label] = label
		}
	}
	return crfDocs(notes, keep)
}

// keptLabels says what becomes of each label that counts.
func keptLabels(have []annotate.Label, which string) (map[annotate.Label]annotate.Label, error) {
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
		return nil, &option.Problem{Name: "labels", Text: fmt.Sprintf("none of the %d labels of the notes is meant: enter names, all, or labels with commas between; case counts", len(have))}
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

// crfDocs cuts the notes into tokens, with the spans that count.
func crfDocs(notes []annotate.Annotated, keep map[annotate.Label]annotate.Label) []annotate.Note {
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
