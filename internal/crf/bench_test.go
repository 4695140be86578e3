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
				d := datasetOf(b, ready, Options{})
				p := newPass[float32](d, Options{C2: 1, Workers: workers})
				w, g := make([]float32, d.weights()), make([]float32, d.weights())
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
			m.Tag(d.view())
			tokens += len(d.words)
		}
	}
	b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
}

// BenchmarkReadNote reads notes as a bundle does: numbers for trees, the probability of
// being sensitive, and labels.
func BenchmarkReadNote(b *testing.B) {
	docs, _ := notes(1, 200)
	finder, _ := train(b, docs, Options{MaxIterations: 20, Binary: true})
	namer, _ := train(b, docs, Options{MaxIterations: 20})
	lists := NewLists(nil)
	fresh, _ := notes(2, 100)
	tokens := 0
	for b.Loop() {
		for _, v := range views(fresh) {
			NewFactReader(lists).Read(v)
			finder.Sensitive(v)
			namer.Marginals(v)
			tokens += len(v.Words)
		}
	}
	b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
}
