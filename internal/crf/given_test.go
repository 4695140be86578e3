// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// givenWords lists the words of a view that are marked as parts of identities.
func givenWords(v annotate.View) (out []string) {
	x := newExtractor(Known, nil, &counter{})
	d := unlabelled(v)
	x.extract(d, func(int, []int32) {})
	for t, g := range x.doc.given {
		if g.label > 0 {
			out = append(out, d.words[t]+"/"+g.name)
		}
	}
	return out
}

// counter numbers bundles.
type counter struct{ n int32 }

func (c *counter) number(_ *attributes, to []int32) {
	for i := range to {
		to[i] = c.n
		c.n++
	}
}

func TestIdentitiesAreFeaturesInAnyForm(t *testing.T) {
	d := annotate.Document{Text: "Weiss, A. came on May 14 (chart 81 55 73 0) with aspirin.", Identities: []annotate.Identity{
		{Label: "PATIENT", Value: "Anna Weiss"}, {Label: "DATE", Value: "1961-05-14"}, {Label: "MEDICALRECORD", Value: "8155730"},
	}}
	note := annotate.NewNote(annotate.Annotated{Document: d})
	got := givenWords(note.View())
	want := strings.Fields("Weiss/PATIENT ,/PATIENT A/PATIENT May/DATE 14/DATE 81/MEDICALRECORD 55/MEDICALRECORD 73/MEDICALRECORD 0/MEDICALRECORD")
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	hidden := make([]bool, len(note.Words))
	hidden[2], hidden[6] = true, true // A and May
	if got := givenWords(annotate.View{Note: &note, Redacted: hidden}); slices.Contains(got, "14/DATE") || !slices.Contains(got, "Weiss/PATIENT") {
		t.Errorf("with redacted words, got %v", got)
	}
	note.Tokens = nil // one blank separates the words
	if got := givenWords(note.View()); !slices.Contains(got, "Weiss/PATIENT") {
		t.Errorf("without positions, got %v", got)
	}
	note.Identities = nil
	if got := givenWords(note.View()); len(got) > 0 {
		t.Errorf("without identities, got %v", got)
	}
}
