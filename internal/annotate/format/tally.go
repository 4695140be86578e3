// SPDX-License-Identifier: Apache-2.0

package format

import (
	"fmt"
	"maps"
	"slices"
)

// tally counts remarks that stop nothing.
type tally map[remark]int

// remark is "3 spans ARE TAKEN ONCE": a thing that is counted and what is said
// of it, both for one of them. An empty thing says the remark as it stands.
type remark struct{ thing, text string }

func (t tally) add(n int, thing, said string) {
	if n > 0 {
		t[remark{thing, said}] += n
	}
}

// lines are the remarks in a fixed order.
func (t tally) lines() []string {
	lines := make([]string, 0, len(t))
	for _, m := range slices.SortedFunc(maps.Keys(t), compareRemarks) {
		switch {
		case m.thing == "":
			lines = append(lines, m.text)
		case t[m] == 1:
			lines = append(lines, "1 "+m.thing+": "+m.text)
		default:
			lines = append(lines, fmt.Sprintf("%d %ss: %s", t[m], m.thing, m.text))
		}
	}
	return lines
}

func compareRemarks(a, b remark) int {
	return slices.Compare([]string{a.text, a.thing}, []string{b.text, b.thing})
}
