// SPDX-License-Identifier: Apache-2.0

package greedy

import "context"

// solution is H for one L/C, with what it does to the training documents: in
// paper mode by the classifiers of H themselves, otherwise by classifiers of the
// same rounds that did not see the document.
type solution struct {
	h      Ensemble
	rounds []Round    // the last may be one that did not join H
	masks  [][][]bool // masks[k] after h_1..h_k; masks[0] redacts nothing
}

// last is what all of H redacts.
func (s *solution) last() [][]bool { return s.masks[len(s.masks)-1] }

// solveRobust is hide's default. In each round it attacks what would be
// published, out of fold, with every learner, and takes the learner and the
// threshold that lower the loss most; it stops when no threshold of any learner
// has C*FP < L*TP. Since one threshold of the attacker's own learner is among
// them, H is then a local optimum (tkde definition 4.1) on the counts used.
func (l *lab) solveRobust(ctx context.Context, lc float64, limit int, watch watcher) (*solution, error) {
	s := &solution{masks: [][][]bool{nothing(l.docs)}}
	for {
		a, err := l.bestAttack(ctx, s.last(), lc)
		if err != nil {
			return nil, err
		}
		pays := a.cut.counts.Pays(lc) && len(s.h) < limit
		if pays {
			if err := l.accept(ctx, s, a); err != nil {
				return nil, err
			}
		}
		s.rounds = append(s.rounds, a.round(len(s.rounds)+1, pays))
		if err := watch(s, s.rounds[len(s.rounds)-1]); err != nil || !pays {
			return s, err
		}
	}
}

// watcher is told of each finished round.
type watcher func(s *solution, round Round) error

func ignore(*solution, Round) error { return nil }

// attack is the most profitable attack found on a set of masks.
type attack struct {
	learner int
	name    string
	cut     cut
	scores  [][]float64 // out of fold
}

func (a attack) round(number int, accepted bool) Round {
	return Round{Number: number, Learner: a.name, Threshold: a.cut.threshold, Counts: a.cut.counts.Counts, Worth: a.cut.counts.Worth, Accepted: accepted}
}

func (l *lab) bestAttack(ctx context.Context, masks [][]bool, lc float64) (attack, error) {
	var best attack
	for i, learner := range l.learners {
		s, err := l.outOfFold(ctx, i, masks)
		if err != nil {
			return attack{}, err
		}
		c := bestCut(l.rank(masks, s.scores), lc)
		if i == 0 || c.gain > best.cut.gain {
			best = attack{i, learner.Name(), c, s.scores}
		}
	}
	return best, nil
}

// accept adds the attack's learner, trained on all documents, to H and redacts
// what the attack marked.
func (l *lab) accept(ctx context.Context, s *solution, a attack) error {
	h, err := l.classifier(ctx, a.learner, s.last())
	if err != nil {
		return err
	}
	masks := make([][]bool, len(l.docs))
	for i, before := range s.last() {
		masks[i] = union(before, atLeast(a.scores[i], a.cut.threshold))
	}
	s.h = append(s.h, Accepted{Learner: a.name, Classifier: h, Threshold: a.cut.threshold})
	s.masks = append(s.masks, masks)
	return nil
}

// costThreshold is where a calibrated classifier's expected loss from publishing
// a token, L*p, meets that of redacting it, C*(1-p); L is the mean of L_c over the
// sensitive tokens, since one score does not tell categories apart.
func costThreshold(lc float64) float64 { return 1 / (1 + lc) }

// solveCost is the baseline: one classifier, the first learner's, and the
// threshold that its scores would deserve were they calibrated.
func (l *lab) solveCost(ctx context.Context, lc float64, watch watcher) (*solution, error) {
	s := &solution{masks: [][][]bool{nothing(l.docs)}}
	out, err := l.outOfFold(ctx, 0, s.last())
	if err != nil {
		return nil, err
	}
	order := l.rank(s.last(), out.scores)
	a := attack{0, l.learners[0].Name(), cutAt(order, costThreshold(lc*l.losses.mean(l.docs))), out.scores}
	s.rounds = []Round{a.round(1, true)}
	if err := l.accept(ctx, s, a); err != nil {
		return nil, err
	}
	return s, watch(s, s.rounds[0])
}

// solve finds H for lc. In paper mode watch is not called: the rounds are in the
// solution.
func (l *lab) solve(ctx context.Context, mode Mode, lc float64, limit int, watch watcher) (*solution, error) {
	switch mode {
	case Paper:
		return l.solvePaper(ctx, lc, limit)
	case Cost:
		return l.solveCost(ctx, lc, watch)
	default:
		return l.solveRobust(ctx, lc, limit, watch)
	}
}
