// SPDX-License-Identifier: Apache-2.0

package greedy

import "context"

// unionSteps is how many of the smallest steps of greedy-union all sensitive
// tokens make up.
const unionSteps = 50

// unionStep is the step of greedy-union. Classifiers are trained once, on the
// documents as they are. Of all learners and thresholds that pay, the one with
// the fewest false positives per true one joins, for a step of at least a fiftieth
// of all sensitive tokens: what one learner is sure of need not be marked by
// another, so that learners that know different things add up. When no such step
// pays, the one that lowers the loss most is taken.
func (l *lab) unionStep(ctx context.Context, s *solution, lc float64) (move, error) {
	all, _ := l.tariff.sum(l.docs, true)
	least, prices := all/unionSteps, l.tariff.prices
	var best, most move
	for i, learner := range l.learners {
		out, err := l.outOfFold(ctx, i, s.masks[0])
		if err != nil {
			return move{}, err
		}
		scores := prices.pricedAll(l.docs, out.scores)
		order := l.rank(s.last(), scores)
		m := move{learner: i, name: learner.Name(), whole: true, prices: prices, cut: cheapestCut(order, least)}
		m.marks = allAtLeast(scores, m.cut.threshold)
		if i == 0 || cheaper(m.cut.counts, best.cut.counts) {
			best = m
		}
		m.cut = bestCut(order, lc)
		m.marks = allAtLeast(scores, m.cut.threshold)
		if i == 0 || m.cut.gain > most.cut.gain {
			most = m
		}
	}
	if best.cut.counts.Pays(lc) {
		return best, nil
	}
	return most, nil
}

// cheapestCut is the prefix of the order, never ending between equal scores, with
// the least cost for what its true positives are worth, among those
// worth at least least, or all that is left when that is less; of several the
// longest.
func cheapestCut(order []ranked, least float64) cut {
	all := Priced{}
	for _, r := range order {
		all.add(r)
	}
	best, marked := cut{threshold: 1}, Priced{}
	for i, r := range order {
		marked.add(r)
		if i+1 < len(order) && order[i+1].score == r.score || marked.Worth < min(least, all.Worth) {
			continue
		}
		if best.counts == (Priced{}) || !cheaper(best.counts, marked) {
			best = cut{threshold: r.score, counts: marked}
		}
	}
	return best.complete(all.TP, all.FP)
}

// cheaper compares cost per worth, sum_k(C_k/C)*FP_k / sum_c(L_c/L)*TP_c; what is worth
// nothing is never cheaper.
func cheaper(a, b Priced) bool {
	if a.Worth == 0 || b.Worth == 0 {
		return a.Worth > b.Worth
	}
	x, y := a.Cost*b.Worth, b.Cost*a.Worth
	return x < y || x == y && a.Worth > b.Worth
}
