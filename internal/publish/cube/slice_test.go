// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"errors"
	"slices"
	"testing"

	"hide/internal/publish/ledger"
)

// TestASliceIsWhatItsBoxesAnswerOneByOne compares every slice of every method with
// the question for each of its counts.
func TestASliceIsWhatItsBoxesAnswerOneByOne(t *testing.T) {
	c := some(t, 300)
	n := len(c.Domain)
	first, last := c.Domain[0].Name, c.Domain[n-1].Name
	for _, p := range []Params{{Method: Identity}, {Method: DPCube}, {Method: Uniform}, {Method: Marginals, Marginals: [][]string{{last, first}, {first}, {c.Domain[1].Name}}}} {
		method := p.Method
		p.Epsilon = ledger.One
		r := publish(t, c, p, seed(3))
		sets := [][]int{{}, {0}, {n - 1}, {n - 1, 0}, {0, n - 1}, r.Domain.all()}
		for _, dims := range sets {
			got, err := r.Slice(dims)
			if method == Marginals && len(dims) == n && errors.Is(err, ErrNotMeasured) {
				continue
			}
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
	cells, counts := make([]int64, n), make([]float64, n)
	for i := range cells {
		cells[i] = int64(i)
		counts[i] = float64(2 * i)
	}
	blocks := []Block{{Low: []int{0}, High: []int{n / 4}, Count: n}, {Low: []int{n / 4}, High: []int{n}, Count: 3}}
	for name, r := range map[string]*Release{"cells": {Domain: domain, Cells: cells}, "blocks": {Domain: domain, Blocks: blocks}, "views": {Domain: domain, Views: []View{{Dims: []int{0}, Counts: counts}}}} {
		answers, err := r.Slice([]int{0})
		must(t, err)
		if want := map[string]float64{"cells": 7, "blocks": 4, "views": 14}[name]; len(answers) != n || answers[7].Count != want {
			t.Errorf("%s: %d answers, the eighth %v", name, len(answers), answers[7])
		}
	}
}
