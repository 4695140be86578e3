// SPDX-License-Identifier: Apache-2.0

// Package disjoint keeps disjoint sets of numbers, which can be joined [Tarjan 1975].
//
//	sets := disjoint.New(4) // {0} {1} {2} {3}
//	sets.Join(0, 2)         // {0 2} {1} {3}
//	sets.Find(0) == sets.Find(2)
package disjoint

// Sets are disjoint sets of the numbers from 0 on. They are not safe for concurrent use: Find
// shortens paths.
type Sets struct{ parent, size []int32 }

// New makes n sets of one number each.
func New(n int) *Sets {
	s := &Sets{parent: make([]int32, n), size: make([]int32, n)}
	for i := range s.parent {
		s.parent[i], s.size[i] = int32(i), 1
	}
	return s
}

// Find is the root of the set of i: the member that names it until it is joined to another.
func (s *Sets) Find(i int) int {
	for int(s.parent[i]) != i {
		s.parent[i] = s.parent[s.parent[i]]
		i = int(s.parent[i])
	}
	return i
}

// Join makes one set of two, and returns its root and the root that is one no more. They are
// equal if a and b were in one set already. The larger set keeps its root.
func (s *Sets) Join(a, b int) (root, lost int) {
	root, lost = s.Find(a), s.Find(b)
	if root == lost {
		return root, lost
	}
	if s.size[root] < s.size[lost] {
		root, lost = lost, root
	}
	s.parent[lost] = int32(root)
	s.size[root] += s.size[lost]
	return root, lost
}

// Size is how many members the set of i has.
func (s *Sets) Size(i int) int { return int(s.size[s.Find(i)]) }
