// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// Loss is the cost of a row whose margin y w.x is too small.
type Loss string

// The losses, of z = 1 - y w.x.
const (
	Hinge        Loss = "hinge"         // max(0, z)
	SquaredHinge Loss = "squared-hinge" // max(0, z)^2
)

// Options say how to solve. The zero value of each field stands for its default.
type Options struct {
	Loss      Loss    // "" means SquaredHinge
	C         float64 // cost of every row when a problem names none; 0 means 1
	Tolerance float64 // largest difference of projected gradients at the end; 0 means 0.01
	Passes    int     // maximum passes over the rows; 0 means 1000
	Seed      uint64  // of the order in which rows are visited
}

func (o Options) withDefaults() Options {
	o.Loss = cmp.Or(o.Loss, SquaredHinge)
	if o.C == 0 {
		o.C = 1
	}
	o.Tolerance = cmp.Or(o.Tolerance, 0.01)
	if o.Passes == 0 {
		o.Passes = 1000
	}
	return o
}

// Solution is what [Solve] found.
type Solution struct {
	W         []float64 // [Dim]
	Alpha     []float64 // dual variable per row; W = sum_i y_i Alpha[i] x_i
	Passes    int       // over the rows
	Converged bool      // to Tolerance; otherwise Passes ran out
	Primal    float64   // P(W)
	Dual      float64   // D(Alpha) <= min P <= Primal
}

// Solve maximises the dual
//
//	D(a) = sum_i a_i - 1/2 |sum_i y_i a_i x_i|^2 - 1/2 sum_i d_i a_i^2,
//	0 <= a_i <= u_i,
//
// one a_i at a time. For the hinge u_i is its cost and d_i is 0; for the squared hinge
// u_i is infinite and d_i is 1/(2 cost). It returns an error for an invalid problem, and
// ctx's error soon after ctx ends; running out of passes is not an error.
func Solve(ctx context.Context, p Problem, o Options) (*Solution, error) {
	o = o.withDefaults()
	if err := p.check(o); err != nil {
		return nil, fmt.Errorf("support vector machine: %w", err)
	}
	d := newDescent(&p, o)
	for d.out.Passes < o.Passes && !d.out.Converged {
		if err := d.pass(ctx); err != nil {
			return nil, err
		}
		d.out.Passes++
		d.settle(o.Tolerance)
	}
	d.out.Primal, d.out.Dual = d.objectives(o)
	return d.out, nil
}

// descent is a Solve in progress. Rows whose variable is at a bound and will very likely
// stay there are skipped until the others have converged.
type descent struct {
	p        *Problem
	out      *Solution
	upper    []float64 // u, per row
	diagonal []float64 // d, per row
	norm     []float64 // |x_i|^2 + d_i
	active   []int     // active rows first; live counts them
	live     int
	shuffle  *rand.Rand
	high     float64 // projected gradients of the last pass were at most this
	low      float64 // and at least this
	maxPG    float64 // of this pass
	minPG    float64
}

func newDescent(p *Problem, o Options) *descent {
	n := len(p.Rows)
	d := &descent{p: p, out: &Solution{W: make([]float64, p.Dim), Alpha: make([]float64, n)},
		upper: make([]float64, n), diagonal: make([]float64, n), norm: make([]float64, n), active: make([]int, n), live: n,
		shuffle: rand.New(rand.NewPCG(o.Seed, 1)), high: math.Inf(1), low: math.Inf(-1)}
	for i, r := range p.Rows {
		d.active[i] = i
		d.upper[i] = p.cost(i, o)
		if o.Loss == SquaredHinge {
			d.upper[i], d.diagonal[i] = math.Inf(1), 1/(2*p.cost(i, o))
		}
		d.norm[i] = r.squared() + d.diagonal[i]
	}
	return d
}

// squared is |x|^2.
func (r Row) squared() float64 {
	if r.Value == nil {
		return float64(len(r.Index))
	}
	sum := 0.0
	for _, v := range r.Value {
		sum += v * v
	}
	return sum
}

// checkEvery is how many rows are visited between checks of ctx.
const checkEvery = 4096

func (d *descent) pass(ctx context.Context) error {
	d.maxPG, d.minPG = math.Inf(-1), math.Inf(1)
	d.shuffle.Shuffle(d.live, func(a, b int) { d.active[a], d.active[b] = d.active[b], d.active[a] })
	for at := 0; at < d.live; {
		if at%checkEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if d.visit(d.active[at]) {
			at++
			continue
		}
		d.live--
		d.active[at], d.active[d.live] = d.active[d.live], d.active[at]
	}
	return nil
}

// visit minimises over a_i alone: a_i - G/norm, clipped to its bounds, where G = y_i
// w.x_i - 1 + d_i a_i is the derivative of -D. It returns false if the row can be skipped
// for now.
func (d *descent) visit(i int) bool {
	y, a := d.p.sign(i), d.out.Alpha[i]
	g := y*d.p.Rows[i].dot(d.out.W) - 1 + d.diagonal[i]*a
	projected := g
	switch {
	case a == 0:
		if g > d.high {
			return false
		}
		projected = min(g, 0)
	case a == d.upper[i]:
		if g < d.low {
			return false
		}
		projected = max(g, 0)
	}
	d.maxPG, d.minPG = max(d.maxPG, projected), min(d.minPG, projected)
	if math.Abs(projected) > 1e-12 {
		d.out.Alpha[i] = d.step(i, g)
		d.p.Rows[i].add((d.out.Alpha[i]-a)*y, d.out.W)
	}
	return true
}

// step is the best a_i. For an empty row of the hinge it is the bound.
func (d *descent) step(i int, g float64) float64 {
	if d.norm[i] == 0 {
		return d.upper[i]
	}
	return min(max(d.out.Alpha[i]-g/d.norm[i], 0), d.upper[i])
}

// settle decides after a pass whether the active rows have converged; it then activates
// all others before it accepts that.
func (d *descent) settle(tolerance float64) {
	if d.live == 0 || d.maxPG-d.minPG <= tolerance {
		d.out.Converged = d.live == len(d.active)
		d.live, d.high, d.low = len(d.active), math.Inf(1), math.Inf(-1)
		return
	}
	d.high, d.low = d.maxPG, d.minPG
	if d.high <= 0 {
		d.high = math.Inf(1)
	}
	if d.low >= 0 {
		d.low = math.Inf(-1)
	}
}

// objectives are P and D. Their difference bounds how far either is from the
// optimum.
func (d *descent) objectives(o Options) (primal, dual float64) {
	for _, w := range d.out.W {
		primal += w * w / 2
	}
	dual = -primal
	for i, r := range d.p.Rows {
		a, z := d.out.Alpha[i], max(0, 1-d.p.sign(i)*r.dot(d.out.W))
		dual += a - d.diagonal[i]*a*a/2
		if o.Loss == SquaredHinge {
			z *= z
		}
		primal += d.p.cost(i, o) * z
	}
	return primal, dual
}
