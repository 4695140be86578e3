// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"slices"
	"testing"

	"hide/internal/publish/ledger"
)

// TestASliceIsWhatItsBoxesAnswerOneByOne compares every slice of every method with
// the question for each of its counts.
func TestASliceIsWhatItsBoxesAnswerOneByOne(t *testing.T) {
	c := some(t, 300)
	for _, method := range []Method{Identity, DPCube, Uniform} {
		r := publish(t, c, Params{Method: method, Epsilon: ledger.One}, seed(3))
		n := len(r.Domain)
		sets := [][]int{{}, {0}, {n - 1}, {n - 1, 0}, {0, n - 1}, r.Domain.all()}
		for _, dims := range sets {
			got, err := r.Slice(dims)
			must(t, err)
			var want []Answer
			var walk func(b Box, rest []int)
			walk = func(b Box, rest []int) {
				if len(rest) == 0 {
					a, err := r.Answer(b)
					must(t, err)
					want = append(want, a)
					return
				}
				for i := range r.Domain[rest[0]].Size() {
					next := slices.Clone(b)
					next[rest[0]] = []int{i}
					walk(next, rest[1:])
				}
			}
			walk(make(Box, n), dims)
			if !slices.Equal(got, want) {
				t.Errorf("%s, dimensions %v: %v, want %v", method, dims, got, want)
			}
		}
	}
}

// TestASliceOfAHundredThousandCategoriesIsTaken would look at ten thousand million
// places if it looked at all categories for each.
func TestASliceOfAHundredThousandCategoriesIsTaken(t *testing.T) {
	const n = 100_000
	domain := Domain{{Name: "code", Max: n - 1, Width: 1}}
	cells := make([]int64, n)
	for i := range cells {
		cells[i] = int64(i)
	}
	blocks := []Block{{Low: []int{0}, High: []int{n / 4}, Count: n}, {Low: []int{n / 4}, High: []int{n}, Count: 3}}
	for name, r := range map[string]*Release{"cells": {Domain: domain, Cells: cells}, "blocks": {Domain: domain, Blocks: blocks}} {
		answers, err := r.Slice([]int{0})
		must(t, err)
		if want := map[string]float64{"cells": 7, "blocks": 4}[name]; len(answers) != n || answers[7].Count != want {
			t.Errorf("%s: %d answers, the eighth %v", name, len(answers), answers[7])
		}
	}
}
