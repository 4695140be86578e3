// SPDX-License-Identifier: Apache-2.0

// Package score compares linked records with the truth.
//
//	s := score.Clusters(truth, result.Clusters)
//	fmt.Println(s.Precision(), s.Recall(), s.F1())
//
// It counts pairs of records. A pair is true when both records are of the same person. All
// true pairs count, also pairs that no rule compared.
package score

import (
	"slices"

	"hide/internal/disjoint"
)

// Pairs counts pairs of records.
type Pairs struct {
	True   int64 `json:"true"`   // of the same person
	Linked int64 `json:"linked"` // in the same cluster, or linked
	Right  int64 `json:"right"`  // both
}

// Precision is the share of linked pairs that are true; 1 when nothing is linked.
func (p Pairs) Precision() float64 { return share(p.Right, p.Linked) }

// Recall is the share of true pairs that are linked; 1 when no pair is true.
func (p Pairs) Recall() float64 { return share(p.Right, p.True) }

// F1 is the harmonic mean of precision and recall; 1 when nothing is linked and no pair is
// true.
func (p Pairs) F1() float64 { return share(2*p.Right, p.Linked+p.True) }

// False is the number of linked pairs that are not true.
func (p Pairs) False() int64 { return p.Linked - p.Right }

// Missed is the number of true pairs that are not linked.
func (p Pairs) Missed() int64 { return p.True - p.Right }

// Errors is the number of false and missed pairs.
func (p Pairs) Errors() int64 { return p.False() + p.Missed() }

func share(part, whole int64) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// Clusters scores clusters of records: each two records of a cluster are a linked pair.
// truth has the person of each record; a record whose person is negative is alone. Records
// that are in no cluster are alone, too. Time and memory grow with records, not with pairs.
func Clusters(truth []int, clusters [][]int) Pairs {
	p := Pairs{True: truePairs(truth)}
	people := map[int]int64{}
	for _, members := range clusters {
		p.Linked += choose(int64(len(members)))
		clear(people)
		for _, i := range members {
			if truth[i] >= 0 {
				people[truth[i]]++
			}
		}
		for _, n := range people {
			p.Right += choose(n)
		}
	}
	return p
}

// Linked scores pairs, each listed once, without the pairs that follow from chains.
func Linked(truth []int, pairs [][2]int) Pairs {
	p := Pairs{True: truePairs(truth), Linked: int64(len(pairs))}
	for _, pair := range pairs {
		if truth[pair[0]] >= 0 && truth[pair[0]] == truth[pair[1]] {
			p.Right++
		}
	}
	return p
}

func truePairs(truth []int) (n int64) {
	people := map[int]int64{}
	for _, person := range truth {
		if person >= 0 {
			n += people[person]
			people[person]++
		}
	}
	return n
}

// choose is the number of pairs among n.
func choose(n int64) int64 { return n * (n - 1) / 2 }

// Components are the sets of two or more records that chains of pairs connect, among n
// records. Members ascend, and sets are in the order of their first members.
func Components(n int, pairs [][2]int) [][]int {
	sets := disjoint.New(n)
	for _, p := range pairs {
		sets.Join(p[0], p[1])
	}
	members := map[int][]int{}
	for i := range n {
		if sets.Size(i) > 1 {
			root := sets.Find(i)
			members[root] = append(members[root], i)
		}
	}
	out := make([][]int, 0, len(members))
	for _, m := range members {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b []int) int { return a[0] - b[0] })
	return out
}

// Across scores clusters of the records of two files, of which the second begins at a record:
// only pairs of one record from each file count.
func Across(truth []int, clusters [][]int, second int) Pairs {
	p := Clusters(truth, clusters)
	for file := range 2 {
		within := make([][]int, len(clusters))
		for i, members := range clusters {
			for _, m := range members {
				if (m >= second) == (file == 1) {
					within[i] = append(within[i], m)
				}
			}
		}
		inFile := slices.Clone(truth)
		for i := range inFile {
			if (i >= second) != (file == 1) {
				inFile[i] = -1
			}
		}
		of := Clusters(inFile, within)
		p = Pairs{p.True - of.True, p.Linked - of.Linked, p.Right - of.Right}
	}
	return p
}
