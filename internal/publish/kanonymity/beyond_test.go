// SPDX-License-Identifier: Apache-2.0

package kanonymity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hide/internal/publish/mondrian"
	"hide/internal/publish/table"
)

const beyondConfig = `
attributes:
- {name: age, role: quasi, kind: number}
- {name: zip, role: quasi, kind: code}
`

// TestAPersonWrittenInTwoWaysCountsOnce has two people, each unique, whose ages are
// one off in the file of the population.
func TestAPersonWrittenInTwoWaysCountsOnce(t *testing.T) {
	patients, all := "age,zip\n41,53701\n71,10115\n", "age,zip\n40,53701\n70,10115\n"
	got, c := readRegister(t, patients, all, beyondConfig+"privacy: {k: 2, counts: people}\n")
	r, err := Anonymize(context.Background(), got, c)
	if err != nil {
		t.Fatal(err)
	}
	if rep := reportOf(t, r); len(r.Classes) != 1 || rep.After.Journalist.Highest != .5 || *rep.Population != (Population{2, 2}) {
		t.Errorf("%d classes, %+v of %+v; want both rows alike, two people", len(r.Classes), *rep.After.Journalist, *rep.Population)
	}
	got, c = readRegister(t, patients, all, beyondConfig+"privacy: {k: 3, counts: people}\n")
	if _, err := Anonymize(context.Background(), got, c); !errors.Is(err, mondrian.ErrImpossible) {
		t.Errorf("two people are like three: %v", err)
	}
}

// TestRowsWithoutAPersonMakeNobodySafer writes the ages of some patients wrongly, and
// counts in the two files who can be meant: k people of the file, and the risks those
// of whichever are more, the people or the rows.
func TestRowsWithoutAPersonMakeNobodySafer(t *testing.T) {
	for seed := range uint64(16) {
		rng := rand.New(rand.NewPCG(seed, 11))
		var rows, people [][]string
		for range 150 {
			age, zip := 20+rng.IntN(30), fmt.Sprint(5370+rng.IntN(3))
			people = append(people, []string{fmt.Sprint(age), zip})
			if rng.IntN(3) == 0 {
				rows = append(rows, []string{fmt.Sprint(age + rng.IntN(3)), zip})
			}
		}
		file := func(all [][]string) string {
			lines := []string{"age,zip"}
			for _, row := range all {
				lines = append(lines, strings.Join(row, ","))
			}
			return strings.Join(lines, "\n") + "\n"
		}
		k := 3 + rng.IntN(4)
		config := beyondConfig + fmt.Sprintf("privacy: {k: %d, counts: %s}\n", k, []string{"people", "rows"}[seed%2])
		if of := seed / 2 % 4; of > 0 {
			config += []string{"", "method: {cut: nearest}\n", "method: {cut: lefevre}\n", "method: {relaxed: true}\n"}[of]
		}
		got, c := readRegister(t, file(rows), file(people), config)
		if got.Beyond == 0 {
			t.Fatal("every row has a person")
		}
		r, err := Anonymize(context.Background(), got, c)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := writeTable(r, &b); err != nil {
			t.Fatal(err)
		}
		highest := 0.0
		for _, row := range parse(t, b.String())[1:] {
			meant := func(all [][]string) (n int) {
				for _, p := range all {
					if can(row[0], p[0]) && can(row[1], p[1]) {
						n++
					}
				}
				return n
			}
			if r.Parameters.Map && meant(people) < k {
				t.Errorf("seed %d: a row can be %d people, k is %d", seed, meant(people), k)
			}
			highest = max(highest, 1/float64(max(meant(people), meant(rows))))
		}
		j := reportOf(t, r).After.Journalist
		if j.Highest > highest+1e-12 && !r.Parameters.Map || j.Highest < highest-1e-12 || math.IsInf(j.Highest, 0) {
			t.Errorf("seed %d: journalist %v, want %v", seed, j.Highest, highest)
		}
	}
}

// TestClassesOfTheSameWordsHaveTheirPeopleTogether adds people up, where k counts
// them, and takes the rows for people where these are more.
func TestClassesOfTheSameWordsHaveTheirPeopleTogether(t *testing.T) {
	cell := [][]table.Cell{{{Text: "[1-9]"}}, {{Text: "[1-9]"}}, {{Text: "[10-19]"}}}
	r := &Result{
		Classes: table.Classes{{0, 1, 2, 3, 4}, {5}, {6, 7, 8}}, people: []int{2, 5, 2},
		Generalized: table.Generalized{Cells: cell}, Parameters: Parameters{Map: true},
	}
	sizes, people, err := r.sizes(t.Context())
	if err != nil || fmt.Sprint(sizes, people) != "[6 3] [7 3]" {
		t.Errorf("%v rows, %v people; want 6 and 3, 7 and 3", sizes, people)
	}
}
