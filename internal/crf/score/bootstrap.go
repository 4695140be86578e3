// SPDX-License-Identifier: Apache-2.0

package score

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"hide/internal/annotate"
)

// sums are the columns of a [ledger], added up over groups.
type sums []float64

// bootstrap holds the sums over all groups, and over each resample: as many groups,
// drawn with replacement.
type bootstrap struct {
	all   sums
	drawn []sums // empty without resampling
}

func newBootstrap(l *ledger, o Options) *bootstrap {
	cells := l.cells()
	b := &bootstrap{all: make(sums, l.columns)}
	for _, row := range cells {
		b.all.add(row)
	}
	if len(cells) < 2 {
		return b
	}
	random := rand.New(rand.NewPCG(o.Seed, 0x73636f7265))
	b.drawn = make([]sums, o.Resamples)
	for r := range b.drawn {
		b.drawn[r] = make(sums, l.columns)
		for range cells {
			b.drawn[r].add(cells[random.IntN(len(cells))])
		}
	}
	return b
}

func (s sums) add(row []cell) {
	for _, c := range row {
		s[c.column] += c.amount
	}
}

// none97 is -log(0.025): a Poisson count with this mean shows at least one event
// in 97.5 % of trials.
var none97 = -math.Log(0.025)

// interval returns the 2.5 % and 97.5 % quantiles of a figure over the draws in which
// it is a number, widened to contain its value.
func (b *bootstrap) interval(figure func(sums) float64) Interval {
	values := make([]float64, 0, len(b.drawn))
	for _, s := range b.drawn {
		if v := figure(s); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	value := figure(b.all)
	if math.IsNaN(value) {
		return Interval{0, 1} // nothing is known
	}
	if len(values) == 0 {
		return Interval{value, value}
	}
	slices.Sort(values)
	tail := len(values) / 40
	return Interval{min(value, values[tail]), max(value, values[len(values)-1-tail])}
}

// shareInterval is the interval of a share of things that groups have. If none or all
// are special, it extends to the Poisson bound of a count of 0 among these groups.
func (b *bootstrap) shareInterval(figure func(sums) float64, groups int) Interval {
	i, never := b.interval(figure), min(1, none97/float64(groups))
	switch figure(b.all) {
	case 0:
		i.High = max(i.High, never)
	case 1:
		i.Low = min(i.Low, 1-never)
	}
	return i
}

// The ratios of three columns TP, FP, FN from c on. They are NaN without a denominator.
func precisionAt(c int) func(sums) float64 {
	return func(s sums) float64 { return s[c] / (s[c] + s[c+1]) }
}

func recallAt(c int) func(sums) float64 {
	return func(s sums) float64 { return s[c] / (s[c] + s[c+2]) }
}

func f1At(c int) func(sums) float64 {
	return func(s sums) float64 { return 2 * s[c] / (2*s[c] + s[c+1] + s[c+2]) }
}

// over sums columns; f is a ratio of three columns at 0.
func over(columns []int, f func(sums) float64) func(sums) float64 {
	return func(s sums) float64 {
		total := make(sums, 3)
		for _, c := range columns {
			for i := range total {
				total[i] += s[c+i]
			}
		}
		return f(total)
	}
}

// meanOver is the mean of a ratio over the accounts that have gold in a draw. A label
// with gold but without prediction counts as 0.
func meanOver(columns []int, ratioAt func(c int) func(sums) float64) func(sums) float64 {
	return func(s sums) float64 {
		total, n := 0.0, 0.0
		for _, c := range columns {
			if s[c]+s[c+2] == 0 {
				continue
			}
			n++
			if v := ratioAt(c)(s); !math.IsNaN(v) {
				total += v
			}
		}
		return total / n
	}
}

// Group holds the errors of one kind and label on one text.
type Group struct {
	Kind      Kind
	Label     annotate.Label
	Text      string // in folded case
	Count     int
	Documents int
	Leaks     int           // tokens that no prediction covers
	Reasons   []ReasonCount // most frequent first
	Errors    []Error       // in the order given
}

// ReasonCount is the number of errors with a reason.
type ReasonCount struct {
	Kind      Kind   `json:"kind"`
	Reason    Reason `json:"reason"`
	Count     int    `json:"count"`
	Documents int    `json:"documents"`
	Leaks     int    `json:"leaks"` // tokens that no prediction covers
}

// Groups collects errors with the same kind, label and text, the largest group first.
// text returns the text of an error's span; its case is folded here.
func Groups(errors []Error, text func(Error) string) []Group {
	type key struct {
		kind  Kind
		label annotate.Label
		text  string
	}
	at, groups := map[key]int{}, []Group(nil)
	for _, e := range errors {
		k := key{e.Kind, e.Span.Label, fold(text(e))}
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k] = i
			groups = append(groups, Group{Kind: k.kind, Label: k.label, Text: k.text})
		}
		g := &groups[i]
		g.Count++
		g.Leaks += e.Leaks
		g.Errors = append(g.Errors, e)
	}
	for i := range groups {
		groups[i].Documents = documentsOf(groups[i].Errors)
		groups[i].Reasons = ByReason(groups[i].Errors)
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(b.Leaks, a.Leaks), cmp.Compare(a.Text, b.Text), cmp.Compare(b.Kind, a.Kind), cmp.Compare(a.Label, b.Label))
	})
	return groups
}

func documentsOf(errors []Error) int {
	seen := map[int]bool{}
	for _, e := range errors {
		seen[e.Document] = true
	}
	return len(seen)
}

// ByReason counts errors by kind and reason, the most frequent first.
func ByReason(errors []Error) []ReasonCount {
	type key struct {
		kind   Kind
		reason Reason
	}
	by := map[key][]Error{}
	for _, e := range errors {
		k := key{e.Kind, e.Reason}
		by[k] = append(by[k], e)
	}
	out := make([]ReasonCount, 0, len(by))
	for k, all := range by {
		c := ReasonCount{Kind: k.kind, Reason: k.reason, Count: len(all), Documents: documentsOf(all)}
		for _, e := range all {
			c.Leaks += e.Leaks
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b ReasonCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(b.Kind, a.Kind), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}
