// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"math/rand/v2"
	"testing"

	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/project/sanitize"
)

// A run of random figures, in random order: what Holding answers holds at it and above,
// and nothing smaller does so.
func TestFromTheHoldingLCOnNobodyFindsMore(t *testing.T) {
	const budget, share, sensitive = 100, .05, 200
	rng := rand.New(rand.NewPCG(1, 2))
	none := 0
	for range 2000 {
		r := &sanitize.Run{}
		for lc := range 1 + rng.IntN(6) {
			c := sanitize.Result{LC: float64(lc + 1), Done: rng.IntN(8) > 0}
			c.Outcome.Sensitive = sensitive
			c.Outcome.Attack.Ranked = map[int]greedy.Estimate{budget: {Value: float64(rng.IntN(14))}, 2 * budget: {Value: 99}}
			c.Attackers = []attack.Result{{Kind: attack.Repeat, Points: []attack.Point{{Budget: budget, Found: float64(rng.IntN(14))}, {Budget: 2 * budget, Found: 99}}}}
			r.Choices = append(r.Choices, c)
		}
		rng.Shuffle(len(r.Choices), func(i, j int) { r.Choices[i], r.Choices[j] = r.Choices[j], r.Choices[i] })
		want := 0.
		for _, c := range r.Choices {
			if c.Done && holdsFrom(r, c.LC, budget, share*sensitive) && (want == 0 || c.LC < want) {
				want = c.LC
			}
		}
		got, ok := r.Holding(budget, share)
		if ok != (want > 0) || got.LC != want {
			t.Fatalf("holds from %g (%t), want %g: %+v", got.LC, ok, want, r.Choices)
		}
		if !ok {
			none++
		}
	}
	if none == 0 || none == 2000 {
		t.Errorf("%d of 2000 runs hold nowhere: the runs try nothing", none)
	}
}

func holdsFrom(r *sanitize.Run, lc float64, budget int, most float64) bool {
	for _, c := range r.Choices {
		if c.Done && c.LC >= lc && (c.Outcome.Attack.Ranked[budget].Value > most || c.Attackers[0].Points[0].Found > most) {
			return false
		}
	}
	return true
}

func TestNobodyAskedHoldsNothing(t *testing.T) {
	r := &sanitize.Run{Choices: []sanitize.Result{{LC: 1, Done: true, Outcome: greedy.Outcome{Sensitive: 5}}}}
	if _, ok := r.Holding(1000, .01); ok {
		t.Error("an L/C holds against attackers that nobody asked")
	}
}

func TestPapersModeIsHeldToDocumentsItHasNotSeen(t *testing.T) {
	c := sanitize.Result{LC: 1, Done: true}
	c.Outcome.HeldOut = &greedy.Outcome{Sensitive: 100, Attack: greedy.Attack{Ranked: map[int]greedy.Estimate{50: {Value: 3}}}}
	if found, by, ok := c.MostFound(50); found != 3 || by != attack.Ranked || !ok {
		t.Errorf("%g found by %q (%t), want 3 by the ranked attacker", found, by, ok)
	}
}

// The figures of the measurement that the design starts from.
func TestAnswerToWhichLCHoldsNamesItAndWhatIsKept(t *testing.T) {
	at := func(lc, kept, found float64) sanitize.Result {
		o := greedy.Outcome{Sensitive: 400, NonsensitiveKept: greedy.Estimate{Value: kept}}
		o.Attack.Ranked = map[int]greedy.Estimate{100: {Value: found / 5, AtMost: found}, 1000: {Value: found}}
		return sanitize.Result{LC: lc, Done: true, Outcome: o}
	}
	r := &sanitize.Run{Choices: []sanitize.Result{at(2, .99, 30), at(10, .97, 12), at(50, .91, 5)}}
	for b, want := range map[int]string{
		100:  "From L/C 10 on, no attacker of the run is expected to find more than 1 % of the sensitive words by inspecting 100: 2.4 of 400, the ranked one at most 12. 97.0 % of the other words are kept.",
		500:  "",
		1000: "Even at the largest L/C of this run, an attacker who inspects 1,000 words is expected to find more than 1 % of the sensitive words. Try a larger L/C, or finish more notes.",
	} {
		if got := r.HoldingWords(b); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
