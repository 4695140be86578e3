// SPDX-License-Identifier: Apache-2.0

package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/publish/ledger"
)

// manifestOf is manifest.json of a release.
func (b *bench) manifestOf(id ID, r Release) string {
	b.t.Helper()
	raw, err := os.ReadFile(filepath.Join(b.dir, "releases", string(id), r.Name, "manifest.json"))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(raw)
}

// TestAReleaseSaysWhichOthersThereAreOfTheSamePatients publishes a table, counts and
// notes with fields, one after the other.
func TestAReleaseSaysWhichOthersThereAreOfTheSamePatients(t *testing.T) {
	b := newBench(t)
	id := b.counted(ledger.One)
	begin := []func() error{
		func() error { return b.StartPublishTable(t.Context(), broker, id, TableSettings{K: 3}, 24) },
		func() error { return b.StartPublishCube(t.Context(), broker, id, bySex(400_000)) },
		func() error {
			return b.StartPublishJoint(t.Context(), broker, id, JointChoice{K: 3, Lambda: .5, Found: 1, Threshold: .5}, 48, 0)
		},
		func() error { return b.StartPublishTable(t.Context(), broker, id, TableSettings{K: 5}, 24) },
	}
	var made []Release
	for _, start := range begin {
		if err := start(); err != nil {
			t.Fatal(err)
		}
		r, st := b.published(id)
		if st.Error != "" {
			t.Fatal(st.Error)
		}
		made = append(made, r)
	}
	for i, want := range [][]string{
		nil,
		{"release-1 (a table"},
		{"release-1 (a table", "epsilon 0.4 in all"},
		{"release-1 (a table", "release-3 (notes with their fields", "release-2 (counts"},
	} {
		all := strings.Join(made[i].Beside, "\n")
		for _, part := range want {
			if !strings.Contains(all, part) {
				t.Errorf("release %d does not name %q: %q", i+1, part, all)
			}
		}
		manifest := b.manifestOf(id, made[i])
		for _, says := range made[i].Beside {
			if made[i].Strong == nil && !strings.Contains(manifest, says) {
				t.Errorf("the manifest of release %d does not say %q", i+1, says)
			}
		}
		if len(want) == 0 && all != "" {
			t.Errorf("the first release speaks of others: %q", all)
		}
	}
	if m := b.manifestOf(id, made[1]); strings.Contains(m, "Neither the data nor anything else") || !strings.Contains(m, "release-1, table") {
		t.Error("counts state that nothing else is published, beside a table")
	}
	if r := b.mustRelease(id, 1); len(r.Beside) > 0 {
		t.Errorf("what came later is said of the first: %q", r.Beside)
	}
	now, err := b.Beside(t.Context(), broker, id, ReleaseText)
	if err != nil || len(now.Releases) != 4 || len(now.Says) != 2 || now.Releases[0].Number != 1 {
		t.Errorf("%+v, %v", now, err)
	}
	if _, err := b.Beside(t.Context(), account.User{ID: "x"}, id, ReleaseText); KindOf(err) != Forbidden {
		t.Errorf("nobody may see it: %v", err)
	}
}

func (b *bench) mustRelease(id ID, number int) Release {
	b.t.Helper()
	r, err := b.Release(b.t.Context(), broker, id, number)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// TestATextReleaseIsOnRecordBesideTheBudgetAtOnce waits for no later paid release.
func TestATextReleaseIsOnRecordBesideTheBudgetAtOnce(t *testing.T) {
	b := newBench(t)
	id := b.finished(notes(8))
	number, err := b.StartSanitize(t.Context(), broker, id, SanitizeParams{LC: []float64{10}, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	b.finishedRun(id, number)
	if _, err := b.Choose(t.Context(), broker, id, number, 10); err != nil {
		t.Fatal(err)
	}
	if err := b.OpenBudget(t.Context(), broker, id, BudgetOpening{Limit: ledger.One}); err != nil {
		t.Fatal(err)
	}
	if err := b.StartPublish(t.Context(), broker, id, 1, Despite{}); err != nil {
		t.Fatal(err)
	}
	if r, st := b.published(id); st.Error != "" || !r.Verified {
		t.Fatalf("%+v, %+v", r, st)
	}
	listed := func(w ledger.Weak) bool { return w.What == "release-1, text" }
	if a := b.budget(id); !slices.ContainsFunc(a.Account.Weak, listed) {
		t.Errorf("the ledger lists %+v", a.Account.Weak)
	}
}

func TestAReleaseThatIsWrittenAgainIsPaidOnce(t *testing.T) {
	paid := func(entry uint64, e ledger.Micro) Release {
		return Release{Strong: &StrongRelease{Entry: entry, Epsilon: e}}
	}
	if got := spentBy([]Release{paid(7, 4), paid(7, 4), {}, paid(9, 1)}); got != 5 {
		t.Errorf("%v spent", got)
	}
}
