// SPDX-License-Identifier: Apache-2.0

package kernel

// split is sum-product for rows of two halves. It goes forward over the whole
// sequence, and back in pieces whose expectations are added in float32.
type split struct {
	scratch
	assembly splitAssembly

	beta, q []float32 // [Stride]
	ring    []float32 // [64][Stride] r of a piece
	groups  int       // fours of places of a half that are in use
	none    []float32 // stands for the lanes that a free layout has not
}

// splitAssembly is one width of the assembled functions.
type splitAssembly struct {
	exponentiate func(rows *float32, n int, floor *float32) (top float64, lowest float32)
	forward      func(psi, alpha, a, forward, lanes *float32, n, groups int) (exponent int)
	backward     func(rows, alpha, beta, q, ring, a, b, z, back, lanes *float32, from, to, groups int) (peak float32)
	expect       func(alpha, ring *float32, n int, counts *float64, groups int)
}

func newSplit(s scratch, a splitAssembly) *split {
	l := s.layout
	return &split{
		scratch: s, assembly: a,
		beta: make([]float32, l.Stride), q: make([]float32, l.Stride),
		ring: make([]float32, longest*l.Stride), groups: (l.Labels + 4) / 4,
		none: make([]float32, l.Stride),
	}
}

func (s *split) run(scores []float32, t *Transitions[float32], counts *Counts) (logZ float64, ok bool) {
	s.grow(len(scores) / s.layout.Stride)
	lanes := t.lanes
	if len(lanes) == 0 {
		lanes = s.none
	}
	top, lowest, exponent := s.ahead(scores, t, &lanes[0])
	s.check.findLow(scores, lowest)
	peak := s.back(scores, t, &lanes[0], counts != nil)
	return s.finish(top, exponent, peak, scores, t, counts)
}

// ahead turns scores into psi and makes alpha. It changes between the two so often
// that rows are still near.
func (s *split) ahead(scores []float32, t *Transitions[float32], lanes *float32) (top float64, lowest float32, exponent int) {
	const near = 32
	stride := s.layout.Stride
	n := len(scores) / stride
	s.a[0], s.a[1], s.a[2] = 1, 1, 1
	for from := 0; from < n; from += near {
		to := min(from+near, n)
		sum, low := s.assembly.exponentiate(&scores[from*stride], to-from, &s.floor[0])
		top, lowest = top+sum, min(lowest, low)
		if from == 0 {
			s.begin(scores)
		}
		if first := max(from, 1); first < to {
			exponent += s.assembly.forward(&scores[first*stride], &s.alpha[(1+first)*stride], &s.a[first], &t.forward[0], lanes, to-first, s.groups)
		}
	}
	return top, lowest, exponent
}

// begin makes the first row of alpha.
func (s *split) begin(psi []float32) {
	alpha := s.alpha[s.layout.Stride:]
	for j, v := range s.start() {
		alpha[j] = v * psi[j]
	}
}

// back makes the marginals, and the expectations if they are wanted.
func (s *split) back(psi []float32, t *Transitions[float32], lanes *float32, expect bool) (peak float32) {
	stride := s.layout.Stride
	n := len(psi) / stride
	copy(s.beta, s.end())
	for j, v := range psi[(n-1)*stride:] {
		s.q[j] = s.beta[j] * v
	}
	s.b[n-1], s.b[max(n-2, 0)] = 1, 1
	clear(s.sums)
	for to := n; to > 0; to -= longest {
		from := max(to-longest, 0)
		peak = max(peak, s.assembly.backward(&psi[0], &s.alpha[stride], &s.beta[0], &s.q[0], &s.ring[0], &s.a[0], &s.b[0], &s.z[0], &t.back[0], lanes, from, to, s.groups))
		if expect {
			s.assembly.expect(&s.alpha[from*stride], &s.ring[0], to-from, &s.sums[0], s.groups)
		}
	}
	return peak
}
