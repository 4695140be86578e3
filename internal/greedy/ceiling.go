// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
)

// CheckCeiling reports whether c can be a [Params].Ceiling.
func CheckCeiling(c float64) error {
	if c != 0 && !(c > 0 && c < 1) {
		return fmt.Errorf("ceiling %g on what an attacker finds: it must be above 0 and below 1", c)
	}
	return nil
}

// checkCeiling refuses a ceiling that no L/C need reach: what costs nothing to leave is
// found all the same.
func (p Params) checkCeiling() error {
	if err := CheckCeiling(p.Ceiling); err != nil || p.Ceiling == 0 {
		return err
	}
	for _, label := range slices.Sorted(maps.Keys(p.LossByLabel)) {
		if p.LossByLabel[label] == 0 {
			return fmt.Errorf("missed PHI of label %q costs nothing, so no L/C can keep attackers under a ceiling: set a cost above 0 for the label, or remove the ceiling", label)
		}
	}
	return nil
}

// roundRatios are the steps in which L/C is raised, times powers of ten.
var roundRatios = []float64{1, 1.5, 2, 3, 5, 7}

// nextRatio is the least round L/C above lc, [MaxLC] at most.
func nextRatio(lc float64) float64 {
	for e := math.Floor(math.Log10(lc)); ; e++ {
		for _, r := range roundRatios {
			next := r * math.Pow(10, e)
			if e < 0 {
				next = r / math.Pow(10, -e) // 0.7, and not 0.7000000000000001
			}
			if next > lc {
				return min(next, MaxLC)
			}
		}
	}
}

// ceiling is how much the ranked attacker may find within a budget, as a share of the
// sensitive tokens; the zero value allows everything.
type ceiling struct {
	share  float64
	budget int
}

// ceiling is what mode is held to when as many tokens are published as were trained
// from; with another number, the budget is another share of them.
func (p Params) ceiling(mode Mode, learnt, published int) ceiling {
	if mode != Default {
		return ceiling{}
	}
	budget := float64(slices.Max(p.Budgets)) * float64(learnt) / float64(max(1, published))
	return ceiling{p.Ceiling, max(1, int(math.Round(budget)))}
}

// under solves for lc and, while the ranked attacker finds more of what that leaves
// than c allows, for the next round L/C above, [MaxLC] at most. It returns for which it
// solved last. What does not pay there does not pay at lc either, so H is a local
// optimum for both.
func (l *lab) under(ctx context.Context, lc float64, c ceiling, p Params, solve func(at float64) (*solution, error)) (*solution, float64, error) {
	for at := lc; ; at = nextRatio(at) {
		if c.share > 0 && l.tooLow[at] {
			continue
		}
		sol, err := solve(at)
		if err != nil || c.share == 0 || at >= MaxLC {
			return sol, at, err
		}
		order, err := l.rankedAttack(ctx, sol.last(), p)
		if err != nil {
			return nil, at, err
		}
		if found := order.found([]int{c.budget}, ones(l.groups))[0]; found <= c.share*float64(l.sensitive()) {
			return sol, at, nil
		}
		l.tooLow[at] = true
		l.dropOldTrainings()
	}
}

// sensitive is |S| of the documents that estimates are made from.
func (l *lab) sensitive() int {
	n := 0
	for i := range l.docs {
		if l.group[i] != uncounted {
			n += l.docs[i].CountSensitive()
		}
	}
	return n
}
