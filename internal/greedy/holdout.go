// SPDX-License-Identifier: Apache-2.0

package greedy

import "context"

// mostAccurate is the step of Algorithm 1 with counts that can be believed: h_k
// is the most accurate learner (tkde equation 3), redacts by its hard labels and
// pays or not, all on documents that it was not trained on.
func (l *lab) mostAccurate(ctx context.Context, s *solution, _ float64) (move, error) {
	l.lasting[HashMasks(s.last())] = true
	var best move
	for i := range l.learners {
		out, err := l.outOfFold(ctx, i, s.last())
		if err != nil {
			return move{}, err
		}
		m := l.byLabels(i, s.last(), out)
		if c := m.cut.counts; i == 0 || c.FP+c.FN < best.cut.counts.FP+best.cut.counts.FN {
			best = m
		}
	}
	return best, nil
}
