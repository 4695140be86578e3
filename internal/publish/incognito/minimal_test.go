// SPDX-License-Identifier: Apache-2.0

package incognito

import (
	"context"
	"fmt"
	"testing"

	"hide/internal/publish/hierarchy"
	"hide/internal/publish/table"
)

// TestMinimalNodesThatAreKnownByHand: four rows with a = 0..3 and b = x, y in turn.
// The hierarchy of a joins 0 with 1 and 2 with 3, and then all; b goes from its value
// to nothing. Where b stays, each pair of a has one row of each b, so that a must go
// whole: (2, 0), classes {0, 2} and {1, 3}. Where b goes, the pairs of a are classes of
// two: (1, 1). Both hold for k = 2, neither below the other. For k = 3 and 4 only all
// together are enough.
func TestMinimalNodesThatAreKnownByHand(t *testing.T) {
	a, err := hierarchy.New([][]string{{"0", "low", "*"}, {"1", "low", "*"}, {"2", "high", "*"}, {"3", "high", "*"}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := hierarchy.New([][]string{{"x", "*"}, {"y", "*"}})
	if err != nil {
		t.Fatal(err)
	}
	build, err := table.NewBuilder([]table.Attribute{{Name: "a", Role: table.Quasi, Hierarchy: a}, {Name: "b", Role: table.Quasi, Hierarchy: b}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range [][]string{{"0", "x"}, {"1", "y"}, {"2", "x"}, {"3", "y"}} {
		if err := build.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	for k, want := range map[int]struct {
		holding int
		minimal string
	}{2: {3, "[[1 1] [2 0]]"}, 3: {1, "[[2 1]]"}, 4: {1, "[[2 1]]"}} {
		r, err := Search(context.Background(), build.Table().WithTrees(), Options{K: k})
		if err != nil || r.Nodes != 6 || r.Holding != want.holding || fmt.Sprint(r.Minimal) != want.minimal {
			t.Errorf("k = %d: %d of %d nodes hold, minimal %v, %v; want %d, %s", k, r.Holding, r.Nodes, r.Minimal, err, want.holding, want.minimal)
		}
	}
}
