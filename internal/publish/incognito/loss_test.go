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

	"hide/internal/publish/privacy"
	"hide/internal/publish/table"
)

// counted is what a table loses at a node, from the classes that are published.
func counted(all *table.Table, levels []int, o Options) Loss {
	classes, suppressed := Classes(all, levels, o.K, o.Conditions)
	loss := Loss{Levels: levels, Classes: len(classes), Suppressed: len(suppressed)}
	for _, class := range classes {
		loss.Discernibility += float64(len(class) * len(class))
	}
	loss.Discernibility += float64(len(suppressed) * all.Rows)
	return loss
}

// TestLossesAreThoseOfTheClassesPublished compares every minimal node with the classes
// that come of it and with the oracle's NCP.
func TestLossesAreThoseOfTheClassesPublished(t *testing.T) {
	looked := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 9))
		all := random(t, rng, 20+rng.IntN(60))
		o := Options{K: 2 + rng.IntN(5), Suppression: []float64{0, .1, .25}[seed%3]}
		if seed%2 == 0 {
			o.Conditions = []privacy.Condition{{Column: all.Column("s"), Model: privacy.Distinct{L: 2}}}
		}
		got, err := Search(context.Background(), all, o)
		if err != nil {
			continue
		}
		var minimal [][]int
		for i, one := range got.Losses {
			looked++
			ncp, ok := look(all, all.With(table.Quasi), one.Levels, o)
			want := counted(all, one.Levels, o)
			want.NCP, want.Minimal = one.NCP, one.Minimal
			if !ok || math.Abs(one.NCP-ncp) > 1e-9 || !reflect.DeepEqual(one, want) {
				t.Errorf("seed %d: %+v, want %+v with NCP %v", seed, one, want, ncp)
			}
			if i > 0 && one.NCP < got.Losses[i-1].NCP {
				t.Errorf("seed %d: losses are not in order", seed)
			}
			if one.Minimal {
				minimal = append(minimal, one.Levels)
			} else if !slices.Equal(one.Levels, got.Best) {
				t.Errorf("seed %d: %v is neither minimal nor the best", seed, one.Levels)
			}
		}
		slices.SortFunc(minimal, slices.Compare)
		if !reflect.DeepEqual(minimal, got.Minimal) || !slices.Equal(got.Taken, got.Best) || !slices.Equal(got.Losses[0].Levels, got.Best) && got.Losses[0].NCP != got.NCP {
			t.Errorf("seed %d: losses %+v, minimal %v, best %v", seed, got.Losses, got.Minimal, got.Best)
		}
	}
	if looked < 100 {
		t.Errorf("only %d losses were looked at", looked)
	}
}

// TestANodeIsTakenExactlyWhenItHolds asks for every node of small lattices.
func TestANodeIsTakenExactlyWhenItHolds(t *testing.T) {
	all := random(t, rand.New(rand.NewPCG(4, 4)), 60)
	for _, o := range []Options{{K: 3}, {K: 4, Suppression: .1}} {
		holding, minimal, _ := oracle(all, o)
		walkAll(all.With(table.Quasi), func(levels []int) {
			o.Levels = levels
			got, err := Search(context.Background(), all, o)
			if !slices.ContainsFunc(holding, func(n []int) bool { return slices.Equal(n, levels) }) {
				if !errors.Is(err, ErrLevels) || !strings.Contains(err.Error(), fmt.Sprintf("n=%d,", levels[0])) {
					t.Errorf("%v does not hold: %v", levels, err)
				}
				return
			}
			is := slices.ContainsFunc(minimal, func(n []int) bool { return slices.Equal(n, levels) })
			at := slices.IndexFunc(got.Losses, func(one Loss) bool { return slices.Equal(one.Levels, levels) })
			if err != nil || !slices.Equal(got.Taken, levels) || at < 0 || got.Losses[at].Minimal != is {
				t.Errorf("%v: %+v, %v", levels, got, err)
			}
		})
	}
}

func walkAll(columns []*table.Column, visit func([]int)) {
	var walk func(levels []int)
	walk = func(levels []int) {
		if len(levels) == len(columns) {
			visit(levels)
			return
		}
		for level := range columns[len(levels)].Tree.Nodes {
			walk(append(slices.Clone(levels), level))
		}
	}
	walk(nil)
}

func TestLevelsOutsideOfTheLatticeAreRefused(t *testing.T) {
	all := random(t, rand.New(rand.NewPCG(1, 1)), 30)
	for _, levels := range [][]int{{}, {0, 0}, {0, 0, 0, 0}, {-1, 0, 0}, {0, 4, 0}, {0, 0, 1 << 40}, {256, 0, 0}} {
		if got, err := Search(context.Background(), all, Options{K: 2, Levels: levels}); err == nil || errors.Is(err, ErrLevels) {
			t.Errorf("%v: %+v, %v", levels, got, err)
		}
	}
}
