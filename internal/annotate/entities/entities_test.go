// SPDX-License-Identifier: Apache-2.0

package entities_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/annotate/entities"
)

func note(name, patient, text string, spans ...annotate.Span) annotate.Note {
	return annotate.NewNote(annotate.Annotated{Document: annotate.Document{Name: name, Patient: patient, Text: text}, Spans: spans})
}

func place(note int, from, to annotate.ByteOff, label annotate.Label) entities.Place {
	return entities.Place{Note: note, Span: annotate.Span{Start: from, End: to, Label: label}}
}

// Positions count code points in the file and bytes in memory. An entity is as strict as its
// strictest mention, and its mentions that need not be hidden are left out.
func TestOfNotesGroupsMentionsByTheirEntity(t *testing.T) {
	notes := []annotate.Note{note("a", "", "Zoë met Zoë and Ann."), note("b", "", "Zoë left.")}
	documents := []entities.Document{
		{ID: "other"},
		{ID: "b", Mentions: []entities.Mention{{0, 3, "PERSON", "1", entities.Quasi}}},
		{ID: "a", Mentions: []entities.Mention{
			{0, 3, "PERSON", "1", entities.Quasi}, {16, 19, "PERSON", "2", entities.NoMask},
			{8, 11, "PERSON", "1", entities.Direct}, {4, 7, "PERSON", "1", entities.NoMask},
		}},
	}
	got, err := entities.OfNotes(documents, notes)
	if err != nil {
		t.Fatal(err)
	}
	want := []entities.Entity{
		{Label: "PERSON", Identifier: entities.Direct, Places: []entities.Place{place(0, 0, 4, "PERSON"), place(0, 9, 13, "PERSON")}},
		{Label: "PERSON", Identifier: entities.Quasi, Places: []entities.Place{place(1, 0, 4, "PERSON")}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestOfNotesRefusesWhatDoesNotFit(t *testing.T) {
	notes := []annotate.Note{note("a", "", "secret")}
	for want, documents := range map[string][]entities.Document{
		"note 1: the entities file has no record": {{ID: "b"}},
		"note 1: mention 2: characters 3 to 7":    {{ID: "a", Mentions: []entities.Mention{{0, 6, "X", "1", entities.Quasi}, {3, 7, "X", "1", entities.NoMask}}}},
		"note 1: mention 1: characters 3 to 3":    {{ID: "a", Mentions: []entities.Mention{{3, 3, "X", "1", entities.Direct}}}},
	} {
		_, err := entities.OfNotes(documents, notes)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if strings.Contains(fmt.Sprint(err), "secret") {
			t.Errorf("the error quotes the note: %v", err)
		}
	}
}

func TestFromSpansJoinsEqualWordsOfAPatient(t *testing.T) {
	kind := func(l annotate.Label) entities.Identifier {
		return map[annotate.Label]entities.Identifier{"N": entities.Direct, "D": entities.Quasi}[l]
	}
	notes := []annotate.Note{
		note("a", "p", "Ann LEE, 3 May", annotate.Span{Start: 0, End: 7, Label: "N"}, annotate.Span{Start: 9, End: 14, Label: "D"}),
		note("b", "p", "ann-lee 3", annotate.Span{Start: 0, End: 7, Label: "N"}, annotate.Span{Start: 8, End: 9, Label: "O"}),
		note("c", "", "Ann Lee", annotate.Span{Start: 0, End: 7, Label: "N"}),
		note("d", "", "Ann Lee Ann Lee", annotate.Span{Start: 8, End: 15, Label: "D"}, annotate.Span{Start: 0, End: 7, Label: "N"}),
	}
	var got []string
	for _, e := range entities.FromSpans(notes, kind) {
		line := fmt.Sprint(e.Identifier, " ", e.Label)
		for _, p := range e.Places {
			line += fmt.Sprint(" ", p.Note, ":", p.Span.Start)
		}
		got = append(got, line)
	}
	want := []string{"DIRECT N 0:0 1:0", "QUASI D 0:9", "DIRECT N 2:0", "DIRECT N 3:0", "QUASI D 3:8"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNormal(t *testing.T) {
	for text, want := range map[string]string{"Ann  Lee": "ann lee", "O'Hara-Smith,": "o hara smith", "Zoë": "zoë", "12/03": "12 03", "--": "--", "": ""} {
		if got := entities.Normal(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}
