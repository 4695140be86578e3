// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
)

// Method is how counts are published.
type Method string

// The methods.
const (
	DPCube    Method = "dpcube"
	Identity  Method = "identity"
	Marginals Method = "marginals"
	Uniform   Method = "uniform"
)

// Methods lists them, the default first.
func Methods() []Method { return []Method{DPCube, Identity, Marginals, Uniform} }

// DefaultFirst is the share of epsilon for cells; the dissertation has one half.
const DefaultFirst = 0.6

// Params are the parameters of the method. All are public and chosen before anybody looks
// at the data.
type Params struct {
	Method  Method       `json:"method"`
	Epsilon ledger.Micro `json:"micro_epsilon"`
	// Gain and Threshold are those of DPCube. "" is Likelihood, and a Threshold of
	// 0 is the gain's own.
	Gain      Gain    `json:"gain,omitempty"`
	Threshold float64 `json:"threshold,omitempty"`
	// First is the share of epsilon that DPCube spends on cells; 0 is
	// [DefaultFirst].
	First float64 `json:"first,omitempty"`
	// Fuse averages the count of each block with the sum of its noisy cells, weighted by the
	// inverse of their variances. This is biased: the blocks were chosen by these cells, so
	// that their sums are too extreme.
	Fuse bool `json:"fuse,omitempty"`
	// Marginals are the cuboids to count, each by the names of its dimensions.
	Marginals [][]string `json:"marginals,omitempty"`
}

// Check refuses wrong parameters, and fills in defaults. bound is the sensitivity.
func (p Params) Check(d Domain, bound int64) (_ Params, err error) {
	p.Method = cmp.Or(p.Method, DPCube)
	if err := p.CheckNames(d); err != nil {
		return p, err
	}
	if p.Epsilon < ledger.Micro(max(2, len(p.Marginals))) || p.Epsilon > ledger.Most {
		return p, fmt.Errorf("epsilon must be above 0 and at most %v", ledger.Most)
	}
	if p.Method == DPCube {
		if p, err = p.checkCube(bound); err != nil {
			return p, err
		}
	}
	return p, p.checkSize(d)
}

// CheckNames refuses an unknown method, gain or marginal.
func (p Params) CheckNames(d Domain) error {
	switch {
	case p.Method != "" && !slices.Contains(Methods(), p.Method):
		return fmt.Errorf("unknown method %q; methods are %v", string(p.Method), Methods())
	case (p.Method == Marginals) != (len(p.Marginals) > 0):
		return fmt.Errorf("the method %q needs a list of marginals, and other methods have none", Marginals)
	case p.Gain != "" && p.Gain.check() != nil:
		return p.Gain.check()
	}
	return checkMarginals(d, p.Marginals)
}

func (p Params) checkCube(bound int64) (Params, error) {
	p.Gain = cmp.Or(p.Gain, Likelihood)
	if p.First == 0 {
		p.First = DefaultFirst
	}
	if !(p.First >= 0.01) || !(p.First <= 0.99) {
		return p, fmt.Errorf("the share of epsilon for cells must be between 0.01 and 0.99")
	}
	if p.Threshold == 0 {
		p.Threshold = p.Gain.Threshold(noise.Scale(bound, p.first().Float()))
	}
	if !(p.Threshold > 0) || math.IsInf(p.Threshold, 0) {
		return p, fmt.Errorf("the threshold of a gain must be above 0")
	}
	return p, nil
}

// first is what is spent on cells.
func (p Params) first() ledger.Micro {
	return min(p.Epsilon-1, max(1, ledger.Micro(p.First*float64(p.Epsilon))))
}

func (p Params) checkSize(d Domain) error {
	if p.Method == Uniform || p.Method == Marginals {
		return nil
	}
	return d.fits()
}

// Phase is one use of epsilon. One unit changes its counts by at most the sensitivity, so
// that all of them together cost epsilon once.
type Phase struct {
	Name        string       `json:"name"`
	Epsilon     ledger.Micro `json:"micro_epsilon"`
	Sensitivity int64        `json:"sensitivity"`
	Scale       float64      `json:"scale"` // of the Laplace noise: sensitivity / epsilon
	Counts      int          `json:"counts"`
}

// NewPhase is a phase with the noise scale that its sensitivity requires.
func NewPhase(name string, e ledger.Micro, sensitivity int64, counts int) Phase {
	return Phase{name, e, sensitivity, noise.Scale(sensitivity, e.Float()), counts}
}

// Block is a box of cells with one count for all of them.
type Block struct {
	Low    []int   `json:"low"`  // first category in each dimension
	High   []int   `json:"high"` // the one after the last
	Count  float64 `json:"count"`
	SD     float64 `json:"sd"`     // of the noise in Count
	Draws  int     `json:"draws"`  // how many noisy counts Count is the sum of
	Spread float64 `json:"spread"` // estimated variance of the block's cells around their mean, from noisy cells
}

func (b Block) block() block { return block{b.Low, b.High} }

// Release is a published cube. It depends on the table only through noise.
type Release struct {
	Domain Domain
	Params Params
	Phases []Phase
	Blocks []Block // DPCube; Uniform has one
	Cells  []int64 // Identity: all cells, the last dimension counting fastest
	Views  []View  // Marginals
	SD     float64 // Identity: of each cell
	// Misses is, of DPCube and by dimension, an estimate of the mean square error of
	// the counts of its categories.
	Misses []float64
}

// Publish adds noise. The debit in the ledger must be on disk before.
func Publish(ctx context.Context, c *Counts, p Params, s noise.Source) (*Release, error) {
	p, err := p.Check(c.Domain, c.Bound)
	if err != nil {
		return nil, err
	}
	r := &Release{Domain: c.Domain, Params: p}
	switch p.Method {
	case DPCube:
		err = r.dpcube(ctx, c, s)
	case Identity:
		r.Phases = []Phase{NewPhase("cells", p.Epsilon, c.Bound, int(c.Domain.Cells()))}
		r.SD = math.Sqrt(noise.Variance(c.Bound, p.Epsilon.Float()))
		r.Cells = c.project(c.Domain.all())
		err = noise.AddAll(ctx, s, r.Cells, c.Bound, p.Epsilon.Float())
	case Uniform:
		err = r.uniform(ctx, c, s)
	case Marginals:
		err = r.marginals(ctx, c, s)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// dpcube is Algorithm 2. Partitioning reads noisy cells only, so it costs
// nothing.
func (r *Release) dpcube(ctx context.Context, c *Counts, s noise.Source) error {
	first := r.Params.first()
	second := r.Params.Epsilon - first
	cells := c.project(c.Domain.all())
	exact := slices.Clone(cells)
	if err := noise.AddAll(ctx, s, cells, c.Bound, first.Float()); err != nil {
		return err
	}
	sp := &splitter{cells: cells, shape: c.Domain.shape(), gain: r.Params.Gain, tau: r.Params.Threshold, variance: noise.Variance(c.Bound, first.Float())}
	root, err := sp.partition(ctx)
	if err != nil {
		return err
	}
	parts := root.leaves(nil)
	totals := make([]int64, len(parts))
	for i, b := range parts {
		totals[i] = int64(sumOver(exact, b.block, sp.step))
	}
	if err := noise.AddAll(ctx, s, totals, c.Bound, second.Float()); err != nil {
		return err
	}
	r.Phases = []Phase{NewPhase("cells", first, c.Bound, len(cells)), NewPhase("blocks", second, c.Bound, len(parts))}
	for i, b := range parts {
		b.total, b.vari, b.draws = float64(totals[i]), noise.Variance(c.Bound, second.Float()), 1
	}
	root.merge(mergeSD)
	for _, b := range root.leaves(nil) {
		r.Blocks = append(r.Blocks, sp.fuse(b, r.Params.Fuse))
	}
	r.Misses = sp.misses(r.Blocks)
	return nil
}

// misses estimates the mean squared error of counts by the categories of each dimension. A
// sum of noisy cells has only their noise as error, with a known variance. The squared
// difference between blocks and that sum, minus this variance, is therefore the squared
// error of the blocks, whether their cells are equal or not. The errors of merged cells add
// up along a dimension, so that the Spread of their block is too small an estimate.
//
// The mean of n squares of sums with variance v has the standard deviation v sqrt(2/n), and
// the mean of its positive part without any error is v sqrt(2/n)/sqrt(2 pi). This is
// subtracted, too.
func (s *splitter) misses(blocks []Block) []float64 {
	whole := block{make([]int, len(s.shape)), s.shape}
	s.project(whole)
	out := make([]float64, len(s.shape))
	for d, n := range s.shape {
		apart := s.sums[d]
		for _, b := range blocks {
			each := b.Count / float64(b.High[d]-b.Low[d])
			for i := b.Low[d]; i < b.High[d]; i++ {
				apart[i] -= each
			}
		}
		for _, x := range apart {
			out[d] += x * x / float64(n)
		}
		of := s.variance * float64(whole.volume()/n)
		out[d] = max(0, out[d]-of-of/math.Sqrt(math.Pi*float64(n)))
	}
	return out
}

func sumOver(cells []int64, b block, step []int) (sum float64) {
	last := len(b.lo) - 1
	for run := range b.runs(step) {
		for _, c := range cells[run.at : run.at+b.hi[last]-b.lo[last]] {
			sum += float64(c)
		}
	}
	return sum
}

// fuse weighs the block's count with the sum of its noisy cells, each by the
// inverse of its variance, and estimates how its cells differ.
func (s *splitter) fuse(p *part, fused bool) Block {
	b, v := p.block, float64(p.volume())
	sum := sumOver(s.cells, b, s.step)
	cellsVar := v * s.variance
	out := Block{Low: b.lo, High: b.hi, Count: p.total, SD: math.Sqrt(p.vari), Draws: p.draws}
	if fused {
		w := cellsVar / (cellsVar + p.vari)
		out.Count = w*p.total + (1-w)*sum
		out.SD = math.Sqrt(w * p.vari)
	}
	if v > 1 {
		mean, squares, last := sum/v, 0.0, len(b.lo)-1
		for run := range b.runs(s.step) {
			for _, c := range s.cells[run.at : run.at+b.hi[last]-b.lo[last]] {
				squares += (float64(c) - mean) * (float64(c) - mean)
			}
		}
		out.Spread = max(0, squares/(v-1)-s.variance)
	}
	return out
}

// uniform counts only the total.
func (r *Release) uniform(ctx context.Context, c *Counts, s noise.Source) error {
	total := []int64{int64(c.Rows())}
	if err := noise.AddAll(ctx, s, total, c.Bound, r.Params.Epsilon.Float()); err != nil {
		return err
	}
	r.Phases = []Phase{NewPhase("total", r.Params.Epsilon, c.Bound, 1)}
	r.Blocks = []Block{{Low: make([]int, len(c.Domain)), High: c.Domain.shape(), Count: float64(total[0]), Draws: 1, SD: math.Sqrt(noise.Variance(c.Bound, r.Params.Epsilon.Float()))}}
	return nil
}
