// SPDX-License-Identifier: Apache-2.0

package bootstrap

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// looked is a look at a note with so many tokens and doubts about contexts by key.
func looked(tokens int, doubts map[uint64]float64) Look {
	l := Look{tokens: tokens}
	for key, doubt := range doubts {
		l.contexts = append(l.contexts, usage{key, doubt})
	}
	l.contexts = greatest(l.contexts)
	return l
}

func TestMostUsefulIsInDoubtAboutWhatIsNotAboutToBeLearnt(t *testing.T) {
	type doubts = map[uint64]float64
	cases := []struct {
		name        string
		open, since []Look
		want        int
	}{
		{"none", nil, nil, -1},
		{"one without doubt", []Look{looked(9, nil)}, nil, 0},
		{"the more doubtful", []Look{looked(9, doubts{1: .1}), looked(9, doubts{2: .3}), looked(9, doubts{3: .2})}, nil, 1},
		{"the first of equals", []Look{looked(9, doubts{1: .2}), looked(9, doubts{2: .2})}, nil, 0},
		{"several little doubts", []Look{looked(9, doubts{1: .4}), looked(9, doubts{2: .2, 3: .2, 4: .1})}, nil, 1},
		{"the shorter of two", []Look{looked(500, doubts{1: .4}), looked(50, doubts{2: .4})}, nil, 1},
		{"not the same again", []Look{looked(9, doubts{1: .4}), looked(9, doubts{2: .3})}, []Look{looked(9, doubts{1: .01})}, 1},
		{"the same where it is worth twice as much", []Look{looked(9, doubts{1: .4}), looked(9, doubts{2: .15})}, []Look{looked(9, doubts{1: .4})}, 0},
		{"and not a third time", []Look{looked(9, doubts{1: .4}), looked(9, doubts{2: .15})}, []Look{looked(9, doubts{1: .4}), looked(9, doubts{1: .4})}, 1},
	}
	for _, c := range cases {
		if got := MostUseful(c.open, c.since); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// TestMostUsefulMatchesItsDefinition compares the choice with the formula computed over
// plain maps.
func TestMostUsefulMatchesItsDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func(n int) (looks []Look, plain []map[uint64]float64) {
		for range n {
			doubts := map[uint64]float64{}
			for range random.IntN(8) {
				doubts[random.Uint64N(12)] = random.Float64() / 2
			}
			looks, plain = append(looks, looked(100, doubts)), append(plain, doubts)
		}
		return looks, plain
	}
	for range 300 {
		open, plain := some(1 + random.IntN(10))
		since, before := some(random.IntN(5))
		worth := func(i int) (sum float64) {
			for key, doubt := range plain[i] {
				n := 0
				for _, b := range before {
					if _, there := b[key]; there {
						n++
					}
				}
				sum += doubt * math.Pow(0.5, float64(n))
			}
			return sum
		}
		got := MostUseful(open, since)
		for i := range open {
			if worth(i) > worth(got)+1e-9 {
				t.Fatalf("%d was chosen, worth %g; %d is worth %g", got, worth(got), i, worth(i))
			}
		}
	}
}

func TestContextsAreWhatStandsBeforeAndHowItIsWritten(t *testing.T) {
	same := func(a, b []string) bool { return contextOf(a, len(a)-1) == contextOf(b, len(b)-1) }
	for _, c := range []struct {
		a, b []string
		want bool
	}{
		{[]string{"Dr", "Okafor"}, []string{"dr", "Weiss"}, true},
		{[]string{"12", "March"}, []string{"31", "April"}, true},
		{[]string{"Dr", "Okafor"}, []string{"Mr", "Okafor"}, false},
		{[]string{"on", "12"}, []string{"on", "2019"}, false},
		{[]string{"Okafor"}, []string{"Weiss"}, true},
		{[]string{"Dr", "OKAFOR"}, []string{"Dr", "Okafor"}, false},
	} {
		if got := same(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}

func TestTheFirstThreeAndThenOneInFourAreRandom(t *testing.T) {
	var random []int
	for done := range 29 {
		if Random(done) {
			random = append(random, done)
		}
	}
	if got, want := fmt.Sprint(random), "[0 1 2 4 8 12 16 20 24 28]"; got != want {
		t.Errorf("drawn at random after %s notes, want %s", got, want)
	}
}
