// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"strings"
	"testing"

	"hide/internal/greedy/local"
	"hide/internal/project/projecttest"
	"hide/internal/project/sanitize"
	"hide/internal/testsize"
)

// TestARunMeasuresWhatTheAdvisedNotesBring: the first run knows nothing of the other
// hospital. When the notes that it advises are annotated, the next one measures on them.
func TestARunMeasuresWhatTheAdvisedNotesBring(t *testing.T) {
	testsize.Slow(t)
	b := newBench(t)
	id := b.FinishedProject(projecttest.Institution("a", 12))
	b.MustImport(id, projecttest.Institution("b", 16), false)
	run := func() *sanitize.Run {
		t.Helper()
		return b.Ran(id, sanitize.Params{LC: []float64{1, 10}, Folds: 2, First: sanitize.NoFirst, Learners: []string{"bayes"}})
	}
	first := run()
	if words := strings.Join(first.Warnings(), "\n"); first.Foretold != nil || !strings.Contains(words, "How much this helps here is unknown") {
		t.Fatalf("foretold %+v with no local note; warnings: %s", first.Foretold, words)
	}
	const annotated = 10
	if len(first.Local) != 30 || len(first.Drawn) != 15 || first.Drawn[0] != first.Local[0] {
		t.Fatalf("to annotate first %v, drawn %v", first.Local, first.Drawn)
	}
	for _, doc := range first.Drawn[:annotated] {
		b.Finish(projecttest.Broker, id, doc)
	}
	second := run()
	if len(second.Foretold) != 2 {
		t.Fatalf("foretold %+v", second.Foretold)
	}
	for i, f := range second.Foretold {
		if f.LC != second.Choices[i].LC || len(f.At) != 3 || f.At[0].Notes != annotated || f.At[1].Notes != 30 || f.At[2].Notes != 100 {
			t.Errorf("foretold at L/C %g: %+v", f.LC, f.At)
		}
		for _, p := range f.At {
			if !(0 <= p.Missed.Low && p.Missed.Low < p.Missed.High && p.Missed.High <= 1 && 0 <= p.Kept.Low && p.Kept.Low < p.Kept.High && p.Kept.High <= 1) {
				t.Errorf("%d notes at L/C %g: %+v", p.Notes, f.LC, p)
			}
		}
	}
	if one, ten := second.Foretold[0].At[0].Missed.Value, second.Foretold[1].At[0].Missed.Value; ten > one {
		t.Errorf("missed %g at L/C 10, %g at L/C 1", ten, one)
	}
	if words := strings.Join(second.Warnings(), "\n"); !strings.Contains(words, "Measured after 10 annotated notes like them, at L/C 10") || !strings.Contains(words, "with 100 such notes") {
		t.Errorf("warnings: %s", words)
	}
}

func TestRangesOfShares(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{{0.012, 0.034, "1.2 to 3.4 %"}, {0.9871, 0.9963, "98.7 to 99.6 %"}, {0, 1, "0.0 to 100.0 %"}, {0.0019, 0.0075, "0.19 to 0.75 %"}, {0.0004, 0.9996, "0.04 to 99.96 %"}} {
		if got := sanitize.RangeWords(local.Range{Low: c.low, High: c.high}); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
