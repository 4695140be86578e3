// SPDX-License-Identifier: Apache-2.0

package kernel

import "math"

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

// scratch is what all assembled kernels need. The scores become psi in place and
// then the marginals, so that a long sequence stays in the caches.
type scratch struct {
	layout Layout
	check  check[float32]
	floor  []float32 // [2][Stride] the least log psi, 0 in the padding

	alpha   []float32 // [1+T+1][Stride], of which the first row is 0
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
	// At least 64 bytes, so that a begins at a multiple of eight: the assembly
	// tells every second token by the address of its factor.
	n += n/4 + 16
	s.alpha = make([]float32, (n+2)*s.layout.Stride)
	s.a, s.z = make([]float32, n+3), make([]float32, n+1)
	s.b = make([]float32, 2+n+1)[2:] // factors are written before they are known not to be needed
}

// logZ is log Z, from the sum of the rows' maxima and of the exponents that were
// taken out of alpha, if all is good.
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

// finish completes log Z and hands out the sums if all is good.
func (s *scratch) finish(top float64, exponent int, peak float32, marginals []float32, t *Transitions[float32], counts *Counts) (logZ float64, ok bool) {
	logZ, ok = s.logZ(top, exponent, peak, marginals)
	if !ok {
		return 0, false
	}
	n := len(marginals) / s.layout.Stride
	return s.hand(logZ, n-1, n, t, counts)
}

// hand hands out the sums if they make up the transitions that n tokens have.
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

// transitions is what [check.complete] compares with the length.
func (s *scratch) transitions(t *Transitions[float32]) float64 {
	total := weighAVX2(&s.sums[0], &t.forward[0], len(t.forward))
	if len(t.lanes) > 0 {
		total += weighAVX2(&s.sums[len(t.forward)], &t.lanes[0], len(t.lanes))
	}
	return total
}
