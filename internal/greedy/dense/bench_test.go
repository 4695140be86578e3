// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy/boost"
	"hide/internal/hospital"
)

// generated are the notes of a hospital.
func generated(seed uint64, patients int) []annotate.View {
	var views []annotate.View
	for a := range hospital.Generate(hospital.Options{Patients: patients, Seed: seed, Institution: "a", MinNotes: 1, MaxNotes: 2}) {
		d := annotate.NewNote(a)
		views = append(views, d.View())
	}
	return views
}

func countTokens(views []annotate.View) (n int) {
	for _, v := range views {
		n += len(v.Words)
	}
	return n
}

func BenchmarkEncoderColumns(b *testing.B) {
	train, score := generated(1, 60), generated(2, 60)
	e := mustFit(b, train, all(len(train))).Encoder()
	for b.Loop() {
		for _, v := range score {
			e.Columns(v)
		}
	}
	b.ReportMetric(float64(countTokens(score)*b.N)/b.Elapsed().Seconds(), "tokens/s")
}

// BenchmarkEncoderDescribe is what scoring a note pays.
func BenchmarkEncoderDescribe(b *testing.B) {
	train, score := generated(1, 60), generated(2, 60)
	e := mustFit(b, train, all(len(train))).Encoder()
	for b.Loop() {
		for _, v := range score {
			e.Describe(v, func(boost.Matrix) {})
		}
	}
	b.ReportMetric(float64(countTokens(score)*b.N)/b.Elapsed().Seconds(), "tokens/s")
}

func BenchmarkPrepare(b *testing.B) {
	views := generated(1, 60)
	for b.Loop() {
		mustFit(b, views, all(1))
	}
	b.ReportMetric(float64(countTokens(views)*b.N)/b.Elapsed().Seconds(), "tokens/s")
}

func BenchmarkRows(b *testing.B) {
	views := generated(1, 60)
	f := mustFit(b, views, all(len(views)))
	for b.Loop() {
		mustRows(b, f)
	}
	b.ReportMetric(float64(countTokens(views)*b.N)/b.Elapsed().Seconds(), "tokens/s")
}
