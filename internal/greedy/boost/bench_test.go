// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"math/rand/v2"
	"testing"
)

// fewValues are how many values the columns of a detector have that have few: counts,
// then flags.
var fewValues = []int{13, 16, 16, 9, 4, 4, 7, 2, 8, 6, 7, 8, 8, 66, 5, 5, 11, 4, 8, 8, 1, 1,
	2, 2, 3, 2, 2, 2, 3, 2, 2, 2, 2, 2, 3, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 2, 2, 2, 3, 2, 2, 2, 2, 2, 2, 2, 3}

// detectorTable is like what a detector trains on: of its columns 34 have many
// values, and most values of the rest are 0.
func detectorTable(rows int) (Matrix, []bool) {
	r := rand.New(rand.NewPCG(12, 1))
	x, y := make(Matrix, 34+len(fewValues)), make([]bool, rows)
	for c := range x {
		x[c] = make([]float32, rows)
	}
	for i := range y {
		z := r.NormFloat64()
		y[i] = z > 1.5
		for c := range 34 {
			x[c][i] = float32(z + float64(1+c%7)*r.NormFloat64())
			if c%3 == 0 {
				x[c][i] = float32(int(16*x[c][i]) % 124)
			}
		}
		for c, n := range fewValues {
			if r.IntN(4) == 0 || z > 1 && r.IntN(3) == 0 {
				x[34+c][i] = float32(r.IntN(n))
			}
		}
	}
	return x, y
}

func BenchmarkTrainOfDetector(b *testing.B) {
	x, y := detectorTable(75000)
	for b.Loop() {
		mustTrain(b, x, y, Options{})
	}
}

func BenchmarkBin(b *testing.B) {
	x, _ := detectorTable(75000)
	for b.Loop() {
		if _, err := x.bin(b.Context(), 256, 1); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLogOdds scores notes of 300 tokens.
func BenchmarkLogOdds(b *testing.B) {
	x, y := detectorTable(20000)
	m := mustTrain(b, x, y, Options{})
	var notes []Matrix
	for from := 0; from+300 <= x.Rows(); from += 300 {
		part := make(Matrix, len(x))
		for c := range x {
			part[c] = x[c][from : from+300]
		}
		notes = append(notes, part)
	}
	for b.Loop() {
		for _, part := range notes {
			m.LogOdds(part)
		}
	}
	b.ReportMetric(float64(300*len(notes)*b.N)/b.Elapsed().Seconds(), "rows/s")
}
