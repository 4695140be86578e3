// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// randomTariff has sums of powers of two, so that sums of them are exact in any order.
func randomTariff(r *rand.Rand) tariff {
	t := tariff{randomLosses(r), nil}
	for _, k := range WordKinds() {
		if r.IntN(2) > 0 {
			if t.prices == nil {
				t.prices = Prices{}
			}
			t.prices[k] = []float64{0.25, 0.5, 2, 4}[r.IntN(4)]
		}
	}
	return t
}

func randomLosses(r *rand.Rand) map[annotate.Label]float64 {
	out := map[annotate.Label]float64{}
	for _, label := range []annotate.Label{"A", "B", "C"} {
		if r.IntN(4) > 0 {
			out[label] = []float64{0, 0.25, 0.5, 1, 2, 5}[r.IntN(6)]
		}
	}
	return out
}

// categorised gives every sensitive token one of four categories, one of them "".
func categorised(r *rand.Rand, docs []annotate.Note) []annotate.Note {
	for i := range docs {
		docs[i].Labels = make([]annotate.Label, len(docs[i].Words))
		for x, s := range docs[i].Sensitive {
			if s {
				docs[i].Labels[x] = []annotate.Label{"", "A", "B", "C"}[r.IntN(4)]
			}
		}
	}
	return docs
}

// totalLoss is T(H) = sum_c L_c*FN_c(H) + sum_k C_k*FP_k(H), by category and kind.
func totalLoss(docs []annotate.Note, masks [][]bool, lc float64, t tariff) float64 {
	left, gone := map[annotate.Label]int{}, map[WordKind]int{}
	for i, d := range docs {
		for x, s := range d.Sensitive {
			switch {
			case s && !masks[i][x]:
				left[d.Label(x)]++
			case !s && masks[i][x]:
				gone[KindOf(d.Words[x])]++
			}
		}
	}
	total := 0.0
	for kind, n := range gone {
		c, set := t.prices[kind]
		if !set {
			c = 1
		}
		total += c * float64(n)
	}
	for label, n := range left {
		w, set := t.losses[label]
		if !set {
			w = 1
		}
		total += lc * w * float64(n)
	}
	return total
}

func TestLemma1HoldsWithLossesAndPrices(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 1))
	paying := 0
	for range 10000 {
		docs, class, _ := tiny(r)
		docs = categorised(r, docs)
		costs, lc := randomTariff(r), float64(1+r.IntN(20))/2
		masks := nothing(docs)
		for i := range masks {
			masks[i] = flags(r, len(masks[i]))
		}
		for _, h := range class {
			next := Accepted{Classifier: byWord(h), Hard: true}
			after := redactMore(views(docs, masks), next)
			p := costs.priced(countHard(byWord(h), views(docs, masks)), docs, masks, after)
			change := totalLoss(docs, after, lc, costs) - totalLoss(docs, masks, lc, costs)
			if want := p.Cost - lc*p.Worth; change != want || p.Pays(lc) != (change < 0) {
				t.Fatalf("T(H u h) - T(H) = %g, sum C_k*FP_k - sum L_c*TP_c = %g, pays %v", change, want, p.Pays(lc))
			}
			if change < 0 {
				paying++
			}
		}
	}
	if paying < 1000 {
		t.Fatalf("only %d classifiers pay", paying)
	}
}

func TestLoopsEndInLocalOptimaWithLossesAndPrices(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 1))
	for range 1500 {
		docs, class, _ := tiny(r)
		l := loop(categorised(r, docs), class)
		l.tariff = randomTariff(r)
		for _, lc := range []float64{0.5, 2, 10} {
			s, err := l.solve(t.Context(), Paper, lc, 13, ignore)
			if err != nil {
				t.Fatal(err)
			}
			h, _, err := l.attacker(t.Context(), s.last())
			if err != nil {
				t.Fatal(err)
			}
			after := redactMore(views(docs, s.last()), Accepted{Classifier: h, Hard: true})
			if before, then := totalLoss(docs, s.last(), lc, l.tariff), totalLoss(docs, after, lc, l.tariff); then < before {
				t.Fatalf("h_A takes T from %g to %g at L/C %g: no local optimum", before, then, lc)
			}
			if tokens := len(slices.Concat(s.last()...)); len(s.rounds) > tokens+1 {
				t.Fatalf("%d rounds over %d tokens: theorem 1 fails", len(s.rounds), tokens)
			}
		}
	}
}

func TestACategoryThatCostsNothingIsNotRedactedForItsOwnSake(t *testing.T) {
	var docs []annotate.Note
	for i := range 24 {
		d := text(fmt.Sprint(i), "seen *ana w x y **monday monday w")
		d.Labels = []annotate.Label{"", "NAME", "", "", "", "DATE", "", ""}
		docs = append(docs, d)
	}
	p := params(Default, 10)
	p.LossByLabel = map[annotate.Label]float64{"DATE": 0}
	result, err := Sanitize(t.Context(), docs, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := result.Choices[0]
	if got := c.Classifiers.Redact(docs[0]); !got[1] || got[5] {
		t.Errorf("redacts %v, want the name and not the date", got)
	}
	o := c.Outcome
	if o.Residual.Value != 24 || o.Loss.Value != 0 {
		t.Errorf("%g left at a loss of %g, want 24 at 0", o.Residual.Value, o.Loss.Value)
	}
	want := []Category{{Label: "DATE", Sensitive: 24, Spans: 24}, {Label: "NAME", Sensitive: 24, Spans: 24}}
	for i, w := range want {
		g := o.ByLabel[i]
		if left := []float64{24, 0}[i]; g.Label != w.Label || g.Sensitive != 24 || g.Spans != 24 || g.Missed.Value != left || g.SpansMissed.Value != left {
			t.Errorf("category %d: %+v", i, g)
		}
	}
}

func TestAllLossesOfZeroRedactNothing(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(42, 1)), 12)
	for i := range docs {
		docs[i].Labels = make([]annotate.Label, len(docs[i].Words))
	}
	for _, mode := range []Mode{Paper, Default} {
		p := params(mode, 10)
		p.LossByLabel = map[annotate.Label]float64{"": 0}
		result, err := Sanitize(t.Context(), docs, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c := result.Choices[0]; len(c.Classifiers) != 0 || c.Outcome.Loss.Value != 0 {
			t.Errorf("%s: %d classifiers, loss %g", mode, len(c.Classifiers), c.Outcome.Loss.Value)
		}
	}
}

func TestSanitizeRefusesBadLosses(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(43, 1)), 12)
	for _, w := range []float64{-1, math.NaN(), math.Inf(1), 1e308} {
		p := params(Default, 10)
		p.LossByLabel = map[annotate.Label]float64{"DATE": w}
		if _, err := Sanitize(t.Context(), docs, p, nil); err == nil || !strings.Contains(err.Error(), "multiple of L") {
			t.Errorf("a multiple of %g: error %v", w, err)
		}
	}
}
