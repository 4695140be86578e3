// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
)

func TestTrustFallsWithNewWords(t *testing.T) {
	for _, test := range []struct{ v, usual, want float64 }{
		{0, 0, 1}, {.08, 0, 1}, {.12, 0, .75}, {.16, 0, .5}, {1, 0, .5},
		{.5, .5, 1}, {.2, .5, 1}, {.56, .5, .75}, {.58, .5, .5},
	} {
		if got := trustAt(test.v, test.usual); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%g new, usually %g: trust %g, want %g", test.v, test.usual, got, test.want)
		}
	}
}

// abroad are views with other words, each as long as before.
func abroad(views []annotate.View) []annotate.View {
	out := slices.Clone(views)
	for i, v := range views {
		d := *v.Note
		d.Words = slices.Clone(d.Words)
		for x, w := range d.Words {
			d.Words[x] = strings.Map(func(r rune) rune {
				if r >= 'a' && r <= 'y' {
					return r + 1
				}
				return r
			}, w)
		}
		out[i] = annotate.View{Note: &d}
	}
	return out
}

// TestTrustIsANumber also where every word of the training notes was new.
func TestTrustIsANumber(t *testing.T) {
	for _, c := range []struct{ v, usual, want float64 }{{0.1, 0.1, 1}, {0.2, 0.1, 0.8055555555555556}, {1, 0.1, leastTrust}, {0, 0.5, 1}, {1, 1, 1}, {0, 1, 1}} {
		if got := trustAt(c.v, c.usual); !(math.Abs(got-c.want) < 1e-9) {
			t.Errorf("a share %g of new words, usually %g: trust %g, want %g", c.v, c.usual, got, c.want)
		}
	}
}

// TestAWaryDetectorIsBetweenItsStages scores notes in no language: half trusted, log-odds are
// halfway between those of the second stage and the mean of the base learners.
func TestAWaryDetectorIsBetweenItsStages(t *testing.T) {
	views := notes(9, 6)
	c := mustTrain(t, small(Default&^Bonus), views)
	if same, trust, err := c.Wary(t.Context(), views); same != greedy.Classifier(c) || trust != 1 || err != nil {
		t.Fatalf("trust %g in the training notes, %v", trust, err)
	}
	strange := abroad(views)
	h, trust, err := c.Wary(t.Context(), strange)
	if trust != leastTrust || err != nil {
		t.Fatalf("trust %g in strange notes, %v", trust, err)
	}
	none := *c
	none.second = nil
	for i, p := range h.(*Classifier).ScoreAll(strange) {
		both, base := c.Scores(strange[i]), none.Scores(strange[i])
		for x := range p {
			want := (greedy.LogOdds(both[x], 0) + greedy.LogOdds(base[x], 0)) / 2
			if got := greedy.LogOdds(p[x], 0); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) && math.Abs(want) < mostOdds/2 {
				t.Fatalf("note %d, token %d: log-odds %g, want %g", i, x, got, want)
			}
		}
	}
	raw := mustMarshal(t, h.(*Classifier))
	if back, err := Decode(raw); err != nil || !slices.Equal(back.Scores(strange[0]), h.Scores(strange[0])) {
		t.Errorf("it comes back different: %v", err)
	}
	if h, trust, err := none.Wary(t.Context(), strange); h != greedy.Classifier(&none) || trust != 1 || err != nil {
		t.Errorf("without a second stage: trust %g, %v", trust, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := c.Wary(ctx, strange); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
