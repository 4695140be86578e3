// SPDX-License-Identifier: Apache-2.0

package risk

import (
	"math/rand/v2"
	"testing"
)

// TestPitmanIsAdvisedUpToATenth draws the same rows from populations of ten times as
// many people, and of a little less.
func TestPitmanIsAdvisedUpToATenth(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 5))
	rows := drawn(rng, pitmanPeople(rng, 5000, 30, .5), 500)
	for _, test := range []struct {
		people int
		pitman bool
	}{{5000, true}, {4999, false}} {
		u, err := Estimate(rows, test.people)
		if err != nil || u.Pitman == nil || (u.Advised == Pitman) != test.pitman {
			t.Errorf("500 of %d people: %s is advised, %v", test.people, u.Advised, err)
		}
	}
}

// TestOfZayatzAndSNBTheLowerIsAdvised looks at samples of all shapes, of more than a
// tenth of the population.
func TestOfZayatzAndSNBTheLowerIsAdvised(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	times := map[Estimator]int{}
	for range 400 {
		var sizes []int
		rows := 0
		for range 5 + rng.IntN(60) {
			sizes = append(sizes, 1+rng.IntN(1+rng.IntN(8)))
			rows += sizes[len(sizes)-1]
		}
		u, err := Estimate(sizes, rows+rows*rng.IntN(80)/10)
		if err != nil {
			t.Fatal(err)
		}
		if u.Zayatz == nil || u.SNB == nil {
			continue
		}
		times[u.Advised]++
		if u.Unique != min(*u.Zayatz, *u.SNB) {
			t.Errorf("%s is advised: %v of %v and %v", u.Advised, u.Unique, *u.Zayatz, *u.SNB)
		}
	}
	if times[Zayatz] == 0 || times[SNB] == 0 || times[Pitman] != 0 {
		t.Errorf("advised: %v", times)
	}
}

// TestTheJournalistFindsAsManyAsTheMarketer: where large classes have few people
// beside, more are found in the mean than there are classes.
func TestTheJournalistFindsAsManyAsTheMarketer(t *testing.T) {
	f := Population([]int{1, 9}, []int{91, 9}, .2)
	if want := (1./91 + 1) / 10; !near(*f.Marketer, want) || !near(f.Journalist.Success, want) {
		t.Errorf("journalist %v, marketer %v; want both %v, not 2/100", f.Journalist.Success, *f.Marketer, want)
	}
}
