// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"strings"
)

// bars is a chart of counts by name, one row each, from zero.
type bars struct {
	ID, Title, Desc string
	Rows            []bar
	W, H            float64
}

// bar is a row in place.
type bar struct {
	Name, Count string
	Y, Width    float64
}

const (
	barLeft, barMost = 150, 400 // where bars begin, and the longest
	barRow           = 22
)

// labelBars are a release's placeholders by label, most first.
func labelBars(id, title string, counts []labelCount) *bars {
	b := &bars{ID: id, Title: title, W: barLeft + barMost + 60, H: float64(barRow*len(counts) + 8)}
	most := 1
	for _, c := range counts {
		most = max(most, c.N)
	}
	var desc strings.Builder
	for i, c := range counts {
		n := max(c.N, 0)
		width := float64(barMost) * float64(n) / float64(most)
		b.Rows = append(b.Rows, bar{Name: c.Label, Count: number(c.N), Y: float64(4 + i*barRow), Width: width})
		fmt.Fprintf(&desc, "%s %s. ", c.Label, number(c.N))
	}
	b.Desc = desc.String()
	return b
}
