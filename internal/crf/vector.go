// SPDX-License-Identifier: Apache-2.0

package crf

func total(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum
}
