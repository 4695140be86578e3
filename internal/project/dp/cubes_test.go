// SPDX-License-Identifier: Apache-2.0

package dp_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/table"
)

func TestCountsAreDebitedOnceAndServedAgainForNothing(t *testing.T) {
	b := newBench(t)
	id := b.Counted(ledger.One)
	for range 2 {
		if err := b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, projecttest.BySex(400_000)); err != nil {
			t.Fatal(err)
		}
		r, st := b.Published(id)
		if st.Error != "" || r.Kind != release.KindCube || r.Number != 1 || r.Strong.Epsilon != 400_000 || r.Strong.Cells != 14 || len(r.Strong.Phases) == 0 {
			t.Fatalf("%+v, %+v", r, st)
		}
		if a := b.MustBudget(id); a.Spent != 400_000 || a.Left != 600_000 || len(a.Debits) != 1 {
			t.Errorf("budget %+v", a)
		}
	}
	if _, st := b.Published(id); !strings.Contains(st.Note, "Nothing was spent") {
		t.Errorf("%+v does not say that nothing was spent", st)
	}
	b.Reopen()
	if a := b.MustBudget(id); a.Spent != 400_000 {
		t.Errorf("after reopening: %+v", a)
	}
	var out bytes.Buffer
	if err := b.WriteRelease(t.Context(), projecttest.Reviewer, id, 1, &out); err != nil || out.Len() == 0 {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
}

func TestARefusedRequestDebitsNothing(t *testing.T) {
	b := newBench(t)
	id := b.Counted(ledger.One)
	change := func(with func(*dp.CubeSettings)) dp.CubeSettings {
		set := projecttest.BySex(100_000)
		with(&set)
		return set
	}
	for name, set := range map[string]dp.CubeSettings{
		"no source":        change(func(s *dp.CubeSettings) { s.Source = "" }),
		"no epsilon":       change(func(s *dp.CubeSettings) { s.Epsilon = 0 }),
		"negative epsilon": change(func(s *dp.CubeSettings) { s.Epsilon = -1 }),
		"huge epsilon":     change(func(s *dp.CubeSettings) { s.Epsilon = 1 << 60 }),
		"not a dimension":  change(func(s *dp.CubeSettings) { s.Dimensions = nil }),
		"no values":        change(func(s *dp.CubeSettings) { s.Dimensions[0].Values = nil }),
		"a name left out":  change(func(s *dp.CubeSettings) { s.Dimensions[0].Name = "PATIENT" }),
		"a billion cells":  change(func(s *dp.CubeSettings) { s.Dimensions[1].Width, s.Dimensions[1].Max = 1e-6, 500 }),
		"a method":         change(func(s *dp.CubeSettings) { s.Method = "magic" }),
	} {
		if err := b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, set); project.KindOf(err) != project.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	// only the data tells that a value is missing in the list, and this is before the debit
	unlisted := change(func(s *dp.CubeSettings) { s.Dimensions[0].Values = []string{"F", "X"} })
	for _, err := range []error{b.estimated(id, unlisted), b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, unlisted)} {
		if projecttest.WantKind(t, err, project.Invalid); !strings.Contains(project.ErrorWords(err), "the patients' values do not match the list: row 2") || strings.Contains(project.ErrorWords(err), "json") {
			t.Errorf("%v", project.ErrorWords(err))
		}
	}
	if err := b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, projecttest.BySex(ledger.One+1)); err != nil {
		t.Fatal(err)
	}
	if r, st := b.Published(id); r.Number != 0 || !strings.Contains(st.Error, "nothing was spent; spend less") || strings.Contains(st.Error, string(id)) || st.Asked.(*dp.CubeSettings).Epsilon != ledger.One+1 {
		t.Errorf("above the budget: %+v, %+v", r, st)
	}
	if a := b.MustBudget(id); a.Spent != 0 || len(a.Debits) != 0 {
		t.Errorf("budget %+v", a)
	}
}

func TestABudgetIsOpenedOnceByTheBroker(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(3))
	if a := b.MustBudget(id); a.Open {
		t.Errorf("there is a budget that nobody opened: %+v", a)
	}
	projecttest.WantKind(t, b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, projecttest.BySex(1000)), project.Invalid)
	for _, by := range []account.User{projecttest.Annotator, projecttest.Reviewer} {
		projecttest.WantKind(t, b.OpenBudget(t.Context(), by, id, dp.BudgetOpening{Limit: ledger.One}), project.Forbidden)
		projecttest.WantKind(t, b.StartPublishCube(t.Context(), by, id, release.Publish, projecttest.BySex(1000)), project.Forbidden)
		_, err := b.EstimateCube(t.Context(), by, id, projecttest.BySex(1000))
		projecttest.WantKind(t, err, project.Forbidden)
	}
	projecttest.WantKind(t, b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: 0}), project.Invalid)
	projecttest.WantKind(t, b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: ledger.Most + 1}), project.Invalid)
	if err := b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: ledger.One}); err != nil {
		t.Fatal(err)
	}
	projecttest.WantKind(t, b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: 2 * ledger.One}), project.Invalid)
	if _, err := b.Budget(t.Context(), projecttest.Reviewer, id); err != nil {
		t.Errorf("a reviewer does not see the budget: %v", err)
	}
	_, err := b.Budget(t.Context(), projecttest.Annotator, id)
	projecttest.WantKind(t, err, project.Forbidden)
}

func TestWeakReleasesAreListedBesideTheBudget(t *testing.T) {
	b := newBench(t)
	id := b.Counted(ledger.One)
	if err := b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, release.TableSettings{K: 3}, 24); err != nil {
		t.Fatal(err)
	}
	b.Published(id)
	if a := b.MustBudget(id); len(a.Weak) != 1 || a.Weak[0].Kind != release.KindTable || len(a.Account.Weak) != 1 || a.Account.Weak[0].What != "release-1, table" {
		t.Errorf("%+v, in the ledger %+v", a.Weak, a.Account.Weak)
	}
	if err := b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, projecttest.BySex(100_000)); err != nil {
		t.Fatal(err)
	}
	r, st := b.Published(id)
	if st.Error != "" || len(r.Strong.Warnings) == 0 || !strings.Contains(r.Strong.Warnings[0], "release-1, table") {
		t.Errorf("%+v, %+v", r.Strong, st)
	}
	projecttest.WantKind(t, b.WriteRelease(t.Context(), projecttest.Annotator, id, r.Number, io.Discard), project.Forbidden)
}

func TestAnEstimateNeedsNoData(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(3))
	e, err := b.EstimateCube(t.Context(), projecttest.Broker, id, projecttest.BySex(500_000))
	if err != nil || e.Cells != 14 || e.Scale != 2 || len(e.Errors) != 2 || e.Errors[0].Cells != 7 || e.Errors[0].Own != 4 {
		t.Errorf("%+v, %v", e, err)
	}
	if e.Errors[0].Summed <= e.Errors[1].Summed {
		t.Error("sums of more cells are not off by more")
	}
	set := projecttest.BySex(500_000)
	set.Dimensions[0].Name = string(table.Direct)
	_, err = b.EstimateCube(t.Context(), projecttest.Broker, id, set)
	projecttest.WantKind(t, err, project.Invalid)
}

// TestHowOthersSpellAValueDoesNotMoveAnybody is about one patient who tips how most
// notes spell a value: counted by that, she would move all who have it.
func TestHowOthersSpellAValueDoesNotMoveAnybody(t *testing.T) {
	b := newBench(t)
	docs := projecttest.Cohort(24)
	for i := range docs {
		if docs[i].Attributes["sex"] == "F" && i > 4 {
			docs[i].Attributes["sex"] = "f"
		}
	}
	id := b.FinishedProject(docs)
	if err := b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: ledger.One}); err != nil {
		t.Fatal(err)
	}
	if err := b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, projecttest.BySex(400_000)); err != nil {
		t.Fatal(err)
	}
	if r, st := b.Published(id); st.Error != "" || r.Kind != release.KindCube {
		t.Errorf("%+v, %+v", r, st)
	}
	twice := projecttest.BySex(1)
	twice.Dimensions[0].Values = []string{"F", "f"}
	projecttest.WantKind(t, b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, twice), project.Invalid)
}

// TestTheWayThatShouldBeOffLeastIsTaken unless another one is asked for.
func TestTheWayThatShouldBeOffLeastIsTaken(t *testing.T) {
	b := newBench(t)
	id := b.Counted(ledger.One)
	large := cube.Domain{{Name: "AGE", Min: 0, Max: 119, Width: 1, Other: true}, {Name: "sex", Values: []string{"F", "M"}}, {Name: "diagnosis", Values: []string{"flu", "asthma", "fracture", "anaemia"}}}
	for name, c := range map[string]struct {
		with func(*dp.CubeSettings)
		want cube.Method
	}{
		"small":                  {func(*dp.CubeSettings) {}, cube.Identity},
		"large, one table":       {func(s *dp.CubeSettings) { s.Dimensions, s.Marginals = large, [][]string{{"sex", "diagnosis"}} }, cube.Marginals},
		"large, invented rows":   {func(s *dp.CubeSettings) { s.Dimensions, s.Synthetic, s.People = large, true, 50 }, cube.DPCube},
		"asked for all the same": {func(s *dp.CubeSettings) { s.Method = cube.DPCube }, cube.DPCube},
	} {
		set := projecttest.BySex(50_000)
		c.with(&set)
		e, err := b.EstimateCube(t.Context(), projecttest.Broker, id, set)
		if err != nil || e.Method != c.want || len(e.Choices) < 2 {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
		if err := b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, set); err != nil {
			t.Fatal(err)
		}
		if r, st := b.Published(id); st.Error != "" || r.Strong.Method != c.want {
			t.Errorf("%s: %+v, %s", name, r.Strong, st.Error)
		}
	}
	set := projecttest.BySex(50_000)
	set.People = -1
	_, err := b.EstimateCube(t.Context(), projecttest.Broker, id, set)
	projecttest.WantKind(t, err, project.Invalid)
}
