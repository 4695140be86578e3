// SPDX-License-Identifier: Apache-2.0

package crf

// The loops over rows do four steps at a time, which without SIMD is the
// difference between 1.5 and 2.6 elements per nanosecond.

// axpy is y += a*x over the length of y.
func axpy(a float64, x, y []float64) {
	x = x[:len(y)]
	for len(x) >= 4 && len(y) >= 4 {
		y[0] += a * x[0]
		y[1] += a * x[1]
		y[2] += a * x[2]
		y[3] += a * x[3]
		x, y = x[4:], y[4:]
	}
	for i := range y {
		y[i] += a * x[i]
	}
}

// add is y += x over the length of y.
func add(x, y []float64) {
	x = x[:len(y)]
	for len(x) >= 4 && len(y) >= 4 {
		y[0] += x[0]
		y[1] += x[1]
		y[2] += x[2]
		y[3] += x[3]
		x, y = x[4:], y[4:]
	}
	for i := range y {
		y[i] += x[i]
	}
}

// dot is the inner product over the length of x. Four running sums hide the
// latency of the addition.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	var a, b, c, d float64
	for len(x) >= 4 && len(y) >= 4 {
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
		x, y = x[4:], y[4:]
	}
	for i := range x {
		a += x[i] * y[i]
	}
	return (a + b) + (c + d)
}

func total(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum
}

func divide(x []float64, by float64) {
	inverse := 1 / by
	for i := range x {
		x[i] *= inverse
	}
}
