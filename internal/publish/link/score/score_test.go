// SPDX-License-Identifier: Apache-2.0

package score

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

func TestClustersAreScoredAsTheirPairsOneByOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		n := 1 + rng.IntN(12)
		truth, cluster := make([]int, n), make([]int, n)
		members := make([][]int, 5)
		for i := range n {
			truth[i] = rng.IntN(5) - 1
			cluster[i] = rng.IntN(5)
			members[cluster[i]] = append(members[cluster[i]], i)
		}
		var want Pairs
		var linked [][2]int
		for i := range n {
			for j := range i {
				same := truth[i] == truth[j] && truth[i] >= 0
				if same {
					want.True++
				}
				if cluster[i] != cluster[j] {
					continue
				}
				want.Linked++
				linked = append(linked, [2]int{j, i})
				if same {
					want.Right++
				}
			}
		}
		if got := Clusters(truth, members); got != want {
			t.Fatalf("%v in %v: got %+v, want %+v", truth, members, got, want)
		}
		if got := Linked(truth, linked); got != want {
			t.Fatalf("pairs %v of %v: got %+v, want %+v", linked, truth, got, want)
		}
	}
}

func TestSharesOfAWorkedExample(t *testing.T) {
	// Persons 0 0 0 1 1; clusters {0, 1, 3} and {2, 4}: one of four linked pairs is right,
	// and one of four true pairs is linked.
	p := Clusters([]int{0, 0, 0, 1, 1}, [][]int{{0, 1, 3}, {2, 4}})
	if p.Precision() != 0.25 || p.Recall() != 0.25 || p.F1() != 0.25 || p.False() != 3 || p.Missed() != 3 || p.Errors() != 6 {
		t.Errorf("got %+v: precision %v, recall %v, F1 %v", p, p.Precision(), p.Recall(), p.F1())
	}
	nothing := Clusters([]int{0, 1, -1, -1}, nil)
	if nothing.Precision() != 1 || nothing.Recall() != 1 || nothing.F1() != 1 {
		t.Errorf("without true and linked pairs: %+v", nothing)
	}
}

func TestComponentsAreThoseOfAFlood(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		n := 1 + rng.IntN(10)
		var pairs [][2]int
		near := make([][]int, n)
		for range rng.IntN(2 * n) {
			a, b := rng.IntN(n), rng.IntN(n)
			pairs = append(pairs, [2]int{a, b})
			near[a], near[b] = append(near[a], b), append(near[b], a)
		}
		if got, want := Components(n, pairs), flood(near); !reflect.DeepEqual(got, want) {
			t.Fatalf("%d records, %v: got %v, want %v", n, pairs, got, want)
		}
	}
}

// flood finds components by walking from each record.
func flood(near [][]int) [][]int {
	out := [][]int{}
	reached := make([]bool, len(near))
	for start := range near {
		if reached[start] {
			continue
		}
		in := map[int]bool{start: true}
		for queue := []int{start}; len(queue) > 0; {
			at := queue[0]
			queue = queue[1:]
			for _, next := range near[at] {
				if !in[next] {
					in[next] = true
					queue = append(queue, next)
				}
			}
		}
		var members []int
		for i := range near {
			if in[i] {
				reached[i] = true
				members = append(members, i)
			}
		}
		if len(members) > 1 {
			out = append(out, members)
		}
	}
	return out
}
