// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"hide/internal/annotate"
)

// CostSensitive is a [Learner] that can weigh instances. Weighted returns one that
// counts an error on a sensitive token weight times an error on another one; weight is
// above 0.
type CostSensitive interface {
	Learner
	Weighted(weight float64) Learner
}

// ErrNoWeights is returned in mode [CostWeight] if no learner is a [CostSensitive] one.
var ErrNoWeights = errors.New("no learner can weight tokens by cost")

// costThreshold is the step of the baseline: one classifier, the first learner's, with
// the threshold where a calibrated classifier's expected loss from publishing a token,
// L*p, equals that of redacting it, C_k*(1-p). L is the mean of L_c over the sensitive
// tokens, because one score does not distinguish categories; the kind of a word is known.
func (l *lab) costThreshold(ctx context.Context, s *solution, lc float64) (move, error) {
	out, err := l.outOfFold(ctx, 0, s.last())
	if err != nil {
		return move{}, err
	}
	prices := l.tariff.prices
	scores := prices.pricedAll(l.docs, out.scores)
	c := cutAt(l.rank(s.last(), scores), 1/(1+lc*l.tariff.mean(l.docs, true)))
	return move{name: l.learners[0].Name(), cut: c, marks: allAtLeast(scores, c.threshold), prices: prices, baseline: true}, nil
}

// costWeight is the step of the other baseline: the first learner that weighs instances
// gives a sensitive token the weight L/C, and its hard labels count. It distinguishes
// neither categories nor kinds, so both are means over the tokens.
func (l *lab) costWeight(ctx context.Context, s *solution, lc float64) (move, error) {
	i := weighing(l.learners)
	if i < 0 {
		return move{}, ErrNoWeights
	}
	weight := lc * l.tariff.ratio(l.docs)
	if weight == 0 { // no missed token costs anything: learners refuse a weight of 0
		return move{learner: i, name: l.learners[i].Name() + ", weighted", cut: cut{threshold: 1}, marks: nothing(l.docs), hard: true, baseline: true, full: always(false)}, nil
	}
	learner := trainee{Learner: l.learners[i].(CostSensitive).Weighted(weight), id: fmt.Sprintf("%d weighted %g", i, weight)}
	out, err := l.crossFit(ctx, learner, s.last(), l.fold, l.folds)
	if err != nil {
		return move{}, err
	}
	h, err := l.fit(ctx, learner, s.last())
	if err != nil {
		return move{}, err
	}
	m := l.byLabels(i, s.last(), out)
	m.name, m.baseline, m.full = fmt.Sprintf("%s, weighted", learner.Name()), true, h
	return m, nil
}

// Possible reports whether the mode works with these learners: [CostWeight] needs one
// that weighs instances.
func (m Mode) Possible(learners []Learner) bool { return m != CostWeight || weighing(learners) >= 0 }

// weighing is the index of the first learner that weighs instances, -1 for none.
func weighing(learners []Learner) int {
	for i, l := range learners {
		if _, can := l.(CostSensitive); can {
			return i
		}
	}
	return -1
}

// LogOdds is log(p/(1-p)) with p clipped to [surest, 1-surest], so that no certainty
// outvotes all others. With 0 it is infinite for certainty, and NaN outside of [0, 1].
func LogOdds(p, surest float64) float64 {
	p = min(max(p, surest), 1-surest)
	return math.Log(p / (1 - p))
}

// Logistic is the probability of log-odds f: 1/(1+e^-f).
func Logistic(f float64) float64 { return 1 / (1 + math.Exp(-f)) }

// tariff holds the costs of errors: L_c/L for a missed sensitive token of category c,
// C_k/C for a redacted other token of kind k. A category or kind that is not in it costs
// L or C.
type tariff struct {
	losses map[annotate.Label]float64
	prices Prices
}

func (p Params) tariff() tariff { return tariff{p.LossByLabel, p.CostByKind.Unusual()} }

// of is the cost of an error on the token.
func (t tariff) of(d *annotate.Note, token int) float64 {
	if !d.Sensitive[token] {
		return t.prices.Of(d.Words[token])
	}
	if w, set := t.losses[d.Label(token)]; set {
		return w
	}
	return 1
}

// ErrorCost is the cost of an error on token x: L_c/L by its category if it is sensitive
// and missed, C_k/C by its kind if it is not and redacted; 1 if byLabel or byKind does
// not have it.
func ErrorCost(d *annotate.Note, x int, byLabel map[annotate.Label]float64, byKind Prices) float64 {
	return tariff{byLabel, byKind}.of(d, x)
}

// priced adds to the counts of a classifier their costs, where after is what before and
// the classifier redact together.
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

// sum is the cost of errors on all sensitive tokens, or on all others.
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

// ratio is the average L/C: the mean of L_c/L over the sensitive tokens divided by that
// of C_k/C over the others.
func (t tariff) ratio(docs []annotate.Note) float64 { return t.mean(docs, true) / t.mean(docs, false) }

// least is the smallest L_c/L of any sensitive token divided by the largest C_k/C of any
// other. It is 1 without tokens.
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

// CheckLosses refuses an invalid [Params].LossByLabel.
func CheckLosses(byLabel map[annotate.Label]float64) error {
	for _, label := range slices.Sorted(maps.Keys(byLabel)) {
		if w := byLabel[label]; !(w >= 0 && w <= MaxTimes) {
			return fmt.Errorf("label %q: the multiple of L is %g; it must be at least 0 and at most %d", label, w, MaxTimes)
		}
	}
	return nil
}

// Loss is T(H) = L*FN(H) + C*FP(H) (tkde equation 4).
func Loss(l, c, fn, fp float64) float64 { return l*fn + c*fp }

// share is part/whole, and 1 for 0/0, because nothing is lost.
func share(part, whole float64) float64 {
	if whole == 0 {
		return 1
	}
	return part / whole
}

// CountOn counts h on the tokens outside redacted.
func CountOn(h, redacted, sensitive []bool) Counts {
	var c Counts
	for x, s := range sensitive {
		switch {
		case redacted[x]:
		case h[x] && s:
			c.TP++
		case h[x]:
			c.FP++
		case s:
			c.FN++
		default:
			c.TN++
		}
	}
	return c
}

// total is the number of counted instances.
func (c Counts) total() int { return c.TP + c.FP + c.FN + c.TN }

func (c Counts) plus(d Counts) Counts {
	return Counts{c.TP + d.TP, c.FP + d.FP, c.FN + d.FN, c.TN + d.TN}
}

// Pays reports whether adding a classifier with these counts on P(H) lowers
// T(H). By lemma 1, T(H u h) - T(H) = C*FP(h, P(H)) - L*TP(h, P(H)), so it pays
// when C*FP < L*TP.
func (c Counts) Pays(lc float64) bool { return float64(c.FP) < lc*float64(c.TP) }

// Priced are the counts of a classifier on P(H), the worth of its true positives if
// categories have different losses L_c, and the cost of its false positives if kinds of
// words have different prices C_k.
type Priced struct {
	Counts
	Worth float64 // sum_c (L_c/L)*TP_c; TP when every category costs L
	Cost  float64 // sum_k (C_k/C)*FP_k; FP when every kind costs C
}

// Pays is [Counts.Pays] with a loss per category and a price per kind of word. Lemma
// 1 holds in each category and kind, so
// T(H u h) - T(H) = sum_k C_k*FP_k(h, P(H)) - sum_c L_c*TP_c(h, P(H)).
func (p Priced) Pays(lc float64) bool { return p.Cost < lc*p.Worth }

// gain is compared with 0 by Pays: sum_c L_c*TP_c - sum_k C_k*FP_k with C = 1.
func (p Priced) gain(lc float64) float64 { return lc*p.Worth - p.Cost }

// LocalOptimum reports whether H is a local optimum when the attacker's
// classifier h_A has these counts on P(H): TP = 0 or FP/TP >= L/C (tkde
// definition 4.1, theorem 2).
func LocalOptimum(lc float64, attacker Counts) bool { return !attacker.Pays(lc) }
