// SPDX-License-Identifier: Apache-2.0

package dp_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/publish/idview"
	"hide/internal/publish/ledger"
)

func TestSequencesAreDebitedOnce(t *testing.T) {
	b := newBench(t)
	id := b.Counted(ledger.One)
	for range 2 {
		if err := b.StartPublishSequences(t.Context(), projecttest.Broker, id, release.Publish, projecttest.Towns(300_000)); err != nil {
			t.Fatal(err)
		}
		r, st := b.Published(id)
		if st.Error != "" || r.Kind != release.KindSequences || r.Number != 1 || r.Strong.Height != 2 || len(r.Strong.Errors) != 2 || !r.Verified {
			t.Fatalf("%+v, %+v", r, st)
		}
	}
	if a := b.MustBudget(id); a.Spent != 300_000 || len(a.Debits) != 1 {
		t.Errorf("budget %+v", a)
	}
}

func TestSequencesThatAreRefusedDebitNothing(t *testing.T) {
	b := newBench(t)
	id := b.Counted(ledger.One)
	for name, with := range map[string]func(*dp.SequenceSettings){
		"no source":        func(s *dp.SequenceSettings) { s.Source = "" },
		"no alphabet":      func(s *dp.SequenceSettings) { s.Alphabet = nil },
		"a symbol twice":   func(s *dp.SequenceSettings) { s.Alphabet = append(s.Alphabet, "arden") },
		"no height":        func(s *dp.SequenceSettings) { s.Height = 0 },
		"a vast height":    func(s *dp.SequenceSettings) { s.Height = 1 << 40 },
		"names":            func(s *dp.SequenceSettings) { s.Of.Name = "PATIENT" },
		"no epsilon":       func(s *dp.SequenceSettings) { s.Epsilon = 0 },
		"a value (end)":    func(s *dp.SequenceSettings) { s.Alphabet = append(s.Alphabet, "(end)") },
		"order and others": func(s *dp.SequenceSettings) { s.Ordered, s.Other = true, true },
	} {
		set := projecttest.Towns(100_000)
		with(&set)
		err := b.StartPublishSequences(t.Context(), projecttest.Broker, id, release.Publish, set)
		if project.KindOf(err) != project.Invalid {
			t.Errorf("%s: %v", name, err)
		}
		for _, word := range []string{"height", "alphabet", "symbol"} { // the page has none of these
			if strings.Contains(project.ErrorWords(err), word) {
				t.Errorf("%s: it says %q", name, project.ErrorWords(err))
			}
		}
	}
	projecttest.WantKind(t, b.StartPublishSequences(t.Context(), projecttest.Reviewer, id, release.Publish, projecttest.Towns(1000)), project.Forbidden)
	set := projecttest.Towns(100_000)
	set.Alphabet = set.Alphabet[:1]
	_, err := b.EstimateSequences(t.Context(), projecttest.Broker, id, set)
	for _, err := range []error{err, b.StartPublishSequences(t.Context(), projecttest.Broker, id, release.Publish, set)} {
		if projecttest.WantKind(t, err, project.Invalid); !strings.Contains(project.ErrorWords(err), "is not in the list") || strings.Contains(project.ErrorWords(err), "Bilton") {
			t.Errorf("%v", project.ErrorWords(err))
		}
	}
	if a := b.MustBudget(id); a.Spent != 0 {
		t.Errorf("budget %+v", a)
	}
}

func TestSymbolsAreSpeltAsTheAlphabetDoes(t *testing.T) {
	set := projecttest.Towns(1)
	set.Alphabet = append(set.Alphabet, "Zu\u0308rich", "ORİO")
	people := idview.NewPeople()
	for i, patient := range []string{"7", "", " 8\t9"} {
		people.Add(annotate.Document{Name: strconv.Itoa(i), Patient: patient, Text: "x"}, nil, true)
	}
	values := [][]string{{"Arden", "bilton", "Elling"}, {"Z\u00fcrich"}, {"orİo"}}
	written := func() string {
		var b strings.Builder
		if _, err := dp.SequenceRecords(set, people.Keys(), values).WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := written(); got != "7\tARDEN\tBilton\tElling\n\tZu\u0308rich\n8 9\tORİO\n" {
		t.Errorf("%q", got)
	}
	set.Unjoined = 1
	if got := written(); strings.Contains(got, "\n\t") {
		t.Errorf("%q: a note without a patient is nobody's", got)
	}
}

// TestTheMostFrequentSequencesAreShown: whole ones, those that end and those as long as
// may be, with the counts of the release, and some that were invented.
func TestTheMostFrequentSequencesAreShown(t *testing.T) {
	b := newBench(t)
	id := b.Counted(20 * ledger.One)
	set := projecttest.Towns(15 * ledger.One) // hardly any noise
	set.Synthetic = true
	if err := b.StartPublishSequences(t.Context(), projecttest.Broker, id, release.Publish, set); err != nil {
		t.Fatal(err)
	}
	r, st := b.Published(id)
	if st.Error != "" {
		t.Fatal(st.Error)
	}
	got, err := b.ReleasedSequences(t.Context(), projecttest.Broker, id, r.Number)
	if err != nil || len(got.Frequent) == 0 || len(got.Frequent) > dp.MostFrequent || len(got.Invented) == 0 || len(got.Invented) > dp.MostInvented {
		t.Fatalf("%+v, %v", got, err)
	}
	people := 0.0
	for i, q := range got.Frequent {
		if len(q.Symbols) > set.Height || slices.Contains(q.Symbols, "(end)") || i > 0 && q.Count > got.Frequent[i-1].Count {
			t.Errorf("sequence %d is %+v", i+1, q)
		}
		people += q.Count
	}
	if all := b.MustIdentifiers(id).People; math.Abs(people-float64(all)) > 3 {
		t.Errorf("%v people in all, of %d", people, all)
	}
	for _, symbols := range got.Invented {
		for _, symbol := range symbols {
			if !slices.Contains(set.Alphabet, symbol) {
				t.Errorf("%q was invented", symbol)
			}
		}
	}
	if _, err := b.ReleasedSequences(t.Context(), projecttest.Annotator, id, r.Number); project.KindOf(err) != project.Forbidden {
		t.Errorf("an annotator sees releases: %v", err)
	}
}

func TestOfManySequencesTheMostFrequentAreKept(t *testing.T) {
	var all []dp.CountedSequence
	for i := range 40 {
		all = dp.KeepFrequent(all, dp.CountedSequence{[]string{strconv.Itoa(i)}, float64(i * 7 % 40)})
	}
	for i, q := range all {
		if q.Count != float64(39-i) {
			t.Errorf("number %d has %v", i+1, q.Count)
		}
	}
	if len(all) != dp.MostFrequent {
		t.Errorf("%d are kept", len(all))
	}
}
