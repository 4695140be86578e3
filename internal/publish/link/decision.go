// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"strings"

	"hide/internal/disjoint"
)

// A Contradiction is an error: decisions say of two records that they are the same person and
// that they are not.
type Contradiction struct {
	A, B int   // the records that are decided not to be the same
	Path []int // records that are decided to be the same, one after the other, from A to B
}

func (c *Contradiction) Error() string {
	var same []string
	for i := range c.Path[1:] {
		same = append(same, fmt.Sprintf("%d = %d", c.Path[i], c.Path[i+1]))
	}
	return fmt.Sprintf("link: decisions contradict each other: records %s are the same, but %d and %d are not: undo one of these decisions",
		strings.Join(same, ", "), c.A, c.B)
}

// validateDecisions finds decisions about records that do not exist, and contradictions.
func validateDecisions(decisions []Decision, n int) error {
	same := map[int][]int{}
	for i, d := range decisions {
		if d.A < 0 || d.B < 0 || d.A >= n || d.B >= n {
			return fmt.Errorf("link: decision %d is about records %d and %d: there are %d records, the first is 0", i+1, d.A, d.B, n)
		}
		if d.A == d.B {
			return fmt.Errorf("link: decision %d is about record %d twice: it needs two records", i+1, d.A)
		}
		if d.Same {
			same[d.A], same[d.B] = append(same[d.A], d.B), append(same[d.B], d.A)
		}
	}
	groups := disjoint.New(n)
	for _, d := range decisions {
		if d.Same {
			groups.Join(d.A, d.B)
		}
	}
	for _, d := range decisions {
		if !d.Same && groups.Find(d.A) == groups.Find(d.B) {
			return &Contradiction{A: d.A, B: d.B, Path: path(same, d.A, d.B)}
		}
	}
	return nil
}

// path is a shortest path of decisions from one record to another.
func path(same map[int][]int, from, to int) []int {
	before := map[int]int{from: from}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, next := range same[queue[0]] {
			if _, seen := before[next]; !seen {
				before[next] = queue[0]
				queue = append(queue, next)
			}
		}
	}
	steps := []int{to}
	for at := to; at != from; at = before[at] {
		steps = append([]int{before[at]}, steps...)
	}
	return steps
}
