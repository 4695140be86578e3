// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"math"

	"hide/internal/crf/kernel"
	"hide/internal/parallel"
)

// metric gives every weight a unit of its own, in which the history keeps steps and
// changes of the gradient: x = unit z, so that df/dz = unit df/dx. What no pair tells
// about is then taken for a multiple of unit^2, not of the identity: a preconditioner
// of the Hessian's diagonal, in part. A weight that curves c times as much as by the
// penalty alone has the unit c^-0.1: it moves less than those of rare attributes, though
// far more than by 1/c, as what curves most has the most company, whose steps add up.
// That saves a third of the evaluations with WNUT17's labels, a fifth with MEDDOCAN's
// and none with its names; with c^-0.5, the diagonal in full, each took twice as many.
type metric[F kernel.Float] struct {
	unit, inverse []F
	scaled        []F // of the gradient at hand
}

const (
	metricExponent = 0.1
	octaveParts    = 8  // a unit is that of the least curvature in an eighth of an octave
	mostOctaves    = 30 // upper limit
)

// metric is that of the weights of the last evaluation, of which it leaves nothing.
func (p *pass[F]) metric(ctx context.Context) (*metric[F], error) {
	n := p.data.weights()
	m := &metric[F]{unit: make([]F, n), inverse: make([]F, n), scaled: make([]F, n)}
	if err := p.curvature(ctx, m.unit, m.scaled); err != nil {
		return nil, err
	}
	units := unitsOf[F]()
	for i, times := range m.unit {
		m.unit[i] = units[octavePart(float64(times))]
		m.inverse[i] = 1 / m.unit[i]
	}
	return m, nil
}

// unitsOf is the units by how many times as much as by the penalty alone a weight curves.
func unitsOf[F kernel.Float]() (units [octaveParts*mostOctaves + 1]F) {
	for i := range units {
		octave, part := i/octaveParts, float64(i%octaveParts)/octaveParts
		units[i] = F(math.Pow(math.Ldexp(1+part, octave), -metricExponent))
	}
	return units
}

// octavePart numbers the eighths of octaves from 1 up.
func octavePart(v float64) int {
	const fraction, parts = 52, 3 // bits
	part := int(math.Float64bits(max(v, 1))>>(fraction-parts)) - int(math.Float64bits(1)>>(fraction-parts))
	return min(part, octaveParts*mostOctaves)
}

// diff is a step, and the change of the gradient over it, from one point to the next.
func (m *metric[F]) diff(p *pair, from, to *point[F], a, b int) {
	if m == nil {
		kernel.Diff(p.s[a:b], to.x[a:b], from.x[a:b])
		kernel.Diff(p.y[a:b], to.gradient[a:b], from.gradient[a:b])
		return
	}
	kernel.ScaledDiff(p.s[a:b], to.x[a:b], from.x[a:b], m.inverse[a:b])
	kernel.ScaledDiff(p.y[a:b], to.gradient[a:b], from.gradient[a:b], m.unit[a:b])
}

// gradient is g in the metric.
func (m *metric[F]) gradient(g []F) []F {
	if m == nil {
		return g
	}
	kernel.Multiply(m.scaled, g, m.unit)
	return m.scaled
}

// step brings a direction back from the metric.
func (m *metric[F]) step(direction []F) {
	if m != nil {
		kernel.Multiply(direction, direction, m.unit)
	}
}

// plain brings a pair back.
func (m *metric[F]) plain(p *pair) {
	if m != nil {
		kernel.Scale(p.s, m.unit)
		kernel.Scale(p.y, m.inverse)
	}
}

// curvature fills into with how many times as much as the penalty alone makes it the
// objective curves along each weight, at the weights of the last evaluation, if no
// token's state told of another's:
//
//	1 + sum_tokens P (1 - P) / 2 c2
//
// (where an attribute has a value, times that). It uses up what that evaluation left, and ones, which is as long.
func (p *pass[F]) curvature(ctx context.Context, into, ones []F) error {
	if err := parallel.Do(ctx, p.workers, len(p.data.blocks)-1, func(worker, i int) { p.variances(&p.workbench[worker], i) }); err != nil {
		return err
	}
	p.w = nil
	for i := range ones {
		ones[i] = 1
	}
	for _, step := range []func(context.Context, []F, []F) error{p.gatherBundles, p.gatherAttributes} {
		if err := step(ctx, ones, into); err != nil {
			return err
		}
	}
	for arc, n := range p.observed {
		into[arc] = F(2*p.c2 + transitionVariance*n)
	}
	for i := range into {
		into[i] *= F(1 / (2 * p.c2))
	}
	return nil
}

// transitionVariance is about what P (1 - P) comes to per transition that the documents
// have.
const transitionVariance = 0.1

// variances makes P (1 - P), the variances of the states, of a block's residuals P - gold.
func (p *pass[F]) variances(b *workbench[F], block int) {
	d, stride := p.data, p.data.layout.Stride
	from, to := int(d.docs[d.blocks[block]]), int(d.docs[d.blocks[block+1]])
	rows := p.residual[from*stride : to*stride]
	for i, v := range rows {
		v = max(v, -v)
		rows[i] = v * (1 - v)
	}
	if len(p.plain) > 0 {
		for t := from; t < to; t++ {
			p.plain[t] = p.residual[t*stride]
		}
	}
	p.subtotal(b, block)
}
