// SPDX-License-Identifier: Apache-2.0

package web

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
	From, To    float64 // of the line for how far a count is off, from where bars begin; none when equal
}

// end is where all that is drawn of it ends.
func (b bar) end() float64 { return max(b.Width, b.To) }

const (
	barLeft, barMost = 160, 200 // where bars begin, and the longest
	barRow           = 26
)

func newBars(id, title string) *bars {
	return &bars{ID: id, Title: title, W: barLeft + barMost + 100, H: 8}
}

// add puts a row below the others.
func (b *bars) add(name, count string, width float64) {
	b.Rows = append(b.Rows, bar{Name: name, Count: count, Y: float64(4 + len(b.Rows)*barRow), Width: width})
	b.H += barRow
	b.Desc += name + " " + count + ". "
}
