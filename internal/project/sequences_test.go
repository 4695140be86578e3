// SPDX-License-Identifier: Apache-2.0

package project

import (
	"strconv"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/publish/idview"
	"hide/internal/publish/ledger"
)

func towns(e ledger.Micro) SequenceSettings {
	return SequenceSettings{
		Epsilon: e, Source: "list of towns", Of: idview.Key{Source: idview.Label, Name: "CITY"},
		Alphabet: []string{"ARDEN", "Bilton", "Corley"}, Height: 2,
	}
}

func TestSequencesAreDebitedOnce(t *testing.T) {
	b := newBench(t)
	id := b.counted(ledger.One)
	for range 2 {
		if err := b.StartPublishSequences(t.Context(), broker, id, towns(300_000)); err != nil {
			t.Fatal(err)
		}
		r, st := b.published(id)
		if st.Error != "" || r.Kind != ReleaseSequences || r.Number != 1 || r.Strong.Height != 2 || len(r.Strong.Errors) != 2 || !r.Verified {
			t.Fatalf("%+v, %+v", r, st)
		}
	}
	if a := b.budget(id); a.Spent != 300_000 || len(a.Debits) != 1 {
		t.Errorf("budget %+v", a)
	}
}

func TestSequencesThatAreRefusedDebitNothing(t *testing.T) {
	b := newBench(t)
	id := b.counted(ledger.One)
	for name, with := range map[string]func(*SequenceSettings){
		"no source":      func(s *SequenceSettings) { s.Source = "" },
		"no alphabet":    func(s *SequenceSettings) { s.Alphabet = nil },
		"a symbol twice": func(s *SequenceSettings) { s.Alphabet = append(s.Alphabet, "arden") },
		"no height":      func(s *SequenceSettings) { s.Height = 0 },
		"a vast height":  func(s *SequenceSettings) { s.Height = 1 << 40 },
		"names":          func(s *SequenceSettings) { s.Of.Name = "PATIENT" },
		"no epsilon":     func(s *SequenceSettings) { s.Epsilon = 0 },
	} {
		set := towns(100_000)
		with(&set)
		if err := b.StartPublishSequences(t.Context(), broker, id, set); KindOf(err) != Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantKind(t, b.StartPublishSequences(t.Context(), reviewer, id, towns(1000)), Forbidden)
	set := towns(100_000)
	set.Alphabet = set.Alphabet[:1]
	_, err := b.EstimateSequences(t.Context(), broker, id, set)
	for _, err := range []error{err, b.StartPublishSequences(t.Context(), broker, id, set)} {
		if wantKind(t, err, Invalid); !strings.Contains(said(err), "is not among those that count") || strings.Contains(said(err), "Bilton") {
			t.Errorf("%v", said(err))
		}
	}
	if a := b.budget(id); a.Spent != 0 {
		t.Errorf("budget %+v", a)
	}
}

func TestSymbolsAreSpeltAsTheAlphabetDoes(t *testing.T) {
	set := towns(1)
	set.Alphabet = append(set.Alphabet, "Zu\u0308rich", "ORİO")
	people := idview.NewPeople()
	for i, patient := range []string{"7", "", " 8\t9"} {
		people.Add(annotate.Document{Name: strconv.Itoa(i), Patient: patient, Text: "x"}, nil, true)
	}
	values := [][]string{{"Arden", "bilton", "Elling"}, {"Z\u00fcrich"}, {"orİo"}}
	if got := string(set.lines(people.Keys(), values)); got != "7\tARDEN\tBilton\tElling\n\tZu\u0308rich\n8 9\tORİO\n" {
		t.Errorf("%q", got)
	}
	set.Unjoined = 1
	if got := string(set.lines(people.Keys(), values)); strings.Contains(got, "\n\t") {
		t.Errorf("%q: a note without a patient is nobody's", got)
	}
}
