// SPDX-License-Identifier: Apache-2.0

package release_test

import (
	"archive/zip"
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/publish/idview"
	"hide/internal/publish/incognito"
	"hide/internal/publish/table"
)

// previewed waits for the preview to end.
func (b *bench) previewed(id project.ID) release.TablePreview {
	b.T.Helper()
	var p release.TablePreview
	b.Wait("the preview", func() bool {
		var err error
		if p, err = b.TablePreview(b.T.Context(), projecttest.Broker, id); err != nil {
			b.T.Fatal(err)
		}
		return len(p.Tried) > 0 && !p.Running
	})
	return p
}

// withKs is a setting with each k.
func withKs(set release.TableSettings, ks ...int) []release.TableSettings {
	var all []release.TableSettings
	for _, k := range ks {
		set.K = k
		all = append(all, set)
	}
	return all
}

func TestAPreviewComparesSeveralK(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(24))
	if err := b.StartTablePreview(t.Context(), projecttest.Broker, id, withKs(release.TableSettings{Diversity: table.Diversity{L: 2}}, 2, 5, 12, 25)); err != nil {
		t.Fatal(err)
	}
	p := b.previewed(id)
	if p.Error != "" || p.Remaining != 0 || p.Rows != 24 || len(p.Choices) != 4 {
		t.Fatalf("%+v", p)
	}
	if p.Before.Prosecutor.Highest != 1 || p.Before.Unique == 0 {
		t.Errorf("before: %+v; want patients who are alone", p.Before)
	}
	last := 0.0
	for i, c := range p.Choices[:3] {
		k := []int{2, 5, 12}[i]
		if c.K != k || c.Error != "" || c.Least < k || c.Diverse < 2 || c.Utility.Suppressed != 0 {
			t.Errorf("k=%d: %+v", k, c)
		}
		if c.Utility.NCP < last || c.Utility.NCP > 1 || math.Abs(c.After.Prosecutor.Highest-1/float64(c.Least)) > 1e-12 {
			t.Errorf("k=%d: NCP %v after %v, risk %+v", k, c.Utility.NCP, last, c.After)
		}
		last = c.Utility.NCP
		inSizes := 0
		for _, s := range c.Sizes {
			inSizes += s.People
		}
		if inSizes != 24 || len(c.Examples) == 0 || len(c.Utility.Attributes) != len(c.Examples[0].Cells) {
			t.Errorf("k=%d: %d patients in classes, examples %+v", k, inSizes, c.Examples)
		}
	}
	if !strings.Contains(p.Choices[3].Error, "k is 25 and there are 24 rows") {
		t.Errorf("k=25: %+v", p.Choices[3])
	}
	b.role(id, idview.Attribute{Key: idview.Key{Source: idview.Label, Name: "CITY"}, Role: table.Direct})
	if p, err := b.TablePreview(t.Context(), projecttest.Broker, id); err != nil || !p.Changed {
		t.Errorf("roles have changed and the preview does not say so: %v", err)
	}
	if err := b.StartTablePreview(t.Context(), projecttest.Broker, id, p.Tried); err != nil {
		t.Fatal(err)
	}
	if again := b.previewed(id); again.Changed || again.Version() == p.Version() {
		t.Errorf("the preview of other roles has the version of the one before, %q", p.Version())
	}
}

func TestAPreviewThatCannotBeIsRefused(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(2))
	for name, ks := range map[string][]int{"none": nil, "one": {1}, "negative": {-3}, "huge": {1 << 40}, "many": slices.Repeat([]int{2}, 25)} {
		if err := b.StartTablePreview(t.Context(), projecttest.Broker, id, withKs(release.TableSettings{}, ks...)); project.KindOf(err) != project.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p, err := b.TablePreview(t.Context(), projecttest.Broker, id); err != nil || p.Tried != nil {
		t.Errorf("a refused preview has begun: %+v, %v", p, err)
	}
	for _, by := range []account.User{projecttest.Annotator, projecttest.Reviewer} {
		projecttest.WantKind(t, b.StartTablePreview(t.Context(), by, id, withKs(release.TableSettings{}, 2)), project.Forbidden)
		_, err := b.TablePreview(t.Context(), by, id)
		projecttest.WantKind(t, err, project.Forbidden)
		projecttest.WantKind(t, b.CancelTablePreview(t.Context(), by, id), project.Forbidden)
	}
}

func TestPatientsAreCountedByTheSizeOfTheirClass(t *testing.T) {
	sizes := release.SizesOf(table.Classes{{0}, make([]int32, 4), make([]int32, 10), make([]int32, 19), make([]int32, 20), make([]int32, 40)})
	want := []release.TableSizes{{1, 1, 1}, {2, 2, 0}, {3, 4, 4}, {5, 9, 0}, {10, 19, 29}, {20, 39, 20}, {40, 79, 40}}
	if !slices.Equal(sizes, want) {
		t.Errorf("sizes %v, want %v", sizes, want)
	}
}

func TestATableIsReleasedVerifiedAndHandedOut(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(24))
	if err := b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, release.TableSettings{K: 3, Diversity: table.Diversity{L: 2}}, 24); err != nil {
		t.Fatal(err)
	}
	r, st := b.Published(id)
	if st.Error != "" || r.Kind != release.KindTable || !r.Verified || r.Table == nil || r.Table.Report.After.Rows != 24 {
		t.Fatalf("%+v, %+v", r, st)
	}
	var out bytes.Buffer
	if err := b.WriteRelease(t.Context(), projecttest.Reviewer, id, r.Number, &out); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	all := projecttest.ReadAll(t, z)
	for _, secret := range []string{"Abel", "Bell", "c-00", "p1", "PATIENT"} {
		if strings.Contains(all, secret) {
			t.Errorf("the release holds %q", secret)
		}
	}
	for _, want := range []string{"sex", "diagnosis", "asthma", `"kind": "table"`} {
		if !strings.Contains(all, want) {
			t.Errorf("the release lacks %q", want)
		}
	}
	path := filepath.Join(b.Folder, "releases", string(id), r.Name, "table.csv")
	raw, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(raw, raw[len(raw)-10:]...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	projecttest.WantKind(t, b.WriteRelease(t.Context(), projecttest.Broker, id, r.Number, io.Discard), project.Invalid)
}

func TestATableThatCannotBeIsNotReleased(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(4))
	projecttest.WantKind(t, b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, release.TableSettings{K: 1}, 4), project.Invalid)
	projecttest.WantKind(t, b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, release.TableSettings{K: 2}, 5), project.Stale)
	projecttest.WantKind(t, b.StartPublishTable(t.Context(), projecttest.Reviewer, id, release.Publish, release.TableSettings{K: 2}, 4), project.Forbidden)
	if err := b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, release.TableSettings{K: 5}, 4); err != nil {
		t.Fatal(err)
	}
	r, st := b.Published(id)
	if r.Number != 0 || !strings.Contains(st.Error, "k is 5 and there are 4 rows") {
		t.Errorf("%+v, %q", r, st.Error)
	}
}

func TestIncognitoIsPreviewedAndReleasedToo(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(24))
	set := release.TableSettings{Method: table.Method{Name: "incognito", Suppression: 10}}
	if err := b.StartTablePreview(t.Context(), projecttest.Broker, id, withKs(set, 3)); err != nil {
		t.Fatal(err)
	}
	p := b.previewed(id)
	if len(p.Choices) != 1 || p.Choices[0].Error != "" || p.Choices[0].Least < 3 || p.Choices[0].Utility.Suppressed > 2 {
		t.Fatalf("%+v", p)
	}
	set.K = 3
	if err := b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, set, 24); err != nil {
		t.Fatal(err)
	}
	if r, st := b.Published(id); st.Error != "" || r.Kind != release.KindTable {
		t.Errorf("%+v, %+v", r, st)
	}
}

// TestAnotherMinimalNodeIsReleased releases what the preview lists, and nothing at
// levels that do not hold.
func TestAnotherMinimalNodeIsReleased(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Cohort(24))
	b.role(id, idview.Attribute{Key: idview.Key{Source: idview.Label, Name: "CITY"}, Role: table.Quasi, Hierarchy: "Arden;north;*\nBilton;north;*\nCorley;south;*\n"})
	set := release.TableSettings{K: 5, Method: table.Method{Name: "incognito"}}
	if err := b.StartTablePreview(t.Context(), projecttest.Broker, id, []release.TableSettings{set}); err != nil {
		t.Fatal(err)
	}
	lattice := b.previewed(id).Choices[0].Lattice
	at := slices.IndexFunc(lattice.Losses, func(one incognito.Loss) bool { return !slices.Equal(one.Levels, lattice.Taken) })
	if at < 0 {
		t.Fatalf("there is one node: %+v", lattice)
	}
	other := lattice.Losses[at].Levels
	raw := set
	raw.Method.Levels = lattice.Levels(make([]int, len(lattice.Attributes)))
	if err := b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, raw, 24); err != nil {
		t.Fatal(err)
	}
	if r, st := b.Published(id); r.Number != 0 || !strings.Contains(st.Error, "the requirements are satisfied at") {
		t.Errorf("%+v, %q", r, st.Error)
	}
	set.Method.Levels = lattice.Levels(other)
	if err := b.StartPublishTable(t.Context(), projecttest.Broker, id, release.Publish, set, 24); err != nil {
		t.Fatal(err)
	}
	if r, st := b.Published(id); st.Error != "" || !slices.Equal(r.Table.Report.Lattice.Taken, other) || r.Table.Settings.Method.Levels == nil {
		t.Errorf("%+v, %+v", r, st)
	}
}
