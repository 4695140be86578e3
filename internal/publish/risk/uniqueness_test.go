// SPDX-License-Identifier: Apache-2.0

package risk

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// classesOf counts equal elements.
func classesOf(people []int) []int {
	counts := map[int]int{}
	for _, class := range people {
		counts[class]++
	}
	var sizes []int
	for _, class := range slices.Sorted(func(yield func(int) bool) {
		for c := range counts {
			if !yield(c) {
				return
			}
		}
	}) {
		sizes = append(sizes, counts[class])
	}
	return sizes
}

func aloneIn(people []int) float64 {
	alone := 0
	for _, size := range classesOf(people) {
		if size == 1 {
			alone++
		}
	}
	return float64(alone) / float64(len(people))
}

// pitmanPeople seats people as the Chinese restaurant process does.
func pitmanPeople(rng *rand.Rand, n int, theta, alpha float64) []int {
	people, sizes := []int{0}, []int{1}
	for len(people) < n {
		i := float64(len(people))
		if rng.Float64() < (theta+alpha*float64(len(sizes)))/(theta+i) {
			people, sizes = append(people, len(sizes)), append(sizes, 1)
			continue
		}
		for { // a class with probability (size - alpha): that of a person, kept with (size-alpha)/size
			class := people[rng.IntN(len(people))]
			if rng.Float64() < (float64(sizes[class])-alpha)/float64(sizes[class]) {
				people = append(people, class)
				sizes[class]++
				break
			}
		}
	}
	return people
}

// snbPeople fills classes with 1 + negative binomial people, a gamma mixture of
// Poisson counts with a whole a.
func snbPeople(rng *rand.Rand, classes, a int, b float64) []int {
	var people []int
	for class := range classes {
		people = append(people, class)
		for failures := 0; failures < a; {
			if rng.Float64() < b {
				failures++
			} else {
				people = append(people, class)
			}
		}
	}
	return people
}

func drawn(rng *rand.Rand, people []int, n int) []int {
	sample := slices.Clone(people)
	rng.Shuffle(len(sample), func(i, j int) { sample[i], sample[j] = sample[j], sample[i] })
	return classesOf(sample[:n])
}

func TestWholePopulationsAreCountedExactlyByZayatz(t *testing.T) {
	u, err := Estimate([]int{1, 1, 1, 2, 5, 10}, 20)
	if err != nil || math.Abs(*u.Zayatz-3./20) > 1e-12 {
		t.Errorf("%+v, %v; three of twenty are alone", u, err)
	}
	if u, err = Estimate([]int{1, 1, 1}, 3000); err != nil || *u.Zayatz != 1 || u.Pitman != nil || u.SNB != nil || u.Advised != Zayatz {
		t.Errorf("all alone: %+v, %v", u, err)
	}
	if u, err = Estimate([]int{2, 3}, 100); err != nil || u.Unique != 0 || *u.Pitman != 0 {
		t.Errorf("nobody alone: %+v, %v", u, err)
	}
	if _, err = Estimate([]int{2, 3}, 4); err == nil {
		t.Error("a population smaller than its sample is taken")
	}
}

// TestZayatzBySmallEnumeration takes the hypergeometric probabilities from counting
// all samples.
func TestZayatzBySmallEnumeration(t *testing.T) {
	const people, rows = 9, 4
	for size := 1; size <= people; size++ {
		once, all := 0, 0
		for set := range 1 << people {
			drawn, of := 0, 0
			for i := range people {
				if set>>i&1 == 1 {
					drawn++
					if i < size {
						of++
					}
				}
			}
			if drawn == rows {
				all++
				if of == 1 {
					once++
				}
			}
		}
		if got, want := onceOf(size, rows, people), float64(once)/float64(all); math.Abs(got-want) > 1e-12 {
			t.Errorf("class of %d: %v, want %v", size, got, want)
		}
	}
}

// TestPitmanFindsWhatWasDrawn samples populations of the model itself.
func TestPitmanFindsWhatWasDrawn(t *testing.T) {
	for _, p := range []struct{ theta, alpha float64 }{{20, .6}, {200, .3}, {50, .8}, {400, 0}} {
		truth, estimate := 0.0, 0.0
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, 5))
			people := pitmanPeople(rng, 20000, p.theta, p.alpha)
			truth += aloneIn(people)
			u, err := Estimate(drawn(rng, people, 1500), len(people))
			if err != nil || u.Pitman == nil || u.Advised != Pitman {
				t.Fatalf("%+v: %+v, %v", p, u, err)
			}
			estimate += *u.Pitman
		}
		if math.Abs(estimate-truth) > .15*truth+.005 {
			t.Errorf("%+v: %.4f estimated, %.4f are alone", p, estimate/4, truth/4)
		}
	}
}

// TestPitmanIsWhereItsDerivativesVanish compares with the likelihood as it is printed.
func TestPitmanIsWhereItsDerivativesVanish(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	h := histogram(drawn(rng, pitmanPeople(rng, 5000, 30, .5), 800))
	logL := func(theta, alpha float64) float64 {
		sum := 0.0
		for i := 1; i < h.classes; i++ {
			sum += math.Log(theta + float64(i)*alpha)
		}
		for i := 1; i < h.rows; i++ {
			sum -= math.Log(theta + float64(i))
		}
		for k, size := range h.sizes {
			for i := 1; i < size; i++ {
				sum += float64(h.counts[k]) * math.Log(float64(i)-alpha)
			}
		}
		return sum
	}
	alpha := root(0, 1-1e-9, func(alpha float64) float64 { return h.slope(h.theta(alpha), alpha) })
	theta := h.theta(alpha)
	best := logL(theta, alpha)
	for _, d := range [][2]float64{{1.02, 0}, {.98, 0}, {1, .01}, {1, -.01}, {1.02, -.01}, {.98, .01}} {
		if logL(theta*d[0], alpha+d[1]) >= best {
			t.Errorf("theta %v, alpha %v: more likely %v away", theta, alpha, d)
		}
	}
}

func TestSNBFindsWhatWasDrawn(t *testing.T) {
	for _, p := range []struct{ a, b, f float64 }{{.5, .2, .3}, {1, .5, .5}, {3, .4, .2}, {.1, .05, .15}} {
		one, two := shares(p.a, p.b, p.f)
		a, b, fits := fitSNB(one, two, p.f)
		if !fits || math.Abs(math.Pow(b, a)-math.Pow(p.b, p.a)) > 1e-4 {
			t.Errorf("%+v: a %v, b %v, %v", p, a, b, fits)
		}
	}
	truth, estimate := 0.0, 0.0
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 7))
		people := snbPeople(rng, 8000, 1, .4)
		truth += aloneIn(people)
		u, err := Estimate(drawn(rng, people, len(people)/2), len(people))
		if err != nil || u.SNB == nil {
			t.Fatalf("%+v, %v", u, err)
		}
		estimate += *u.SNB
	}
	if math.Abs(estimate-truth) > .15*truth {
		t.Errorf("%.4f estimated, %.4f are alone", estimate/6, truth/6)
	}
}

// TestSNBSharesByEnumeration takes the shares from the distribution itself.
func TestSNBSharesByEnumeration(t *testing.T) {
	const a, b, f = 2., .3, .4
	one, two, p := 0.0, 0.0, math.Pow(b, a) // p = P(F = size)
	for size := 1.0; size < 400; size++ {
		one += p * size * f * math.Pow(1-f, size-1)
		two += p * size * (size - 1) / 2 * f * f * math.Pow(1-f, size-2)
		p *= (1 - b) * (a + size - 1) / size
	}
	if got1, got2 := shares(a, b, f); math.Abs(got1-one) > 1e-12 || math.Abs(got2-two) > 1e-12 {
		t.Errorf("got %v, %v, want %v, %v", got1, got2, one, two)
	}
}

func TestHarmonicSumsAreSums(t *testing.T) {
	for _, x := range []float64{.01, .7, 3, 39.5, 1e4, 1e11} {
		for _, m := range []int{0, 1, 5, 300, 5000} {
			want := 0.0
			for i := range m {
				want += 1 / (x + float64(i))
			}
			if got := harmonic(x, m); math.Abs(got-want) > 1e-11*want+1e-300 {
				t.Errorf("%v, %d: got %v, want %v", x, m, got, want)
			}
		}
	}
}

// TestEstimatesOfAnySampleAreShares draws samples of all shapes.
func TestEstimatesOfAnySampleAreShares(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 60 {
		var sizes []int
		rows := 0
		for range 1 + rng.IntN(40) {
			sizes = append(sizes, 1+rng.IntN(1+rng.IntN(30)))
			rows += sizes[len(sizes)-1]
		}
		u, err := Estimate(sizes, rows*(1+rng.IntN(50)))
		if err != nil {
			t.Fatal(err)
		}
		for _, share := range []*float64{u.Zayatz, u.Pitman, u.SNB, &u.Unique} {
			if share != nil && !(*share >= 0 && *share <= 1) {
				t.Errorf("%v of %d: %+v", sizes, u.People, u)
			}
		}
	}
}
