// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/table"
)

func bySex(e ledger.Micro) CubeSettings {
	return CubeSettings{
		Epsilon: e, Source: "the admission form",
		Dimensions: cube.Domain{{Name: "sex", Values: []string{"F", "M"}}, {Name: "AGE", Min: 0, Max: 119, Width: 20, Other: true}},
	}
}

func (b *bench) budget(id ID) Budget {
	b.t.Helper()
	v, err := b.Budget(b.t.Context(), broker, id)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// counted opens a budget for a cohort.
func (b *bench) counted(limit ledger.Micro) ID {
	b.t.Helper()
	id := b.finished(cohort(24))
	if err := b.OpenBudget(b.t.Context(), broker, id, BudgetOpening{Limit: limit}); err != nil {
		b.t.Fatal(err)
	}
	return id
}

func TestCountsAreDebitedOnceAndServedAgainForNothing(t *testing.T) {
	b := newBench(t)
	id := b.counted(ledger.One)
	for range 2 {
		if err := b.StartPublishCube(t.Context(), broker, id, bySex(400_000)); err != nil {
			t.Fatal(err)
		}
		r, st := b.published(id)
		if st.Error != "" || r.Kind != ReleaseCube || r.Number != 1 || r.Strong.Epsilon != 400_000 || r.Strong.Cells != 14 || len(r.Strong.Phases) == 0 {
			t.Fatalf("%+v, %+v", r, st)
		}
		if a := b.budget(id); a.Spent != 400_000 || a.Left != 600_000 || len(a.Debits) != 1 {
			t.Errorf("budget %+v", a)
		}
	}
	if _, st := b.published(id); !strings.Contains(st.Note, "Nothing was spent") {
		t.Errorf("%+v does not say that nothing was spent", st)
	}
	b.reopen()
	if a := b.budget(id); a.Spent != 400_000 {
		t.Errorf("after reopening: %+v", a)
	}
	var out bytes.Buffer
	if err := b.WriteRelease(t.Context(), reviewer, id, 1, &out); err != nil || out.Len() == 0 {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
}

func TestARefusedRequestDebitsNothing(t *testing.T) {
	b := newBench(t)
	id := b.counted(ledger.One)
	change := func(with func(*CubeSettings)) CubeSettings {
		set := bySex(100_000)
		with(&set)
		return set
	}
	for name, set := range map[string]CubeSettings{
		"no source":        change(func(s *CubeSettings) { s.Source = "" }),
		"no epsilon":       change(func(s *CubeSettings) { s.Epsilon = 0 }),
		"negative epsilon": change(func(s *CubeSettings) { s.Epsilon = -1 }),
		"huge epsilon":     change(func(s *CubeSettings) { s.Epsilon = 1 << 60 }),
		"no dimension":     change(func(s *CubeSettings) { s.Dimensions = nil }),
		"no values":        change(func(s *CubeSettings) { s.Dimensions[0].Values = nil }),
		"a name left out":  change(func(s *CubeSettings) { s.Dimensions[0].Name = "PATIENT" }),
		"a billion cells":  change(func(s *CubeSettings) { s.Dimensions[1].Width, s.Dimensions[1].Max = 1e-6, 500 }),
		"a method":         change(func(s *CubeSettings) { s.Method = "magic" }),
	} {
		if err := b.StartPublishCube(t.Context(), broker, id, set); KindOf(err) != Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	// only the data tells that a value is missing in the list, and this is before the debit
	unlisted := change(func(s *CubeSettings) { s.Dimensions[0].Values = []string{"F", "X"} })
	for _, err := range []error{b.estimated(id, unlisted), b.StartPublishCube(t.Context(), broker, id, unlisted)} {
		if wantKind(t, err, Invalid); !strings.Contains(ErrorWords(err), "the patients do not fit: row 2") || strings.Contains(ErrorWords(err), "json") {
			t.Errorf("%v", ErrorWords(err))
		}
	}
	if err := b.StartPublishCube(t.Context(), broker, id, bySex(ledger.One+1)); err != nil {
		t.Fatal(err)
	}
	if r, st := b.published(id); r.Number != 0 || !strings.Contains(st.Error, "nothing was spent; spend less") || strings.Contains(st.Error, string(id)) || st.Cube == nil || st.Cube.Epsilon != ledger.One+1 {
		t.Errorf("above the budget: %+v, %+v", r, st)
	}
	if a := b.budget(id); a.Spent != 0 || len(a.Debits) != 0 {
		t.Errorf("budget %+v", a)
	}
}

func TestABudgetIsOpenedOnceByTheBroker(t *testing.T) {
	b := newBench(t)
	id := b.finished(cohort(3))
	if a := b.budget(id); a.Open {
		t.Errorf("there is a budget that nobody opened: %+v", a)
	}
	wantKind(t, b.StartPublishCube(t.Context(), broker, id, bySex(1000)), Invalid)
	for _, by := range []account.User{annotator, reviewer} {
		wantKind(t, b.OpenBudget(t.Context(), by, id, BudgetOpening{Limit: ledger.One}), Forbidden)
		wantKind(t, b.StartPublishCube(t.Context(), by, id, bySex(1000)), Forbidden)
		_, err := b.EstimateCube(t.Context(), by, id, bySex(1000))
		wantKind(t, err, Forbidden)
	}
	wantKind(t, b.OpenBudget(t.Context(), broker, id, BudgetOpening{Limit: 0}), Invalid)
	wantKind(t, b.OpenBudget(t.Context(), broker, id, BudgetOpening{Limit: ledger.Most + 1}), Invalid)
	if err := b.OpenBudget(t.Context(), broker, id, BudgetOpening{Limit: ledger.One}); err != nil {
		t.Fatal(err)
	}
	wantKind(t, b.OpenBudget(t.Context(), broker, id, BudgetOpening{Limit: 2 * ledger.One}), Invalid)
	if _, err := b.Budget(t.Context(), reviewer, id); err != nil {
		t.Errorf("a reviewer does not see the budget: %v", err)
	}
	_, err := b.Budget(t.Context(), annotator, id)
	wantKind(t, err, Forbidden)
}

func TestWeakReleasesAreListedBesideTheBudget(t *testing.T) {
	b := newBench(t)
	id := b.counted(ledger.One)
	if err := b.StartPublishTable(t.Context(), broker, id, TableSettings{K: 3}, 24); err != nil {
		t.Fatal(err)
	}
	b.published(id)
	if a := b.budget(id); len(a.Weak) != 1 || a.Weak[0].Kind != ReleaseTable || len(a.Account.Weak) != 1 || a.Account.Weak[0].What != "release-1, table" {
		t.Errorf("%+v, in the ledger %+v", a.Weak, a.Account.Weak)
	}
	if err := b.StartPublishCube(t.Context(), broker, id, bySex(100_000)); err != nil {
		t.Fatal(err)
	}
	r, st := b.published(id)
	if st.Error != "" || len(r.Strong.Warnings) == 0 || !strings.Contains(r.Strong.Warnings[0], "release-1, table") {
		t.Errorf("%+v, %+v", r.Strong, st)
	}
	wantKind(t, b.WriteRelease(t.Context(), annotator, id, r.Number, io.Discard), Forbidden)
}

func TestAnEstimateNeedsNoData(t *testing.T) {
	b := newBench(t)
	id := b.finished(cohort(3))
	e, err := b.EstimateCube(t.Context(), broker, id, bySex(500_000))
	if err != nil || e.Cells != 14 || e.Scale != 2 || len(e.Errors) != 2 || e.Errors[0].Cells != 7 || e.Errors[0].Own != 4 {
		t.Errorf("%+v, %v", e, err)
	}
	if e.Errors[0].Summed <= e.Errors[1].Summed {
		t.Error("sums of more cells are not off by more")
	}
	set := bySex(500_000)
	set.Dimensions[0].Name = string(table.Direct)
	_, err = b.EstimateCube(t.Context(), broker, id, set)
	wantKind(t, err, Invalid)
}

// TestHowOthersSpellAValueDoesNotMoveAnybody is about one patient who tips how most
// notes spell a value: counted by that, she would move all who have it.
func TestHowOthersSpellAValueDoesNotMoveAnybody(t *testing.T) {
	b := newBench(t)
	docs := cohort(24)
	for i := range docs {
		if docs[i].Attributes["sex"] == "F" && i > 4 {
			docs[i].Attributes["sex"] = "f"
		}
	}
	id := b.finished(docs)
	if err := b.OpenBudget(t.Context(), broker, id, BudgetOpening{Limit: ledger.One}); err != nil {
		t.Fatal(err)
	}
	if err := b.StartPublishCube(t.Context(), broker, id, bySex(400_000)); err != nil {
		t.Fatal(err)
	}
	if r, st := b.published(id); st.Error != "" || r.Kind != ReleaseCube {
		t.Errorf("%+v, %+v", r, st)
	}
	twice := bySex(1)
	twice.Dimensions[0].Values = []string{"F", "f"}
	wantKind(t, b.StartPublishCube(t.Context(), broker, id, twice), Invalid)
}

// TestTheWayThatShouldBeOffLeastIsTaken unless another one is asked for.
func TestTheWayThatShouldBeOffLeastIsTaken(t *testing.T) {
	b := newBench(t)
	id := b.counted(ledger.One)
	large := cube.Domain{{Name: "AGE", Min: 0, Max: 119, Width: 1, Other: true}, {Name: "sex", Values: []string{"F", "M"}}, {Name: "diagnosis", Values: []string{"flu", "asthma", "fracture", "anaemia"}}}
	for name, c := range map[string]struct {
		with func(*CubeSettings)
		want cube.Method
	}{
		"small":                  {func(*CubeSettings) {}, cube.Identity},
		"large, one table":       {func(s *CubeSettings) { s.Dimensions, s.Marginals = large, [][]string{{"sex", "diagnosis"}} }, cube.Marginals},
		"large, invented rows":   {func(s *CubeSettings) { s.Dimensions, s.Synthetic, s.People = large, true, 50 }, cube.DPCube},
		"asked for all the same": {func(s *CubeSettings) { s.Method = cube.DPCube }, cube.DPCube},
	} {
		set := bySex(50_000)
		c.with(&set)
		e, err := b.EstimateCube(t.Context(), broker, id, set)
		if err != nil || e.Method != c.want || len(e.Choices) < 2 {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
		if err := b.StartPublishCube(t.Context(), broker, id, set); err != nil {
			t.Fatal(err)
		}
		if r, st := b.published(id); st.Error != "" || r.Strong.Method != c.want {
			t.Errorf("%s: %+v, %s", name, r.Strong, st.Error)
		}
	}
	set := bySex(50_000)
	set.People = -1
	_, err := b.EstimateCube(t.Context(), broker, id, set)
	wantKind(t, err, Invalid)
}
