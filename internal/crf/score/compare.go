// SPDX-License-Identifier: Apache-2.0

package score

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Difference is how much better a second tagger is than a first one on the same documents.
type Difference struct {
	F1       float64   `json:"f1"`                 // of the second minus of the first
	Interval *Interval `json:"interval,omitempty"` // 95 %, by resampling groups; nil without resampling
	// P is the probability of a difference at least as large, in either direction, if it
	// made no difference which tagger reads which group: the exact share of all exchanges
	// when few groups differ, and otherwise of random ones (Noreen 1989; Yeh 2000).
	P      float64 `json:"p"`
	Groups int     `json:"groups"` // patients, and documents without one, that the taggers score differently
}

// Comparison compares two taggers by exact spans and labels, by runs, and by tokens.
type Comparison struct {
	Entity *Difference `json:"entity,omitempty"` // nil if one of them predicts no labels
	Runs   Difference  `json:"runs"`             // [Masking.Runs]
	Binary Difference  `json:"binary"`           // [Report.Binary]
}

// The number of groups up to which all exchanges are tried, and of random exchanges
// otherwise.
const (
	exactGroups = 14
	exchanges   = 10_000
)

// Compare compares the predictions of two taggers for the same documents, in the same
// order.
func Compare(first, second []Prediction, o Options) Comparison {
	if len(first) != len(second) {
		panic("score: Compare wants the same documents twice")
	}
	g := group(first)
	a, b := counted(first, g), counted(second, g)
	var out Comparison
	unlabelled := func(d Prediction) bool { return d.Unlabelled }
	if !slices.ContainsFunc(first, unlabelled) && !slices.ContainsFunc(second, unlabelled) {
		d := difference(a.of(wayEntity), b.of(wayEntity), o)
		out.Entity = &d
	}
	out.Runs = difference(a.of(wayRuns), b.of(wayRuns), o)
	out.Binary = difference(a.of(wayBinary), b.of(wayBinary), o)
	return out
}

// counted records documents by group.
func counted(docs []Prediction, g grouping) *ledger {
	l := newLedger(g.count)
	for i, d := range docs {
		l.document(g.of[i], d)
	}
	return l
}

// counts are TP, FP and FN.
type counts [3]float64

func (c counts) plus(d counts) counts { return counts{c[0] + d[0], c[1] + d[1], c[2] + d[2]} }

func (c counts) minus(d counts) counts { return counts{c[0] - d[0], c[1] - d[1], c[2] - d[2]} }

// f1 is 0 when nothing is to be found and nothing is found.
func (c counts) f1() float64 { return number(f1At(0)(c[:])) }

// of adds up all labels of one way of counting, by group.
func (l *ledger) of(w measure) []counts {
	out := make([]counts, len(l.rows))
	for _, label := range l.labels(w) {
		c := l.accounts[account{w, label}]
		for g, row := range l.rows {
			out[g] = out[g].plus(counts{row[c], row[c+1], row[c+2]})
		}
	}
	return out
}

// difference compares the counts of two taggers, by group.
func difference(a, b []counts, o Options) Difference {
	var first, second counts
	var apart []int // groups with other counts
	for g := range a {
		first, second = first.plus(a[g]), second.plus(b[g])
		if a[g] != b[g] {
			apart = append(apart, g)
		}
	}
	d := Difference{F1: second.f1() - first.f1(), Groups: len(apart)}
	d.P = exchanged(a, b, first, second, apart, o.Seed)
	if o.Resamples > 0 && len(a) > 1 {
		d.Interval = resampled(a, b, d.F1, o)
	}
	return d
}

// resampled is the interval of a difference over draws of groups, the same for both.
func resampled(a, b []counts, value float64, o Options) *Interval {
	random, values := rand.New(rand.NewPCG(o.Seed, 0x636f6d70617265)), make([]float64, o.Resamples)
	for r := range values {
		var first, second counts
		for range a {
			g := random.IntN(len(a))
			first, second = first.plus(a[g]), second.plus(b[g])
		}
		values[r] = second.f1() - first.f1()
	}
	slices.Sort(values)
	tail := len(values) / 40
	return &Interval{min(value, values[tail]), max(value, values[len(values)-1-tail])}
}

// exchanged is the share of exchanges of the taggers in some groups that make the
// difference at least as large as it is. apart are the groups that an exchange changes.
func exchanged(a, b []counts, first, second counts, apart []int, seed uint64) float64 {
	least := math.Abs(second.f1()-first.f1()) - 1e-12
	reached := func(swap func(i int) bool) bool {
		x, y := first, second
		for i, g := range apart {
			if swap(i) {
				more := b[g].minus(a[g])
				x, y = x.plus(more), y.minus(more)
			}
		}
		return math.Abs(y.f1()-x.f1()) >= least
	}
	n := 0
	if len(apart) <= exactGroups {
		for bits := range 1 << len(apart) {
			if reached(func(i int) bool { return bits>>i&1 == 1 }) {
				n++
			}
		}
		return float64(n) / float64(int(1)<<len(apart))
	}
	random := rand.New(rand.NewPCG(seed, 0x65786368616e6765))
	for range exchanges {
		var bits uint64
		if reached(func(i int) bool {
			if i%64 == 0 {
				bits = random.Uint64()
			}
			bits = bits>>1 | bits<<63
			return bits>>63 == 1
		}) {
			n++
		}
	}
	return float64(n+1) / (exchanges + 1) // the exchange of nothing is one of them
}

// Holm corrects p for the number of comparisons (Holm 1979): the k-th smallest of n counts
// n-k+1 times, and none becomes smaller than a smaller one.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out, least := make([]float64, len(p)), 0.0
	for k, i := range order {
		least = max(least, min(1, float64(len(p)-k)*p[i]))
		out[i] = least
	}
	return out
}
