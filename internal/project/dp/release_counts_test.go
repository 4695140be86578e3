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
	"hide/internal/project/projecttest"
	"hide/internal/project/release"
	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
)

// fileTotal sums a column of a released file over the rows that begin so.
func fileTotal(t *testing.T, file, column, first string) (sum float64) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // only read
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		for i, name := range rows[0] {
			if n, err := strconv.ParseFloat(row[i], 64); name == column && (first == "" || row[0] == first) {
				if err != nil {
					t.Fatal(err)
				}
				sum += n
			}
		}
	}
	return sum
}

func shownTotal(t dp.CountedTable) (sum float64) {
	for _, g := range t.Rows {
		sum += g.Count
	}
	return sum
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6*max(1, math.Abs(b)) }

// released publishes counts by sex and age in some way.
func (b *bench) releasedCounts(m cube.Method, marginals ...[]string) (project.ID, release.Release) {
	b.T.Helper()
	id, set := b.Counted(ledger.One), projecttest.BySex(400_000)
	set.Method, set.Marginals = m, marginals
	if err := b.StartPublishCube(b.T.Context(), projecttest.Broker, id, release.Publish, set); err != nil {
		b.T.Fatal(err)
	}
	r, st := b.Published(id)
	if st.Error != "" {
		b.T.Fatal(st.Error)
	}
	return id, r
}

func TestCountsShownAreThoseOfTheFile(t *testing.T) {
	for m, file := range map[cube.Method]string{cube.Identity: "cells.csv", cube.DPCube: "blocks.csv", cube.Marginals: "marginal-1.csv"} {
		var marginals [][]string
		if m == cube.Marginals {
			marginals = [][]string{{"sex", "AGE"}}
		}
		b := newBench(t)
		id, r := b.releasedCounts(m, marginals...)
		tables, err := b.ReleasedCounts(t.Context(), projecttest.Broker, id, r.Number, nil)
		if err != nil || len(tables) != 3 {
			t.Fatalf("%s: %v, %v", m, tables, err)
		}
		file = filepath.Join(b.Dir(id, r.Name), file)
		for _, table := range tables {
			if got, want := shownTotal(table), fileTotal(t, file, "count", ""); !near(got, want) {
				t.Errorf("%s by %v: %v in all, the file has %v", m, table.Names, got, want)
			}
			for _, g := range table.Rows {
				if !(g.Off > 0) {
					t.Errorf("%s %v: off by %v", m, g.Labels, g.Off)
				}
			}
		}
		if f := tables[0].Rows[0]; m != cube.DPCube && !near(f.Count, fileTotal(t, file, "count", f.Labels[0])) {
			t.Errorf("%s %v: %v", m, f.Labels, f.Count)
		}
		if off := tables[2].Rows[0].Off; m == cube.Identity && !near(off, 2.5) { // 1/0.4
			t.Errorf("a cell is off by %v", off)
		}
		if a := b.MustBudget(id); a.Spent != 400_000 || len(a.Debits) != 1 {
			t.Errorf("looking cost: %+v", a)
		}
	}
}

func TestCountsByWhatWasNotReleasedAreRefused(t *testing.T) {
	b := newBench(t)
	id, r := b.releasedCounts(cube.Marginals, []string{"sex"}, []string{"AGE"})
	for _, names := range [][]string{{"CITY"}, {"sex", "AGE"}, {"sex", "sex"}, {"sex", "AGE", "sex"}} {
		if _, err := b.ReleasedCounts(t.Context(), projecttest.Broker, id, r.Number, names); project.KindOf(err) != project.Invalid {
			t.Errorf("%v: %v", names, err)
		}
	}
	if tables, err := b.ReleasedCounts(t.Context(), projecttest.Broker, id, r.Number, nil); err != nil || len(tables) != 2 {
		t.Errorf("%v, %v", tables, err)
	}
	if tables, err := b.ReleasedCounts(t.Context(), projecttest.Broker, id, r.Number, []string{"AGE"}); err != nil || len(tables) != 1 || tables[0].Names[0] != "AGE" {
		t.Errorf("%v, %v", tables, err)
	}
}

func TestDamagedCountsAreNotShown(t *testing.T) {
	for _, name := range []string{"cells.csv", "manifest.json"} {
		b := newBench(t)
		id, r := b.releasedCounts(cube.Identity)
		file := filepath.Join(b.Dir(id, r.Name), name)
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		raw[len(raw)-2] ^= 1 // a digit, or a blank
		for _, damage := range []func() error{func() error { return os.WriteFile(file, raw, 0o600) }, func() error { return os.Remove(file) }} {
			if err := damage(); err != nil {
				t.Fatal(err)
			}
			if _, err := b.ReleasedCounts(t.Context(), projecttest.Broker, id, r.Number, nil); project.KindOf(err) != project.NotFound || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
