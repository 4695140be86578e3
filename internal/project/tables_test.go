// SPDX-License-Identifier: Apache-2.0

package project

import (
	"math"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/publish/idview"
	"hide/internal/publish/table"
)

// previewed waits for the preview to end.
func (b *bench) previewed(id ID) TablePreview {
	b.t.Helper()
	var p TablePreview
	b.wait("the preview", func() bool {
		var err error
		if p, err = b.TablePreview(b.t.Context(), broker, id); err != nil {
			b.t.Fatal(err)
		}
		return len(p.Ks) > 0 && !p.Running
	})
	return p
}

func TestAPreviewComparesSeveralK(t *testing.T) {
	b := newBench(t)
	id := b.project(cohort(24), true)
	if err := b.StartTablePreview(t.Context(), broker, id, TableSettings{Diversity: table.Diversity{L: 2}}, []int{5, 2, 5, 12, 25}); err != nil {
		t.Fatal(err)
	}
	p := b.previewed(id)
	if p.Error != "" || p.Remaining != 0 || p.Rows != 24 || len(p.Choices) != 4 {
		t.Fatalf("%+v", p)
	}
	if p.Before.Highest != 1 || p.Before.Unique == 0 {
		t.Errorf("before: %+v; want patients who are alone", p.Before)
	}
	last := 0.0
	for i, c := range p.Choices[:3] {
		k := []int{2, 5, 12}[i]
		if c.K != k || c.Error != "" || c.Least < k || c.Diverse < 2 || c.Suppressed != 0 {
			t.Errorf("k=%d: %+v", k, c)
		}
		if c.NCP < last || c.NCP > 1 || math.Abs(c.Risk.Highest-1/float64(c.Least)) > 1e-12 || math.Abs(c.Risk.Mean*c.Mean-1) > 1e-9 {
			t.Errorf("k=%d: NCP %v after %v, risk %+v", k, c.NCP, last, c.Risk)
		}
		last = c.NCP
		inSizes := 0
		for _, s := range c.Sizes {
			inSizes += s.People
		}
		if inSizes != 24 || len(c.Examples) == 0 || len(c.Losses) != len(c.Examples[0].Cells) {
			t.Errorf("k=%d: %d patients in classes, examples %+v", k, inSizes, c.Examples)
		}
	}
	if !strings.Contains(p.Choices[3].Error, "k is 25 and there are 24 rows") {
		t.Errorf("k=25: %+v", p.Choices[3])
	}
	b.role(id, idview.Attribute{Key: idview.Key{Source: idview.Label, Name: "CITY"}, Role: table.Direct})
	if p, err := b.TablePreview(t.Context(), broker, id); err != nil || !p.Changed {
		t.Errorf("roles have changed and the preview does not say so: %v", err)
	}
}

func TestAPreviewThatCannotBeIsRefused(t *testing.T) {
	b := newBench(t)
	id := b.project(cohort(2), true)
	for name, ks := range map[string][]int{"none": nil, "one": {1}, "negative": {-3}, "huge": {1 << 40}, "many": {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}} {
		if err := b.StartTablePreview(t.Context(), broker, id, TableSettings{}, ks); KindOf(err) != Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p, err := b.TablePreview(t.Context(), broker, id); err != nil || p.Ks != nil {
		t.Errorf("a refused preview has begun: %+v, %v", p, err)
	}
	for _, by := range []account.User{annotator, reviewer} {
		wantKind(t, b.StartTablePreview(t.Context(), by, id, TableSettings{}, []int{2}), Forbidden)
		_, err := b.TablePreview(t.Context(), by, id)
		wantKind(t, err, Forbidden)
		wantKind(t, b.CancelTablePreview(t.Context(), by, id), Forbidden)
	}
}

func TestRisksAreThoseOfTheirFormulas(t *testing.T) {
	r := riskOf(table.Classes{{0}, {1, 2}, {3, 4, 5, 6, 7}})
	if r.Highest != 1 || r.Unique != 1 || math.Abs(r.AtRisk-3./8) > 1e-12 || math.Abs(r.Mean-3./8) > 1e-12 {
		t.Errorf("%+v", r)
	}
	if r := riskOf(nil); r != (TableRisk{}) {
		t.Errorf("nobody: %+v", r)
	}
	sizes := sizesOf(table.Classes{{0}, make([]int32, 4), make([]int32, 10), make([]int32, 19), make([]int32, 20), make([]int32, 40)})
	want := []TableSizes{{1, 1, 1}, {2, 2, 0}, {3, 4, 4}, {5, 9, 0}, {10, 19, 29}, {20, 39, 20}, {40, 79, 40}}
	for i, s := range sizes {
		if i >= len(want) || s != want[i] {
			t.Errorf("sizes %v, want %v", sizes, want)
		}
	}
}
