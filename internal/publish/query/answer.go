// SPDX-License-Identifier: Apache-2.0

package query

import (
	"context"
	"fmt"
	"math"

	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
)

// MostGroups bounds an answer.
const MostGroups = 1_000_000

// Check refuses a question with too many groups.
func (q *Query) Check() error {
	n := 1.0
	for _, d := range q.Groups {
		n *= float64(q.Domain[d].Size())
	}
	if n > MostGroups {
		return fmt.Errorf("the query has %.3g groups, of which at most %d can be answered", n, MostGroups)
	}
	return nil
}

// Answer is what comes of a question.
type Answer struct {
	Phase cube.Phase
	// Counts are noisy, one for each group, the last column of GROUP BY counting
	// fastest. They are not clamped.
	Counts []int64
	// Within is how far off a count is at most, 95 times of 100.
	Within float64
}

// Plan is what an answer would come to, without its counts, from public numbers
// alone; bound is how many rows one person can have.
func (q *Query) Plan(bound int64, e ledger.Micro) Answer {
	n := 1
	for _, d := range q.Groups {
		n *= q.Domain[d].Size()
	}
	phase := cube.NewPhase("groups", e, bound, n)
	return Answer{Phase: phase, Within: phase.Scale * math.Log(20)}
}

// Answer counts and adds noise. The ledger's debit must be on disk before.
func (q *Query) Answer(ctx context.Context, c *cube.Counts, e ledger.Micro, s noise.Source) (Answer, error) {
	if err := q.Check(); err != nil {
		return Answer{}, err
	}
	keep := func([]int32) bool { return true }
	if q.Where != nil {
		keep = q.Where.holds
	}
	counts := c.Groups(q.Groups, keep)
	if err := noise.AddAll(ctx, s, counts, c.Bound, e.Float()); err != nil {
		return Answer{}, err
	}
	a := q.Plan(c.Bound, e)
	a.Counts = counts
	return a, nil
}

// Labels name the categories of group at.
func (q *Query) Labels(at int) []string {
	out := make([]string, len(q.Groups))
	for i := len(q.Groups) - 1; i >= 0; i-- {
		d := q.Domain[q.Groups[i]]
		out[i] = d.Label(at % d.Size())
		at /= d.Size()
	}
	return out
}
