// SPDX-License-Identifier: Apache-2.0

package bootstrap

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func looked(doubt float64, words string) Look {
	return Look{Doubt: doubt, words: sketchOf(strings.Fields(words))}
}

func TestMostUsefulIsInDoubtAndUnlikeTheLast(t *testing.T) {
	cases := []struct {
		name         string
		open, recent []Look
		want         int
	}{
		{"none", nil, nil, -1},
		{"one without doubt", []Look{looked(0, "a")}, nil, 0},
		{"the more doubtful", []Look{looked(1, "a"), looked(3, "b"), looked(2, "c")}, nil, 1},
		{"the first of equals", []Look{looked(2, "a"), looked(2, "b")}, nil, 0},
		{"not the same again", []Look{looked(3, "a b c d"), looked(1, "e f g h")}, []Look{looked(9, "a b c d")}, 1},
		{"half like the last", []Look{looked(3, "a b c"), looked(1, "x y z")}, []Look{looked(0, "a b d")}, 0},
		{"like one of several", []Look{looked(3, "a b"), looked(1, "x y")}, []Look{looked(0, "c"), looked(0, "a b"), looked(0, "d")}, 1},
	}
	for _, c := range cases {
		if got := MostUseful(c.open, c.recent); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestLikenessIsTheShareOfCommonWords(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{{"a b c", "a b c", 1}, {"a b c", "a b d", 0.5}, {"a", "b", 0}, {"", "", 0}, {"a a a b", "b a", 1}} {
		if got := looked(0, c.a).Likeness(looked(0, c.b)); got != c.want {
			t.Errorf("%q and %q: %g, want %g", c.a, c.b, got, c.want)
		}
	}
}

// TestMostUsefulMatchesSearch holds the choice against the plain reading of its
// definition.
func TestMostUsefulMatchesSearch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func(n int) []Look {
		looks := make([]Look, n)
		for i := range looks {
			var words []string
			for range 1 + random.IntN(20) {
				words = append(words, fmt.Sprint("w", random.IntN(30)))
			}
			looks[i] = looked(random.Float64(), strings.Join(words, " "))
		}
		return looks
	}
	for range 200 {
		open, recent := some(1+random.IntN(10)), some(random.IntN(5))
		got := MostUseful(open, recent)
		value := func(i int) float64 {
			worth := open[i].Doubt
			for _, r := range recent {
				worth = min(worth, open[i].Doubt*(1-open[i].Likeness(r)))
			}
			return worth
		}
		for i := range open {
			if value(i) > value(got) {
				t.Fatalf("%d was chosen, worth %g; %d is worth %g", got, value(got), i, value(i))
			}
		}
	}
}

func TestEveryFourthChoiceAndTheFirstTenAreRandom(t *testing.T) {
	var random []int
	for done := range 21 {
		if Random(done) {
			random = append(random, done)
		}
	}
	if got, want := fmt.Sprint(random), "[0 1 2 3 4 5 6 7 8 9 12 16 20]"; got != want {
		t.Errorf("drawn at random after %s notes, want %s", got, want)
	}
}
