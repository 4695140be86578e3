// SPDX-License-Identifier: Apache-2.0

package greedy

import "slices"

// Bound is what a theorem of the papers promises of an attacker, beside what was
// seen and what holds without any theorem.
type Bound struct {
	Theorem  string  // "theorem 3"
	Applies  bool    // its conditions hold on the counts at hand
	Value    float64 // the attacker gets no more than this; infinite when the theorem gives nothing
	Observed float64 // what she got
	Trivial  float64 // what she gets at most anyway, with everything right
	Vacuous  bool    // Value >= Trivial: the theorem says nothing here
	Excess   float64 // Value/Trivial: by how much it is vacuous, at least 1 then; 0 when nothing is left to find
	NeedsLC  float64 // L/C above which it would not be vacuous, all else equal; not a number when nothing is left

	Constants *Constants // what theorems 5 and 6 are made of; nil with 3 and 4
}

// Constants are what the finite sample bounds are made of, as estimated.
type Constants struct {
	Finite
	ErrorRatio float64 // lemma 4: FP_A/TP_A is at least this; 0 when it says nothing
}

// Bounds are theorem 3, which bounds TP_A, and theorem 4, which bounds U_A*/U_A for
// every budget from TP_A+FP_A on and is observed at that one. There are nonsensitive
// others among all tokens, published or not; attacker are the counts of the attacker's
// classifier on what is published.
func Bounds(lc float64, nonsensitive int, attacker Counts) []Bound {
	n := float64(nonsensitive)
	found, gain := trivial(attacker)
	local := LocalOptimum(lc, attacker) // theorem 2
	three := Bound{Theorem: "theorem 3", Applies: local, Value: MaxTruePositives(lc, nonsensitive), Observed: float64(attacker.TP), NeedsLC: n / found}
	four := Bound{Theorem: "theorem 4", Applies: local && prioritizes(attacker), Value: MaxGain(lc, nonsensitive), Observed: Gain(attacker, attacker.TP+attacker.FP), NeedsLC: (n+1)/gain - 1}
	return []Bound{three.judged(found), four.judged(gain)}
}

// FiniteBounds are theorems 5 and 6 at lc, which are about Algorithm 1 and hold
// with probability 1-delta for a hypothesis class of dimension v: train are the
// counts of its last classifier on the training data that are left, attacker those
// of the attacker's on what is published. Where Algorithm 1 ran once for each of
// several parts of what is published, train has a row for each and attacker is their
// sum: see [NewFinite].
func FiniteBounds(lc float64, nonsensitive int, train []Counts, attacker Counts, delta, v float64) []Bound {
	f := NewFinite(train, attacker, delta, v)
	n, slack, slope := float64(nonsensitive), f.slack(), f.slope()
	found, gain := trivial(attacker)
	ended := f.Q > 0 && !slices.ContainsFunc(train, func(c Counts) bool { return !LocalOptimum(lc, c) })
	five := Bound{Theorem: "theorem 5", Applies: ended, Value: f.MaxTruePositives(lc, nonsensitive), Observed: float64(attacker.TP), NeedsLC: (slack*n/found + f.Lambda) / slope}
	six := Bound{Theorem: "theorem 6", Applies: ended && prioritizes(attacker), Value: f.MaxGain(lc, nonsensitive), Observed: Gain(attacker, attacker.TP+attacker.FP), NeedsLC: (slack*((n+1)/gain-1) + f.Lambda) / slope}
	constants := Constants{f, f.MinErrorRatio(lc)}
	five.Constants, six.Constants = &constants, &constants
	return []Bound{five.judged(found), six.judged(gain)}
}

// prioritizes: the attacker's classifier finds something, and is worth following
// (lemma 2).
func prioritizes(c Counts) bool { return c.TP > 0 && PrioritizingHelps(c) }

// trivial is what an attacker who makes no error gets: every sensitive token that
// is left, and, over reading at random, the number of tokens per sensitive one.
func trivial(c Counts) (found, gain float64) {
	left := c.TP + c.FN
	return float64(left), share(float64(left+c.FP+c.TN), float64(left))
}

// inUnits are bounds at some multiple of L/C, unit of it, told in L/C.
func inUnits(all []Bound, unit float64) []Bound {
	for i := range all {
		all[i].NeedsLC /= unit
	}
	return all
}

func (b Bound) judged(trivial float64) Bound {
	b.Trivial, b.Vacuous = trivial, !(b.Value < trivial)
	if trivial > 0 {
		b.Excess = b.Value / trivial
	}
	return b
}
