// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNotesToAnnotate are worked examples; hashes of words are small numbers.
func TestNotesToAnnotate(t *testing.T) {
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
		if got := ToAnnotate(known, c.target, c.n); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestEachDocumentIsChosenOnce chooses all of random documents.
func TestEachDocumentIsChosenOnce(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		target := make([]Profile, 1+r.IntN(12))
		for i := range target {
			p := Profile{Doubt: r.Float64(), Tokens: 1 + r.IntN(9)}
			for range r.IntN(5) {
				p.words = append(p.words, uint64(r.IntN(9)))
			}
			slices.Sort(p.words)
			p.words = slices.Compact(p.words)
			target[i] = p
		}
		all := ToAnnotate(target[:1], target, len(target))
		if sorted := slices.Sorted(slices.Values(all)); len(slices.Compact(sorted)) != len(target) {
			t.Fatalf("seed %d: %v is not an order of %d documents", seed, all, len(target))
		}
	}
}
