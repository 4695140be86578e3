// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// plain grows trees as grower does, but sums each column of each leaf anew, by the
// values themselves.
type plain struct {
	*grower
	matrix Matrix
}

func binByCounting(cuts []float32, v float32) int {
	n := 0
	for _, cut := range cuts {
		if v > cut {
			n++
		}
	}
	return n
}

// best is the best split of a leaf, the first of equals.
func (p plain) best(l *leaf) split {
	best := split{}
	for c, cuts := range p.x.cuts {
		hist := make([]sums, len(cuts)+1)
		for _, r := range l.rows {
			b := binByCounting(cuts, p.matrix[c][r])
			hist[b] = hist[b].plus(unpack(p.q.packed[r]))
		}
		left, whole := sums{}, p.worth(l.sum)
		for b := range cuts {
			left = left.plus(hist[b])
			right := l.sum.minus(left)
			if float64(left.h)*p.q.h < p.least || float64(right.h)*p.q.h < p.least || left.h == 0 || right.h == 0 {
				continue
			}
			if gain := p.worth(left) + p.worth(right) - whole; gain > best.gain {
				best = split{gain, c, b, left}
			}
		}
	}
	return best
}

func (p plain) leafOf(rows []int32, parent int, right bool) *leaf {
	l := &leaf{rows: rows, parent: parent, right: right}
	for _, r := range rows {
		l.sum = l.sum.plus(unpack(p.q.packed[r]))
	}
	l.best = p.best(l)
	return l
}

func (p plain) grow(g, h []float64) (Tree, [][]int32) {
	p.q.round(g, h)
	all := make([]int32, len(g))
	for r := range all {
		all[r] = int32(r)
	}
	tree, leaves := Tree{}, []*leaf{p.leafOf(all, -1, false)}
	for len(leaves) < p.leaves {
		i := mostGaining(leaves)
		l := leaves[i]
		if l.best.gain <= 0 {
			break
		}
		node, threshold := len(tree.Nodes), p.x.cuts[l.best.column][l.best.bin]
		tree.Nodes = append(tree.Nodes, Node{Column: l.best.column, Threshold: threshold})
		tree.attach(l, node)
		var left, right []int32
		for _, r := range l.rows {
			if p.matrix[l.best.column][r] > threshold {
				right = append(right, r)
			} else {
				left = append(left, r)
			}
		}
		leaves[i] = p.leafOf(left, node, false)
		leaves = append(leaves, p.leafOf(right, node, true))
	}
	return tree, p.finish(&tree, leaves)
}

// mixed is a table whose columns have from one to many values, some of them NaN or
// infinite, some columns being others once more.
func mixed(seed uint64) (Matrix, *rand.Rand) {
	r := rand.New(rand.NewPCG(seed, 3))
	x, rows := make(Matrix, 1+r.IntN(40)), 2+r.IntN(600)
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}
	for c := range x {
		if c > 0 && r.IntN(5) == 0 {
			x[c] = x[r.IntN(c)]
			continue
		}
		x[c] = make([]float32, rows)
		values := []int{1, 2, 2, 3, 5, 16, 60, 124, 1000}[r.IntN(9)]
		oddly := r.IntN(3) == 0
		for i := range x[c] {
			x[c][i] = float32(r.IntN(values)) / 3
			if oddly && r.IntN(20) == 0 {
				x[c][i] = odd[r.IntN(len(odd))]
			}
		}
	}
	return x, r
}

// TestTreesAreThoseOfColumnsByThemselves: bundles, packed sums, differences of
// histograms and the order of the work change no bit of any tree.
func TestTreesAreThoseOfColumnsByThemselves(t *testing.T) {
	for seed := range uint64(200) {
		x, r := mixed(seed)
		bins, err := x.bin(t.Context(), []int{2, 3, 16, 255, 256}[r.IntN(5)], 2)
		if err != nil {
			t.Fatal(err)
		}
		l2, least := r.Float64(), 3*r.Float64()
		if r.IntN(2) == 0 {
			l2, least = 0, 0 // as AdaBoost
		}
		leaves := 2 + r.IntN(12)
		grown, want := newGrower(bins, 2, leaves, l2, least), plain{newGrower(bins, 1, leaves, l2, least), x}
		g, h := make([]float64, x.Rows()), make([]float64, x.Rows())
		for range 3 {
			for i := range g {
				g[i], h[i] = math.Round(4*r.NormFloat64()), float64(r.IntN(3)) // many equal gains
			}
			tree, rows, err := grown.grow(t.Context(), g, h)
			if err != nil {
				t.Fatal(err)
			}
			plainTree, plainRows := want.grow(g, h)
			if !reflect.DeepEqual(tree, plainTree) || !slices.EqualFunc(rows, plainRows, slices.Equal) {
				t.Fatalf("seed %d: %+v, column by column %+v", seed, tree, plainTree)
			}
		}
	}
}

func TestSearchCountsTheCutsBelow(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	inf := float32(math.Inf(1))
	for n := range maxBins {
		cuts := make([]float32, n)
		for i := range cuts {
			cuts[i] = float32(r.NormFloat64())
		}
		slices.Sort(cuts)
		values := append(slices.Clone(cuts), float32(math.NaN()), inf, -inf, -9, 9)
		for range 50 {
			values = append(values, float32(r.NormFloat64()))
		}
		s := newSearch(cuts)
		for _, v := range values {
			if got, want := s.above(v), binByCounting(cuts, v); got != want {
				t.Fatalf("%g is above %d of %d cuts, not %d", v, want, n, got)
			}
		}
	}
}

// TestBundlesHoldEveryColumnOnce: no bundle has more numbers than a byte, each column
// that can be split is in one, and no two bundles would fit into one.
func TestBundlesHoldEveryColumnOnce(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 5))
		bins := make([]int, r.IntN(100))
		for c := range bins {
			bins[c] = 1 + r.IntN([]int{2, 3, 9, 17, maxBins}[r.IntN(5)])
		}
		bundles, held := bundled(bins), make([]int, len(bins))
		least, next := maxBins+1, maxBins+1 // of the sizes
		for _, b := range bundles {
			size := 1
			for i, c := range b.columns {
				size *= bins[c]
				held[c]++
				if b.bins[i] != bins[c] {
					t.Fatalf("seed %d: column %d has %d bins, not %d", seed, c, bins[c], b.bins[i])
				}
			}
			if size != b.size || size > maxBins {
				t.Fatalf("seed %d: columns %v have %d numbers, not %d", seed, b.columns, size, b.size)
			}
			least, next = min(least, size), min(next, max(least, size))
		}
		if len(bundles) > 1 && least*next <= maxBins {
			t.Errorf("seed %d: bundles of %d and %d are two", seed, least, next)
		}
		for c, n := range held {
			if n != min(1, bins[c]-1) {
				t.Errorf("seed %d: column %d of %d bins is in %d bundles", seed, c, bins[c], n)
			}
		}
	}
}
