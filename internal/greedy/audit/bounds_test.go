// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"hide/internal/testsize"
)

// TestReadingEffort has the table of reading effort for 15,000 passages, and worked
// examples with planted identifiers.
func TestReadingEffort(t *testing.T) {
	o := NewOutlook(OutlookOptions{Passages: 15_000, Read: []int{100, 300, 1000, 3000}, Alpha: Alpha, MeanWords: 33, WordsPerMinute: 150})
	want := [][3]int{{441, 1133, 652}, {147, 382, 264}, {43, 113, 94}, {13, 36, 34}}
	for i, s := range o.Steps {
		if got := [3]int{s.None, s.Three, s.AnytimeNone}; got != want[i] {
			t.Errorf("%d read: %v, want %v", s.Read, got, want[i])
		}
	}
	if o.Steps[0].Minutes != 22 {
		t.Errorf("100 passages take %g minutes, want 22", o.Steps[0].Minutes)
	}
	few := NewOutlook(OutlookOptions{Passages: 1_000, Read: []int{30}, Plants: 5, Alpha: Alpha}).Steps[0]
	if got := [4]int{few.None, few.Three, few.AnytimeNone, few.AnytimeThree}; got != [4]int{1_000, 1_000, 1_000, 1_000} {
		t.Errorf("too few plants promise bounds of %v, want none", got)
	}
	if got := Bound(15_000, 450, 3, .05); got != 254 {
		t.Errorf("without plants %d, want 254", got)
	}
	for _, c := range []struct{ planted, caught, want int }{{60, 57, 334}, {60, 60, 305}, {100, 95, 324}} {
		if got := ThinnedBound(15_000, 450, 3, .025, RecallBound(c.planted, c.caught, .025)); got != c.want {
			t.Errorf("%d of %d caught: %d, want %d", c.caught, c.planted, got, c.want)
		}
	}
}

func TestPlantsNeeded(t *testing.T) {
	if got, want := PlantsNeeded(.05, false), (PlantNeed{17, 149}); got != want {
		t.Errorf("fixed: %+v, want %+v", got, want)
	}
	if got, want := PlantsNeeded(.05, true), (PlantNeed{18, 158}); got != want {
		t.Errorf("any time: %+v, want %+v", got, want)
	}
	for _, c := range []struct {
		plants       int
		recall, want float64
	}{{60, .9, .437}, {150, .9, .928}, {60, .8, .012}, {150, .8, .022}, {16, 1, 0}, {17, 1, 1}} {
		if got := Acceptance(c.plants, c.recall, .05, false); math.Abs(got-c.want) > 5e-4 {
			t.Errorf("%d plants, recall %g: %.3f, want %.3f", c.plants, c.recall, got, c.want)
		}
	}
}

// fixedCoverage is the exact probability that the bound of a sample of n holds for l
// leaking passages and readers of recall s, if the bound is made for recall r.
func fixedCoverage(N, n, l int, s float64, bounds []int) float64 {
	p := 0.0
	h, lo, hi := hypergeometric(N, l, n)
	for x := lo; x <= hi; x++ {
		found := 0.0
		for k := 0; k <= x; k++ {
			if bounds[k] >= l {
				found += exactBinomial(x, k, s)
			}
		}
		p += math.Exp(h.log(x)) * found
	}
	return p
}

func exactBinomial(n, k int, s float64) float64 {
	return math.Exp(logChoose(n, k)) * math.Pow(s, float64(k)) * math.Pow(1-s, float64(n-k))
}

// TestFixedBoundsCover enumerates all numbers found, for real sizes and for small ones.
func TestFixedBoundsCover(t *testing.T) {
	for _, c := range []struct {
		N, n         int
		alpha, known float64
		leaking      []int
	}{
		{15_000, 450, .05, 1, []int{1, 20, 99, 254, 255, 600, 2_000}},
		{15_000, 450, .025, .86, []int{0, 140, 333, 1_000}},
		{3_000, 300, .02, .84, []int{11, 60, 500}},
		{60, 20, .05, 1, upTo(60)}, {60, 20, .05, .8, upTo(60)}, {12, 5, .2, .5, upTo(12)}, {12, 12, .1, .7, upTo(12)}, {9, 9, .05, 1, upTo(9)},
	} {
		bounds := make([]int, c.n+1)
		for k := range bounds {
			if k > 150 { // too improbable to matter
				continue
			}
			if bounds[k] = ThinnedBound(c.N, c.n, k, c.alpha, c.known); k > 0 && bounds[k] < bounds[k-1] {
				t.Fatalf("%+v: the bound falls at %d found", c, k)
			}
		}
		for _, l := range c.leaking {
			for _, s := range []float64{c.known, (1 + c.known) / 2, 1} {
				if p := fixedCoverage(c.N, c.n, l, s, bounds); p < 1-c.alpha-1e-9 {
					t.Errorf("%d of %d, %d leaking, bound for recall %g, recall %g: covered with %.4f", c.n, c.N, l, c.known, s, p)
				}
			}
		}
	}
}

func upTo(n int) []int {
	out := make([]int, n+1)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestAnytimeBoundsCover computes exactly, over all draws, how probable it is that the
// bound holds at every look. Of l leaking passages the readers would find a binomial number.
func TestAnytimeBoundsCover(t *testing.T) {
	for _, c := range []struct {
		N            int
		alpha, known float64
	}{
		{12, .05, 1}, {12, .3, 1}, {12, .3, .8}, {11, .5, .5}, {7, .4, .9}, {2, .3, .7}, {150, .05, 1}, {150, .05, .85}, {60, .3, .6},
	} {
		bounds := make([][]int, c.N+1) // by answers and findings
		for n := range bounds {
			for k := range n + 1 {
				bounds[n] = append(bounds[n], anytimeLast(c.N, n, k, c.alpha, c.known))
			}
		}
		for l := range c.N + 1 {
			if c.N > 12 && l%7 > 0 {
				continue
			}
			for _, s := range []float64{c.known, (1 + c.known) / 2, 1} {
				p := 0.0
				for d := range l + 1 {
					p += exactBinomial(l, d, s) * alwaysHolds(bounds, d, l)
				}
				if p < 1-c.alpha-1e-9 {
					t.Errorf("%+v, %d leaking, recall %g: covered with %.4f", c, l, s, p)
				}
			}
		}
	}
}

// alwaysHolds is the probability that no bound is below l when found passages are d of all.
func alwaysHolds(bounds [][]int, d, l int) float64 {
	N := len(bounds) - 1
	p := make([]float64, d+2) // by number found
	p[0] = 1
	for t := 1; t <= N; t++ {
		left := float64(N - t + 1)
		for k := min(t, d); k >= 0; k-- {
			unfound := float64(d - k)
			q := p[k] * max(0, left-unfound) / left
			if k > 0 {
				q += p[k-1] * (unfound + 1) / left
			}
			if bounds[t][k] < l {
				q = 0
			}
			p[k] = q
		}
	}
	return p[d]
}

// TestBoundsAgainstBigNumbers recomputes bounds with rational numbers, by trying every
// number of leaking passages.
func TestBoundsAgainstBigNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range testsize.Of(60, 600) {
		N := 1 + random.IntN(28)
		n := 1 + random.IntN(N)
		k := random.IntN(n + 1)
		s := big.NewRat(int64(5+random.IntN(6)), 10)
		recall, _ := s.Float64()
		alpha := big.NewRat(int64(1+random.IntN(30)), 100)
		a, _ := alpha.Float64()
		fixed, last := 0, k
		for l := 0; l <= N; l++ {
			if tail := bigTail(N, n, k, l, s); k == n || tail.Cmp(alpha) >= 0 { // of exactly alpha the program takes the safe side
				fixed = l
			}
			limit := new(big.Rat).Mul(alpha, bigMixture(n, k))
			if bigSequence(N, n, k, l, s).Cmp(limit) >= 0 {
				last = l
			}
		}
		if got := ThinnedBound(N, n, k, a, recall); got != fixed {
			t.Errorf("%d of %d, %d found, recall %g, alpha %g: %d, want %d", n, N, k, recall, a, got, fixed)
		}
		if got := anytimeLast(N, n, k, a, recall); got != last {
			t.Errorf("any time, %d of %d, %d found, recall %g, alpha %g: %d, want %d", n, N, k, recall, a, got, last)
		}
	}
}

func bigChoose(n, k int) *big.Rat {
	if k < 0 || k > n {
		return new(big.Rat)
	}
	return new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k)))
}

func bigPower(x *big.Rat, n int) *big.Rat {
	out := big.NewRat(1, 1)
	for range n {
		out.Mul(out, x)
	}
	return out
}

// bigFound is the probability of each number found.
func bigFound(N, n, k, l int, s *big.Rat) *big.Rat {
	miss := new(big.Rat).Sub(big.NewRat(1, 1), s)
	sum := new(big.Rat)
	for x := k; x <= n; x++ {
		if n-x > N-l {
			continue
		}
		p := new(big.Rat).Mul(bigChoose(l, x), bigChoose(max(0, N-l), n-x))
		p.Mul(p, bigChoose(x, k)).Mul(p, bigPower(s, k)).Mul(p, bigPower(miss, x-k))
		sum.Add(sum, p)
	}
	return sum.Quo(sum, bigChoose(N, n))
}

func bigTail(N, n, k, l int, s *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for j := range k + 1 {
		sum.Add(sum, bigFound(N, n, j, l, s))
	}
	return sum
}

// bigSequence is the probability of one order of n answers with k found.
func bigSequence(N, n, k, l int, s *big.Rat) *big.Rat {
	return new(big.Rat).Quo(bigFound(N, n, k, l, s), bigChoose(n, k))
}

// bigMixture is B(1+k, 30+n-k)/B(1, 30), a product of predictive probabilities.
func bigMixture(n, k int) *big.Rat {
	out := big.NewRat(1, 1)
	for i := range n {
		seen := int64(i)
		if i < k {
			out.Mul(out, big.NewRat(1+seen, 31+seen))
		} else {
			out.Mul(out, big.NewRat(30+seen-int64(k), 31+seen))
		}
	}
	return out
}

// TestBoundsMove in the direction that people expect.
func TestBoundsMove(t *testing.T) {
	base := ThinnedBound(5_000, 400, 3, .05, .9)
	for name, other := range map[string]int{
		"more found": ThinnedBound(5_000, 400, 4, .05, .9), "fewer read": ThinnedBound(5_000, 300, 3, .05, .9),
		"worse readers": ThinnedBound(5_000, 400, 3, .05, .85), "surer": ThinnedBound(5_000, 400, 3, .01, .9), "more passages": ThinnedBound(6_000, 400, 3, .05, .9),
	} {
		if other <= base {
			t.Errorf("%s: %d, not above %d", name, other, base)
		}
	}
	a, last := NewAnytime(5_000, .05, .9), 5_000
	for i := range 500 {
		if a.Add(i%100 == 40); a.Bound() > last {
			t.Fatalf("the bound rises after %d answers", i+1)
		}
		last = a.Bound()
	}
	if again := AnytimeBound(5_000, 500, []int{41, 141, 241, 341, 441}, .05, .9); again != last {
		t.Errorf("%d at once, %d one by one", again, last)
	}
	if better := AnytimeBound(5_000, 500, []int{41, 141, 241, 341, 441}, .05, .95); better > last {
		t.Errorf("better readers have %d, others %d", better, last)
	}
	if a, b := AnytimeRecallBound(60, 57, .025), RecallBound(60, 57, .025); a >= b || a < .75 {
		t.Errorf("any time %g, fixed %g", a, b)
	}
	if got := Chapman(9, 7, 3); got != 19 {
		t.Errorf("Chapman estimates %g, want 19", got)
	}
}

// TestLiveRecallCovers computes exactly how probable it is that the bound of recall holds
// at every look.
func TestLiveRecallCovers(t *testing.T) {
	const planned, alpha = 60, .025
	for _, s := range []float64{.5, .8, .86, .9, .95, .99} {
		p := map[int]float64{0: 1}
		for m := 1; m <= planned; m++ {
			next := map[int]float64{}
			for c, q := range p {
				next[c+1] += q * s
				next[c] += q * (1 - s)
			}
			for c := range next {
				if LiveRecallBound(planned, m, c, alpha) > s {
					delete(next, c)
				}
			}
			p = next
		}
		sum := 0.0
		for _, q := range p {
			sum += q
		}
		if sum < 1-alpha {
			t.Errorf("recall %g is covered with %.4f", s, sum)
		}
	}
}

// TestAnytimeWithPlantsCovers enumerates all orders of six passages and all results of six
// planted identifiers among them: with probability 1-alpha no look, each with the recall
// bound of that moment, gives a bound below the truth.
func TestAnytimeWithPlantsCovers(t *testing.T) {
	const N = 6
	for _, alpha := range []float64{.1, .4, .8} {
		bound := map[[3]int]int{} // by answers, findings as bits, caught
		for read := 1; read <= N; read++ {
			for bits := range 1 << read {
				var found []int
				for i := range read {
					if bits>>i&1 == 1 {
						found = append(found, i+1)
					}
				}
				for caught := range read + 1 {
					bound[[3]int{read, bits, caught}] = AnytimeBound(N, read, found, alpha/2, LiveRecallBound(N, read, caught, alpha/2))
				}
			}
		}
		for l := range N + 1 {
			for _, s := range []float64{.3, .6, .8, .9, .97, 1} {
				if p := heldWithPlants(N, l, s, bound); p < 1-alpha-1e-9 {
					t.Errorf("alpha %g, %d of %d leaking, recall %g: covered with %.4f", alpha, l, N, s, p)
				}
			}
		}
	}
}

// heldWithPlants is the probability that no bound is below l; found passages are a binomial
// number of the l, at random places.
func heldWithPlants(N, l int, s float64, bound map[[3]int]int) float64 {
	p := 0.0
	for bits := range 1 << N {
		k := 0
		for i := range N {
			k += bits >> i & 1
		}
		if k > l {
			continue
		}
		for plants := range 1 << N {
			caught, held := 0, true
			for read := 1; read <= N && held; read++ {
				caught += plants >> (read - 1) & 1
				held = bound[[3]int{read, bits & (1<<read - 1), caught}] >= l
			}
			if held {
				c := float64(caught)
				p += exactBinomial(l, k, s) / math.Exp(logChoose(N, k)) * math.Pow(s, c) * math.Pow(1-s, float64(N)-c)
			}
		}
	}
	return p
}
