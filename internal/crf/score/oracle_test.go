// SPDX-License-Identifier: Apache-2.0

package score

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/annotate"
)

// someSpans returns spans on the ten tokens. They are disjoint, or with free may
// overlap and repeat.
func someSpans(r *rand.Rand, free bool) []annotate.Span {
	var out []annotate.Span
	label := func() annotate.Label { return []annotate.Label{"A", "B"}[r.IntN(2)] }
	if free {
		for range r.IntN(5) {
			from := r.IntN(9)
			out = append(out, span(from, from+1+r.IntN(min(3, 10-from)), label()))
		}
		return out
	}
	for at := r.IntN(3); at < 9; at += r.IntN(3) {
		to := min(at+1+r.IntN(2), 10)
		out = append(out, span(at, to, label()))
		at = to
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// mostPairs tries every way to pair gold spans with predictions that fit.
func mostPairs(gold, predicted []annotate.Span, fits func(g, p annotate.Span) bool) int {
	if len(gold) == 0 {
		return 0
	}
	best := mostPairs(gold[1:], predicted, fits)
	for i, p := range predicted {
		if fits(gold[0], p) {
			rest := slices.Delete(slices.Clone(predicted), i, i+1)
			best = max(best, 1+mostPairs(gold[1:], rest, fits))
		}
	}
	return best
}

// characters has the label of each character of the ten tokens.
func characters(spans []annotate.Span) []annotate.Label {
	out := make([]annotate.Label, len(tenTokens))
	spans = slices.Clone(spans)
	slices.SortFunc(spans, annotate.CompareSpans)
	for _, s := range spans {
		for c := s.Start; c < s.End; c++ {
			if out[c] == "" {
				out[c] = s.Label
			}
		}
	}
	return out
}

// Scores must equal those of an exhaustive count, on random documents.
func TestScoresAgreeWithCountingByTryingEverything(t *testing.T) {
	r := rand.New(rand.NewPCG(30, 31))
	for n := range 1000 {
		gold, predicted := someSpans(r, false), someSpans(r, n%2 == 0)
		got := score(gold, predicted)
		exact := mostPairs(gold, predicted, func(g, p annotate.Span) bool { return g == p })
		wantCounts(t, "entity", got.Entity.Micro, exact, len(predicted)-exact, len(gold)-exact)
		lap := mostPairs(gold, predicted, func(g, p annotate.Span) bool { return g.Label == p.Label && g.Start < p.End && p.Start < g.End })
		wantCounts(t, "overlap", got.Overlap.Micro, lap, len(predicted)-lap, len(gold)-lap)
		var right, alarms, missed, both, uncovered, sensitive int
		want, said := characters(gold), characters(predicted)
		for c := 0; c < len(tenTokens); c += 3 {
			// All characters of a token are equal here, because spans end at token
			// boundaries.
			if want[c] != "" {
				sensitive++
			}
			switch {
			case want[c] != "" && want[c] == said[c]:
				right++
			default:
				alarms += count(said[c] != "")
				missed += count(want[c] != "")
			}
			both += count(want[c] != "" && said[c] != "")
			uncovered += count(want[c] != "" && said[c] == "")
		}
		wantCounts(t, "token", got.Token.Micro, right, alarms, missed)
		wantCounts(t, "binary", got.Binary, both, labelled(said)-both, sensitive-both)
		if got.Leaks.Tokens.Count != uncovered || got.Leaks.Tokens.Of != sensitive {
			t.Errorf("%d of %d tokens leak, want %d of %d", got.Leaks.Tokens.Count, got.Leaks.Tokens.Of, uncovered, sensitive)
		}
		if t.Failed() {
			t.Fatalf("gold %v, predicted %v", gold, predicted)
		}
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// labelled is how many tokens have a label.
func labelled(characters []annotate.Label) int {
	n := 0
	for c := 0; c < len(characters); c += 3 {
		n += count(characters[c] != "")
	}
	return n
}
