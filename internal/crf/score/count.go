// SPDX-License-Identifier: Apache-2.0

package score

import (
	"cmp"
	"slices"

	"hide/internal/annotate"
)

// verdict receives decisions: a prediction is right or a false alarm, under its label;
// a miss is recorded under its gold label.
type verdict interface {
	right(l annotate.Label)
	alarm(l annotate.Label)
	miss(l annotate.Label)
}

// exact compares spans by merging the two sorted lists.
func exact(s sides, v verdict) {
	g, p := s.gold, s.predicted
	for len(g) > 0 || len(p) > 0 {
		switch c := order(g, p); {
		case c == 0:
			v.right(g[0].Label)
			g, p = g[1:], p[1:]
		case c < 0:
			v.miss(g[0].Label)
			g = g[1:]
		default:
			v.alarm(p[0].Label)
			p = p[1:]
		}
	}
}

// order compares the heads of two lists; an empty one comes last.
func order(g, p []annotate.Span) int {
	if len(g) == 0 || len(p) == 0 {
		return cmp.Compare(len(p), len(g))
	}
	return annotate.CompareSpans(g[0], p[0])
}

// overlap pairs spans of the same label that share a character.
func overlap(s sides, v verdict) {
	gold, predicted := byLabel(s.gold), byLabel(s.predicted)
	for label, g := range gold {
		pairs := pair(g, predicted[label])
		addVerdicts(v, label, pairs, len(g)-pairs, len(predicted[label])-pairs)
	}
	for label, p := range predicted {
		if gold[label] == nil {
			addVerdicts(v, label, 0, 0, len(p))
		}
	}
}

func addVerdicts(v verdict, label annotate.Label, right, missed, alarms int) {
	for range right {
		v.right(label)
	}
	for range missed {
		v.miss(label)
	}
	for range alarms {
		v.alarm(label)
	}
}

func byLabel(spans []annotate.Span) map[annotate.Label][]annotate.Span {
	out := map[annotate.Label][]annotate.Span{}
	for _, s := range spans {
		out[s.Label] = append(out[s.Label], s)
	}
	return out
}

// pair is the greatest number of one-to-one pairs of overlapping spans. Spans are taken
// in the order of their ends. All spans that overlap the first one to end contain its
// last character. Of these candidates, the one that ends first overlaps the fewest
// later spans, so choosing it is optimal.
func pair(a, b []annotate.Span) int {
	byEnd := func(x, y annotate.Span) int { return cmp.Or(cmp.Compare(x.End, y.End), cmp.Compare(x.Start, y.Start)) }
	a, b = slices.SortedFunc(slices.Values(a), byEnd), slices.SortedFunc(slices.Values(b), byEnd)
	pairs := 0
	for len(a) > 0 && len(b) > 0 {
		if b[0].End < a[0].End {
			a, b = b, a
		}
		at := slices.IndexFunc(b, func(s annotate.Span) bool { return s.Overlaps(a[0]) })
		if a = a[1:]; at >= 0 {
			b = slices.Delete(b, at, at+1)
			pairs++
		}
	}
	return pairs
}

// tokens compares labels token by token.
func tokens(gold, predicted []annotate.Label, v verdict) {
	for i, label := range gold {
		if label == predicted[i] {
			if label != "" {
				v.right(label)
			}
			continue
		}
		if label != "" {
			v.miss(label)
		}
		if predicted[i] != "" {
			v.alarm(predicted[i])
		}
	}
}

// binary folds all labels into one.
func binary(labels []annotate.Label) []annotate.Label {
	out := make([]annotate.Label, len(labels))
	for i, l := range labels {
		if l != "" {
			out[i] = anyLabel
		}
	}
	return out
}

// anyLabel replaces the label if all labels count together.
const anyLabel annotate.Label = "any"

// Level is one way of counting, in total and by label.
type Level struct {
	Micro  Tally                    `json:"micro"` // over all labels together
	Macro  Mean                     `json:"macro"` // over the labels that occur in gold
	Labels map[annotate.Label]Tally `json:"labels"`
}

// Tally counts decisions and gives their ratios.
type Tally struct {
	Precision float64    `json:"precision"`
	Recall    float64    `json:"recall"`
	F1        float64    `json:"f1"`
	TP        int        `json:"tp"`
	FP        int        `json:"fp"`
	FN        int        `json:"fn"`
	Interval  *Intervals `json:"interval,omitempty"` // nil without resampling, or with too little to resample
}

// Mean is a mean of ratios over labels or documents. F1 is the mean of the F1 of
// labels; over documents it is the harmonic mean of the other two.
type Mean struct {
	Precision float64    `json:"precision"`
	Recall    float64    `json:"recall"`
	F1        float64    `json:"f1"`
	Over      int        `json:"over"` // number of labels or documents
	Interval  *Intervals `json:"interval,omitempty"`
}

// Intervals belong to a [Tally] or [Mean].
type Intervals struct {
	Precision Interval `json:"precision"`
	Recall    Interval `json:"recall"`
	F1        Interval `json:"f1"`
	Groups    int      `json:"groups"` // patients and single documents with something to count
}

// Interval is a 95 % interval, which holds the value it belongs to.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Share is a number of things, some of which are special.
type Share struct {
	Count    int       `json:"count"`
	Of       int       `json:"of"`
	Share    float64   `json:"share"` // 0 if there are none
	Interval *Interval `json:"interval,omitempty"`
}

func (t Tally) withRatios() Tally {
	t.Precision = ratio(t.TP, t.TP+t.FP)
	t.Recall = ratio(t.TP, t.TP+t.FN)
	t.F1 = ratio(2*t.TP, 2*t.TP+t.FP+t.FN)
	return t
}

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// ledger records counts by group, so that groups can be resampled. Each account has
// three columns: for decisions these are TP, FP and FN.
type ledger struct {
	accounts map[account]int   // first of the three columns
	rows     []map[int]float64 // [group][column]
	columns  int
}

// account is a way of counting and a label; [anyLabel] if all labels count together.
type account struct {
	measure measure
	label   annotate.Label
}

type measure string

func newLedger(groups int) *ledger {
	l := &ledger{accounts: map[account]int{}, rows: make([]map[int]float64, groups)}
	for g := range l.rows {
		l.rows[g] = map[int]float64{}
	}
	return l
}

// column is the first column of an account; a new account is opened.
func (l *ledger) column(a account) int {
	c, known := l.accounts[a]
	if !known {
		c = l.columns
		l.accounts[a] = c
		l.columns += 3
	}
	return c
}

// add adds to the three columns of an account of one group.
func (l *ledger) add(group int, a account, values ...float64) {
	c := l.column(a)
	for i, v := range values {
		if v != 0 {
			l.rows[group][c+i] += v
		}
	}
}

// share records something as special or not: as a ratio it is recall.
func (l *ledger) share(group int, a account, special bool) {
	if special {
		l.add(group, a, 1)
	} else {
		l.add(group, a, 0, 0, 1)
	}
}

// entry records the decisions of one way of counting for one group.
type entry struct {
	ledger *ledger
	group  int
	way    measure
}

func (e entry) right(label annotate.Label) { e.ledger.add(e.group, account{e.way, label}, 1) }
func (e entry) alarm(label annotate.Label) { e.ledger.add(e.group, account{e.way, label}, 0, 1) }
func (e entry) miss(label annotate.Label)  { e.ledger.add(e.group, account{e.way, label}, 0, 0, 1) }

// labels are the sorted labels with an account of this way of counting.
func (l *ledger) labels(w measure) []annotate.Label {
	var out []annotate.Label
	for a := range l.accounts {
		if a.measure == w {
			out = append(out, a.label)
		}
	}
	slices.Sort(out)
	return out
}

// cell is an amount in one column.
type cell struct {
	column int
	amount float64
}

// cells returns the rows in a fixed order for summation.
func (l *ledger) cells() [][]cell {
	out := make([][]cell, len(l.rows))
	for g, row := range l.rows {
		for c, v := range row {
			out[g] = append(out[g], cell{c, v})
		}
		slices.SortFunc(out[g], func(a, b cell) int { return cmp.Compare(a.column, b.column) })
	}
	return out
}

// touched is the number of groups that have something in one of the accounts; slots are
// the columns of an account that count: TP, FP, FN are 0, 1, 2.
func (l *ledger) touched(columns []int, slots ...int) int {
	n := 0
	for _, row := range l.rows {
		if slices.ContainsFunc(columns, func(c int) bool {
			return slices.ContainsFunc(slots, func(s int) bool { return row[c+s] != 0 })
		}) {
			n++
		}
	}
	return n
}
