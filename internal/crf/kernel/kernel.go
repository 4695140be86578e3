// SPDX-License-Identifier: Apache-2.0

package kernel

//go:generate go -C ../../../tools run ./kernelgen ../internal/crf/kernel

// singles are the kernels for float32 that are written in assembly. What each
// does is said at the scalar one.
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
	chain      func(Layout) runner // nil for a layout that has none
}

// runner is sum-product in float32, see [Chain.Run].
type runner interface {
	run(scores []float32, t *Transitions[float32], counts *Counts, h *halt) (logZ float64, ok bool)
}

// batcher is a runner for many sequences that does for all of them at once what takes
// long to begin, see [Chain.RunAll].
type batcher interface {
	runAll(scores []float32, starts []int32, t *Transitions[float32], counts *Counts) (logZ float64, ok bool)
}

// fast is nil where there is no assembly for the processor.
var fast = newSingles()

// Name says which kernels compute in float32: "avx2" or "scalar".
func Name() string {
	if fast != nil {
		return "avx2"
	}
	return "scalar"
}
