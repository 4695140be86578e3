// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"math"

	"hide/internal/crf/kernel"
)

// minimizer is L-BFGS (Liu and Nocedal 1989; Nocedal and Wright, Algorithm 7.4)
// with a line search that brackets the weak Wolfe conditions (Lewis and Overton
// 2013), or the approximate ones of Hager and Zhang (2005) where rounding hides the
// decrease. With a weight on |x| it is OWL-QN (Andrew and Gao 2007).
type minimizer[F kernel.Float] struct {
	evaluate  func(ctx context.Context, x, gradient []F) (float64, error)
	memory    int
	limit     int     // iterations
	tolerance float64 // see Options.Tolerance
	l1        float64 // weight of |x|
	workers   int
	past      []*pair // known curvature at the start
	progress  func(number, evaluations int, f, gradient float64, x []F)
	opening[F]

	here, next point[F]
	direction  []F
	history    history[F]
	values     []float64 // f after each iteration
	numbers    outcome
}

// opening is the special treatment of the first point. Each part may be nil.
type opening[F kernel.Float] struct {
	begun   func(ctx context.Context, x, gradient []F) (float64, error) // a cheaper evaluation
	measure func(ctx context.Context) (*metric[F], error)               // its metric, computed after the evaluation; there is then no earlier curvature and no leap, which would need the overwritten results
	leap    leap[F]                                                     // a proposal for a better point
}

// leap fills in a point that may be better than x, or returns false.
type leap[F kernel.Float] func(ctx context.Context, x, gradient, to []F) (bool, error)

// point is a point with the objective's values there.
type point[F kernel.Float] struct {
	x, gradient []F
	f           float64
	descent     []F // the direction of steepest ascent; gradient, unless there is a weight on |x|
}

// outcome is the result of a minimisation.
type outcome struct {
	status                  Status
	f, gradient             float64
	iterations, evaluations int
}

const (
	decrease  = 1e-4 // share of the linear decrease that a step must achieve
	curvature = 0.9  // share of the slope that may remain
	trials    = 20   // maximum of steps in a line search
	period    = 10   // iterations over which Tolerance is measured
	flat      = 1e-7 // |gradient| / max(1, |x|) of an optimum
)

// rounding is the relative error of f that the line search tolerates.
func rounding[F kernel.Float]() float64 {
	if F(1)+F(1e-9) == F(1) {
		return 1e-6
	}
	return 1e-9
}

// minimize moves x to a minimum. Its error is ctx's or the objective's.
func (m *minimizer[F]) minimize(ctx context.Context, x []F) (outcome, error) {
	n := len(x)
	m.here, m.next = m.newPoint(n), m.newPoint(n)
	m.direction, m.history = make([]F, n), history[F]{limit: m.memory, workers: m.workers}
	copy(m.here.x, x)
	if err := m.first(ctx); err != nil {
		return outcome{}, err
	}
	if err := m.remind(ctx); err != nil {
		return outcome{}, err
	}
	m.values = append(m.values[:0], m.here.f)
	if err := m.begin(ctx); err != nil {
		return outcome{}, err
	}
	for !m.arrived() {
		if err := m.iterate(ctx); err != nil {
			return outcome{}, err
		}
	}
	copy(x, m.here.x)
	return m.numbers, nil
}

// remind gives the history its initial curvature.
func (m *minimizer[F]) remind(ctx context.Context) (err error) {
	if m.measure != nil {
		m.history.metric, err = m.measure(ctx)
		return err
	}
	return m.history.resume(ctx, m.past, m.here.gradient)
}

func (m *minimizer[F]) newPoint(n int) point[F] {
	p := point[F]{x: make([]F, n), gradient: make([]F, n)}
	p.descent = p.gradient
	if m.l1 > 0 {
		p.descent = make([]F, n)
	}
	return p
}

// iterate makes one step. If no step along its direction helps, it clears the history, or
// gives up if that was empty.
func (m *minimizer[F]) iterate(ctx context.Context) error {
	if err := m.history.direct(ctx, m.direction, m.here.descent); err != nil {
		return err
	}
	if m.l1 > 0 {
		m.align()
	}
	found, err := m.search(ctx)
	switch {
	case err != nil:
		return err
	case !found && m.history.len() > 0: // try once more from steepest descent
		m.history.clear()
		return nil
	case !found:
		m.numbers.status = Stalled
		return nil
	}
	return m.accept(ctx)
}

// begin leaps once, if that leads down.
func (m *minimizer[F]) begin(ctx context.Context) error {
	if m.leap == nil {
		return nil
	}
	if found, err := m.leap(ctx, m.here.x, m.here.gradient, m.next.x); !found || err != nil {
		return err
	}
	if err := m.value(ctx, &m.next); err != nil || !(m.next.f < m.here.f) {
		return err
	}
	return m.accept(ctx)
}

// accept ends an iteration in next.
func (m *minimizer[F]) accept(ctx context.Context) error {
	if err := m.history.remember(ctx, &m.here, &m.next); err != nil {
		return err
	}
	m.here, m.next = m.next, m.here
	m.values = append(m.values, m.here.f)
	m.numbers.iterations++
	if m.progress != nil {
		m.progress(m.numbers.iterations, m.numbers.evaluations, m.here.f, norm(m.here.descent), m.here.x)
	}
	return nil
}

// first evaluates the first point.
func (m *minimizer[F]) first(ctx context.Context) (err error) {
	if m.begun == nil {
		return m.value(ctx, &m.here)
	}
	if m.here.f, err = m.begun(ctx, m.here.x, m.here.gradient); err == nil && m.l1 > 0 {
		m.penalise(&m.here)
	}
	return err
}

func (m *minimizer[F]) value(ctx context.Context, at *point[F]) (err error) {
	m.numbers.evaluations++
	if at.f, err = m.evaluate(ctx, at.x, at.gradient); err != nil {
		return err
	}
	if m.l1 > 0 {
		m.penalise(at)
	}
	return nil
}

// arrived records the point and reports whether to stop there.
func (m *minimizer[F]) arrived() bool {
	if m.numbers.status != "" {
		return true
	}
	m.numbers.f, m.numbers.gradient = m.here.f, norm(m.here.descent)
	switch n := len(m.values); {
	case m.numbers.gradient <= flat*max(1, norm(m.here.x)):
		m.numbers.status = Converged
	case n > period && m.values[n-1-period]-m.here.f < m.tolerance*math.Abs(m.here.f):
		m.numbers.status = Converged
	case m.numbers.iterations >= m.limit:
		m.numbers.status = Limit
	default:
		return false
	}
	return true
}

// search finds a step along direction and leaves its end in next, or reports that no step
// helps.
func (m *minimizer[F]) search(ctx context.Context) (bool, error) {
	slope := kernel.Dot(m.here.descent, m.direction)
	if !(slope < 0) {
		return false, nil
	}
	low, high, size := along{f: m.here.f, slope: slope}, math.Inf(1), 1.0
	for range trials {
		if err := m.step(ctx, size); err != nil {
			return false, err
		}
		tried := along{size, m.next.f, kernel.Dot(m.next.descent, m.direction)}
		enough := m.lowEnough(size*slope, slope, tried.slope)
		switch {
		case !enough:
			high = size
		case m.l1 == 0 && tried.slope < curvature*slope:
			low = tried
		default:
			return true, nil
		}
		switch {
		case math.IsInf(high, 1):
			// The distance at which the slope would vanish if it were linear.
			size = low.size * min(max(slope/(slope-tried.slope), 2), 10)
		case enough || m.l1 > 0:
			size = (low.size + high) / 2
		default:
			size = low.lowest(tried)
		}
	}
	return false, nil
}

// along is what is known of the objective at a multiple of direction.
type along struct{ size, f, slope float64 }

// lowest is the minimum of the cubic through two points (Nocedal and Wright, eq. 3.59),
// kept away from both ends.
func (a along) lowest(b along) float64 {
	width := b.size - a.size
	from, to := a.size+0.02*width, a.size+0.9*width
	z := 3*(a.f-b.f)/width + a.slope + b.slope
	root := math.Sqrt(z*z - a.slope*b.slope)
	least := b.size - width*(b.slope+root-z)/(b.slope-a.slope+2*root)
	if !finite(least) {
		return a.size + width/2
	}
	return min(max(least, from), to)
}

// step evaluates the objective at a multiple of direction.
func (m *minimizer[F]) step(ctx context.Context, size float64) error {
	kernel.AddScaled(m.next.x, m.here.x, F(size), m.direction)
	if m.l1 > 0 {
		m.project()
	}
	return m.value(ctx, &m.next)
}

// lowEnough reports whether the objective fell by a sufficient part of its linear
// decrease.
func (m *minimizer[F]) lowEnough(promised, slope, reached float64) bool {
	f := m.here.f
	if m.l1 > 0 {
		promised = m.promised()
	}
	return finite(m.next.f) && (m.next.f <= f+decrease*promised ||
		m.next.f <= f+rounding[F]()*math.Abs(f) && reached <= (2*decrease-1)*slope)
}

func norm[F kernel.Float](x []F) float64 { return math.Sqrt(kernel.Dot(x, x)) }

// What OWL-QN (Andrew and Gao 2007) adds to L-BFGS: the objective gets a term l1 |x|, and
// no step leaves its starting orthant.

// penalise adds the penalty to the objective and fills descent with the pseudo-
// gradient: the derivative from the side on which the objective falls, 0 where it
// falls on neither.
func (m *minimizer[F]) penalise(at *point[F]) {
	sum, l1 := 0.0, F(m.l1)
	for i, v := range at.x {
		g := at.gradient[i]
		sum += math.Abs(float64(v))
		switch {
		case v < 0 || v == 0 && g > l1:
			g -= l1
		case v > 0 || g < -l1:
			g += l1
		default:
			g = 0
		}
		at.descent[i] = g
	}
	at.f += m.l1 * sum
}

// align removes the components of the direction that lead uphill.
func (m *minimizer[F]) align() {
	for i, d := range m.direction {
		if d*m.here.descent[i] >= 0 {
			m.direction[i] = 0
		}
	}
}

// project sets to 0 the weights that left the orthant: the sign that a weight has, or
// that it takes on.
func (m *minimizer[F]) project() {
	for i, v := range m.next.x {
		side := m.here.x[i]
		if side == 0 {
			side = -m.here.descent[i]
		}
		if v*side <= 0 {
			m.next.x[i] = 0
		}
	}
}

// promised is the linear decrease over the actual step.
func (m *minimizer[F]) promised() float64 {
	sum := 0.0
	for i, g := range m.here.descent {
		sum += float64(g) * float64(m.next.x[i]-m.here.x[i])
	}
	return sum
}
