// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

func TestKindOfGoesByTheSurface(t *testing.T) {
	for word, want := range map[string]WordKind{
		",": Punctuation, "(": Punctuation, "_": Punctuation, "": Punctuation, "€": Punctuation, "\xff": Punctuation,
		"7": Number, "5mg": Number, "3rd": Number, "٣": Number, "½": Number,
		"the": CommonWord, "The": CommonWord, "DE": CommonWord, "für": CommonWord,
		"B12": OtherWord, "pneumonia": OtherWord, "Ana": OtherWord, "日": OtherWord,
	} {
		if got := KindOf(word); got != want {
			t.Errorf("%q is %s, want %s", word, got, want)
		}
	}
}

// TestPricedThresholdsMaximiseExpectedUtility enumerates every set of tokens that
// could be redacted: with calibrated scores p none has a smaller expected loss,
// sum L*p over those that stay + sum C_k*(1-p) over those that go.
func TestPricedThresholdsMaximiseExpectedUtility(t *testing.T) {
	r := rand.New(rand.NewPCG(60, 1))
	differ := 0
	for range 2000 {
		costs, lc := randomTariff(r).prices, []float64{0.25, 1, 3, 10}[r.IntN(4)]
		words, p := make([]string, 1+r.IntN(10)), []float64(nil)
		for x := range words {
			words[x] = kindred(r.IntN(16))
			p = append(p, []float64{0, 1, r.Float64()}[min(2, r.IntN(12))])
		}
		expected := func(goes func(x int) bool) float64 {
			loss := 0.0
			for x, w := range words {
				c, set := costs[KindOf(w)]
				if !set {
					c = 1
				}
				if goes(x) {
					loss += c * (1 - p[x])
				} else {
					loss += lc * p[x]
				}
			}
			return loss
		}
		best := math.Inf(1)
		for mask := range 1 << len(words) {
			best = min(best, expected(func(x int) bool { return mask>>x&1 == 1 }))
		}
		rule, plain := atLeast(costs.priced(words, p), 1/(1+lc)), atLeast(p, 1/(1+lc))
		if got := expected(func(x int) bool { return rule[x] }); math.Abs(got-best) > 1e-9 {
			t.Fatalf("prices %v, L/C %g, %q at %v: expected loss %g, the least is %g", costs, lc, words, p, got, best)
		}
		if !slices.Equal(rule, plain) {
			differ++
		}
	}
	if differ < 500 {
		t.Fatalf("prices change only %d cases", differ)
	}
}

func TestTheoremsBoundTheAttackerWithLossesAndPrices(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 1))
	checked, found := 0, 0
	for range 20000 {
		docs, class, _ := tiny(r)
		l := loop(categorised(r, docs), class)
		l.tariff = randomTariff(r)
		masks := nothing(docs)
		for i := range masks {
			masks[i] = flags(r, len(masks[i]))
		}
		lc := float64(1+r.IntN(40)) / 4
		for _, h := range class {
			c := countHard(byWord(h), views(docs, masks))
			marks := redactMore(views(docs, masks), Accepted{Classifier: byWord(h), Hard: true})
			if l.tariff.priced(c, docs, masks, marks).Pays(lc) {
				continue
			}
			least := lc * l.tariff.least(l.docs)
			if !LocalOptimum(least, c) {
				t.Fatalf("%+v does not pay at L/C %g, and is no local optimum at the least of it, %g", c, lc, least)
			}
			if bound := MaxTruePositives(least, l.measuredNonsensitive()); float64(c.TP) > bound {
				t.Fatalf("TP_A = %d above theorem 3's %g", c.TP, bound)
			}
			checked, found = checked+1, found+c.TP
		}
	}
	if checked < 10000 || found < 1000 {
		t.Fatalf("%d cases, %d found: they test nothing", checked, found)
	}
}

// kindsOfDoubt has a comma, a number, a common word and another word, each of which is
// sensitive in one document of four, and words that never are.
func kindsOfDoubt() []annotate.Note {
	var docs []annotate.Note
	for i := range 24 {
		star := ""
		if i%4 == 0 {
			star = "**"
		}
		docs = append(docs, text(fmt.Sprint(i), strings.ReplaceAll("x #, y #7 z #the w #Stone v", "#", star)))
	}
	return docs
}

func TestCheapWordsGoAndDearWordsStay(t *testing.T) {
	for _, mode := range []Mode{Default, GreedyUnion, Cost} {
		for _, test := range []struct {
			lc     float64
			prices Prices
			want   string
		}{
			{1, nil, ""}, {10, nil, ", 7 the Stone"},
			{1, Prices{Punctuation: .1, CommonWord: .2}, ", the"},
			{10, Prices{Number: 50, OtherWord: 50}, ", the"},
		} {
			p := params(mode, test.lc)
			p.CostByKind = test.prices
			result, err := Sanitize(t.Context(), kindsOfDoubt(), p, nil)
			if err != nil {
				t.Fatal(err)
			}
			c, d := result.Choices[0], kindsOfDoubt()[1]
			var gone []string
			for x, hidden := range c.Classifiers.Redact(d) {
				if hidden {
					gone = append(gone, d.Words[x])
				}
			}
			if got := strings.Join(gone, " "); got != test.want {
				t.Errorf("%s, L/C %g, prices %v: %q goes, want %q", mode, test.lc, test.prices, got, test.want)
			}
			for _, k := range c.Outcome.ByKind {
				if word := map[WordKind]string{Punctuation: ",", Number: "7", CommonWord: "the", OtherWord: "Stone"}[k.Kind]; strings.Contains(test.want, word) != (k.Redacted.Value > 0) {
					t.Errorf("%s, L/C %g, prices %v: out of fold %g of kind %s go", mode, test.lc, test.prices, k.Redacted.Value, k.Kind)
				}
			}
			checkPaid(t, c.Outcome, test.prices)
		}
	}
}

// checkPaid: T(H) is what stays and what goes by kind, and all of that is known.
func checkPaid(t *testing.T, o Outcome, prices Prices) {
	t.Helper()
	total, words, gone := o.LC*o.Residual.Value, 0, 0.0
	for _, k := range o.ByKind {
		price := 1.0
		if c, set := prices[k.Kind]; set {
			price = c
		}
		total, words, gone = total+price*k.Redacted.Value, words+k.Words, gone+k.Redacted.Value
	}
	if math.Abs(total-o.Loss.Value) > 1e-9 || words != o.Tokens-o.Sensitive || gone != o.FalsePositives.Value {
		t.Errorf("T(H) = %g, by kind %g; %d words of %d that are not sensitive, %g gone of %g", o.Loss.Value, total, words, o.Tokens-o.Sensitive, gone, o.FalsePositives.Value)
	}
}

func TestPricesOfOneChangeNothing(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(62, 1)), 12)
	for _, mode := range Modes() {
		p := params(mode, 1, 10)
		want, err := Sanitize(t.Context(), docs, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		p.CostByKind = Prices{Punctuation: 1, Number: 1, CommonWord: 1, OtherWord: 1}
		got, err := Sanitize(t.Context(), docs, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: other results", mode)
		}
	}
}

// TestOnePriceForAllIsAnotherLC: prices of 1/2 everywhere are L/C twice as high. The
// other modes have thresholds, and equal scores may differ by rounding when priced.
func TestOnePriceForAllIsAnotherLC(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(63, 1)), 16)
	for _, mode := range []Mode{Paper, PaperHoldout, CostWeight} {
		want, err := Sanitize(t.Context(), docs, params(mode, 6), nil)
		if err != nil {
			t.Fatal(err)
		}
		p := params(mode, 3)
		p.CostByKind = Prices{Punctuation: .5, Number: .5, CommonWord: .5, OtherWord: .5}
		got, err := Sanitize(t.Context(), docs, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range docs {
			if !slices.Equal(got.Choices[0].Classifiers.Redact(d), want.Choices[0].Classifiers.Redact(d)) {
				t.Fatalf("%s redacts otherwise", mode)
			}
		}
		if a, b := got.Choices[0].Outcome, want.Choices[0].Outcome; 2*a.Loss.Value != b.Loss.Value || a.Residual != b.Residual {
			t.Errorf("%s: loss %g of %g left, want half of %g of %g", mode, a.Loss.Value, a.Residual.Value, b.Loss.Value, b.Residual.Value)
		}
	}
}

func TestPapersLoopCountsPrices(t *testing.T) {
	docs := kindsOfDoubt()
	for lc, want := range map[float64]int{10: 1, 4: 0} {
		p := params(Paper, lc)
		p.Learners = []Learner{finite{{"7": true, "Stone": true}}}
		p.CostByKind = Prices{Number: 2, OtherWord: 2}
		result, err := Sanitize(t.Context(), docs, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := result.Choices[0]
		if r := c.Rounds[0]; len(c.Classifiers) != want || r.Counts.FP != 36 || r.Cost != 72 || r.Worth != 12 {
			t.Errorf("L/C %g: %d classifiers, want %d; round 1 %+v", lc, len(c.Classifiers), want, r)
		}
	}
}

func TestSanitizeRefusesBadPrices(t *testing.T) {
	docs := random(rand.New(rand.NewPCG(64, 1)), 12)
	for _, c := range []float64{0, -1, 1e-4, MaxTimes + 1, math.NaN(), math.Inf(1), 1e308} {
		p := params(Default, 10)
		p.CostByKind = Prices{Number: c}
		if _, err := Sanitize(t.Context(), docs, p, nil); err == nil || !strings.Contains(err.Error(), "number: the multiple of C is") {
			t.Errorf("a multiple of %g: error %v", c, err)
		}
	}
	for _, c := range []float64{1, 2} {
		p := params(Default, 10)
		p.CostByKind = Prices{"verb": c}
		if _, err := Sanitize(t.Context(), docs, p, nil); err == nil || !strings.Contains(err.Error(), `unknown kind of word "verb"; kinds are punctuation, number, common and other`) {
			t.Errorf("an unknown kind: error %v", err)
		}
	}
}
