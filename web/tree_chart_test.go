// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"strings"
	"testing"
)

// towns is a hierarchy of so many values in groups of ten.
func towns(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "town %d;county %d;country %d;*\n", i, i/10, i/100)
	}
	return b.String()
}

func TestADrawingOfAHierarchyIsBounded(t *testing.T) {
	for _, n := range []int{1, 10, 100, 3000} {
		tops := treeOf(readHierarchy(towns(n)))
		d := drawTree(tops)
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
		if !strings.Contains(d.Desc, "*: "+count(n, "value", "values")) {
			t.Errorf("%d values: it says %q", n, d.Desc)
		}
	}
}

func TestTheTreeKnowsItsLevels(t *testing.T) {
	top := treeOf(readHierarchy(towns(20)))[0]
	if top.Level != 3 || top.Leafs != 20 || top.Below[0].Level != 2 || top.Below[0].Below[1].Level != 1 || top.Below[0].Below[1].Below[0].Level != 0 {
		t.Errorf("%+v", top)
	}
}
