// SPDX-License-Identifier: Apache-2.0

package incognito

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hide/internal/publish/hierarchy"
	"hide/internal/publish/privacy"
	"hide/internal/publish/table"
)

// random makes a table with a number, a tree and two words.
func random(t testing.TB, rng *rand.Rand, rows int) *table.Table {
	t.Helper()
	h, err := hierarchy.New([][]string{{"0", "x", "p", "*"}, {"1", "x", "p", "*"}, {"2", "y", "p", "*"}, {"3", "z", "q", "*"}, {"4", "z", "q", "*"}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := table.NewBuilder([]table.Attribute{
		{Name: "n", Role: table.Quasi, Kind: table.Number, Auto: true}, {Name: "h", Role: table.Quasi, Hierarchy: h},
		{Name: "c", Role: table.Quasi}, {Name: "s", Role: table.Sensitive},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range rows {
		values := []string{fmt.Sprint(rng.IntN(20)), fmt.Sprint(rng.IntN(5)), fmt.Sprint(rng.IntN(2)), fmt.Sprint(rng.IntN(3))}
		if rng.IntN(12) == 0 {
			values[rng.IntN(3)] = ""
		}
		if err := b.Add(values); err != nil {
			t.Fatal(err)
		}
	}
	return b.Table().WithTrees()
}

// oracle looks at every node by generalizing every row to words.
func oracle(all *table.Table, o Options) (holding, minimal [][]int, best float64) {
	columns := all.With(table.Quasi)
	best = math.Inf(1)
	var walk func(levels []int)
	walk = func(levels []int) {
		if len(levels) < len(columns) {
			for level := range columns[len(levels)].Tree.Nodes {
				walk(append(slices.Clone(levels), level))
			}
			return
		}
		if ncp, ok := look(all, columns, levels, o); ok {
			holding = append(holding, levels)
			best = min(best, ncp)
		}
	}
	walk(nil)
	for _, n := range holding {
		if !slices.ContainsFunc(holding, func(m []int) bool { return !slices.Equal(m, n) && below(m, n) }) {
			minimal = append(minimal, n)
		}
	}
	return holding, minimal, best
}

func look(all *table.Table, columns []*table.Column, levels []int, o Options) (ncp float64, ok bool) {
	classes := map[string][]int{}
	for row := range all.Rows {
		var words []string
		for i, c := range columns {
			words = append(words, c.Tree.Labels[levels[i]][c.Tree.Nodes[levels[i]][c.Codes[row]]])
		}
		key := strings.Join(words, "|")
		classes[key] = append(classes[key], row)
	}
	out, lost := 0, 0.0
	for _, class := range classes {
		holds := len(class) >= o.K
		for _, c := range o.Conditions {
			counts := make([]int32, len(c.Column.Domain))
			for _, row := range class {
				counts[c.Column.Codes[row]]++
			}
			holds = holds && c.Model.Holds(counts)
		}
		if !holds {
			out += len(class)
			lost += float64(len(class))
			continue
		}
		for _, row := range class {
			for i, c := range columns {
				lost += c.Tree.Loss(levels[i], c.Codes[row]) / float64(len(columns))
			}
		}
	}
	return lost / float64(all.Rows), float64(out) <= o.Suppression*float64(all.Rows)+1e-9
}

// TestSearchFindsWhatLookingAtAllNodesFinds compares with the oracle, with all
// models, with and without suppression.
func TestSearchFindsWhatLookingAtAllNodesFinds(t *testing.T) {
	found := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		all := random(t, rng, 20+rng.IntN(60))
		o := Options{K: 2 + rng.IntN(5), Suppression: []float64{0, .1, .25}[seed%3]}
		s := all.Column("s")
		closeness, err := privacy.New(s, table.Diversity{T: .3})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range [][]privacy.Model{nil, {privacy.Distinct{L: 2}}, {privacy.Entropy{L: 2.2}}, {privacy.Recursive{C: 1.5, L: 2}}, {privacy.Distinct{L: 2}, closeness[0]}} {
			o.Conditions = nil
			for _, one := range m {
				o.Conditions = append(o.Conditions, privacy.Condition{Column: s, Model: one})
			}
			holding, minimal, best := oracle(all, o)
			got, err := Search(context.Background(), all, o)
			if len(holding) == 0 {
				if !errors.Is(err, ErrImpossible) {
					t.Errorf("seed %d, %v: %v", seed, m, err)
				}
				continue
			}
			found++
			if err != nil || got.Holding != len(holding) || !reflect.DeepEqual(got.Minimal, minimal) || math.Abs(got.NCP-best) > 1e-9 {
				t.Errorf("seed %d, k %d, suppression %g, %v: %d holding, minimal %v, NCP %v; want %d, %v, %v (%v)",
					seed, o.K, o.Suppression, m, got.Holding, got.Minimal, got.NCP, len(holding), minimal, best, err)
			}
		}
	}
	if found < 200 {
		t.Errorf("only %d searches found something", found)
	}
}

func TestMostNodesAreNotLookedAt(t *testing.T) {
	all := random(t, rand.New(rand.NewPCG(1, 1)), 500)
	got, err := Search(context.Background(), all, Options{K: 20})
	if err != nil {
		t.Fatal(err)
	}
	if got.Evaluated >= got.Nodes {
		t.Errorf("%d evaluations of a lattice of %d", got.Evaluated, got.Nodes)
	}
}

func TestImpossibleSearchesAreRefused(t *testing.T) {
	all := random(t, rand.New(rand.NewPCG(1, 1)), 10)
	var many []table.Attribute
	for i := range 20 {
		many = append(many, table.Attribute{Name: fmt.Sprint("q", i), Role: table.Quasi})
	}
	tall := make([]string, 9)
	for i := range tall {
		tall[i] = fmt.Sprint("level", i)
	}
	tall[0], tall[8] = "x", "*"
	h, err := hierarchy.New([][]string{tall})
	if err != nil {
		t.Fatal(err)
	}
	many[7].Hierarchy = h
	b, err := table.NewBuilder(many, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := b.Add(strings.Fields(strings.Repeat("x ", 20))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Search(context.Background(), b.Table().WithTrees(), Options{K: 2}); err == nil || !strings.Contains(err.Error(), `hierarchy of "q7", which has 9 levels; of "q0", which has 2 levels; of "q1"`) || strings.Contains(err.Error(), `"q19"`) {
		t.Errorf("twenty attributes: %v", err)
	}
	for _, o := range []Options{{K: 11}, {K: 1}, {K: 2, Suppression: 1}, {K: 2, Suppression: math.NaN()},
		{K: 2, Conditions: []privacy.Condition{{Column: all.Column("s"), Model: privacy.Distinct{L: 5}}}}} {
		if _, err := Search(context.Background(), all, o); err == nil {
			t.Errorf("%+v finds something", o)
		}
	}
}
