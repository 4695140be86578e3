// SPDX-License-Identifier: Apache-2.0

package kernel

// split is sum-product for rows of two halves. It goes forward over the whole
// sequence, and back in pieces whose expectations are added in float32.
type split struct {
	scratch
	forward  func(rows, alpha, a, forward, lanes, start, pad *float32, n, groups int) (top float64, lowest float32, exponent int)
	backward func(rows, alpha, beta, q, ring, a, b, z, back, lanes *float32, from, to, groups int) (peak float32)
	expect   func(alpha, ring *float32, n int, counts *float64, groups int)

	beta, q []float32 // [Stride]
	ring    []float32 // [64][Stride] r of a piece
	groups  int       // fours of places of a half that are in use
	none    []float32 // stands for the lanes that a free layout has not
}

func newSplit(s scratch,
	forward func(rows, alpha, a, forward, lanes, start, pad *float32, n, groups int) (top float64, lowest float32, exponent int),
	backward func(rows, alpha, beta, q, ring, a, b, z, back, lanes *float32, from, to, groups int) (peak float32),
	expect func(alpha, ring *float32, n int, counts *float64, groups int),
) *split {
	l := s.layout
	return &split{
		scratch: s, forward: forward, backward: backward, expect: expect,
		beta: make([]float32, l.Stride), q: make([]float32, l.Stride),
		ring: make([]float32, longest*l.Stride), groups: (l.Labels + 4) / 4,
		none: make([]float32, l.Stride),
	}
}

func (s *split) run(scores []float32, t *Transitions[float32], counts *Counts) (logZ float64, ok bool) {
	stride := s.layout.Stride
	n := len(scores) / stride
	s.grow(n)
	lanes := t.lanes
	if len(lanes) == 0 {
		lanes = s.none
	}
	s.a[0] = 1
	top, lowest, exponent := s.forward(&scores[0], &s.alpha[stride], &s.a[0], &t.forward[0], &lanes[0], &s.ends[0], &s.pad[0], n, s.groups)
	s.check.findLow(scores, lowest)
	peak := s.back(scores, t, &lanes[0], counts != nil)
	return s.finish(top, exponent, peak, scores, t, counts)
}

// back makes the marginals, and the expectations if they are wanted.
func (s *split) back(psi []float32, t *Transitions[float32], lanes *float32, expect bool) (peak float32) {
	stride := s.layout.Stride
	n := len(psi) / stride
	copy(s.beta, s.end())
	for j, v := range psi[(n-1)*stride:] {
		s.q[j] = s.beta[j] * v
	}
	s.b[n-1] = 1
	clear(s.sums)
	for to := n; to > 0; to -= longest {
		from := max(to-longest, 0)
		peak = max(peak, s.backward(&psi[0], &s.alpha[stride], &s.beta[0], &s.q[0], &s.ring[0], &s.a[0], &s.b[0], &s.z[0], &t.back[0], lanes, from, to, s.groups))
		if expect {
			s.expect(&s.alpha[from*stride], &s.ring[0], to-from, &s.sums[0], s.groups)
		}
	}
	return peak
}
