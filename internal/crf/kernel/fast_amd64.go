// SPDX-License-Identifier: Apache-2.0

package kernel

import "golang.org/x/sys/cpu"

func newSingles() *singles {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return nil
	}
	return &singles{
		dot: func(x, y []float32) float64 { return dotAVX2(&x[0], &y[0], len(x)) },
		axpy: func(a float32, x, y []float32) {
			axpyAVX2(a, &x[0], &y[0], len(x))
		},
		addScaled: func(z, x []float32, a float32, y []float32) {
			addScaledAVX2(&z[0], &x[0], a, &y[0], len(z))
		},
		multiply:   func(z, x, y []float32) { multiplyAVX2(&z[0], &x[0], &y[0], len(z)) },
		diff:       diffFast,
		scaledDiff: scaledDiffFast,
		pairDot:    pairDotFast,
		pairAxpy:   pairAxpyFast,
		gather:     gatherFast,
		items:      itemsFast,
		singles:    singlesFast,
		agree: func(a, b, z []float32, tolerance, least float32) bool {
			return agreeAVX2(&a[0], &b[0], &z[0], len(z), tolerance, least)
		},
		chain: newRunner,
	}
}
