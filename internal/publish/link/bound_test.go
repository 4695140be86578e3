// SPDX-License-Identifier: Apache-2.0

package link

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"hide/internal/publish/link/compare"
)

// TestNoBoundIsTooLow scores all pairs of records of random kinds without a floor and with one.
// A pair above the floor must not be lost, and must have the same weight.
func TestNoBoundIsTooLow(t *testing.T) {
	above := 0
	for seed := range uint64(16) {
		e := randomEngine(t, rand.New(rand.NewPCG(seed, 7)))
		exact := e.newScorer(math.Inf(-1))
		for _, floor := range []float64{-6, 0, 6, 12} {
			bounded := e.newScorer(floor)
			for j := range uint32(e.n) {
				for i := range j {
					of, want, _ := exact.score(i, j)
					_, got, ok := bounded.score(i, j)
					if ok != (want >= floor) || ok && got != want {
						t.Fatalf("seed %d, fields %v, levels %x: weight %v, with the floor %v it is %v, above it %v", seed, e.fields, of, want, floor, got, ok)
					}
					if ok {
						above++
					}
				}
			}
		}
	}
	if above < 500 {
		t.Errorf("only %d pairs are above a floor", above)
	}
}

// randomEngine has few records of a name, a birth date and fields of random kinds. Their values
// repeat, are missing, and some cells have two.
func randomEngine(t *testing.T, rng *rand.Rand) *engine {
	t.Helper()
	kinds := []compare.Kind{compare.Given, compare.Surname, compare.BirthDate}
	for range 1 + rng.IntN(5) {
		kinds = append(kinds, compare.Kinds()[rng.IntN(len(compare.Kinds()))])
	}
	rng.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	var fields []Field
	for i, k := range kinds {
		fields = append(fields, Field{Name: fmt.Sprint(i), Kind: k})
	}
	records := NewRecords(fields)
	for range 30 {
		row := make([][]string, len(fields))
		for f, k := range kinds {
			for range min(rng.IntN(8), 1) + rng.IntN(8)/7 {
				row[f] = append(row[f], randomValue(k, rng))
			}
		}
		records.Add(row...)
	}
	result, err := Run(context.Background(), records, Default(fields), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return result.engine
}

func randomValue(k compare.Kind, rng *rand.Rand) string {
	switch k {
	case compare.BirthDate:
		return fmt.Sprintf("19%d0-0%d-0%d", 5+rng.IntN(3), 1+rng.IntN(3), rng.IntN(4)) // partial if the day is 0
	case compare.Given, compare.Middle, compare.Surname, compare.FullName, compare.Text, compare.Place, compare.Street, compare.State, compare.Email:
		names := []string{"anna", "anne", "bob", "robert", "kowalska", "kowalski", "smith", "smyth", "lee", "anna lee", "zyx"}
		return names[rng.IntN(len(names))]
	}
	return fmt.Sprint(100000 + rng.IntN(40))
}
