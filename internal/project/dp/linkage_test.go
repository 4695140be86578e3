// SPDX-License-Identifier: Apache-2.0

package dp_test

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/links"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/publish/cube"
	"hide/internal/publish/idview"
	"hide/internal/publish/ledger"
)

// bySex counts the people of [projecttest.TwelveKeys], of whom one has twelve keys.
var bySex = cube.Domain{{Name: "sex", Values: []string{"F", "M"}}}

// strong starts each kind of release that costs epsilon.
func strong(b *projecttest.Bench, id project.ID, unlinked bool) map[string]func() error {
	return strongFor(b, id, unlinked, ledger.One/10)
}

func strongFor(b *projecttest.Bench, id project.ID, unlinked bool, e ledger.Micro) map[string]func() error {
	ctx := b.T.Context()
	return map[string]func() error{
		"counts": func() error {
			return b.StartPublishCube(ctx, projecttest.Broker, id, release.Publish, dp.CubeSettings{Epsilon: e, Source: "a form", Dimensions: bySex, Unlinked: unlinked})
		},
		"sequences": func() error {
			return b.StartPublishSequences(ctx, projecttest.Broker, id, release.Publish, dp.SequenceSettings{
				Epsilon: e, Source: "a list", Of: idview.Key{Source: idview.Label, Name: "CITY"}, Alphabet: []string{"Arden", "Bilton"}, Height: 2, Unlinked: unlinked})
		},
		"an answer": func() error {
			return b.StartQuery(ctx, projecttest.Broker, id, release.Publish, dp.QuerySettings{Epsilon: e, Source: "a form", Dimensions: bySex, Question: "SELECT COUNT(*)", Unlinked: unlinked})
		},
	}
}

// TestReleasesThatCostEpsilonAskForLinkage wants that nothing is spent before somebody said to
// count the twelve keys of one person as twelve, and that no manifest counts patients without
// noise.
func TestReleasesThatCostEpsilonAskForLinkage(t *testing.T) {
	b := projecttest.New(t)
	id := b.FinishedProject(projecttest.TwelveKeys())
	if err := b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: ledger.One}); err != nil {
		t.Fatal(err)
	}
	for kind, start := range strong(b, id, false) {
		projecttest.WantUnlinked(b, start())
		if spent := b.MustBudget(id).Spent; spent != 0 {
			t.Errorf("%s: %v spent", kind, spent)
		}
	}
	for kind, start := range strong(b, id, true) {
		if err := start(); err != nil {
			t.Fatal(kind, err)
		}
		r, st := b.Published(id)
		if l := b.MustLinkage(id, r); st.Error != "" || !l.Unlinked || l.Linked || l.Records != 0 || l.Patients != 0 || l.Agreeing != 0 {
			t.Errorf("%s: %+v, %s", kind, l, st.Error)
		}
		if r.Linkage == nil || r.Linkage.Patients != 30 || r.Linkage.Agreeing != 12 {
			t.Errorf("%s: the project keeps %+v", kind, r.Linkage)
		}
	}
	b.Link(id, links.Figures{Records: 30, Patients: 29, Missed: 5.5, Precision: 1, Recall: .5}, "k12", "k13")
	if err := strong(b, id, true)["counts"](); err != nil {
		t.Fatal(err)
	}
	r, st := b.Published(id)
	said := strings.Join(r.LinkageWords(), " ")
	if st.Error != "" || !strings.Contains(said, "count twice: 5.5") || !strings.Contains(said, "epsilon 0.2, and not 0.1") {
		t.Errorf("%s %s", said, st.Error)
	}
}

// TestLinkedKeysAreOneUnit wants one row of the person with twelve keys, and a budget that knows
// her by each of them, whichever stands for her, also in another project.
func TestLinkedKeysAreOneUnit(t *testing.T) {
	b := projecttest.New(t)
	docs := projecttest.TwelveKeys()
	id := b.NewNamed("all keys", docs)
	b.Link(id, links.Figures{Records: 30, Patients: 19}, "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "k10", "k11")
	people, err := b.Publisher.People(t.Context(), b.MustWorkspace(id))
	if err != nil || people.Rows() != 19 {
		t.Fatalf("%d rows, %v", people.Rows(), err)
	}
	if err := b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: ledger.One}); err != nil {
		t.Fatal(err)
	}
	// Only a key that does not stand for her.
	other := b.NewNamed("one key", docs[7:8])
	if err := b.OpenBudget(t.Context(), projecttest.Broker, other, dp.BudgetOpening{Limit: ledger.One}); err == nil {
		t.Error("a second budget was opened for a person by another of her keys")
	}
	// Linked after the budget was opened: the keys stay known.
	third := b.NewNamed("linked later", docs[12:14])
	if err := b.OpenBudget(t.Context(), projecttest.Broker, third, dp.BudgetOpening{Limit: ledger.One}); err == nil {
		t.Error("a second budget was opened for known people")
	}
}

// TestABudgetFromBeforeLinkageKeepsAllKeys opens a budget, links two keys, spends, and asks for
// another budget for the key that no longer stands for a patient.
func TestABudgetFromBeforeLinkageKeepsAllKeys(t *testing.T) {
	b := projecttest.New(t)
	docs := projecttest.TwelveKeys()
	id := b.NewNamed("first", docs[10:])
	if err := b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: ledger.One}); err != nil {
		t.Fatal(err)
	}
	b.Link(id, links.Figures{Records: 20, Patients: 19}, "k10", "k11")
	if err := strong(b, id, false)["counts"](); err != nil {
		t.Fatal(err)
	}
	if _, st := b.Published(id); st.Error != "" || b.MustBudget(id).Spent != ledger.One/10 {
		t.Errorf("%v spent, %s", b.MustBudget(id).Spent, st.Error)
	}
	second := b.NewNamed("second", docs[11:12])
	if err := b.OpenBudget(t.Context(), projecttest.Broker, second, dp.BudgetOpening{Limit: ledger.One}); err == nil {
		t.Error("the linked key got another budget")
	}
}

// TestRecordsThatAreAddedLaterAreKnownByEachKey links new keys to a known person: what is spent
// makes the ledger know the new keys too.
func TestRecordsThatAreAddedLaterAreKnownByEachKey(t *testing.T) {
	b := projecttest.New(t)
	docs := projecttest.TwelveKeys()
	id := b.NewNamed("first", docs[11:])
	if err := b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: ledger.One}); err != nil {
		t.Fatal(err)
	}
	b.MustImport(id, docs[3:4], true)
	b.Link(id, links.Figures{Records: 20, Patients: 19}, "k11", "k3")
	if err := strong(b, id, false)["counts"](); err != nil {
		t.Fatal(err)
	}
	if _, st := b.Published(id); st.Error != "" {
		t.Fatal(st.Error)
	}
	second := b.NewNamed("second", docs[3:4])
	if err := b.OpenBudget(t.Context(), projecttest.Broker, second, dp.BudgetOpening{Limit: ledger.One}); err == nil {
		t.Error("a key that was linked before spending got another budget")
	}
}

// TestReleasesThatCostEpsilonCountLinkedKeysOnce spends so much that the noise is less than the
// eleven keys too many.
func TestReleasesThatCostEpsilonCountLinkedKeysOnce(t *testing.T) {
	b := projecttest.New(t)
	id := b.NewNamed("all keys", projecttest.TwelveKeys())
	b.Link(id, links.Figures{Records: 30, Patients: 19}, "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "k10", "k11")
	if err := b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: 19 * ledger.One}); err != nil {
		t.Fatal(err)
	}
	// 10 of 19 people are female, with all keys 21 of 30. 9 were in Arden only, with all keys 15.
	want := map[string]struct {
		people float64
		read   func(r release.Release) float64
	}{
		"counts": {10, func(r release.Release) float64 {
			tables, err := b.ReleasedCounts(t.Context(), projecttest.Broker, id, r.Number, []string{"sex"})
			if err != nil || len(tables) != 1 || len(tables[0].Rows) != 2 {
				t.Fatal(tables, err)
			}
			return tables[0].Rows[0].Count
		}},
		"an answer": {19, func(r release.Release) float64 { return answered(b, id, r) }},
		"sequences": {9, func(r release.Release) float64 {
			all, err := b.ReleasedSequences(t.Context(), projecttest.Broker, id, r.Number)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range all.Frequent {
				if len(s.Symbols) == 1 && s.Symbols[0] == "Arden" {
					return s.Count
				}
			}
			return math.NaN()
		}},
	}
	for kind, start := range strongFor(b, id, false, 6*ledger.One) {
		if err := start(); err != nil {
			t.Fatal(kind, err)
		}
		r, st := b.Published(id)
		if got := want[kind].read(r); st.Error != "" || !(math.Abs(got-want[kind].people) < 3) {
			t.Errorf("%s: %.1f people, want %.0f; %s", kind, got, want[kind].people, st.Error)
		}
	}
}

// answered is the only number of a released answer.
func answered(b *projecttest.Bench, id project.ID, r release.Release) float64 {
	b.T.Helper()
	f, err := os.Open(filepath.Join(b.Folder, "releases", string(id), r.Name, "answer.csv"))
	if err != nil {
		b.T.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 2 {
		b.T.Fatal(len(rows), err)
	}
	n, err := strconv.ParseFloat(rows[1][0], 64)
	if err != nil {
		b.T.Fatal(err)
	}
	return n
}
