// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"context"

	"hide/internal/annotate"
)

// solution is H for one L/C, with its result on the training documents: in paper mode by
// the classifiers of H themselves, otherwise by classifiers of the same rounds that were
// not trained on the document.
type solution struct {
	h      Ensemble
	from   []int      // index of the learner of each of h
	rounds []Round    // the last one may not have joined H
	masks  [][][]bool // masks[k] after k rounds; masks[0] redacts nothing
}

// last is the mask of all of H.
func (s *solution) last() [][]bool { return s.masks[len(s.masks)-1] }

// watcher is called for each finished round.
type watcher func(s *solution, round Round) error

func ignore(*solution, Round) error { return nil }

// solve finds H for lc; a limit of 0 rounds means the mode's own. In paper mode watch is
// not called: the rounds are in the solution.
func (l *lab) solve(ctx context.Context, mode Mode, lc float64, limit int, watch watcher) (*solution, error) {
	limit = cmp.Or(limit, mode.rounds())
	switch mode {
	case Paper:
		return l.solvePaper(ctx, lc, limit)
	case PaperHoldout:
		return l.loop(ctx, lc, limit, l.mostAccurate, watch)
	case GreedyUnion:
		return l.loop(ctx, lc, limit, l.unionStep, watch)
	case Cost:
		return l.loop(ctx, lc, 1, l.costThreshold, watch)
	case CostWeight:
		return l.loop(ctx, lc, 1, l.costWeight, watch)
	default:
		return l.loop(ctx, lc, limit, l.robust, watch)
	}
}

// move is what a classifier marks, out of fold, in the remaining text.
type move struct {
	learner  int
	name     string
	cut      cut
	marks    [][]bool
	prices   Prices     // that the scores are priced with; nil: they are not
	hard     bool       // the marks are hard labels
	whole    bool       // the classifier reads original documents, not the remaining text
	baseline bool       // joins H whether it pays or not, and ends the loop
	full     Classifier // trained on all documents; nil: the lab's, by learner
}

func (m move) round(number int, accepted bool) Round {
	return Round{Number: number, Learner: m.name, Threshold: m.cut.threshold, Hard: m.hard, Counts: m.cut.counts.Counts, Worth: m.cut.counts.Worth, Cost: m.cut.counts.Cost, ByPrice: len(m.prices) > 0, Accepted: accepted}
}

// chooser picks the next move against what s leaves.
type chooser func(ctx context.Context, s *solution, lc float64) (move, error)

// loop makes moves while they pay: T(H u h) - T(H) < 0.
func (l *lab) loop(ctx context.Context, lc float64, limit int, next chooser, watch watcher) (*solution, error) {
	s := &solution{masks: [][][]bool{nothing(l.docs)}}
	for {
		m, err := next(ctx, s, lc)
		if err != nil {
			return nil, err
		}
		joins := m.baseline || m.cut.counts.Pays(lc) && len(s.rounds) < limit
		if joins {
			if err := l.accept(ctx, s, m); err != nil {
				return nil, err
			}
		}
		s.rounds = append(s.rounds, m.round(len(s.rounds)+1, joins))
		if err := watch(s, s.rounds[len(s.rounds)-1]); err != nil || !joins || m.baseline {
			return s, err
		}
	}
}

// accept adds the move's classifier, trained on all documents, to H and redacts
// what the move marked.
func (l *lab) accept(ctx context.Context, s *solution, m move) error {
	masks := make([][]bool, len(l.docs))
	for i, before := range s.last() {
		masks[i] = union(before, m.marks[i])
	}
	if !s.lowered(m) {
		h, err := l.joining(ctx, s, m)
		if err != nil {
			return err
		}
		s.h = append(s.h, Accepted{Learner: m.name, Classifier: h, Threshold: m.cut.threshold, Prices: m.prices, Hard: m.hard, Whole: m.whole})
		s.from = append(s.from, m.learner)
	}
	s.masks = append(s.masks, masks)
	return nil
}

// lowered lowers the threshold of a classifier of H that reads original documents, if the
// move is by the same one: both thresholds together mark what the lower one marks.
func (s *solution) lowered(m move) bool {
	for k := range s.h {
		if m.whole && s.h[k].Whole && s.from[k] == m.learner {
			s.h[k].Threshold = min(s.h[k].Threshold, m.cut.threshold)
			return true
		}
	}
	return false
}

// joining is the classifier that joins H.
func (l *lab) joining(ctx context.Context, s *solution, m move) (Classifier, error) {
	switch {
	case m.full != nil:
		return m.full, nil
	case m.whole:
		return l.classifier(ctx, m.learner, s.masks[0])
	}
	return l.classifier(ctx, m.learner, s.last())
}

// unionSteps is the number of minimum steps of greedy-union that cover all sensitive
// tokens.
const unionSteps = 50

// unionStep is the step of greedy-union. Classifiers are trained once, on the original
// documents. Of all learners and thresholds that pay, the one with the fewest false
// positives per true positive joins, in steps of at least a fiftieth of all sensitive
// tokens. Tokens that one learner is sure of need not be marked by another, so learners
// with different strengths add up. If no such step pays, the one that lowers the loss
// most is taken.
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

// cheapestCut is the prefix of the order, never ending between equal scores, with the
// smallest cost per worth of its true positives, among prefixes worth at least least, or
// all that is left if that is less; of several the longest.
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

// cheaper compares cost per worth, sum_k(C_k/C)*FP_k / sum_c(L_c/L)*TP_c; a worth of 0 is
// never cheaper.
func cheaper(a, b Priced) bool {
	if a.Worth == 0 || b.Worth == 0 {
		return a.Worth > b.Worth
	}
	x, y := a.Cost*b.Worth, b.Cost*a.Worth
	return x < y || x == y && a.Worth > b.Worth
}

// trace is one run of Algorithm 1 (tkde section 4) without its stopping rule. The
// classifiers do not depend on L/C, so it covers every value.
type trace struct {
	Learners []string // of h_1, h_2, ...
	Counts   []Priced // Counts[k-1] is of h_k on D_(k-1)

	h     Ensemble
	masks [][][]bool // masks[k] is what h_1..h_k redact of the training documents
}

// At is |H| for lc: the number of classifiers before the first h_k with
// T(H u h_k) - T(H) >= 0.
func (t *trace) At(lc float64) int {
	for k, c := range t.Counts {
		if !c.Pays(lc) {
			return k
		}
	}
	return len(t.Counts)
}

// exhaust trains h_1, h_2, ... until one finds nothing, after which no L/C would continue
// (tkde theorem 1), or until limit classifiers found something.
func (l *lab) exhaust(ctx context.Context, limit int) (*trace, error) {
	t := &trace{masks: [][][]bool{nothing(l.docs)}}
	for len(t.Counts) < limit {
		last := t.masks[len(t.masks)-1]
		h, which, err := l.attacker(ctx, last)
		if err != nil {
			return nil, err
		}
		all := views(l.docs, last)
		next := Accepted{Learner: l.learners[which].Name(), Classifier: h, Threshold: 0.5, Hard: true}
		after := redactMore(all, next)
		c := l.tariff.priced(countHard(h, all), l.docs, last, after)
		t.Counts, t.Learners = append(t.Counts, c), append(t.Learners, next.Learner)
		if c.TP == 0 {
			return t, nil
		}
		t.h, t.masks = append(t.h, next), append(t.masks, after)
	}
	return t, nil
}

// redactMore is RemovePredictedPositives(D, h) as masks.
func redactMore(all []annotate.View, a Accepted) [][]bool {
	masks := a.marks(all)
	for i, v := range all {
		masks[i] = union(v.Redacted, masks[i])
	}
	return masks
}

// rounds lists h_1..h_k and the one that was rejected after them.
func (t *trace) rounds(k int) []Round {
	var rounds []Round
	for i := range min(k+1, len(t.Counts)) {
		rounds = append(rounds, Round{Number: i + 1, Learner: t.Learners[i], Threshold: 0.5, Hard: true, Counts: t.Counts[i].Counts, Worth: t.Counts[i].Worth, Cost: t.Counts[i].Cost, Accepted: i < k})
	}
	return rounds
}

func (l *lab) solvePaper(ctx context.Context, lc float64, limit int) (*solution, error) {
	if l.trace == nil {
		t, err := l.exhaust(ctx, limit)
		if err != nil {
			return nil, err
		}
		l.trace = t
	}
	k := l.trace.At(lc)
	return &solution{h: l.trace.h[:k], rounds: l.trace.rounds(k), masks: l.trace.masks[:k+1]}, nil
}

// robust is the step of hide's default mode. It attacks the text that would be published,
// out of fold, with every learner, and takes the learner and the threshold, or the
// learner's hard labels, that lower the loss most. When no learner has sum_k C_k*FP_k <
// sum_c L_c*TP_c, the loop ends. The hard labels of the attacker's own learner were among
// the candidates, so H is then a local optimum (tkde definition 4.1) on the counts used.
// Round 1 belongs to the detector, [Params.First], if there is one and it pays.
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

// attack is the learner's best move under the masks: a threshold on its scores, or on its
// priced scores if prices are set and this gains more, or its hard labels if these do.
// Hard labels are not always a threshold on the scores: the most probable path of a CRF
// is not.
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

// byScores is the learner's best threshold on its scores, priced or not, as a move.
func (l *lab) byScores(learner int, masks [][]bool, s *scored, prices Prices, lc float64) move {
	scores := prices.pricedAll(l.docs, s.scores)
	c := bestCut(l.rank(masks, scores), lc)
	return move{learner: learner, name: l.trainee(learner).Name(), cut: c, marks: allAtLeast(scores, c.threshold), prices: prices}
}

// byLabels is the learner's hard labels as a move.
func (l *lab) byLabels(learner int, masks [][]bool, s *scored) move {
	c := l.countMarks(masks, s.hard).all
	return move{learner: learner, name: l.trainee(learner).Name(), marks: s.hard, hard: true, cut: cut{threshold: 0.5, counts: l.tariff.priced(c, l.docs, masks, s.hard)}}
}

func allAtLeast(scores [][]float64, threshold float64) [][]bool {
	marks := make([][]bool, len(scores))
	for i, s := range scores {
		marks[i] = atLeast(s, threshold)
	}
	return marks
}
