// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"encoding/json"
	"math"
	"slices"
)

// MaxTruePositives is theorem 3 (tkde): at a local optimum the attacker's classifier
// finds TP_A <= (C/L)*(1-alpha)*n sensitive tokens, where (1-alpha)*n = nonsensitive.
// With losses or prices, lc is the smallest L_c over the largest C_k.
func MaxTruePositives(lc float64, nonsensitive int) float64 { return float64(nonsensitive) / lc }

// MaxGain is theorem 4 (tkde): at a local optimum, with B >= TP_A+FP_A and
// TP_A*TN_A >= FP_A*FN_A, U_A*/U_A <= ((1-alpha)*n + 1) / (1 + L/C).
func MaxGain(lc float64, nonsensitive int) float64 { return (float64(nonsensitive) + 1) / (1 + lc) }

// Gain is U_A*/U_A: what an attacker finds who first inspects the tokens that the
// classifier marks, divided by what random inspection of budget tokens finds (tkde
// section 4, before lemma 2). budget lies between TP+FP and the number of tokens; the
// result is 1 if nothing is sensitive.
func Gain(c Counts, budget int) float64 {
	if c.TP+c.FN == 0 || budget == 0 {
		return 1
	}
	return c.Prioritized(budget) / c.Uniform(budget)
}

// PrioritizingHelps is the condition of lemma 2 (tkde): inspecting marked tokens first is
// at least as good as random inspection.
func PrioritizingHelps(c Counts) bool { return c.TP*c.TN >= c.FP*c.FN }

// Lambda is how far, with probability 1-delta, the error rate on m training
// instances is from the true one, for every h of a class of Vapnik-Chervonenkis
// dimension v >= 1 (tkde after equation 5):
//
//	lambda(delta, m) = sqrt(41/m * (v*log(2*e*m/v) + log(4/delta)));
//
// infinite when m < v, where a class can fit anything.
func Lambda(delta, m, v float64) float64 {
	if m < v {
		return math.Inf(1)
	}
	return math.Sqrt(41 / m * (v*math.Log(2*math.E*m/v) + math.Log(4/delta)))
}

// Finite are the constants of the finite sample bounds (tkde before lemma 4), each as
// tight as the counts allow, and lambda(delta, m).
type Finite struct {
	P float64 // FP^_A <= p*FN^_A on the training data
	Q float64 // TP^_A >= q*m on the training data; see [NewFinite]
	R float64 // TP_A <= r*TN_A on what is published
	S float64 // FP_A >= s*FN_A on what is published

	Lambda float64
}

// NewFinite estimates the constants from the counts of the publisher's last classifier on
// the m remaining training instances, and of the attacker's on the published text.
//
// If each of k parts of the publication has its own classifier, published and train are
// summed: FP^ >= (L/C)*TP^ holds for the sums if it holds for each, and the error rate of
// equal parts together is as far from the true one as lambda allows the worst of them,
// all at once with probability 1-delta if each has delta/k.
//
// The paper defines q by TP^_A >= q*TN^_A, but the last step of lemma 4's proof uses q in
// place of TP^_A/m, which is smaller; with q as defined the lemma can fail, so q is
// TP^_A/m here.
func NewFinite(train []Counts, published Counts, delta, v float64) Finite {
	var all Counts
	lambda := 0.0
	for _, c := range train {
		all = all.plus(c)
		lambda = max(lambda, Lambda(delta/float64(len(train)), float64(c.total()), v))
	}
	return Finite{
		P: ratio(all.FP, all.FN), Q: ratio(all.TP, all.total()),
		R: ratio(published.TP, published.TN), S: ratio(published.FP, published.FN),
		Lambda: lambda,
	}
}

// ratio is a/b, infinite for a/0 and 0 for 0/0.
func ratio(a, b int) float64 {
	if a == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// reach is (1+1/p)*q*L/C - lambda. Bounds are meaningful only if it is above 0: otherwise
// m is too small.
func (f Finite) reach(lc float64) float64 {
	if math.IsInf(f.Lambda, 1) { // whatever the slope, which may be infinite too
		return math.Inf(-1)
	}
	return f.slope()*lc - f.Lambda
}

// slope is (1+1/p)*q; 0 without TP^_A >= 1, which lemma 4 assumes.
func (f Finite) slope() float64 {
	if f.Q == 0 {
		return 0
	}
	return (1 + 1/f.P) * f.Q
}

// slack is r*(1+1/s), which is 0 if the attacker finds nothing.
func (f Finite) slack() float64 {
	if f.R == 0 {
		return 0
	}
	return f.R * (1 + 1/f.S)
}

// MinErrorRatio is lemma 4 (tkde): when Algorithm 1 ends with TP^_A >= 1, with
// probability 1-delta
//
//	FP_A/TP_A >= 1/(1+1/s) * ((1+1/p)*q*L/C - lambda(m, delta)) * 1/r;
//
// 0 if m is too small. If s is 0, because the attacker marks nothing wrongly, or p is 0,
// because the publisher did not, it is the limit; if both are, 0. Theorems 5 and 6 follow
// from it.
func (f Finite) MinErrorRatio(lc float64) float64 {
	reach, slack := f.reach(lc), f.slack()
	if reach <= 0 || math.IsInf(slack, 1) {
		return 0
	}
	return reach / slack
}

// MaxTruePositives is theorem 5 (tkde): when Algorithm 1 ends, with probability
// 1-delta
//
//	TP_A <= r*(1+1/s) * (1-alpha)*n / ((1+1/p)*q*L/C - lambda(m, delta));
//
// infinite when m is too small.
func (f Finite) MaxTruePositives(lc float64, nonsensitive int) float64 {
	least := f.MinErrorRatio(lc)
	if least == 0 {
		return math.Inf(1)
	}
	return float64(nonsensitive) / least
}

// MaxGain is theorem 6 (tkde): under the conditions of theorem 4, with
// probability 1-delta
//
//	U_A*/U_A <= ((1-alpha)*n + 1)*r*(1+1/s) / (r*(1+1/s) + (1+1/p)*q*L/C - lambda(delta, m))
//	          = ((1-alpha)*n + 1) / (1 + ((1+1/p)*q*L/C - lambda(delta, m)) / (r*(1+1/s)));
//
// infinite when m is too small.
func (f Finite) MaxGain(lc float64, nonsensitive int) float64 {
	if f.reach(lc) <= 0 {
		return math.Inf(1)
	}
	return (float64(nonsensitive) + 1) / (1 + f.MinErrorRatio(lc))
}

// Bound is a theorem's bound on an attacker, with the observed value and the trivial
// bound.
type Bound struct {
	Theorem  string  // "theorem 3"
	Applies  bool    // its conditions hold on the counts at hand
	Value    float64 // upper bound of the attacker's result; infinite if the theorem gives nothing
	Observed float64 // her observed result
	Trivial  float64 // her result if everything were right
	Vacuous  bool    // Value >= Trivial: the theorem gives nothing here
	Excess   float64 // Value/Trivial: how vacuous it is, at least 1 then; 0 if nothing is left to find
	NeedsLC  float64 // L/C above which it would not be vacuous, all else equal; NaN if nothing is left

	Constants *Constants // constants of theorems 5 and 6; nil for 3 and 4
}

// Constants are the estimated constants of the finite sample bounds.
type Constants struct {
	Finite
	ErrorRatio float64 // lemma 4: lower bound of FP_A/TP_A; 0 if it gives nothing
	VC         float64 // dimension of the hypothesis class; 0 in results of older versions
}

// Dimension is the Vapnik-Chervonenkis dimension that theorems 5 and 6 assume when none is
// stated: the number of numbers that training sets, plus 1. For a linear classifier of
// tokens that is the dimension of its class; for others it stands in for one that nobody
// knows. 0 means that h does not tell.
func Dimension(h Classifier) float64 {
	w, tells := h.(interface{ Weights() int })
	if !tells {
		return 0
	}
	return float64(w.Weights()) + 1
}

// dimension is the largest [Dimension] of the classifiers of H and the attacker's.
func (e Ensemble) dimension(attacker Classifier) float64 {
	v := Dimension(attacker)
	for _, a := range e {
		v = max(v, Dimension(a.Classifier))
	}
	return v
}

// Bounds are theorem 3, which bounds TP_A, and theorem 4, which bounds U_A*/U_A for every
// budget from TP_A+FP_A on and is evaluated at that budget. There are nonsensitive other
// tokens, published or not; attacker are the counts of the attacker's classifier on the
// published text.
func Bounds(lc float64, nonsensitive int, attacker Counts) []Bound {
	n := float64(nonsensitive)
	found, gain := trivial(attacker)
	local := LocalOptimum(lc, attacker) // theorem 2
	three := Bound{Theorem: "theorem 3", Applies: local, Value: MaxTruePositives(lc, nonsensitive), Observed: float64(attacker.TP), NeedsLC: n / found}
	four := Bound{Theorem: "theorem 4", Applies: local && prioritizes(attacker), Value: MaxGain(lc, nonsensitive), Observed: Gain(attacker, attacker.TP+attacker.FP), NeedsLC: (n+1)/gain - 1}
	return []Bound{three.judged(found), four.judged(gain)}
}

// FiniteBounds are theorems 5 and 6 at lc. They are about Algorithm 1 and hold with
// probability 1-delta for a hypothesis class of dimension v: train are the counts of its
// last classifier on the remaining training data, attacker those of the attacker's on the
// published text. If Algorithm 1 ran once for each of several parts of the publication,
// train has a row for each and attacker is their sum: see [NewFinite].
func FiniteBounds(lc float64, nonsensitive int, train []Counts, attacker Counts, delta, v float64) []Bound {
	f := NewFinite(train, attacker, delta, v)
	n, slack, slope := float64(nonsensitive), f.slack(), f.slope()
	found, gain := trivial(attacker)
	ended := f.Q > 0 && !slices.ContainsFunc(train, func(c Counts) bool { return !LocalOptimum(lc, c) })
	five := Bound{Theorem: "theorem 5", Applies: ended, Value: f.MaxTruePositives(lc, nonsensitive), Observed: float64(attacker.TP), NeedsLC: (slack*n/found + f.Lambda) / slope}
	six := Bound{Theorem: "theorem 6", Applies: ended && prioritizes(attacker), Value: f.MaxGain(lc, nonsensitive), Observed: Gain(attacker, attacker.TP+attacker.FP), NeedsLC: (slack*((n+1)/gain-1) + f.Lambda) / slope}
	constants := Constants{f, f.MinErrorRatio(lc), v}
	five.Constants, six.Constants = &constants, &constants
	return []Bound{five.judged(found), six.judged(gain)}
}

// prioritizes reports whether the attacker's classifier finds something and helps her
// (lemma 2).
func prioritizes(c Counts) bool { return c.TP > 0 && PrioritizingHelps(c) }

// trivial is the result of an attacker without errors: every remaining sensitive token
// and, relative to random inspection, the number of tokens per sensitive one.
func trivial(c Counts) (found, gain float64) {
	left := c.TP + c.FN
	return float64(left), share(float64(left+c.FP+c.TN), float64(left))
}

// inUnits converts bounds at a multiple of L/C, unit of it, to L/C.
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

// boundJSON is a [Bound] in JSON, which has no infinite numbers.
type boundJSON struct {
	Theorem  string   `json:"theorem"`
	Applies  bool     `json:"applies"`
	Value    *float64 `json:"value"` // null: the theorem gives nothing
	Observed *float64 `json:"observed"`
	Trivial  float64  `json:"trivial"`
	Vacuous  bool     `json:"vacuous"`
	Excess   *float64 `json:"excess"`   // null: infinite
	NeedsLC  *float64 `json:"needs_lc"` // null: no L/C is enough, or nothing is left

	Constants *constantsJSON `json:"constants,omitempty"` // of theorems 5 and 6
}

// constantsJSON are [Constants] in JSON. Null is infinite: a division by zero, too few
// instances for the dimension, or lemma 4 for an attacker who finds nothing.
type constantsJSON struct {
	P          *float64 `json:"p"`
	Q          *float64 `json:"q"`
	R          *float64 `json:"r"`
	S          *float64 `json:"s"`
	Lambda     *float64 `json:"lambda"`
	ErrorRatio *float64 `json:"error_ratio"`
	VC         float64  `json:"vc,omitempty"`
}

func (c *Constants) toJSON() *constantsJSON {
	if c == nil {
		return nil
	}
	return &constantsJSON{jsonNumber(c.P), jsonNumber(c.Q), jsonNumber(c.R), jsonNumber(c.S), jsonNumber(c.Lambda), jsonNumber(c.ErrorRatio), c.VC}
}

func (j *constantsJSON) constants() *Constants {
	if j == nil {
		return nil
	}
	f := Finite{P: orInfinite(j.P), Q: orInfinite(j.Q), R: orInfinite(j.R), S: orInfinite(j.S), Lambda: orInfinite(j.Lambda)}
	return &Constants{f, orInfinite(j.ErrorRatio), j.VC}
}

// MarshalJSON writes null for infinite numbers.
func (b Bound) MarshalJSON() ([]byte, error) {
	return json.Marshal(boundJSON{b.Theorem, b.Applies, jsonNumber(b.Value), jsonNumber(b.Observed), b.Trivial, b.Vacuous, jsonNumber(b.Excess), jsonNumber(b.NeedsLC), b.Constants.toJSON()})
}

// UnmarshalJSON reads the output of MarshalJSON. Null becomes infinite again.
func (b *Bound) UnmarshalJSON(raw []byte) error {
	var j boundJSON
	if err := json.Unmarshal(raw, &j); err != nil {
		return err
	}
	*b = Bound{j.Theorem, j.Applies, orInfinite(j.Value), orInfinite(j.Observed), j.Trivial, j.Vacuous, orInfinite(j.Excess), orInfinite(j.NeedsLC), j.Constants.constants()}
	return nil
}

func jsonNumber(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

func orInfinite(v *float64) float64 {
	if v == nil {
		return math.Inf(1)
	}
	return *v
}
