// SPDX-License-Identifier: Apache-2.0

package score

import (
	"math"

	"hide/internal/annotate"
)

// reportData are a ledger with its draws: what reports are written from.
type reportData struct {
	*ledger
	*bootstrap
}

func (b reportData) level(w measure) Level {
	level := Level{Labels: map[annotate.Label]Tally{}}
	var all, gold []int
	for _, label := range b.labels(w) {
		c := b.accounts[account{w, label}]
		all = append(all, c)
		t := b.tally(c)
		if t.TP+t.FN > 0 {
			gold = append(gold, c)
		}
		level.Labels[label] = t
	}
	level.Micro = b.tally(all...)
	level.Macro = b.macro(gold)
	return level
}

// tally adds up accounts.
func (b reportData) tally(columns ...int) Tally {
	var t Tally
	for _, c := range columns {
		t.TP += int(b.all[c])
		t.FP += int(b.all[c+1])
		t.FN += int(b.all[c+2])
	}
	t = t.withRatios()
	groups := b.touched(columns, 0, 1, 2)
	if len(b.drawn) == 0 || groups < 2 {
		return t
	}
	t.Interval = &Intervals{
		Precision: b.shareInterval(over(columns, precisionAt(0)), b.touched(columns, 0, 1)),
		Recall:    b.shareInterval(over(columns, recallAt(0)), b.touched(columns, 0, 2)),
		F1:        b.shareInterval(over(columns, f1At(0)), groups),
		Groups:    groups,
	}
	return t
}

// one is the tally of a single account, which need not have been opened.
func (b reportData) one(a account) Tally {
	if c, known := b.accounts[a]; known {
		return b.tally(c)
	}
	return Tally{}
}

func (b reportData) macro(columns []int) Mean {
	return b.mean(len(columns), columns, meanOver(columns, precisionAt), meanOver(columns, recallAt), meanOver(columns, f1At))
}

// mean is the value of three figures, with intervals.
func (b reportData) mean(n int, columns []int, precision, recall, f1 func(sums) float64) Mean {
	m := Mean{Over: n}
	if n == 0 {
		return m
	}
	m.Precision, m.Recall, m.F1 = number(precision(b.all)), number(recall(b.all)), number(f1(b.all))
	if groups := b.touched(columns, 0, 1, 2); len(b.drawn) > 0 && groups > 1 {
		m.Interval = &Intervals{b.shareInterval(precision, groups), b.shareInterval(recall, groups), b.shareInterval(f1, groups), groups}
	}
	return m
}

func number(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// special is the share that [ledger.share] booked.
func (b reportData) special(a account) Share {
	c, known := b.accounts[a]
	if !known {
		return Share{}
	}
	s := Share{Count: int(b.all[c]), Of: int(b.all[c] + b.all[c+2])}
	s.Share = ratio(s.Count, s.Of)
	if groups := b.touched([]int{c}, 0, 2); len(b.drawn) > 0 && groups > 1 {
		i := b.shareInterval(recallAt(c), groups)
		s.Interval = &i
	}
	return s
}
