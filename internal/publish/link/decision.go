// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"strings"
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
	groups := newUnion(n)
	for _, d := range decisions {
		if d.Same {
			groups.join(d.A, d.B)
		}
	}
	for _, d := range decisions {
		if !d.Same && groups.find(d.A) == groups.find(d.B) {
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

// A union has disjoint sets of records.
type union struct {
	parent []int32
	size   []int32
}

func newUnion(n int) *union {
	u := &union{parent: make([]int32, n), size: make([]int32, n)}
	for i := range u.parent {
		u.parent[i], u.size[i] = int32(i), 1
	}
	return u
}

func (u *union) find(i int) int {
	for int(u.parent[i]) != i {
		u.parent[i] = u.parent[u.parent[i]]
		i = int(u.parent[i])
	}
	return i
}

// join makes one set of two and returns its root, and the root that it lost.
func (u *union) join(a, b int) (root, lost int) {
	root, lost = u.find(a), u.find(b)
	if root == lost {
		return root, lost
	}
	if u.size[root] < u.size[lost] {
		root, lost = lost, root
	}
	u.parent[lost] = int32(root)
	u.size[root] += u.size[lost]
	return root, lost
}
