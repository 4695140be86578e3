// SPDX-License-Identifier: Apache-2.0

package sampling

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

// labelledWords is a document of n words, about one in eight of which begins a
// span of one to three words.
func labelledWords(seed uint64, n int) Document {
	r := rand.New(rand.NewPCG(seed, 3))
	var d Document
	for len(d.Words) < n {
		label, size := annotate.Label(""), 1
		if r.IntN(8) == 0 {
			label, size = []annotate.Label{"NAME", "DATE", "AGE"}[r.IntN(3)], 1+r.IntN(3)
		}
		for i := range size {
			d.Words = append(d.Words, fmt.Sprint("w", r.IntN(500)))
			d.Labels = append(d.Labels, label)
			d.Begins = append(d.Begins, label != "" && i == 0)
		}
	}
	return d
}

func applied(t *testing.T, s Sampling, d Document) []bool {
	t.Helper()
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	return s.Rejects(d)
}

// TestWindowKeepsWhatIsNearASensitiveWord compares with the definition.
func TestWindowKeepsWhatIsNearASensitiveWord(t *testing.T) {
	for seed := range uint64(40) {
		d := labelledWords(seed, 1+int(seed)*3)
		for _, k := range []int{1, 2, 5, 1000} {
			skip := applied(t, Sampling{Window: k}, d)
			for i := range d.Words {
				near := false
				for j, label := range d.Labels {
					near = near || label != "" && max(i-j, j-i) <= k
				}
				if skip[i] == near {
					t.Fatalf("seed %d, window %d, word %d: near %v, skipped %v", seed, k, i, near, skip[i])
				}
			}
		}
	}
}

func TestWindowLeavesNothingOfADocumentWithoutSensitiveWords(t *testing.T) {
	skip := applied(t, Sampling{Window: 3}, Document{Words: []string{"a", "b"}})
	if !slices.Equal(skip, []bool{true, true}) {
		t.Errorf("skips %v", skip)
	}
}

// share fails t if the share stay/n differs from want by more than four standard
// deviations.
func share(t *testing.T, what string, n, stay int, want float64) {
	t.Helper()
	deviation := math.Sqrt(want * (1 - want) / float64(n))
	if got := float64(stay) / float64(n); math.Abs(got-want) > 4*deviation+1e-12 {
		t.Errorf("%s: %.4f of %d stay, want %.4f +- %.4f", what, got, n, want, 4*deviation)
	}
}

func TestRandomSamplingKeepsTheShareOfOAndEverySensitiveWord(t *testing.T) {
	d := labelledWords(1, 50_000)
	for _, p := range []float64{0.02, 0.2, 0.5, 1} {
		skip := applied(t, Sampling{O: p, Seed: 5}, d)
		n, stay := 0, 0
		for i, label := range d.Labels {
			if label != "" && skip[i] {
				t.Fatalf("p = %g: sensitive word %d is skipped", p, i)
			}
			if label == "" {
				n++
				if !skip[i] {
					stay++
				}
			}
		}
		share(t, fmt.Sprintf("p = %g", p), n, stay, p)
	}
}

func TestCostsAcceptSpansWholeInProportion(t *testing.T) {
	d := labelledWords(2, 80_000)
	// Z is 5; AGE has no cost of its own and costs 1.
	s := Sampling{Cost: map[annotate.Label]float64{"NAME": 5, "DATE": 2, "": 0.5}, Seed: 9}
	want := map[annotate.Label]float64{"NAME": 1, "DATE": 0.4, "AGE": 0.2, "": 0.1}
	skip := applied(t, s, d)
	n, stay := map[annotate.Label]int{}, map[annotate.Label]int{}
	for i, label := range d.Labels {
		if label != "" && !d.opens(i) {
			if skip[i] != skip[i-1] {
				t.Fatalf("word %d: a span of %s is cut", i, label)
			}
			continue
		}
		n[label]++
		if !skip[i] {
			stay[label]++
		}
	}
	for label, p := range want {
		share(t, "label "+string(label), n[label], stay[label], p)
	}
}

func TestOneCostForAllIsNoSampling(t *testing.T) {
	d := labelledWords(3, 500)
	s := Sampling{Cost: map[annotate.Label]float64{"NAME": 1, "": 1}}
	if skip := applied(t, s, d); slices.Contains(skip, true) {
		t.Error("something is skipped")
	}
}

func TestSettingsCombineByLeavingOutWhatAnyLeavesOut(t *testing.T) {
	d := labelledWords(4, 2000)
	costs := map[annotate.Label]float64{"NAME": 4}
	window := applied(t, Sampling{Window: 4, Seed: 2}, d)
	// O words have cost 1 of 4, and one draw decides both: u < 0.5*0.25.
	random := applied(t, Sampling{O: 0.125, Seed: 2}, d)
	cost := applied(t, Sampling{Cost: costs, Seed: 2}, d)
	for i, skip := range applied(t, Sampling{O: 0.5, Window: 4, Cost: costs, Seed: 2}, d) {
		if want := window[i] || random[i] || cost[i]; skip != want {
			t.Fatalf("word %d: skipped %v, want %v", i, skip, want)
		}
	}
}

func TestAStricterSettingKeepsASubset(t *testing.T) {
	d := labelledWords(5, 3000)
	loose, strict := applied(t, Sampling{O: 0.4, Seed: 1}, d), applied(t, Sampling{O: 0.1, Seed: 1}, d)
	for i := range loose {
		if loose[i] && !strict[i] {
			t.Fatalf("word %d stays at 0.1 and not at 0.4", i)
		}
	}
}

func TestDrawsDependOnSeedAndWordsOnly(t *testing.T) {
	d, s := labelledWords(6, 300), Sampling{O: 0.3, Seed: 11}
	skip := applied(t, s, d)
	if slices.Equal(skip, applied(t, Sampling{O: 0.3, Seed: 12}, d)) {
		t.Error("the seed has no effect")
	}
	// Annotating one word changes nothing for the others.
	marked := d
	marked.Labels = slices.Clone(d.Labels)
	at := slices.Index(skip, true)
	marked.Labels[at] = "NAME"
	for i, now := range applied(t, s, marked) {
		if want := skip[i] && i != at; now != want {
			t.Fatalf("word %d: skipped %v, want %v", i, now, want)
		}
	}
}

func TestSamplingAddsToWhatIsSkippedAlready(t *testing.T) {
	d := Document{Words: []string{"a", "b", "c"}, Labels: []annotate.Label{"", "NAME", ""}, Skip: []bool{true, true, false}}
	skip := applied(t, Sampling{Window: 1}, d)
	if !slices.Equal(skip, []bool{true, true, false}) {
		t.Errorf("skips %v", skip)
	}
	skip[2] = true
	if d.Skip[2] {
		t.Error("the caller's document was changed")
	}
}

func TestSamplingSurvivesItsTextForm(t *testing.T) {
	for _, text := range []string{"", "o=0.2", "window=4", "cost=DATE:0.5,NAME:2,O:0.1", "seed=18446744073709551615", "times=1.9", "o=0.05+window=12+cost=A.b-c:1000000+times=3+seed=7"} {
		s, err := Parse(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if s.String() != text {
			t.Errorf("%q is written as %q", text, s.String())
		}
	}
	s, err := Parse("seed=3+cost=O:.5,A:1+o=1")
	want := Sampling{O: 1, Seed: 3, Cost: map[annotate.Label]float64{"": 0.5, "A": 1}}
	if err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("%+v, %v; want %+v", s, err, want)
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	tests := map[string]string{
		"p=1": `unknown setting "p"`, "o": "o=: invalid", "o=0": "above 0", "o=1.5": "at most 1", "o=NaN": "above 0",
		"o=.2+o=.3": "twice", "window=0": "above 0", "window=-1": "from 1", "window=9999999999": "from 1",
		"cost=": "not a letter", "cost=NAME": "invalid", "cost=NAME:0": "above 0", "cost=NAME:-1": "above 0",
		"cost=NAME:Inf": "above 0", "cost=A:1,A:2": "twice", "cost=A b:1": "not a letter", "seed=-1": "seed=-1: invalid",
		"times=0": "above 0", "times=-1": "above 0", "times=101": "at most 100", "times=NaN": "above 0", "times=": "invalid",
	}
	for text, want := range tests {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("o=0.2+window=4+cost=DATE:0.5,O:0.1+seed=7")
	f.Add("cost=O:1e300")
	f.Add("times=1.9+cost=O:.1")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(s.String())
		if err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%q: written as %q, read as %+v, %v", text, s.String(), again, err)
		}
	})
}
