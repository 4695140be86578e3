// SPDX-License-Identifier: Apache-2.0

package main

// expectations makes what is done with the expectations of a whole sequence, which
// would else take as long as a short sequence itself.
func (g *generator) expectations() {
	g.function("weighAVX2", "func(sums *float64, weights *float32, n int) float64",
		"is the inner product of n numbers, a multiple of eight.")
	sums, weights := g.param("sums"), g.param("weights")
	totals := g.zeros(2)
	g.times(g.eighths(), func() {
		for i, t := range totals {
			w := g.YMM()
			g.VCVTPS2PD(at(weights, 16*i), w)
			g.VFMADD231PD(at(sums, 32*i), w, t)
		}
		g.advance(64, sums)
		g.advance(32, weights)
	})
	g.VADDPD(totals[1], totals[0], totals[0])
	g.returnDouble(totals[0])

	g.function("increaseAVX2", "func(to, by *float64, n int)", "adds n numbers, a multiple of eight, to others.")
	into, by := g.param("to"), g.param("by")
	g.times(g.eighths(), func() {
		for i := range 2 {
			v := g.load(at(by, 32*i))
			g.VADDPD(at(into, 32*i), v, v)
			g.VMOVUPD(v, at(into, 32*i))
		}
		g.advance(64, into, by)
	})
	g.finish()
}

// eighths is n/8.
func (g *generator) eighths() integer {
	n := g.param("n")
	g.SHRQ(imm(3), n)
	return n
}
