// SPDX-License-Identifier: Apache-2.0

package kernel

// These hand whole eights to the assembly, of which there may be none.

func diffFast(z []BFloat16, x, y []float32) {
	if len(z) > 0 {
		diffAVX2((*uint16)(&z[0]), &x[0], &y[0], len(z))
	}
}

func scaledDiffFast(z []BFloat16, x, y, by []float32) {
	if len(z) > 0 {
		scaledDiffAVX2((*uint16)(&z[0]), &x[0], &y[0], &by[0], len(z))
	}
}

func pairDotFast(s, y, v []BFloat16, g []float32) (p PairProducts) {
	if len(g) == 0 {
		return p
	}
	var sums [4][4]float64
	pairDotAVX2((*uint16)(&s[0]), (*uint16)(&y[0]), (*uint16)(&v[0]), &g[0], len(g), &sums[0][0])
	for i, into := range []*float64{&p.SG, &p.SV, &p.YG, &p.YV} {
		*into = (sums[i][0] + sums[i][1]) + (sums[i][2] + sums[i][3])
	}
	return p
}

func pairAxpyFast(a float32, s []BFloat16, b float32, y []BFloat16, x []float32) {
	if len(x) > 0 {
		pairAxpyAVX2(a, (*uint16)(&s[0]), b, (*uint16)(&y[0]), &x[0], len(x))
	}
}
