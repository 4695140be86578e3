// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"fmt"
	"testing"
)

func BenchmarkPass(b *testing.B) {
	docs, _ := notes(1, 500)
	for _, binary := range []bool{true, false} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("binary=%t/workers=%d", binary, workers), func(b *testing.B) {
				ready, err := prepared(docs, Options{Binary: binary})
				if err != nil {
					b.Fatal(err)
				}
				d, err := collect(b.Context(), ready, states{labelsOf(ready)}, Options{}.withDefaults(), nil)
				if err != nil {
					b.Fatal(err)
				}
				p := newPass(d, 1, workers)
				w, g := make([]float64, d.weights()), make([]float64, d.weights())
				for b.Loop() {
					if _, err := p.evaluate(b.Context(), w, g); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(len(d.gold))*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
			})
		}
	}
}

func BenchmarkTag(b *testing.B) {
	docs, _ := notes(1, 200)
	m, _ := train(b, docs, Options{MaxIterations: 20})
	fresh, _ := notes(2, 100)
	tokens := 0
	for b.Loop() {
		for _, d := range fresh {
			m.Tag(d)
			tokens += len(d.Words)
		}
	}
	b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
}
