// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"strings"
	"testing"

	"hide/internal/words"
)

// towns is a hierarchy of n values in groups of ten.
func towns(n int) []*TreeNode {
	top := &TreeNode{Label: "*"}
	add := func(below *TreeNode, label string) *TreeNode {
		if last := len(below.Below) - 1; last < 0 || below.Below[last].Label != label {
			below.Below = append(below.Below, &TreeNode{Label: label})
		}
		return below.Below[len(below.Below)-1]
	}
	for i := range n {
		at := top
		at.Leafs++
		for _, label := range []string{fmt.Sprint("country ", i/100), fmt.Sprint("county ", i/10), fmt.Sprint("town ", i)} {
			at = add(at, label)
			at.Leafs++
		}
	}
	return []*TreeNode{top}
}

func TestADrawingOfAHierarchyIsBounded(t *testing.T) {
	for _, n := range []int{1, 10, 100, 3000} {
		tops := towns(n)
		d := NewTree(tops)
		if rows := d.H / treeRow; rows > mostRows+1 || rows < 1 {
			t.Errorf("%d values: %v rows", n, rows)
		}
		hidden, places := 0, map[string]bool{}
		for _, mark := range d.Nodes {
			if mark.X < 0 || mark.X+12+labelWidth(mark.Label) > d.W || mark.Y > d.H {
				t.Errorf("%d values: %+v is outside %v x %v", n, mark, d.W, d.H)
			}
			at := fmt.Sprint(mark.X, mark.Y)
			if places[at] {
				t.Errorf("%d values: two labels are at %s", n, at)
			}
			places[at] = true
			if mark.More {
				hidden++
			}
		}
		if (hidden > 0) != (n > 40) {
			t.Errorf("%d values: %d places say that there are more", n, hidden)
		}
		if len(d.Links) != len(d.Nodes)-1 {
			t.Errorf("%d values: %d links between %d labels", n, len(d.Links), len(d.Nodes))
		}
		if !strings.Contains(d.Desc, "*: "+words.Count(n, "value", "values")) {
			t.Errorf("%d values: it says %q", n, d.Desc)
		}
	}
}
