// SPDX-License-Identifier: Apache-2.0

package study

import (
	"reflect"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/hospital"
	"hide/internal/testsize"
)

func hospitalNotes(institution string, patients int) []annotate.Note {
	var docs []annotate.Note
	for d := range hospital.Generate(hospital.Options{Patients: patients, MaxNotes: 1, Seed: 3, Institution: institution}) {
		docs = append(docs, annotate.NewNote(d))
	}
	return docs
}

// TestAnotherPlaceIsWarnedOf: capitals finds as much in either institution; the
// alarm must know by the texts.
func TestAnotherPlaceIsWarnedOf(t *testing.T) {
	p := greedy.Params{Mode: greedy.Cost, LC: []float64{1, 10}, Seed: 1, Folds: 2, Learners: []greedy.Learner{capitals{}}}
	docs, foreign := hospitalNotes("a", 24), hospitalNotes("b", 24)
	got, err := Warn(t.Context(), docs, foreign, p, Audit{Random: len(docs)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []Training{AtRandom, AtRandom, MostDoubtful, MostDoubtful, Elsewhere, Elsewhere}
	if len(got) != len(want) {
		t.Fatalf("%d results, want %d", len(got), len(want))
	}
	for i, w := range got {
		if w.Training != want[i] || w.LC != p.LC[i%2] {
			t.Errorf("result %d is of %s at %g", i, w.Training, w.LC)
		}
		if w.Training == AtRandom && w.Drift || w.Training == Elsewhere && !w.Drift {
			t.Errorf("%s: the alarm rang is %t", w.Training, w.Drift)
		}
		if picked := w.Training == MostDoubtful; w.Selected > 0 != picked || w.Warns() != (w.Drift || picked) {
			t.Errorf("%s: %d picked, warned is %t", w.Training, w.Selected, w.Warns())
		}
		if w.Missed <= 0 || w.Audited.Value != w.Missed || w.Audited.Low != w.Missed || w.Audited.AtMost != w.Missed {
			t.Errorf("all was read, and %+v", w)
		}
	}
	some, err := Warn(t.Context(), docs, nil, p, Audit{Random: 4, Selected: 2}, 0)
	if err != nil || len(some) != 4 {
		t.Fatalf("without foreign documents %d results, %v", len(some), err)
	}
	for i, w := range some {
		if w.Missed != got[i].Missed || w.Drift != got[i].Drift || w.Expected != got[i].Expected || w.Audited.AtMost <= w.Audited.Low {
			t.Errorf("some were read, and %+v", w)
		}
	}
}

// Of alike documents, the draws read different ones.
func TestEachDrawReadsDocumentsOfItsOwn(t *testing.T) {
	p := greedy.Params{Mode: greedy.Cost, LC: []float64{10}, Seed: 1, Folds: 2, Learners: []greedy.Learner{capitals{}}}
	learn, publish := Halves(hospitalNotes("a", 24), 1)
	found := map[greedy.Estimate]bool{}
	for number := range uint64(testsize.Of(4, 6)) {
		got, err := warn(t.Context(), AtRandom, learn, publish, p, Audit{Random: 3}, number)
		if err != nil {
			t.Fatal(err)
		}
		found[got[0].Audited] = true
	}
	if len(found) < 3 {
		t.Errorf("the audits of three documents each came to %d results", len(found))
	}
}

func TestPickedDocumentsAreTakenOnce(t *testing.T) {
	docs := hospitalNotes("", 12)
	for i := range docs {
		docs[i].Group = string(rune('a' + i))
	}
	for _, n := range []int{0, 2, 3, 7, 12} {
		picked, rest, err := selectDoubtful(t.Context(), docs, n, 1)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, d := range slices.Concat(picked, rest) {
			seen[d.Group] = true
		}
		if len(picked) != n || len(picked)+len(rest) != len(docs) || len(seen) != len(docs) {
			t.Errorf("%d asked for: %d picked, %d left, %d different", n, len(picked), len(rest), len(seen))
		}
	}
}

func TestSumCounts(t *testing.T) {
	of := func(rang bool, picked int, left, audited float64) []Warning {
		return []Warning{{MostDoubtful, 10, rang, picked, greedy.Estimate{Value: 4, High: 6, AtMost: 6}, greedy.Estimate{Value: audited, Low: audited - 1, High: audited + 1, AtMost: audited + 1}, left}}
	}
	got := Sum([][]Warning{of(true, 0, 5, 5), of(true, 7, 7, 5), of(false, 7, 3, 8), of(false, 0, 9, 10)})
	want := []Warnings{{MostDoubtful, 10, 4, 2, 3, 4, Held{2, 2, 6}, 7, Held{2, 3, 6}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
