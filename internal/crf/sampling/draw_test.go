// SPDX-License-Identifier: Apache-2.0

package sampling

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// times counts how often each word of a document is in a copy.
func times(t *testing.T, d Document, copies [][]bool) []int {
	t.Helper()
	out := make([]int, len(d.Words))
	for k, skip := range copies {
		for x, left := range skip {
			if !left {
				out[x]++
			}
			if k > 0 && copies[k-1][x] && !left {
				t.Fatalf("word %d is in copy %d and not in the one before", x, k)
			}
		}
	}
	return out
}

func drawn(t *testing.T, s Sampling, docs ...Document) [][]int {
	t.Helper()
	copies, err := s.Draw(docs)
	if err != nil {
		t.Fatal(err)
	}
	out := make([][]int, len(docs))
	for i, d := range docs {
		if len(copies[i]) == 0 {
			t.Fatalf("document %d has no copy", i)
		}
		out[i] = times(t, d, copies[i])
	}
	return out
}

// The dissertation draws 200,000 words from 106,255, by the probabilities of its table 4.6.
func TestDrawsAreInProportionToCost(t *testing.T) {
	d := labelledWords(7, 60_000)
	cost := map[annotate.Label]float64{"NAME": 1, "DATE": .5, "AGE": .3, "": .1}
	counts := drawn(t, Sampling{Cost: cost, Times: 200_000. / 106_255, Seed: 4}, d)[0]
	sum, words, mean, total := map[annotate.Label]float64{}, map[annotate.Label]float64{}, 0.0, 0
	for x, n := range counts {
		label := d.Labels[x]
		if label != "" && !d.opens(x) {
			if n != counts[x-1] {
				t.Fatalf("word %d: a span of %s is cut", x, label)
			}
		}
		words[label]++
		sum[label] += float64(n)
		mean += cost[label] / float64(len(counts))
		total += n
	}
	if want := 60_000 * 200_000. / 106_255; math.Abs(float64(total)/want-1) > .03 {
		t.Errorf("%d words are drawn, want about %.0f", total, want)
	}
	for label, c := range cost {
		want := 200_000. / 106_255 * c / mean
		// Draws of the words of a span are the same: at most three times the variance.
		if got, four := sum[label]/words[label], 4*math.Sqrt(3*want/words[label]); math.Abs(got-want) > four {
			t.Errorf("label %q: drawn %.3f times in the mean, want %.3f +- %.3f", label, got, want, four)
		}
	}
}

func TestDrawsLeaveOutWhatOAndWindowLeaveOut(t *testing.T) {
	d := labelledWords(8, 3000)
	skip := Sampling{O: .5, Window: 6, Seed: 2}.Rejects(d)
	counts := drawn(t, Sampling{O: .5, Window: 6, Times: 3, Seed: 2}, d)[0]
	again := 0
	for x, n := range counts {
		if skip[x] && n > 0 {
			t.Fatalf("word %d is left out and drawn %d times", x, n)
		}
		if n > 1 {
			again++
		}
	}
	if again == 0 {
		t.Error("nothing is drawn twice")
	}
	d.Skip = make([]bool, len(d.Words))
	d.Skip[0] = true
	if drawn(t, Sampling{Times: 50}, d)[0][0] != 0 {
		t.Error("a word that training leaves out is drawn")
	}
}

func TestDrawsDependOnSeedAndWordsOfTheDocument(t *testing.T) {
	a, b := labelledWords(9, 400), labelledWords(10, 400)
	s := Sampling{Times: 2, Seed: 1}
	both := drawn(t, s, a, b)
	if turned := drawn(t, s, b, a); !reflect.DeepEqual(both, [][]int{turned[1], turned[0]}) {
		t.Error("the order of documents has an effect")
	}
	s.Seed = 2
	if reflect.DeepEqual(both, drawn(t, s, a, b)) {
		t.Error("the seed has no effect")
	}
}

// The quantiles of a Poisson distribution, against the sum of its definition.
func TestPoisson(t *testing.T) {
	for _, mean := range []float64{.01, .5, 1, 7.5, mostDraws} {
		sum := 0.0
		for n := range 3 * mostDraws {
			p := math.Exp(float64(n)*math.Log(mean) - mean - lgamma(n+1))
			if p > 1e-6 {
				if got := poisson(sum+p/2, mean); got != n {
					t.Fatalf("mean %g: the quantile %.6f is %d, want %d", mean, sum+p/2, got, n)
				}
			}
			sum += p
		}
	}
	if n := poisson(math.Nextafter(1, 0), mostDraws); n > 3*mostDraws {
		t.Errorf("the last quantile is %d", n)
	}
}

func lgamma(n int) float64 {
	v, _ := math.Lgamma(float64(n))
	return v
}

func TestDrawRefusesCostsTooFarApart(t *testing.T) {
	d := labelledWords(11, 5000)
	_, err := Sampling{Times: 1, Cost: map[annotate.Label]float64{"NAME": 1e6}}.Draw([]Document{d})
	if err != nil {
		t.Fatalf("names are a tenth of the words: %v", err)
	}
	words := slices.Repeat([]string{"w"}, 5000)
	rare := Document{Words: words, Labels: make([]annotate.Label, 5000)}
	rare.Labels[7] = "NAME"
	_, err = Sampling{Times: 1, Cost: map[annotate.Label]float64{"NAME": 1e6}}.Draw([]Document{rare})
	if err == nil || !strings.Contains(err.Error(), "an example of label NAME would be drawn") {
		t.Errorf("error %v", err)
	}
	if out, err := (Sampling{Times: 1}).Draw([]Document{{}}); err != nil || len(out[0]) != 1 {
		t.Errorf("a document without words: %v, %v", out, err)
	}
}
