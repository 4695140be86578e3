// SPDX-License-Identifier: Apache-2.0

package kernel

import "math"

// split is sum-product for rows of two halves. It goes forward over the whole sequence,
// then back in pieces whose expectations are added in float32.
type split struct {
	scratch
	assembly splitAssembly
	sparse   *sparseAssembly // nil if there is none

	beta, q []float32 // [Stride]
	ring    []float32 // [64][Stride] r of a piece
	groups  int       // groups of four places of a half that are in use
	none    []float32 // zeros, the lanes of a free layout
}

// splitAssembly is one width of the assembled functions.
type splitAssembly struct {
	exponentiate func(rows *float32, n int, floor *float32) (top float64, lowest float32)
	forward      func(psi, alpha, a, forward, lanes *float32, n, groups int) (exponent int)
	backward     func(rows, alpha, beta, q, ring, a, b, z, back, lanes *float32, from, to, groups int) (peak float32)
	expect       func(alpha, ring *float32, n int, counts *float64, groups int)
}

// sparseAssembly is the same if most transitions are fixed.
type sparseAssembly struct {
	forward  func(psi, alpha, a, tables *float32, rows *int32, n, groups int) (exponent int)
	backward func(rows, alpha, beta, q, ring, a, b, z, tables *float32, columns *int32, from, to, groups int) (peak float32)
	expect   func(alpha, ring *float32, rows *int32, n int, sums *float64, groups int)
}

func newSplit(s scratch, a splitAssembly, sparse *sparseAssembly) *split {
	l := s.layout
	return &split{
		scratch: s, assembly: a, sparse: sparse,
		beta: make([]float32, l.Stride), q: make([]float32, l.Stride),
		ring: make([]float32, longest*l.Stride), groups: (l.Labels + 4) / 4,
		none: make([]float32, l.Stride),
	}
}

func (s *split) run(scores []float32, t *Transitions[float32], counts *Counts, h *halt) (logZ float64, ok bool) {
	n := len(scores) / s.layout.Stride
	s.grow(n)
	top, lowest, exponent := s.ahead(scores, t, h)
	s.check.findLow(scores, lowest)
	peak := s.back(scores, t, counts != nil, h)
	if h.yes {
		return 0, false
	}
	if x := s.listed(t); x != nil {
		return s.finishSparse(top, exponent, peak, scores, x, counts)
	}
	return s.finish(top, exponent, peak, scores, t, counts)
}

// listed returns the sparse form of the transitions, or nil if it is not used.
func (s *split) listed(t *Transitions[float32]) *sparse[float32] {
	if s.sparse == nil {
		return nil
	}
	return t.sparse
}

// lanes returns the lanes of t, or zeros for a free layout.
func (s *split) lanes(t *Transitions[float32]) *float32 {
	if len(t.lanes) == 0 {
		return &s.none[0]
	}
	return &t.lanes[0]
}

// ahead turns scores into psi and computes alpha. It alternates between the two, so
// that the rows are still in the cache.
func (s *split) ahead(scores []float32, t *Transitions[float32], h *halt) (top float64, lowest float32, exponent int) {
	const near = 32
	stride := s.layout.Stride
	n := len(scores) / stride
	s.a[0], s.a[1], s.a[2] = 1, 1, 1
	for from := 0; from < n && !h.now(); from += near {
		to := min(from+near, n)
		sum, low := s.assembly.exponentiate(&scores[from*stride], to-from, &s.floor[0])
		top, lowest = top+sum, min(lowest, low)
		if from == 0 {
			s.begin(scores, t.start())
		}
		if first := max(from, 1); first < to {
			exponent += s.forward(scores, t, first, to)
		}
	}
	return top, lowest, exponent
}

// begin computes the first row of alpha.
func (s *split) begin(psi, start []float32) {
	alpha := s.alpha[s.layout.Stride:]
	for j, v := range start {
		alpha[j] = v * psi[j]
	}
}

func (s *split) forward(psi []float32, t *Transitions[float32], from, to int) (exponent int) {
	row, alpha, a := &psi[from*s.layout.Stride], &s.alpha[(1+from)*s.layout.Stride], &s.a[from]
	if x := s.listed(t); x != nil {
		return s.sparse.forward(row, alpha, a, &x.rowTable[0], &x.rows.bytes[0], to-from, len(x.rows.bytes)/4)
	}
	return s.assembly.forward(row, alpha, a, &t.forward[0], s.lanes(t), to-from, s.groups)
}

// back computes the marginals and, if requested, the expectations.
func (s *split) back(psi []float32, t *Transitions[float32], expect bool, h *halt) (peak float32) {
	stride := s.layout.Stride
	n := len(psi) / stride
	copy(s.beta, t.end())
	for j, v := range psi[(n-1)*stride:] {
		s.q[j] = s.beta[j] * v
	}
	s.b[n-1], s.b[max(n-2, 0)] = 1, 1
	clear(s.used(t))
	for to := n; to > 0 && !h.now(); to -= longest {
		from := max(to-longest, 0)
		peak = max(peak, s.backward(psi, t, from, to))
		if expect {
			s.expect(t, from, to)
		}
	}
	return peak
}

func (s *split) backward(psi []float32, t *Transitions[float32], from, to int) (peak float32) {
	alpha := &s.alpha[s.layout.Stride]
	if x := s.listed(t); x != nil {
		return s.sparse.backward(&psi[0], alpha, &s.beta[0], &s.q[0], &s.ring[0], &s.a[0], &s.b[0], &s.z[0], &x.columnTable[0], &x.columns.bytes[0], from, to, len(x.columns.bytes)/4)
	}
	return s.assembly.backward(&psi[0], alpha, &s.beta[0], &s.q[0], &s.ring[0], &s.a[0], &s.b[0], &s.z[0], &t.back[0], s.lanes(t), from, to, s.groups)
}

// expect adds to the sums, from alpha of the rows before those in ring.
func (s *split) expect(t *Transitions[float32], from, to int) {
	alpha := &s.alpha[from*s.layout.Stride]
	if x := s.listed(t); x != nil {
		s.sparse.expect(alpha, &s.ring[0], &x.rows.bytes[0], to-from, &s.sums[0], len(x.rows.bytes)/4)
		return
	}
	s.assembly.expect(alpha, &s.ring[0], to-from, &s.sums[0], s.groups)
}

// used is the part of sums that is in use.
func (s *split) used(t *Transitions[float32]) []float64 {
	if x := s.listed(t); x != nil {
		return s.sums[:x.size()]
	}
	return s.sums
}

// finishSparse is finish for sparse transitions. Its check: the transitions into O must
// add up to the marginals of O.
func (s *split) finishSparse(top float64, exponent int, peak float32, marginals []float32, x *sparse[float32], counts *Counts) (logZ float64, ok bool) {
	logZ, ok = s.logZ(top, exponent, peak, marginals)
	if !ok || counts == nil {
		return logZ, ok
	}
	total, stride := 0.0, s.layout.Stride
	for i, m := range x.rowTable[ownAt*stride:][:stride] {
		total += x.intoO(s.sums)[i] * float64(m)
	}
	n := len(marginals) / stride
	for t := 1; t < n; t++ {
		total -= float64(marginals[t*stride])
	}
	if !s.check.near(total, n) {
		return 0, false
	}
	x.count(s.sums, counts)
	return logZ, true
}

// newRunner chooses the assembly for a layout, or nil.
func newRunner(l Layout) runner {
	s := newScratch(l)
	switch {
	case l.Stride == 4:
		return &dense{s, nil, exponentiate4AVX2, recurse4AVX2, marginals4AVX2}
	case l.Stride == 8:
		return &dense{s, nil, exponentiate8AVX2, recurse8AVX2, marginals8AVX2}
	case l.Stride == 16 && l.Free:
		return newSplit(s, splitAssembly{exponentiate16AVX2, forwardFree16AVX2, backwardFree16AVX2, expectFree16AVX2}, nil)
	case l.Stride == 32 && l.Free:
		return newSplit(s, splitAssembly{exponentiate32AVX2, forwardFree32AVX2, backwardFree32AVX2, expectFree32AVX2},
			&sparseAssembly{forwardSparse32AVX2, backwardSparse32AVX2, expectSparse32AVX2})
	case l.Stride == 48 && l.Free:
		return newSplit(s, splitAssembly{exponentiate48AVX2, forwardFree48AVX2, backwardFree48AVX2, expectFree48AVX2},
			&sparseAssembly{forwardSparse48AVX2, backwardSparse48AVX2, expectSparse48AVX2})
	case l.Free:
		return nil
	case l.Stride == 16:
		return newSplit(s, splitAssembly{exponentiate16AVX2, forward16AVX2, backward16AVX2, expect16AVX2}, nil)
	case l.Stride == 32:
		return newSplit(s, splitAssembly{exponentiate32AVX2, forward32AVX2, backward32AVX2, expect32AVX2}, nil)
	case l.Stride == 48:
		return newSplit(s, splitAssembly{exponentiate48AVX2, forward48AVX2, backward48AVX2, expect48AVX2}, nil)
	case l.Stride == 64:
		return newSplit(s, splitAssembly{exponentiate64AVX2, forward64AVX2, backward64AVX2, expect64AVX2}, nil)
	}
	return nil
}

// scratch is what all assembly kernels need. Psi and then the marginals overwrite the
// scores, so that a long sequence stays in the caches.
type scratch struct {
	layout Layout
	check  check[float32]
	floor  []float32 // [2][Stride] the least log psi, 0 in the padding

	alpha   []float32 // [1+T+1][Stride]; the first row is 0
	a, b, z []float32 // [T+3], [T+1], [T+1]
	sums    []float64 // expectations, as in Counts
}

func newScratch(l Layout) scratch {
	check := newCheck[float32](l)
	least := float32(check.limit.floor)
	floor := row(l, 0, least, least, 0)
	return scratch{
		layout: l, check: check,
		floor: append(floor, floor...),
		sums:  make([]float64, l.entries()+l.continuations()),
	}
}

func (s *scratch) grow(n int) {
	if len(s.z) > n {
		return
	}
	// At least 64 bytes, so that a starts at a multiple of eight: the assembly
	// recognizes every second token by the address of its factor.
	n += n/4 + 16
	s.alpha = make([]float32, (n+2)*s.layout.Stride)
	s.a, s.z = make([]float32, n+3), make([]float32, n+1)
	s.b = make([]float32, 2+n+1)[2:] // the backward pass writes up to two unused factors before the first
}

// logZ computes log Z from the sum of the rows' maxima and the exponents taken out of
// alpha. It checks the results.
func (s *scratch) logZ(top float64, exponent int, peak float32, marginals []float32) (logZ float64, ok bool) {
	n := len(marginals) / s.layout.Stride
	last := 0.0
	for _, v := range s.alpha[n*s.layout.Stride:][:s.layout.Stride] {
		last += float64(v)
	}
	logZ = top + math.Log(last) + float64(exponent)*math.Ln2
	if !s.check.agree(s.a, s.b, s.z[:n]) || !s.check.good(logZ, peak, marginals) {
		return 0, false
	}
	return logZ, true
}

// finish completes log Z and adds the sums to counts if all checks pass.
func (s *scratch) finish(top float64, exponent int, peak float32, marginals []float32, t *Transitions[float32], counts *Counts) (logZ float64, ok bool) {
	logZ, ok = s.logZ(top, exponent, peak, marginals)
	if !ok {
		return 0, false
	}
	n := len(marginals) / s.layout.Stride
	return s.hand(logZ, n-1, n, t, counts)
}

// hand adds the sums to counts if they match the number of transitions.
func (s *scratch) hand(logZ float64, transitions, n int, t *Transitions[float32], counts *Counts) (float64, bool) {
	if counts == nil {
		return logZ, true
	}
	if !s.check.near(s.transitions(t)-float64(transitions), n) {
		return 0, false
	}
	increaseAVX2(&counts.values[0], &s.sums[0], len(s.sums))
	return logZ, true
}

// transitions is the sum that [check.complete] compares with the length.
func (s *scratch) transitions(t *Transitions[float32]) float64 {
	total := weighAVX2(&s.sums[0], &t.forward[0], len(t.forward))
	if len(t.lanes) > 0 {
		total += weighAVX2(&s.sums[len(t.forward)], &t.lanes[0], len(t.lanes))
	}
	return total
}
