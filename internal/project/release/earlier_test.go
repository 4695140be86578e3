// SPDX-License-Identifier: Apache-2.0

package release_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish/ledger"
)

// manifestOf is manifest.json of a release.
func (b *bench) manifestOf(id project.ID, r release.Release) string {
	b.T.Helper()
	raw, err := os.ReadFile(filepath.Join(b.Folder, "releases", string(id), r.Name, "manifest.json"))
	if err != nil {
		b.T.Fatal(err)
	}
	return string(raw)
}

// TestAReleaseSaysWhichOthersThereAreOfTheSamePatients publishes a table, counts and
// notes with fields, one after the other.
func TestAReleaseSaysWhichOthersThereAreOfTheSamePatients(t *testing.T) {
	b := newBench(t)
	id := b.Counted(ledger.One)
	begin := []func() error{
		func() error {
			return b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, release.TableSettings{K: 3}, 24)
		},
		func() error {
			return b.StartPublishCube(t.Context(), projecttest.Broker, id, release.Publish, projecttest.BySex(400_000))
		},
		func() error {
			return b.StartPublishJoint(t.Context(), projecttest.Broker, id, release.Publish, release.JointChoice{K: 3, Lambda: .5, Found: 1, Threshold: .5}, 48, 0)
		},
		func() error {
			return b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, release.TableSettings{K: 5}, 24)
		},
	}
	var made []release.Release
	for _, start := range begin {
		if err := start(); err != nil {
			t.Fatal(err)
		}
		r, st := b.Published(id)
		if st.Error != "" {
			t.Fatal(st.Error)
		}
		made = append(made, r)
	}
	for i, want := range [][]string{
		nil,
		{"release-1 (a table"},
		{"release-1 (a table", "epsilon 0.4 in total"},
		{"release-1 (a table", "release-3 (notes with their fields", "release-2 (counts"},
	} {
		all := strings.Join(made[i].EarlierWords, "\n")
		for _, part := range want {
			if !strings.Contains(all, part) {
				t.Errorf("release %d does not name %q: %q", i+1, part, all)
			}
		}
		manifest := b.manifestOf(id, made[i])
		for _, says := range made[i].EarlierWords {
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
	if r := b.mustRelease(id, 1); len(r.EarlierWords) > 0 {
		t.Errorf("the first release names later ones: %q", r.EarlierWords)
	}
	now, err := b.EarlierReleases(t.Context(), projecttest.Broker, id, release.KindText)
	if err != nil || len(now.Releases) != 4 || len(now.Says) != 2 || now.Releases[0].Number != 1 {
		t.Errorf("%+v, %v", now, err)
	}
	if _, err := b.EarlierReleases(t.Context(), account.User{ID: "x"}, id, release.KindText); project.KindOf(err) != project.NotFound {
		t.Errorf("nobody may see it: %v", err)
	}
}

func (b *bench) mustRelease(id project.ID, number int) release.Release {
	b.T.Helper()
	r, err := b.Release(b.T.Context(), projecttest.Broker, id, number)
	if err != nil {
		b.T.Fatal(err)
	}
	return r
}

// TestATextReleaseIsOnRecordBesideTheBudgetAtOnce waits for no later paid release.
func TestATextReleaseIsOnRecordBesideTheBudgetAtOnce(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(8))
	number, err := b.StartSanitize(t.Context(), projecttest.Broker, id, sanitize.Params{LC: []float64{10}, Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	b.FinishedRun(id, number)
	if _, err := b.Choose(t.Context(), projecttest.Broker, id, number, 10); err != nil {
		t.Fatal(err)
	}
	if err := b.OpenBudget(t.Context(), projecttest.Broker, id, dp.BudgetOpening{Limit: ledger.One}); err != nil {
		t.Fatal(err)
	}
	if err := b.StartPublish(t.Context(), projecttest.Broker, id, release.Publish, 1, release.Despite{}); err != nil {
		t.Fatal(err)
	}
	if r, st := b.Published(id); st.Error != "" || !r.Verified || st.Made != r.Number {
		t.Fatalf("%+v, %+v", r, st)
	}
	listed := func(w ledger.Weak) bool { return w.What == "release-1, text" }
	if a := b.MustBudget(id); !slices.ContainsFunc(a.Account.Weak, listed) {
		t.Errorf("the ledger lists %+v", a.Account.Weak)
	}
}

func TestAReleaseThatIsWrittenAgainIsPaidOnce(t *testing.T) {
	paid := func(entry uint64, e ledger.Micro) release.Release {
		return release.Release{Strong: &release.StrongRelease{Entry: entry, Epsilon: e}}
	}
	if got := release.SpentBy([]release.Release{paid(7, 4), paid(7, 4), {}, paid(9, 1)}); got != 5 {
		t.Errorf("%v spent", got)
	}
}
