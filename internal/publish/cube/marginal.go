// SPDX-License-Identifier: Apache-2.0

package cube

import (
	"context"
	"fmt"
	"math"
	"slices"

	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
)

// View is a marginal that was counted.
type View struct {
	Dims   []int     `json:"dimensions"` // ascending
	Counts []float64 `json:"counts"`     // after consistency, the last dimension counting fastest
	SD     float64   `json:"sd"`         // of the noise of each count as it was drawn
}

// mostMarginals bounds a workload.
const mostMarginals = 1000

func checkMarginals(d Domain, names [][]string) error {
	if len(names) > mostMarginals {
		return fmt.Errorf("at most %d marginals can be named", mostMarginals)
	}
	cells := 0.0
	for i, set := range names {
		n := 1.0
		for k, name := range set {
			at := d.Find(name)
			if at < 0 || slices.Index(set, name) != k {
				return fmt.Errorf("marginal %d: %q is not a dimension, or is listed twice", i+1, name)
			}
			n *= float64(d[at].Size())
		}
		if cells += n; cells > MostCells {
			return fmt.Errorf("the marginals have more than %d cells", MostCells)
		}
	}
	return nil
}

// marginals gives each cuboid an equal share of epsilon.
func (r *Release) marginals(ctx context.Context, c *Counts, s noise.Source) error {
	share := r.Params.Epsilon / ledger.Micro(len(r.Params.Marginals))
	left := r.Params.Epsilon - share*ledger.Micro(len(r.Params.Marginals))
	for i, names := range r.Params.Marginals {
		e := share
		if i == 0 {
			e += left
		}
		v := View{SD: math.Sqrt(noise.Variance(c.Bound, e.Float())), Dims: []int{}}
		for _, name := range names {
			v.Dims = append(v.Dims, c.Domain.Find(name))
		}
		slices.Sort(v.Dims)
		counts := c.project(v.Dims)
		if err := noise.AddAll(ctx, s, counts, c.Bound, e.Float()); err != nil {
			return err
		}
		for _, x := range counts {
			v.Counts = append(v.Counts, float64(x))
		}
		r.Views = append(r.Views, v)
		r.Phases = append(r.Phases, NewPhase(fmt.Sprintf("marginal %d", i+1), e, c.Bound, len(counts)))
	}
	r.agree()
	return nil
}

// agree makes marginals consistent in the dimensions that they share, from the fewest
// dimensions to the most: each is moved to the mean of their projections, weighted by the
// inverse of the variances. Moving a marginal evenly over its other dimensions keeps
// earlier agreements.
func (r *Release) agree() {
	for _, shared := range r.overlaps() {
		size := 1
		for _, d := range shared {
			size *= r.Domain[d].Size()
		}
		sum, weight := make([]float64, size), 0.0
		var views []*View
		for i := range r.Views {
			v := &r.Views[i]
			if !subset(shared, v.Dims) {
				continue
			}
			views = append(views, v)
			w := float64(size) / (float64(len(v.Counts)) * v.SD * v.SD)
			weight += w
			for at, x := range v.project(r.Domain, shared) {
				sum[at] += w * x
			}
		}
		for _, v := range views {
			v.shift(r.Domain, shared, sum, weight)
		}
	}
}

// overlaps are all sets of dimensions that two or more marginals share, closed
// under intersection, the smallest first.
func (r *Release) overlaps() [][]int {
	found := map[string][]int{}
	var sets [][]int
	for _, v := range r.Views {
		sets = append(sets, v.Dims)
	}
	for i := 0; i < len(sets) && len(sets) < 10*mostMarginals; i++ {
		for k := range i {
			both := slices.DeleteFunc(slices.Clone(sets[i]), func(d int) bool { return !slices.Contains(sets[k], d) })
			if key := fmt.Sprint(both); found[key] == nil {
				found[key] = append(make([]int, 0, 1), both...)
				sets = append(sets, both)
			}
		}
	}
	out := make([][]int, 0, len(found))
	for _, set := range found {
		out = append(out, set)
	}
	slices.SortFunc(out, func(a, b []int) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return slices.Compare(a, b)
	})
	return out
}

func subset(a, b []int) bool {
	return !slices.ContainsFunc(a, func(x int) bool { return !slices.Contains(b, x) })
}

// places says for each count of the view which count of its projection it belongs
// to.
func (v *View) places(d Domain, dims []int) []int {
	shape, to := make([]int, len(v.Dims)), make([]int, len(v.Dims))
	n := 1
	for i := len(dims) - 1; i >= 0; i-- {
		to[slices.Index(v.Dims, dims[i])] = n
		n *= d[dims[i]].Size()
	}
	for i, dim := range v.Dims {
		shape[i] = d[dim].Size()
	}
	out := make([]int, len(v.Counts))
	for at := range out {
		rest := at
		for i := len(shape) - 1; i >= 0; i-- {
			out[at] += rest % shape[i] * to[i]
			rest /= shape[i]
		}
	}
	return out
}

func (v *View) project(d Domain, dims []int) []float64 {
	n := 1
	for _, dim := range dims {
		n *= d[dim].Size()
	}
	out := make([]float64, n)
	for at, p := range v.places(d, dims) {
		out[p] += v.Counts[at]
	}
	return out
}

// shift moves the view so that its projection is sum/weight.
func (v *View) shift(d Domain, dims []int, sum []float64, weight float64) {
	own := v.project(d, dims)
	each := float64(len(v.Counts)) / float64(len(own))
	for at, p := range v.places(d, dims) {
		v.Counts[at] += (sum[p]/weight - own[p]) / each
	}
}

// answerViews uses the marginal with the least noise in its answer.
func (r *Release) answerViews(b Box) (Answer, error) {
	var best Answer
	found := false
	for _, v := range r.Views {
		covered := true
		for d, set := range b {
			covered = covered && (set == nil || slices.Contains(v.Dims, d))
		}
		if !covered {
			continue
		}
		shape, inner := make([]int, len(v.Dims)), make(Box, len(v.Dims))
		for i, d := range v.Dims {
			shape[i], inner[i] = r.Domain[d].Size(), b[d]
		}
		count, n := sumBox(v.Counts, shape, inner)
		if a := newAnswer(count, float64(n)*v.SD*v.SD, 0); !found || a.SD < best.SD {
			best, found = a, true
		}
	}
	if !found {
		return best, ErrNotMeasured
	}
	return best, nil
}
