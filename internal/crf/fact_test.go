// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"reflect"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
)

// TestFactsSayWhatTheFeaturesSee reads a note of five lines.
func TestFactsSayWhatTheFeaturesSee(t *testing.T) {
	const text = "PLAN\nSeen by Dr. María Ruiz on 12/03/2014.\n\nPhone: 312-555-0188\nruiz called"
	d := noteSequence(annotate.Annotated{Document: annotate.Document{Text: text}})
	lists := NewLists(nil)
	facts := NewFactReader(lists).Read(d.view())
	at := func(word string) Fact { return facts[slices.Index(d.words, word)] }
	for what, ok := range map[string]bool{
		"a title and a list":         at("María").Title == 1 && at("María").Phrases[slices.Index(lists.gazette.names, dictionary.OwnPrefix+"given")] == 1,
		"the second word after one":  at("Ruiz").Title == 2,
		"a date, its place and size": at("03").Kind == "DATE" && at("03").Place == 2 && at("03").Size == 5 && at("03").RunKind == "DATE",
		"a telephone number":         at("555").Kind == "PHONE" && at("555").Digits == 10,
		"a header line":              at("Seen").Section == "plan" && at("Seen").SectionAt == 1,
		"the words before a colon":   at("312").Head == "phone" && at("312").HeadDistance == 1,
		"white space":                at("Seen").Gap == 2 && at("by").Gap == 1 && at("Phone").Gap == 3 && at("/").Gap == 0,
		"use elsewhere":              at("ruiz").Elsewhere>>besideName&1 == 1 && at("ruiz").Used>>inSmall&1 == 1 && at("Ruiz").Elsewhere>>inSmall&1 == 1,
		"word, shape and class":      at("María").Lower == "maría" && at("María").Shape == "Xx+" && at("María").Class == 'T',
		"the end of a line":          at("0188").LineEnd && !at("312").LineEnd,
	} {
		if !ok {
			t.Errorf("%s: wrong", what)
		}
	}
	if again := NewFactReader(NewLists(nil)).Read(d.view()); !reflect.DeepEqual(facts, again) {
		t.Error("another reader sees other facts")
	}
	if len(NewFactReader(NewLists(nil)).Read(sequence{}.view())) != 0 {
		t.Error("no words have facts")
	}
}
