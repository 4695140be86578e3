// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"hide/internal/annotate"
)

// tariff says what errors cost: L_c/L of a sensitive token of category c that stays,
// C_k/C of another one of kind k that goes. A category or kind that is not in it
// costs L or C.
type tariff struct {
	losses map[annotate.Label]float64
	prices Prices
}

func (p Params) tariff() tariff { return tariff{p.LossByLabel, p.CostByKind.Unusual()} }

// of is what an error on the token costs.
func (t tariff) of(d *annotate.Note, token int) float64 {
	if !d.Sensitive[token] {
		return t.prices.Of(d.Words[token])
	}
	if w, set := t.losses[d.Label(token)]; set {
		return w
	}
	return 1
}

// ErrorCost is what an error on token x costs: L_c/L by its category when it is
// sensitive and stays, C_k/C by its kind when it is not and goes; 1 where byLabel or
// byKind does not have it.
func ErrorCost(d *annotate.Note, x int, byLabel map[annotate.Label]float64, byKind Prices) float64 {
	return tariff{byLabel, byKind}.of(d, x)
}

// priced adds to the counts of a classifier what they are worth, where after is what
// before and the classifier redact together.
func (t tariff) priced(c Counts, docs []annotate.Note, before, after [][]bool) Priced {
	p := Priced{Counts: c}
	for i := range docs {
		d := &docs[i]
		for x, sensitive := range d.Sensitive {
			switch {
			case before[i][x] || !after[i][x]:
			case sensitive:
				p.Worth += t.of(d, x)
			default:
				p.Cost += t.of(d, x)
			}
		}
	}
	return p
}

// sum is what errors on all sensitive tokens would cost, or on all others.
func (t tariff) sum(docs []annotate.Note, sensitive bool) (total float64, n int) {
	for i := range docs {
		for x, s := range docs[i].Sensitive {
			if s == sensitive {
				total, n = total+t.of(&docs[i], x), n+1
			}
		}
	}
	return total, n
}

// mean is the average over the tokens of [tariff.sum], 1 when there are none.
func (t tariff) mean(docs []annotate.Note, sensitive bool) float64 {
	total, n := t.sum(docs, sensitive)
	return share(total, float64(n))
}

// ratio is what L/C is on the average: the mean of L_c/L over the sensitive tokens by
// that of C_k/C over the others.
func (t tariff) ratio(docs []annotate.Note) float64 { return t.mean(docs, true) / t.mean(docs, false) }

// least is the smallest L_c/L of any sensitive token by the largest C_k/C of any
// other: no error of one sort is worth less of the other. It is 1 of nothing.
func (t tariff) least(docs []annotate.Note) float64 {
	loss, price := math.Inf(1), 0.0
	for i := range docs {
		for x, s := range docs[i].Sensitive {
			if w := t.of(&docs[i], x); s {
				loss = min(loss, w)
			} else {
				price = max(price, w)
			}
		}
	}
	if math.IsInf(loss, 1) {
		loss = 1
	}
	if price == 0 {
		price = 1
	}
	return loss / price
}

// CheckLosses reports whether these can be a [Params].LossByLabel.
func CheckLosses(byLabel map[annotate.Label]float64) error {
	for _, label := range slices.Sorted(maps.Keys(byLabel)) {
		if w := byLabel[label]; !(w >= 0 && w <= MaxTimes) {
			return fmt.Errorf("label %q: the multiple of L is %g; it must be at least 0 and at most %d", label, w, MaxTimes)
		}
	}
	return nil
}
