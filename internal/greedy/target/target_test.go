// SPDX-License-Identifier: Apache-2.0

package target_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/target"
)

// tail is P(X <= k) by listing all 2^n outcomes of n units.
func tail(n, k int, x float64) (sum float64) {
	for outcome := range uint(1) << n {
		leaking := bits.OnesCount(outcome)
		if leaking <= k {
			sum += math.Pow(x, float64(leaking)) * math.Pow(1-x, float64(n-leaking))
		}
	}
	return sum
}

func TestAllowedIsTheLastThatTheExactTestRejects(t *testing.T) {
	for n := range 13 {
		for _, x := range []float64{0.05, 0.2, 0.5, 0.9} {
			for _, risk := range []float64{0.05, 0.2, 0.5} {
				want := -1
				for k := 0; k <= n && tail(n, k, x) <= risk; k++ {
					want = k
				}
				if got := target.Allowed(n, x, risk); got != want {
					t.Errorf("%d units, at most %g, risk %g: %d may leak, want %d", n, x, risk, got, want)
				}
			}
		}
	}
}

func TestNeedIsWhatTheNotesSay(t *testing.T) {
	for _, c := range []struct {
		x, risk float64
		want    int
	}{{0.05, 0.05, 59}, {0.01, 0.05, 299}, {0.1, 0.05, 29}, {0.5, 0.5, 1}, {0.05, 0.01, 90}, {0.99, 0.05, 1}, {target.LeastShare, 0.05, 299572}} {
		got := target.Need(c.x, c.risk)
		if got != c.want {
			t.Errorf("at most %g with risk %g needs %d clean units, want %d", c.x, c.risk, got, c.want)
		}
		if s := target.Smallest(got, c.risk); s > c.x || got > 1 && target.Smallest(got-1, c.risk) <= c.x {
			t.Errorf("%d units show %g, want at most %g and not with one less", got, s, c.x)
		}
	}
}

// TestAverageIsConformal: over all orders of n+1 units, the one left out leaks in at most the
// share x at the threshold that the others choose (Angelopoulos et al. 2024, theorem 1).
func TestAverageIsConformal(t *testing.T) {
	for n := 1; n < 12; n++ {
		for _, x := range []float64{0.1, 0.25, 0.5, 0.8} {
			k := target.AllowedOnAverage(n, x)
			if k < 0 {
				if float64(1)/float64(n+1) <= x {
					t.Errorf("%d units could show %g", n, x)
				}
				continue
			}
			units := make([]float64, n+1)
			for i := range units {
				units[i] = float64(i+1) / float64(n+2)
			}
			leaking := 0
			for out := range units {
				others := slices.Delete(slices.Clone(units), out, out+1)
				if units[out] < target.Threshold(others, k) {
					leaking++
				}
			}
			if rate := float64(leaking) / float64(n+1); rate > x || rate+1/float64(n+1) <= x-1e-9 && k < n {
				t.Errorf("%d units, %g on average: leaks %g", n, x, rate)
			}
		}
	}
}

// TestPromiseByEnumeration: for every way to draw n calibration units from all, the share of
// all that leaks is above the target in at most the share 1 - sure of the draws, and so is the
// number of the others above its bound.
func TestPromiseByEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		all := 6 + random.IntN(7)
		n := 2 + random.IntN(all-3)
		asked := target.Target{Share: 0.2 + 0.7*random.Float64(), Sure: 0.5 + 0.4*random.Float64()}
		units := make([]float64, all)
		for i := range units {
			units[i] = random.Float64()
			if random.IntN(4) == 0 {
				units[i] = target.Never
			}
		}
		draws, broken, beyond := 0, 0, 0
		for drawn := range uint(1) << all {
			if bits.OnesCount(drawn) != n {
				continue
			}
			draws++
			var calibration, others []float64
			for i, u := range units {
				if drawn>>i&1 == 1 {
					calibration = append(calibration, u)
				} else {
					others = append(others, u)
				}
			}
			c, err := target.Choose(calibration, false, len(others), asked)
			if err != nil {
				continue
			}
			if leaking(units, c.Threshold) > asked.Share*float64(all) {
				broken++
			}
			if leaking(others, c.Threshold) > float64(c.OthersLeaking) {
				beyond++
			}
			if leaking(calibration, c.Threshold) != float64(c.Leaking) || c.Leaking > c.Allowed {
				t.Fatalf("%v: wrong count", c)
			}
		}
		most := (1-asked.Sure)*float64(draws) + 1e-9
		if float64(broken) > most || float64(beyond) > most {
			t.Errorf("%d of %d, %v: broken in %d and %d of %d draws", n, all, asked, broken, beyond, draws)
		}
	}
}

func leaking(units []float64, threshold float64) (n float64) {
	for _, u := range units {
		if u < threshold {
			n++
		}
	}
	return n
}

// TestPromiseBySimulation: calibration notes from a known distribution, whose risk at each
// threshold is known: a note leaks at t with probability t.
func TestPromiseBySimulation(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	asked := target.Target{Share: 0.1, Sure: 0.9}
	broken, trials := 0, 4000
	for range trials {
		calibration := make([]float64, 60)
		for i := range calibration {
			calibration[i] = random.Float64()
		}
		c, err := target.Choose(calibration, false, 0, asked)
		if err != nil {
			t.Fatal(err)
		}
		if c.Threshold > asked.Share {
			broken++
		}
	}
	// The exact level of the test is P(Bin(60, .1) <= 2) = .0530: a wrong order by one gives .1374.
	if rate := float64(broken) / float64(trials); math.Abs(rate-0.0530) > 0.012 {
		t.Errorf("the promise broke in %.3f of the trials, want .053", rate)
	}
}

// notes have words with scores; an upper-case word is a name, a digit a date.
func notes(texts ...string) (out []annotate.Note) {
	for i, text := range texts {
		words := strings.Fields(text)
		n := annotate.Note{Words: words, Group: fmt.Sprint("p", i/2), Sensitive: make([]bool, len(words)), Labels: make([]annotate.Label, len(words))}
		for x, w := range words {
			switch {
			case w >= "A" && w <= "Z":
				n.Sensitive[x], n.Labels[x] = true, "NAME"
			case w >= "0" && w <= "9":
				n.Sensitive[x], n.Labels[x] = true, "DATE"
			}
		}
		out = append(out, n)
	}
	return out
}

func TestLeastScoreIsWhereANoteLeaks(t *testing.T) {
	docs := notes("A b 3", "c d", "E F", "7")
	scores := [][]float64{{.9, .1, .2}, {.1, .1}, {.4, .6}, {.3}}
	all, names := target.Target{}, target.Target{Labels: []annotate.Label{"NAME"}}
	if got := target.Least(docs, scores, all); !slices.Equal(got, []float64{.2, target.Never, .4, .3}) {
		t.Errorf("every label: %v", got)
	}
	least := target.Least(docs, scores, names)
	if !slices.Equal(least, []float64{.9, target.Never, .4, target.Never}) {
		t.Errorf("names: %v", least)
	}
	if got := target.ByGroup(docs, least); !slices.Equal(got, []float64{.9, .4}) {
		t.Errorf("by patient: %v", got)
	}
}

// TestLowerThresholdsRedactMore: settings are nested, so a unit that leaks at a threshold
// leaks at every higher one.
func TestLowerThresholdsRedactMore(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	units := make([]float64, 50)
	for i := range units {
		units[i] = float64(random.IntN(12)) / 10 // some above 1, many equal
	}
	before := -1.0
	for k := range len(units) + 1 {
		at := target.Threshold(units, k)
		if at < before || at < 0 || at > 1 {
			t.Fatalf("threshold %g for %d leaking units after %g", at, k, before)
		}
		if leaking(units, at) > float64(k) {
			t.Errorf("%g units leak at the threshold for %d", leaking(units, at), k)
		}
		if next := at + 1e-9; next <= 1 && k < len(units) && leaking(units, next) <= float64(k) {
			t.Errorf("a higher threshold would do for %d", k)
		}
		before = at
	}
}

// byLength scores a word by its length.
type byLength struct{}

func (byLength) Scores(v annotate.View) []float64 {
	out := make([]float64, len(v.Words))
	for i, w := range v.Words {
		out[i] = float64(len(w)) / 10
	}
	return out
}

func (byLength) Hard(v annotate.View) []bool { return make([]bool, len(v.Words)) }

// TestSettingsAreNested: what a redaction model with a threshold redacts, one with a lower
// threshold redacts too.
func TestSettingsAreNested(t *testing.T) {
	docs := notes("aa bbb c dddd eeeeeeeeee", "ff g")
	before := [][]bool{make([]bool, 5), make([]bool, 2)}
	counts := 0
	for _, threshold := range []float64{1, 0.5, 0.4, 0.3, 0.2, 0.1, 0} {
		e := greedy.Ensemble{{Classifier: byLength{}, Threshold: threshold, Whole: true}}
		now := e.RedactAll(docs)
		for i := range docs {
			for x := range now[i] {
				if before[i][x] && !now[i][x] {
					t.Errorf("threshold %g leaves token %d of note %d, which a higher one redacts", threshold, x, i)
				}
				if now[i][x] && !before[i][x] {
					counts++
				}
			}
		}
		before = now
	}
	if counts != 7 {
		t.Errorf("%d of 7 tokens are redacted in the end", counts)
	}
}

func TestPlans(t *testing.T) {
	asked := target.Target{Share: 0.05, Sure: 0.95}
	for _, c := range []struct {
		sample, aside int
		says          string
	}{
		{400, 200, "59 notes without a leak are needed for 5 % at 95 %. 200 of the 400 in the random sample are set aside for calibration, and nothing is trained on them. The smallest target possible with them is 1.49 %."},
		{100, 59, "59 of the 100"},
		{89, 59, "59 of the 89"},
	} {
		p, err := target.NewPlan(c.sample, false, asked)
		if err != nil || p.Aside != c.aside || !strings.Contains(p.Words(asked), c.says) {
			t.Errorf("%d: %+v, %v, %s", c.sample, p, err, p.Words(asked))
		}
	}
	_, err := target.NewPlan(60, true, asked)
	few, ok := errors.AsType[*target.TooFew](err)
	if !ok || err.Error() != "59 patients without a leak are needed for a target of 5 % at 95 %; of the 60 in the random sample 40 can be set aside" ||
		few.Hint() != "finish 29 more patients of the random sample, or ask for 7.22 %, the smallest target possible now" {
		t.Errorf("%v; %v", err, few)
	}
	if _, err := target.NewPlan(60, true, target.Target{Share: 0.0722, Sure: 0.95}); err != nil {
		t.Errorf("the smallest possible target is refused: %v", err)
	}
	if _, err := target.NewPlan(89, false, asked); err != nil {
		t.Errorf("the hint asks for one note too few: %v", err)
	}
}

func TestBadTargetsAreRefused(t *testing.T) {
	for _, bad := range []target.Target{{0, .95, nil}, {1e-6, .95, nil}, {1e-300, .95, nil}, {1, .95, nil}, {-.1, .95, nil}, {.05, .4, nil}, {.05, 1, nil}, {math.NaN(), .95, nil}, {.05, math.NaN(), nil}} {
		if _, err := target.NewPlan(1000, false, bad); err == nil {
			t.Errorf("%v is accepted", bad)
		}
		if _, err := target.Choose(make([]float64, 1000), false, 0, bad); err == nil {
			t.Errorf("%v is chosen for", bad)
		}
	}
	if _, err := target.Choose(make([]float64, 58), false, 0, target.Target{Share: .05, Sure: .95}); err == nil {
		t.Error("58 units show 5 %")
	}
}

func TestDrawsKeepTheirUnits(t *testing.T) {
	mac := func(b []byte) []byte {
		h := hmac.New(sha256.New, []byte("key"))
		h.Write(b)
		return h.Sum(nil)
	}
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprint("n", i))
	}
	few, more := target.Draw(names, 10, mac), target.Draw(names, 20, mac)
	slices.Reverse(names)
	again := target.Draw(names, 10, mac)
	for name := range few {
		if !more[name] || !again[name] {
			t.Errorf("%s is drawn for 10 units, and not for 20 or in another order", name)
		}
	}
	if len(few) != 10 || len(more) != 20 || len(target.Draw(names, 99, mac)) != 40 {
		t.Errorf("%d and %d units drawn", len(few), len(more))
	}
}

func TestRatiosAreThoseOfTheThreshold(t *testing.T) {
	for threshold, want := range map[float64]float64{0.5: 1, 0.2: 4, 0.0123456: 80, 0: 1e9, 1e-12: 1e9, 1: 1e-4} {
		if got := (target.Choice{Threshold: threshold}).Ratio(1e9); math.Abs(got-want) > 1e-9*want {
			t.Errorf("threshold %g is that of L/C %g, want %g", threshold, got, want)
		}
	}
}
