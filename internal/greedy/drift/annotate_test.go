// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestUsefulNotes are worked examples; hashes of words are small numbers.
func TestUsefulNotes(t *testing.T) {
	known := []Profile{{words: []uint64{1, 2}}}
	for _, c := range []struct {
		name   string
		target []Profile
		n      int
		want   []int
	}{
		{"doubt first", []Profile{{Doubt: 1, words: []uint64{3}}, {Doubt: 2, words: []uint64{3}}}, 1, []int{1}},
		{"known words are not covered", []Profile{{Doubt: 3, words: []uint64{1}}, {Doubt: 2, words: []uint64{1}}, {Doubt: 1.9, words: []uint64{9}}}, 2, []int{0, 1}},
		{"words weigh by documents", []Profile{{Doubt: 3, words: []uint64{5, 6}}, {Doubt: 2, words: []uint64{5, 7}}, {Doubt: 2, words: []uint64{6, 8}}, {Doubt: .1, words: []uint64{5}}}, 2, []int{0, 2}},
		{"a chosen document covers its words", []Profile{{Doubt: 3, words: []uint64{5}}, {Doubt: 2, words: []uint64{5}}, {Doubt: 1, words: []uint64{6}}}, 3, []int{0, 2, 1}},
		{"types take turns", []Profile{{Doubt: 3, Kind: "x", words: []uint64{11}}, {Doubt: 2, Kind: "x", words: []uint64{12}}, {Doubt: 1.5, Kind: "y", words: []uint64{13}}}, 2, []int{0, 2}},
		{"a line head is not a word", []Profile{{Doubt: 3, words: []uint64{9}}, {Doubt: 2, heads: []uint64{9}}, {Doubt: 1.9, words: []uint64{10}}}, 2, []int{0, 1}},
		{"more than there are", []Profile{{Doubt: 1}}, 5, []int{0}},
		{"none", nil, 5, nil},
	} {
		if got := useful(known, c.target, c.n); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestEachDocumentIsAdvisedOnce advises some or all of random documents; every second one is
// drawn at random.
func TestEachDocumentIsAdvisedOnce(t *testing.T) {
	first := make([]int, 3)
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		target := make([]Profile, 3+r.IntN(12))
		for i := range target {
			p := Profile{Doubt: r.Float64(), Tokens: 1 + r.IntN(9)}
			for range r.IntN(5) {
				p.words = append(p.words, uint64(r.IntN(9)))
			}
			slices.Sort(p.words)
			p.words = slices.Compact(p.words)
			target[i] = p
		}
		n := 1 + r.IntN(len(target))
		seen := map[int]bool{}
		all := ToAnnotate(target[:1], target, n, seed)
		for i, a := range all {
			if seen[a.At] = true; a.Random != (i%2 == 0) {
				t.Errorf("seed %d: document %d of %d is random: %v", seed, i, n, a.Random)
			}
		}
		if len(all) != n || len(seen) != n {
			t.Fatalf("seed %d: %v are not %d of %d documents", seed, all, n, len(target))
		}
		if all[0].At < len(first) {
			first[all[0].At]++
		}
	}
	for at, n := range first {
		if n < 20 || n > 60 { // of 300 draws from about 8.5 documents
			t.Errorf("document %d was drawn first in %d of 300", at, n)
		}
	}
}
