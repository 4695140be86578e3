// SPDX-License-Identifier: Apache-2.0

package dp_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/publish/cube"
	"hide/internal/publish/idview"
	"hide/internal/publish/ledger"
	"hide/internal/publish/table"
)

func TestABudgetWhoseHeadIsMissingIsRefusedWithAHint(t *testing.T) {
	b := newBench(t)
	id := b.Counted(ledger.One)
	if err := b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, projecttest.BySex(400_000)); err != nil {
		t.Fatal(err)
	}
	if _, st := b.Published(id); st.Error != "" {
		t.Fatal(st.Error)
	}
	if err := os.Remove(b.Folder + ".budget"); err != nil {
		t.Fatal(err)
	}
	b.Reopen()
	_, err := b.Budget(t.Context(), projecttest.Broker, id)
	projecttest.WantKind(t, err, project.Invalid)
	projecttest.WantKind(t, b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, projecttest.BySex(100_000)), project.Invalid)
	if err := b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, release.TableSettings{K: 3}, 24); err != nil {
		t.Errorf("a table needs no budget: %v", err)
	}
	if _, st := b.Published(id); st.Error != "" {
		t.Error(st.Error)
	}
}

// audited is how many entries the audit trail has.
func (b *bench) audited() int {
	b.T.Helper()
	rows, err := b.Audit(b.T.Context(), account.Operator(), "", 0, 1000)
	if err != nil {
		b.T.Fatal(err)
	}
	return len(rows)
}

// TestLookingAtABudgetChangesNothing is about opening a page.
func TestLookingAtABudgetChangesNothing(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Cohort(6), true)
	b.Trained(id) // which the audit trail says
	before := b.audited()
	if a := b.MustBudget(id); a.Open {
		t.Errorf("%+v", a)
	}
	projecttest.WantKind(t, b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, projecttest.BySex(1000)), project.Invalid)
	if after := b.audited(); after != before {
		t.Errorf("the audit trail went from %d to %d entries", before, after)
	}
	if _, err := os.Stat(b.Folder + ".budget"); err == nil {
		t.Error("a ledger was begun")
	}
}

// TestTheSamePatientsInAnotherProjectHaveNoOtherBudget imports them twice.
func TestTheSamePatientsInAnotherProjectHaveNoOtherBudget(t *testing.T) {
	b := newBench(t)
	first := b.Counted(ledger.One)
	second := b.NewNamed("the same again", projecttest.Cohort(24))
	err := b.OpenBudget(t.Context(), projecttest.Broker, second, dp.BudgetOpening{Limit: ledger.One})
	projecttest.WantKind(t, err, project.Invalid)
	if !strings.Contains(project.ErrorWords(err), "“Ward 7”") || strings.Contains(project.ErrorWords(err), string(first)) {
		t.Errorf("%v does not name the other budget", err)
	}
	if b.MustBudget(second).Open {
		t.Error("it was opened")
	}
	before := b.acted("open budget")
	projecttest.WantKind(t, b.OpenBudget(t.Context(), projecttest.Broker, second, dp.BudgetOpening{Limit: ledger.One, Apart: "so"}), project.Invalid)
	if b.acted("open budget") != before {
		t.Error("what was refused is in the audit trail")
	}
	projecttest.WantKind(t, b.SeparateBudget(t.Context(), projecttest.Broker, first, "they share nobody's key"), project.Invalid)
	if b.acted("part budget") != 0 {
		t.Error("parting from nobody is in the audit trail")
	}
	if err := b.OpenBudget(t.Context(), projecttest.Broker, second, dp.BudgetOpening{Limit: ledger.One, Apart: "another hospital, which numbers from 1 too"}); err != nil {
		t.Fatal(err)
	}
	if a := b.MustBudget(second); len(a.Apart) != 1 || a.Apart[0].Who != projecttest.Broker.ID || len(a.Shared) != 0 {
		t.Errorf("%+v", a.Account)
	}
}

func (b *bench) estimated(id project.ID, set dp.CubeSettings) error {
	_, err := b.EstimateCube(b.T.Context(), projecttest.Broker, id, set)
	return err
}

// TestPatientsWhoComeLaterAreFoundInAnotherBudget imports more after the budget was
// opened.
func TestPatientsWhoComeLaterAreFoundInAnotherBudget(t *testing.T) {
	b := newBench(t)
	b.Counted(ledger.One)
	others := projecttest.Cohort(6)
	for i := range others {
		others[i].Patient, others[i].Name = fmt.Sprintf("other %d", i), fmt.Sprintf("other-%d", i)
	}
	id := b.NewNamed("others", others)
	if err := b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: ledger.One}); err != nil {
		t.Fatal(err)
	}
	b.MustImport(id, projecttest.Cohort(24), true)
	if a := b.MustBudget(id); len(a.Shared) != 1 {
		t.Fatalf("%+v", a.Account)
	}
	for _, err := range []error{b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, projecttest.BySex(1000)), b.estimated(id, projecttest.BySex(1000))} {
		if projecttest.WantKind(t, err, project.Invalid); !strings.Contains(project.ErrorWords(err), "same people") || !strings.Contains(project.ErrorWords(err), "“Ward 7”") {
			t.Errorf("%v", project.ErrorWords(err))
		}
	}
	projecttest.WantKind(t, b.SeparateBudget(t.Context(), projecttest.Annotator, id, "they are others, we asked"), project.Forbidden)
	if err := b.SeparateBudget(t.Context(), projecttest.Broker, id, "they are others, we asked"); err != nil {
		t.Fatal(err)
	}
	if err := b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, projecttest.BySex(1000)); err != nil {
		t.Fatal(err)
	}
	if r, st := b.Published(id); st.Error != "" || len(r.Strong.Warnings) != 1 || !strings.Contains(r.Strong.Warnings[0], "we asked") {
		t.Errorf("%+v", st)
	}
}

func TestALimitIsRaisedWithAReasonThatStays(t *testing.T) {
	b := newBench(t)
	id := b.Counted(ledger.One)
	projecttest.WantKind(t, b.RaiseBudget(t.Context(), projecttest.Reviewer, id, 2*ledger.One, "the board decided so"), project.Forbidden)
	projecttest.WantKind(t, b.RaiseBudget(t.Context(), projecttest.Broker, id, 2*ledger.One, ""), project.Invalid)
	projecttest.WantKind(t, b.RaiseBudget(t.Context(), projecttest.Broker, id, ledger.One, "the board decided so"), project.Invalid)
	if err := b.RaiseBudget(t.Context(), projecttest.Broker, id, 2*ledger.One, "the board decided so"); err != nil {
		t.Fatal(err)
	}
	if l, p := b.acted("budget raise"), b.acted("raise budget"); l != 1 || p != 1 {
		t.Errorf("the audit trail has %d entries of the ledger and %d of the project", l, p)
	}
	b.Reopen()
	if a := b.MustBudget(id); a.Limit != 2*ledger.One || len(a.Raises) != 1 || a.Raises[0].Why != "the board decided so" || a.Raises[0].Who != projecttest.Broker.ID {
		t.Errorf("%+v", a.Account)
	}
}

// TestNotesWithoutAPatientAreLeftOutOrBounded is about somebody of whom there are
// notes that nobody joined: she counts once, or the noise is for as often as was
// said.
func TestNotesWithoutAPatientAreLeftOutOrBounded(t *testing.T) {
	b := newBench(t)
	docs := projecttest.Cohort(24)
	for i := range 4 {
		docs[i].Patient = ""
	}
	id := b.FinishedProject(docs)
	if err := b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: 2 * ledger.One}); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int64]float64{0: 100, 3: 300} {
		set := projecttest.BySex(10_000)
		set.Method, set.Unjoined = cube.Identity, n
		if err := b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, set); err != nil {
			t.Fatal(err)
		}
		r, st := b.Published(id)
		if st.Error != "" || r.Strong.Phases[0].Scale != want || r.Strong.Phases[0].Sensitivity != max(1, n) {
			t.Errorf("bound %d: %+v, %s", n, r.Strong, st.Error)
		}
		if said := strings.Join(r.Strong.Conditions, " "); strings.Contains(said, "left out") != (n == 0) {
			t.Errorf("bound %d: %s", n, said)
		}
		ways := projecttest.Towns(10_000)
		ways.Unjoined, ways.Other = n, true
		if err := b.StartPublishSequences(t.Context(), projecttest.Broker, id, release.Publish, ways); err != nil {
			t.Fatal(err)
		}
		if r, st := b.Published(id); st.Error != "" || r.Strong.Phases[0].Sensitivity != max(1, n) {
			t.Errorf("bound %d: %+v, %s", n, r.Strong, st.Error)
		}
	}
	for _, n := range []int64{-1, dp.MostUnjoined + 1} {
		set := projecttest.BySex(10_000)
		set.Unjoined = n
		projecttest.WantKind(t, b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, set), project.Invalid)
	}
}

// TestWhatIsLeftOutIsNotInTheTable looks at the rows that are counted.
func TestWhatIsLeftOutIsNotInTheTable(t *testing.T) {
	people := idview.NewPeople()
	for i, patient := range []string{"p", "", "p", "q"} {
		people.Add(annotate.Document{Name: strconv.Itoa(i), Patient: patient, Text: strconv.Itoa(i)}, nil, true)
	}
	v, err := people.Folded([]idview.Attribute{{Key: idview.NotesKey, Role: table.Quasi, Kind: table.Number}})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int64]int{0: 2, 1: 3} {
		set := dp.CubeSettings{Source: "s", Dimensions: cube.Domain{{Name: "notes", Min: 0, Max: 9, Width: 1}}, Unjoined: n}
		counts, err := dp.CubeConfig(set, "x").Count(dp.CubeRows(set, v.Table, people.Keys()))
		if err != nil || counts.Rows() != want {
			t.Errorf("bound %d: %d rows, %v", n, counts.Rows(), err)
		}
	}
}

// acted is how often the audit trail has an action.
func (b *bench) acted(action string) (n int) {
	b.T.Helper()
	rows, err := b.Audit(b.T.Context(), account.Operator(), "", 0, 1000)
	if err != nil {
		b.T.Fatal(err)
	}
	for _, r := range rows {
		if r.Action == action {
			n++
		}
	}
	return n
}

// TestABudgetAfterARestoreNeedsAReason is about a backup from before the budget: it was
// spent, and a folder that is made of the backup knows nothing of that.
func TestABudgetAfterARestoreNeedsAReason(t *testing.T) {
	b := newBench(t)
	id := b.NewProject(projecttest.Cohort(24), true)
	b.Trained(id) // which the audit trail says
	b.Shut()
	if err := os.Remove(b.Folder + ".head"); err != nil { // as a copy has none
		t.Fatal(err)
	}
	b.Open()
	if !b.MustBudget(id).AfterRestore {
		t.Error("the page does not know of the restore")
	}
	before := b.audited()
	err := b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: ledger.One})
	projecttest.WantKind(t, err, project.Invalid)
	if !strings.Contains(project.ErrorWords(err), "is unknown") {
		t.Errorf("%v", err)
	}
	if b.audited() != before {
		t.Error("what was refused left something behind")
	}
	projecttest.WantKind(t, b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: ledger.One, Despite: "so"}), project.Invalid)
	why := "nothing was published since the backup"
	if err := b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: ledger.One, Despite: why}); err != nil {
		t.Fatal(err)
	}
	if a := b.MustBudget(id); a.Despite == nil || a.Despite.Why != why || a.Despite.Who != projecttest.Broker.ID {
		t.Errorf("%+v", a.Despite)
	}
	rows, err := b.Audit(t.Context(), projecttest.Broker, id, 0, 100)
	if err != nil || !strings.Contains(fmt.Sprint(rows), why) {
		t.Errorf("the audit trail does not give the reason: %v", err)
	}
	if err := b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, projecttest.BySex(400_000)); err != nil {
		t.Fatal(err)
	}
	if r, st := b.Published(id); st.Error != "" || !strings.Contains(strings.Join(r.Strong.Warnings, " "), why) {
		t.Errorf("the release does not say so: %q, %s", r.Strong.Warnings, st.Error)
	}
}
