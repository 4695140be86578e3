// SPDX-License-Identifier: Apache-2.0

package chart

// Bars is a chart of counts by name, one row each, from zero.
type Bars struct {
	ID, Title, Desc string
	Rows            []Bar
	W, H            float64
}

// Bar is a row in place.
type Bar struct {
	Name, Count string
	Y, Width    float64
	From, To    float64 // of the line for how far a count is off, from where bars begin; none when equal
}

// end is where all that is drawn of it ends.
func (b Bar) end() float64 { return max(b.Width, b.To) }

const (
	barLeft, BarLength = 160, 200 // where bars begin, and the longest
	barRow             = 26
)

// NewBars is a chart without rows.
func NewBars(id, title string) *Bars {
	return &Bars{ID: id, Title: title, W: barLeft + BarLength + 100, H: 8}
}

// Add puts a row below the others.
func (b *Bars) Add(name, count string, width float64) {
	b.Rows = append(b.Rows, Bar{Name: name, Count: count, Y: float64(4 + len(b.Rows)*barRow), Width: width})
	b.H += barRow
	b.Desc += name + " " + count + ". "
}
