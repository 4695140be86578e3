// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"context"
	"fmt"
	"math"
)

// Gain measures the worth of splitting a block, from noisy counts alone.
type Gain string

// The gains.
const (
	// Likelihood is how much likelier counts become, in nats, when each half has a
	// mean of its own: N1 ln(N1/V1) + N2 ln(N2/V2) - N ln(N/V), negative counts
	// taken for 0 in this only.
	Likelihood Gain = "likelihood"
	// SSE is by how much the squared error falls, in variances of the noise.
	SSE Gain = "sse"
	// Printed is Definition 6 of the dissertation, H(D1) + H(D2) - H(D) in bits. It
	// is positive even where all cells are equal, and so splits blocks that it should keep.
	Printed Gain = "printed"
)

// Gains lists them, the default first.
func Gains() []Gain { return []Gain{Likelihood, SSE, Printed} }

// Threshold is the default least gain of a split when the noise of a cell has this scale.
// The numbers are public: they were fixed on UCI Adult.
func (g Gain) Threshold(scale float64) float64 {
	switch g {
	case SSE:
		return 12
	case Printed:
		return 1
	}
	return 4 + scale/2
}

// block is a box of cells, from lo to before hi in each dimension.
type block struct{ lo, hi []int }

func (b block) volume() int {
	v := 1
	for i := range b.lo {
		v *= b.hi[i] - b.lo[i]
	}
	return v
}

// cut cuts in front of category at of dimension d.
func (b block) cut(d, at int) (left, right block) {
	left = block{b.lo, append([]int(nil), b.hi...)}
	right = block{append([]int(nil), b.lo...), b.hi}
	left.hi[d], right.lo[d] = at, at
	return left, right
}

// splitter cuts a noisy cube into blocks (Algorithms 3 and 4).
type splitter struct {
	cells    []int64
	shape    []int
	step     []int
	gain     Gain
	tau      float64
	variance float64 // of the noise of a cell
	sums     [][]float64
}

// part is a block and, when it was split, its halves.
type part struct {
	block
	halves [2]*part // nil, or both
	total  float64  // what was counted in it
	vari   float64  // of the noise in total
	draws  int      // how many counts total is the sum of
}

// leaves are the blocks that were not split, in the order in which they were found.
func (p *part) leaves(out []*part) []*part {
	if p.halves[0] == nil {
		return append(out, p)
	}
	return p.halves[1].leaves(p.halves[0].leaves(out))
}

// partition splits until no cut is worth more than the threshold. The order of the
// blocks depends on the noisy cells only.
func (s *splitter) partition(ctx context.Context) (*part, error) {
	s.step = strides(s.shape)
	s.sums = make([][]float64, len(s.shape))
	root := &part{block: block{make([]int, len(s.shape)), append([]int(nil), s.shape...)}}
	for d, n := range s.shape {
		s.sums[d] = make([]float64, n)
	}
	for todo := []*part{root}; len(todo) > 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		d, at, ok := s.bestCut(b.block)
		if !ok {
			continue
		}
		left, right := b.cut(d, at)
		b.halves = [2]*part{{block: left}, {block: right}}
		todo = append(todo, b.halves[1], b.halves[0])
	}
	return root, nil
}

// bestCut is the cut of the highest gain, the first of equal ones.
func (s *splitter) bestCut(b block) (dim, at int, ok bool) {
	volume := b.volume()
	if volume == 1 {
		return 0, 0, false
	}
	s.project(b)
	best := s.tau
	for d := range s.shape {
		width := b.hi[d] - b.lo[d]
		if width < 2 {
			continue
		}
		k, gain := s.cut(s.sums[d][:width], float64(volume/width))
		if gain > best {
			best, dim, at, ok = gain, d, b.lo[d]+k, true
		}
	}
	return dim, at, ok
}

// project adds the cells of the block up along each dimension.
func (s *splitter) project(b block) {
	for d := range s.sums {
		clear(s.sums[d][:b.hi[d]-b.lo[d]])
	}
	last := len(s.shape) - 1
	for run := range b.runs(s.step) {
		total := 0.0
		for i, c := range s.cells[run.at : run.at+b.hi[last]-b.lo[last]] {
			s.sums[last][i] += float64(c)
			total += float64(c)
		}
		for d := range last {
			s.sums[d][run.index[d]-b.lo[d]] += total
		}
	}
}

// run is a stretch of neighbouring cells: where it starts, and its place in all
// dimensions but the last.
type run struct {
	at    int
	index []int
}

// runs goes through a block. The index is good until the next run.
func (b block) runs(step []int) func(func(run) bool) {
	return func(yield func(run) bool) {
		last := len(b.lo) - 1
		index := append([]int(nil), b.lo...)
		for {
			at := 0
			for d, i := range index {
				at += i * step[d]
			}
			if !yield(run{at, index}) {
				return
			}
			d := last - 1
			for ; d >= 0; d-- {
				if index[d]++; index[d] < b.hi[d] {
					break
				}
				index[d] = b.lo[d]
			}
			if d < 0 {
				return
			}
		}
	}
}

// cut finds the best place to cut slices of w cells each with these sums: in front
// of slice k.
func (s *splitter) cut(sums []float64, w float64) (k int, gain float64) {
	if s.gain == Printed {
		return cutPrinted(sums)
	}
	gain = math.Inf(-1)
	if s.gain == Likelihood {
		if total(sums) <= 0 {
			return 0, gain
		}
		clamped := make([]float64, len(sums))
		for i, x := range sums {
			clamped[i] = max(0, x)
		}
		sums = clamped
	}
	all := total(sums)
	left, volume := 0.0, w*float64(len(sums))
	for i := 1; i < len(sums); i++ {
		left += sums[i-1]
		if g := s.worth(left, all-left, w*float64(i), volume); g > gain {
			k, gain = i, g
		}
	}
	return k, gain
}

func total(sums []float64) (t float64) {
	for _, x := range sums {
		t += x
	}
	return t
}

// worth is the gain of halves with noisy counts n1 and n2, the first of v1 of v
// cells.
func (s *splitter) worth(n1, n2, v1, v float64) float64 {
	n, v2 := n1+n2, v-v1
	if s.gain == Likelihood {
		return xlnx(n1, v1) + xlnx(n2, v2) - xlnx(n, v)
	}
	return (n1*n1/v1 + n2*n2/v2 - n*n/v) / s.variance
}

// xlnx is n ln(n/v).
func xlnx(n, v float64) float64 {
	if n <= 0 {
		return 0
	}
	return n * math.Log(n/v)
}

// cutPrinted is Definition 6 on the distribution along one dimension.
func cutPrinted(sums []float64) (k int, gain float64) {
	whole := entropy(sums)
	gain = math.Inf(-1)
	for i := 1; i < len(sums); i++ {
		if g := entropy(sums[:i]) + entropy(sums[i:]) - whole; g > gain {
			k, gain = i, g
		}
	}
	return k, gain
}

// entropy in bits of what the sums are in proportion to.
func entropy(sums []float64) float64 {
	total, h := 0.0, 0.0
	for _, x := range sums {
		total += max(0, x)
	}
	for _, x := range sums {
		if x > 0 {
			h -= x / total * math.Log2(x/total)
		}
	}
	return h
}

func (g Gain) check() error {
	for _, known := range Gains() {
		if g == known {
			return nil
		}
	}
	return fmt.Errorf("unknown gain %q; gains are %v", string(g), Gains())
}

// mergeSD is by how many standard deviations of their noise two halves must differ to
// remain separate: as for a node of a prefix tree.
const mergeSD = 2.0

// merge undoes splits, from the smallest blocks up, whose halves do not differ in the
// counts of the second phase. Their noise is independent of the first phase, so that they
// show whether a split was chosen because of the data or because of noise. It reads only
// released counts and costs nothing. For halves with counts n1 and n2 in v1 and v2 of v
// cells,
//
//	d = n1 v2/v - n2 v1/v,  var d = var n1 (v2/v)^2 + var n2 (v1/v)^2
//
// is how far they are from the same density.
func (p *part) merge(z float64) {
	if p.halves[0] == nil {
		return
	}
	a, b := p.halves[0], p.halves[1]
	a.merge(z)
	b.merge(z)
	if a.halves[0] != nil || b.halves[0] != nil {
		return
	}
	v := float64(p.volume())
	s1, s2 := float64(a.volume())/v, float64(b.volume())/v
	d := a.total*s2 - b.total*s1
	if d*d < z*z*(a.vari*s2*s2+b.vari*s1*s1) {
		p.halves = [2]*part{}
		p.total, p.vari, p.draws = a.total+b.total, a.vari+b.vari, a.draws+b.draws
	}
}
