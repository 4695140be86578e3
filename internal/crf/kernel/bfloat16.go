// SPDX-License-Identifier: Apache-2.0

package kernel

import "math"

// BFloat16 is the upper half of a float32: its range with eight bits of precision.
// That is enough for what L-BFGS remembers, whose speed is that of memory.
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

// ScaledDiff sets z to (x - y) times by, one by one, rounded.
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

// Scale multiplies z by x, one by one.
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

// PairDot multiplies s and y with g and v. All have one length, for which sums in
// F are exact enough: at most some thousands.
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

// whole is as much of n as the assembly does, which takes eight at a time.
func whole(n int) int { return n &^ 7 }
