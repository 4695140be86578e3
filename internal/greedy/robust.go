// SPDX-License-Identifier: Apache-2.0

package greedy

import "context"

// robust is the step of hide's default. It attacks what would be published, out
// of fold, with every learner, and takes the learner and the threshold, or the
// learner's hard labels, that lower the loss most. When nothing of any learner has
// sum_k C_k*FP_k < sum_c L_c*TP_c, the loop ends; since the hard labels of the attacker's own
// learner were among what was tried, H is then a local optimum (tkde definition 4.1)
// on the counts used. Round 1 is for the detector, [Params.First], if there is one
// and it pays.
func (l *lab) robust(ctx context.Context, s *solution, lc float64) (move, error) {
	if len(s.rounds) == 0 && l.detects() {
		m, err := l.attack(ctx, l.detector(), s.last(), lc)
		if err != nil || m.cut.counts.Pays(lc) {
			return m, err
		}
	}
	var best move
	for i := range l.learners {
		m, err := l.attack(ctx, i, s.last(), lc)
		if err != nil {
			return move{}, err
		}
		if i == 0 || m.cut.gain > best.cut.gain {
			best = m
		}
	}
	return best, nil
}

// attack is the learner's best move against what masks leave: a threshold on its
// scores, with prices one on its priced scores where that gains more, or its hard
// labels where they do. Hard labels need not be a threshold on the scores: the most
// probable path of a CRF is not.
func (l *lab) attack(ctx context.Context, learner int, masks [][]bool, lc float64) (move, error) {
	s, err := l.outOfFold(ctx, learner, masks)
	if err != nil {
		return move{}, err
	}
	best := l.byScores(learner, masks, s, nil, lc)
	if prices := l.tariff.prices; len(prices) > 0 {
		if m := l.byScores(learner, masks, s, prices, lc); m.cut.gain > best.cut.gain {
			best = m
		}
	}
	m := l.byLabels(learner, masks, s)
	if m.cut.gain = m.cut.counts.gain(lc); m.cut.counts.TP+m.cut.counts.FP > 0 && m.cut.gain > best.cut.gain {
		return m, nil
	}
	return best, nil
}

// byScores is the learner's best threshold on its scores, priced or not, as a move
// against what masks leave.
func (l *lab) byScores(learner int, masks [][]bool, s *scored, prices Prices, lc float64) move {
	scores := prices.pricedAll(l.docs, s.scores)
	c := bestCut(l.rank(masks, scores), lc)
	return move{learner: learner, name: l.trainee(learner).Name(), cut: c, marks: allAtLeast(scores, c.threshold), prices: prices}
}

// byLabels is the learner's hard labels as a move against what masks leave.
func (l *lab) byLabels(learner int, masks [][]bool, s *scored) move {
	c, _ := l.countPerGroup(masks, s.hard)
	return move{learner: learner, name: l.trainee(learner).Name(), marks: s.hard, hard: true, cut: cut{threshold: 0.5, counts: l.tariff.priced(c, l.docs, masks, s.hard)}}
}

func allAtLeast(scores [][]float64, threshold float64) [][]bool {
	marks := make([][]bool, len(scores))
	for i, s := range scores {
		marks[i] = atLeast(s, threshold)
	}
	return marks
}
