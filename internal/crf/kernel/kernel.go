// SPDX-License-Identifier: Apache-2.0

package kernel

import "math"

//go:generate go -C ../../../tools run ./kernelgen ../internal/crf/kernel

// singles are the float32 kernels written in assembly. The scalar version of each
// documents it.
type singles struct {
	dot        func(x, y []float32) float64
	axpy       func(a float32, x, y []float32)
	addScaled  func(z, x []float32, a float32, y []float32)
	multiply   func(z, x, y []float32)
	diff       func(z []BFloat16, x, y []float32)
	scaledDiff func(z []BFloat16, x, y, by []float32)
	pairDot    func(s, y, v []BFloat16, g []float32) PairProducts
	pairAxpy   func(a float32, s []BFloat16, b float32, y []BFloat16, x []float32)
	gather     func(dst, table []float32, l Lists, stride int, bias []float32)
	items      adder[float32]
	singles    func(dst []float32, items []int32, x []float32)
	agree      func(a, b, z []float32, tolerance, least float32) bool
	chain      func(Layout) runner // nil for a layout without assembly
}

// runner is sum-product in float32, see [Chain.Run].
type runner interface {
	run(scores []float32, t *Transitions[float32], counts *Counts, h *halt) (logZ float64, ok bool)
}

// batcher is a runner that shares the expensive setup among many sequences, see
// [Chain.RunAll].
type batcher interface {
	runAll(scores []float32, starts []int32, t *Transitions[float32], counts *Counts) (logZ float64, ok bool)
}

// fast is nil where there is no assembly for the processor.
var fast = newSingles()

// Name returns the kernels that compute in float32: "avx2" or "scalar".
func Name() string {
	if fast != nil {
		return "avx2"
	}
	return "scalar"
}

// exp replaces the numbers at the given places, from -87 to 0 in float32, by their
// exponentials.
func exp[F Float](x []F, places []int) {
	switch x := any(x).(type) {
	case []float32:
		for _, j := range places {
			x[j] = exp32(x[j])
		}
	case []float64:
		for _, j := range places {
			x[j] = math.Exp(x[j])
		}
	}
}

// exp32 has the accuracy of float32. With n = round(x / log 2) and f = x - n log 2,
// exp(x) = 2^n exp(f). Since |f| < 0.35, a polynomial suffices (a Chebyshev
// approximation of (exp(f)-1-f)/f^2).
func exp32(x float32) float32 {
	// Adding magic to a small number rounds it to an integer and leaves that, plus
	// the bias of exponents, in the lowest bits.
	const magic = 3<<22 + 127
	// log 2 in two parts, the first with so few bits that n times it is exact.
	const high, low = 0.693359375, math.Ln2 - 0.693359375
	biased := x*math.Log2E + magic
	n := biased - magic
	f := x - n*high
	f -= n * low
	p := float32(0.0013926250)
	p = p*f + 0.0083632329
	p = p*f + 0.0416665524
	p = p*f + 0.1666657626
	p = p*f + 0.5
	p = p*f + 1
	p = p*f + 1
	return p * math.Float32frombits(math.Float32bits(biased)<<23)
}

// limit holds the numerical limits of one type.
type limit struct {
	floor     float64 // least log psi; lower values are raised to it
	weight    float64 // bound of |log M|
	tolerance float64 // relative difference of two computations of Z
	rare      float64 // probability that is negligible
	least     float64 // smallest sum that does not count as lost
	most      float64 // largest number, with room for sums
}

func limits[F Float]() limit {
	if _, single := any(F(0)).(float32); single {
		return limit{floor: -87, weight: 40, tolerance: 1e-4, rare: 1e-7, least: 1e-30, most: 1e36}
	}
	return limit{floor: -300, weight: 300, tolerance: 1e-10, rare: 1e-13, least: 1e-290, most: 1e300}
}

// check detects results that are wrong because numbers left the range of F.
type check[F Float] struct {
	limit  limit
	stride int
	places []int
	low    []int // places of psi raised to the floor
}

func newCheck[F Float](l Layout) check[F] {
	return check[F]{limit: limits[F](), stride: l.Stride, places: l.places()}
}

// findLow lists the places raised to the floor, if the least score is not above it.
func (c *check[F]) findLow(psi []F, lowest F) {
	c.low = c.low[:0]
	if float64(lowest) > c.limit.floor {
		return
	}
	raised := F(math.Exp(c.limit.floor) * 1.001)
	for t := 0; t < len(psi); t += c.stride {
		for _, j := range c.places {
			if psi[t+j] <= raised {
				c.low = append(c.low, t+j)
			}
		}
	}
}

// good reports whether the marginals are right, provided that every token gives the
// same Z (see agree): log Z is a number, r is finite, and the raised places do not
// matter (raising a score can only raise its marginal).
func (c *check[F]) good(logZ float64, peak F, marginals []F) bool {
	if math.IsNaN(logZ) || math.IsInf(logZ, 0) || !(peak < F(c.limit.most)) {
		return false
	}
	for _, i := range c.low {
		if !(float64(marginals[i]) < c.limit.rare) {
			return false
		}
	}
	return true
}

// complete reports whether the expectations, without M, add up to the n-1 transitions
// of every path.
func (c *check[F]) complete(sums []float64, t *Transitions[F], n int) bool {
	// Two sums, so that their additions run in parallel.
	first, second := 0.0, float64(1-n)
	sums, forward := sums[:len(t.forward)+len(t.lanes)], t.forward
	for ; len(forward) >= 4; sums, forward = sums[4:], forward[4:] {
		first += sums[0]*float64(forward[0]) + sums[1]*float64(forward[1])
		second += sums[2]*float64(forward[2]) + sums[3]*float64(forward[3])
	}
	for i, m := range t.lanes {
		first += sums[i] * float64(m)
	}
	return c.near(first+second, n)
}

// near reports whether a difference of sums over n tokens is negligible.
func (c *check[F]) near(difference float64, n int) bool {
	return math.Abs(difference) <= c.limit.tolerance*(1+float64(n)/16)
}

// agree compares z[t] b[t] with z[t-1] a[t]. Neither these nor a[t]/z[t], a factor of
// r, may be so small that F loses them.
func (c *check[F]) agree(a, b, z []F) bool {
	if !(z[0] > 0 && z[0] < F(c.limit.most)) {
		return false
	}
	a, b = a[:len(z)], b[:len(z)]
	if s, ok := assembled(z); ok && len(z) > 8 {
		return fast.agree(any(a).([]float32), any(b).([]float32), s, float32(c.limit.tolerance), float32(c.limit.least))
	}
	return agree(a, b, z, F(c.limit.tolerance), F(c.limit.least))
}

// agree does the same after the first token.
func agree[F Float](a, b, z []F, tolerance, least F) bool {
	good, before := true, z[0]
	for t := 1; t < len(z); t++ {
		x, y := z[t]*b[t], before*a[t]
		if d := x - y; !(d <= tolerance*x && -d <= tolerance*x && x > least && a[t] > least*z[t]) {
			good = false
		}
		before = z[t]
	}
	return good
}

// BFloat16 is the upper half of a float32: the same range with eight bits of precision.
// That is enough for the history of L-BFGS, whose speed depends on memory.
type BFloat16 uint16

func bfloat16Of[F Float](v F) BFloat16 {
	return BFloat16((math.Float32bits(float32(v)) + 0x8000) >> 16)
}

func wide[F Float](v BFloat16) F { return F(math.Float32frombits(uint32(v) << 16)) }

// Diff sets z to x - y, rounded.
func Diff[F Float](z []BFloat16, x, y []F) {
	same(len(x), len(z))
	same(len(y), len(z))
	from := 0
	if s, ok := assembled(x); ok {
		from = whole(len(x))
		fast.diff(z[:from], s[:from], any(y).([]float32)[:from])
	}
	for i := from; i < len(z); i++ {
		z[i] = bfloat16Of(x[i] - y[i])
	}
}

// ScaledDiff sets z to (x - y) times by, element by element, rounded.
func ScaledDiff[F Float](z []BFloat16, x, y, by []F) {
	same(len(x), len(z))
	same(len(y), len(z))
	same(len(by), len(z))
	from := 0
	if s, ok := assembled(x); ok {
		from = whole(len(x))
		fast.scaledDiff(z[:from], s[:from], any(y).([]float32)[:from], any(by).([]float32)[:from])
	}
	for i := from; i < len(z); i++ {
		z[i] = bfloat16Of((x[i] - y[i]) * by[i])
	}
}

// Scale multiplies z by x, element by element.
func Scale[F Float](z []BFloat16, x []F) {
	same(len(x), len(z))
	for i, v := range x {
		z[i] = bfloat16Of(wide[F](z[i]) * v)
	}
}

// PairProducts are the inner products of a pair of vectors, s and y, with two
// others, g and v.
type PairProducts struct{ SG, SV, YG, YV float64 }

// Add adds other to p.
func (p *PairProducts) Add(other PairProducts) {
	p.SG += other.SG
	p.SV += other.SV
	p.YG += other.YG
	p.YV += other.YV
}

// PairDot multiplies s and y with g and v. All have the same length, at most some
// thousands, so that sums in F are exact enough.
func PairDot[F Float](s, y, v []BFloat16, g []F) PairProducts {
	same(len(s), len(g))
	same(len(y), len(g))
	same(len(v), len(g))
	var p PairProducts
	from := 0
	if x, ok := assembled(g); ok {
		from = whole(len(g))
		p = fast.pairDot(s[:from], y[:from], v[:from], x[:from])
	}
	p.Add(pairDot(s[from:], y[from:], v[from:], g[from:]))
	return p
}

func pairDot[F Float](s, y, v []BFloat16, g []F) (p PairProducts) {
	for i, g := range g {
		s, y, v, g := wide[float64](s[i]), wide[float64](y[i]), wide[float64](v[i]), float64(g)
		p.SG += s * g
		p.SV += s * v
		p.YG += y * g
		p.YV += y * v
	}
	return p
}

// PairAxpy adds a*s + b*y to x.
func PairAxpy[F Float](a F, s []BFloat16, b F, y []BFloat16, x []F) {
	same(len(s), len(x))
	same(len(y), len(x))
	from := 0
	if z, ok := assembled(x); ok {
		from = whole(len(x))
		fast.pairAxpy(float32(a), s[:from], float32(b), y[:from], z[:from])
	}
	pairAxpy(a, s[from:], b, y[from:], x[from:])
}

func pairAxpy[F Float](a F, s []BFloat16, b F, y []BFloat16, x []F) {
	for i := range x {
		x[i] += a*wide[F](s[i]) + b*wide[F](y[i])
	}
}

// whole is n rounded down to a multiple of eight, for the assembly.
func whole(n int) int { return n &^ 7 }
