// SPDX-License-Identifier: Apache-2.0

package training

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/hospital"
)

// generatedNotes are n notes of the generator, one line each.
func generatedNotes(tb testing.TB, n int) []string {
	tb.Helper()
	var b strings.Builder
	docs := func(yield func(annotate.Annotated, error) bool) {
		for d := range hospital.Generate(hospital.Options{Patients: n, Seed: 3}) {
			if !yield(d, nil) {
				return
			}
			if n--; n == 0 {
				return
			}
		}
	}
	if err := format.WriteJSONL(&b, docs); err != nil {
		tb.Fatal(err)
	}
	return strings.SplitAfter(b.String(), "\n")
}

// BenchmarkStartBesideACheck measures the time from a finished note to the start of its
// training, while a check is running, and the time to the end of its first iteration.
func BenchmarkStartBesideACheck(tb *testing.B) {
	for _, n := range []int{50, 500, 2000} {
		tb.Run(fmt.Sprintf("notes=%d", n), func(tb *testing.B) {
			notes := generatedNotes(tb, n+1+tb.N)
			b, ws, _, _ := trainedOn(tb, strings.Join(notes[:n], ""))
			tb.StopTimer()
			tb.ResetTimer()
			var learnt time.Duration
			for i := range tb.N {
				b.trained(ws.ID)
				if err := b.CheckNow(tb.Context(), broker, ws.ID); err != nil {
					tb.Fatal(err)
				}
				for p, _ := ws.check.State(); p.learning == 0; p, _ = ws.check.State() {
					time.Sleep(time.Millisecond)
				}
				b.add(ws.ID, notes[n+i])
				tb.StartTimer()
				began := time.Now()
				for p, _ := ws.train.State(); p.phase == ""; p, _ = ws.train.State() {
					time.Sleep(time.Millisecond)
				}
				tb.StopTimer()
				for p, _ := ws.train.State(); p.iteration == 0; p, _ = ws.train.State() {
					time.Sleep(time.Millisecond)
				}
				learnt += time.Since(began)
			}
			tb.ReportMetric(float64(learnt.Milliseconds())/float64(tb.N), "ms/iteration")
		})
	}
}
