// SPDX-License-Identifier: Apache-2.0

package prefixtree

import (
	"iter"
	"math"
	"math/rand/v2"

	"hide/internal/publish/noise"
)

// Count estimates how many sequences begin with the prefix: 0 if the tree was not grown
// there.
func (t *Tree) Count(prefix []int) float64 {
	n := t.Root
	for _, c := range prefix {
		if len(n.Children) == 0 || c < 0 || c >= t.Params.Alphabet {
			return 0
		}
		n = n.Children[c]
	}
	return n.Count
}

// Walk calls fn for every node, a parent before its children, with its prefix, which is
// valid until the next call.
func (t *Tree) Walk(fn func(prefix []int, n *Node)) {
	var walk func(prefix []int, n *Node)
	walk = func(prefix []int, n *Node) {
		fn(prefix, n)
		for _, c := range n.Children {
			walk(append(prefix, c.Symbol), c)
		}
	}
	walk(nil, t.Root)
}

// Slopes estimates how many sequences rise by at least lo and less than hi per symbol, on
// average over their length, with symbols as numbers: the trends of section 5.3.6.
// Sequences of one symbol have no slope. variance is that of the noise without the
// consistency step, which makes it smaller. It does not include the bias of the
// threshold.
func (t *Tree) Slopes(lo, hi float64) (count, variance float64) {
	t.Walk(func(prefix []int, n *Node) {
		if len(n.Children) > 0 {
			return
		}
		if len(prefix) > 0 && n.Symbol == t.Params.Alphabet {
			prefix = prefix[:len(prefix)-1]
		}
		if len(prefix) < 2 {
			return
		}
		if s := Slope(prefix); s >= lo && s < hi {
			count += n.Count
			variance += noise.Variance(t.Params.Sensitivity(), t.Params.level(n.Depth).Float())
		}
	})
	return count, variance
}

// Slope is the slope of the least squares line through the symbols.
func Slope(seq []int) float64 {
	n := float64(len(seq))
	var xy, y float64
	for i, c := range seq {
		y += float64(c)
		xy += float64(i) * float64(c)
	}
	mean := (n - 1) / 2
	return (xy - mean*y) / (n * (n*n - 1) / 12)
}

// ExpectedError is the mean absolute error from noise in the count of a prefix of this
// length, without the consistency step, which makes it smaller. It does not include the
// bias of the threshold.
func (p Params) ExpectedError(length int) float64 {
	return p.scale(length)
}

// mostSynthetic and mostDrawn limit the synthetic sequences and their symbols: a very
// noisy count may be any number.
const mostSynthetic, mostDrawn = 10_000_000, 100_000_000

// Synthetic draws as many sequences as the root counts, up to a limit, by walking down in
// proportion to the counts. Where the tree was not grown, the next symbol depends on the
// last one as in the whole tree. The sequences cost nothing, and reveal nothing beyond
// the tree.
func (t *Tree) Synthetic(rng *rand.Rand) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		next := t.transitions()
		n := int(min(math.Round(max(0, t.Root.Count)), mostSynthetic))
		for drawn := 0; n > 0 && drawn < mostDrawn; n-- {
			seq := t.draw(next, rng)
			drawn += len(seq)
			if !yield(seq) {
				return
			}
		}
	}
}

func (t *Tree) draw(next [][]float64, rng *rand.Rand) []int {
	var seq []int
	n, last := t.Root, t.Params.Alphabet
	for len(seq) < t.Params.Height {
		weights := next[last]
		if n != nil && len(n.Children) > 0 {
			weights = make([]float64, len(n.Children))
			for c, child := range n.Children {
				weights[c] = max(0, child.Count)
			}
		}
		c := pick(weights, rng)
		if c < 0 || c == t.Params.Alphabet {
			return seq
		}
		if n != nil && len(n.Children) > 0 {
			n = n.Children[c]
		} else {
			n = nil
		}
		seq, last = append(seq, c), c
	}
	return seq
}

// mostPaired is the largest alphabet whose pairs are counted: a table of 8 MB.
const mostPaired = 1000

// transitions counts over the tree how often each symbol, or the end, follows each other
// symbol; the last row is for first symbols. For a large alphabet it returns nothing, and
// sequences end where the tree does.
func (t *Tree) transitions() [][]float64 {
	if t.Params.Alphabet > mostPaired {
		return make([][]float64, t.Params.Alphabet+1)
	}
	next := make([][]float64, t.Params.Alphabet+1)
	for c := range next {
		next[c] = make([]float64, t.Params.Alphabet+1)
	}
	t.Walk(func(prefix []int, n *Node) {
		from := t.Params.Alphabet
		if len(prefix) > 0 {
			from = n.Symbol
		}
		for _, c := range n.Children {
			next[from][c.Symbol] += max(0, c.Count)
		}
	})
	return next
}

// pick draws an index in proportion to the weights, -1 if all are 0.
func pick(weights []float64, rng *rand.Rand) int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	if sum <= 0 {
		return -1
	}
	x := rng.Float64() * sum
	for i, w := range weights {
		if x -= w; x < 0 {
			return i
		}
	}
	return len(weights) - 1
}
