// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Waterfall draws how the parts of a weight add up: each bar begins where the one before ended.
type Waterfall struct {
	ID, Title, Desc string
	Rows            []WaterfallRow
	Zero            float64 // x of 0
	W, H            float64
}

// WaterfallRow is a placed bar.
type WaterfallRow struct {
	Name, Amount string
	Class        string  // "plus", "minus" or "total"
	Start, End   float64 // x where the bar begins and ends: a negative amount ends on the left
	Y, Below     float64 // y of the row and of the next one; 0 for none
}

func (r WaterfallRow) left() float64  { return min(r.Start, r.End) }
func (r WaterfallRow) right() float64 { return max(r.Start, r.End) }
func (r WaterfallRow) width() float64 { return max(r.right()-r.left(), 1) }

// label is x of the amount.
func (r WaterfallRow) label() float64 { return r.right() + 6 }

// Step is one part of a weight.
type Step struct {
	Name   string
	Amount float64
}

const (
	waterfallNames = 160 // room for the names
	waterfallRoom  = 64  // room for the amount behind the longest bar
	waterfallRow   = 26
	longestName    = 16 // letters that fit beside the bars
)

// NewWaterfall draws steps from zero and their sum.
func NewWaterfall(id, title string, steps []Step) *Waterfall {
	w := &Waterfall{ID: id, Title: title, W: 460, H: 8}
	lowest, highest, sum := 0.0, 0.0, 0.0
	for _, s := range steps {
		sum += s.Amount
		lowest, highest = min(lowest, sum), max(highest, sum)
	}
	unit := (w.W - waterfallNames - waterfallRoom) / max(highest-lowest, 1)
	at := func(v float64) float64 { return waterfallNames + (v-lowest)*unit }
	w.Zero = at(0)
	sum = 0
	for _, s := range steps {
		w.add(s.Name, class(s.Amount), s.Amount, at(sum), at(sum+s.Amount))
		sum += s.Amount
	}
	w.add("Sum", "total", sum, at(0), at(sum))
	for i := range len(w.Rows) - 1 {
		w.Rows[i].Below = w.Rows[i+1].Y
	}
	return w
}

func class(amount float64) string {
	if amount < 0 {
		return "minus"
	}
	return "plus"
}

func (w *Waterfall) add(name, class string, amount, from, to float64) {
	w.Rows = append(w.Rows, WaterfallRow{Name: shortName(name), Amount: Signed(amount), Class: class, Start: from, End: to, Y: w.H - 4})
	w.H += waterfallRow
	w.Desc += name + " " + Signed(amount) + ". "
}

// shortName cuts a name that does not fit. The table has the whole.
func shortName(name string) string {
	if utf8.RuneCountInString(name) <= longestName {
		return name
	}
	return strings.TrimSpace(string([]rune(name)[:longestName-1])) + "…"
}

// Signed writes a part of a weight with its sign and one decimal: +4.2, −1.3.
func Signed(v float64) string {
	if v = math.Round(10*v) / 10; v < 0 {
		return fmt.Sprintf("−%.1f", -v)
	}
	return fmt.Sprintf("+%.1f", math.Abs(v)) // a rounded −0.04 has its sign, too
}
