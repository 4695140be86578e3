// SPDX-License-Identifier: Apache-2.0

package greedy

import "context"

// mostAccurate is the step of Algorithm 1 with counts that can be believed: h_k
// is the most accurate learner (tkde equation 3), redacts by its hard labels and
// pays or not, all on documents that it was not trained on.
func (l *lab) mostAccurate(ctx context.Context, s *solution, _ float64) (move, error) {
	l.lasting[jobOf(0, s.last()).mask] = true
	var best move
	for i, learner := range l.learners {
		out, err := l.outOfFold(ctx, i, s.last())
		if err != nil {
			return move{}, err
		}
		c, _ := l.countPerGroup(s.last(), out.hard)
		if i == 0 || c.FP+c.FN < best.cut.counts.FP+best.cut.counts.FN {
			best = move{learner: i, name: learner.Name(), marks: out.hard, hard: true, cut: cut{threshold: 0.5, counts: Priced{Counts: c}}}
		}
	}
	best.cut.counts.Worth = l.losses.marked(l.docs, s.last(), best.marks)
	return best, nil
}
