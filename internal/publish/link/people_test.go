// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/publish/link"
	"hide/internal/publish/link/compare"
)

var peopleFields = []link.Field{
	{Name: "given", Kind: compare.Given}, {Name: "surname", Kind: compare.Surname}, {Name: "born", Kind: compare.BirthDate},
	{Name: "street", Kind: compare.Street}, {Name: "number", Kind: compare.StreetNumber}, {Name: "city", Kind: compare.Place},
	{Name: "phone", Kind: compare.Phone},
}

// A file has rows of values and the person of each row.
type file struct {
	fields []link.Field
	rows   [][]string
	person []int
}

var (
	givens   = []string{"Robert", "Grace", "Amina", "Jonas", "Lucia", "Pavel", "Ingrid", "Omar", "Celine", "Hugo", "Marta", "Dmitri"}
	syllable = []string{"ka", "ber", "lin", "tor", "ma", "ves", "dun", "hol", "rie", "sto", "pan", "gil"}
)

// invent makes people in households of one to three, each with one to three records that have
// errors.
func invent(seed uint64, households int) file {
	rng := rand.New(rand.NewPCG(seed, 1))
	f := file{fields: peopleFields}
	person := 0
	for range households {
		surname, phone := randomWord(rng, 3), randomPhone(rng)
		address := []string{randomWord(rng, 3) + " road", fmt.Sprint(1 + rng.IntN(200)), randomWord(rng, 2) + "ton"}
		for range 1 + rng.IntN(3) {
			given := randomWord(rng, 2)
			if rng.IntN(2) == 0 {
				given = givens[rng.IntN(len(givens))]
			}
			born := fmt.Sprintf("%d-%02d-%02d", 1930+rng.IntN(80), 1+rng.IntN(12), 1+rng.IntN(28))
			row := append([]string{given, surname, born}, append(slices.Clone(address), phone)...)
			for range 1 + rng.IntN(3) {
				f.rows = append(f.rows, withErrors(rng, row))
				f.person = append(f.person, person)
			}
			person++
		}
	}
	return f
}

// withErrors changes a letter of one value in eight and leaves out one in ten; one record in
// twenty has its names exchanged.
func withErrors(rng *rand.Rand, row []string) []string {
	row = slices.Clone(row)
	for i, v := range row {
		switch rng.IntN(40) {
		case 0, 1, 2, 3, 4:
			at := rng.IntN(len(v))
			row[i] = v[:at] + string(v[rng.IntN(len(v))]) + v[at+1:]
		case 5, 6, 7, 8:
			row[i] = ""
		}
	}
	if rng.IntN(20) == 0 {
		row[0], row[1] = row[1], row[0]
	}
	return row
}

// move gives one record in three another address and another telephone.
func (f file) move(rng *rand.Rand) {
	for _, row := range f.rows {
		if rng.IntN(3) == 0 {
			copy(row[3:], []string{randomWord(rng, 3) + " road", fmt.Sprint(1 + rng.IntN(200)), randomWord(rng, 2) + "ton", randomPhone(rng)})
		}
	}
}

func randomWord(rng *rand.Rand, syllables int) (word string) {
	for range syllables {
		word += syllable[rng.IntN(len(syllable))]
	}
	return word
}

func randomPhone(rng *rand.Rand) string { return fmt.Sprintf("555%07d", rng.IntN(1e7)) }

func (f file) records() *link.Records {
	records := link.NewRecords(f.fields)
	for _, row := range f.rows {
		records.Add(cells(row)...)
	}
	return records
}

func cells(row []string) [][]string {
	cells := make([][]string, len(row))
	for i, v := range row {
		cells[i] = []string{v}
	}
	return cells
}

func (f file) run(t testing.TB, options link.Options) *link.Result {
	t.Helper()
	return run(t, f.records(), link.Default(f.fields), options)
}

func run(t testing.TB, records *link.Records, config link.Config, options link.Options) *link.Result {
	t.Helper()
	result, err := link.Run(context.Background(), records, config, options)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// f1 is the harmonic mean of precision and recall of the pairs in clusters.
func (f file) f1(result *link.Result) float64 {
	of := result.ClusterOf()
	both, linked, same := 0, 0, 0
	for i := range f.person {
		for j := range i {
			isLinked, isSame := of[i] >= 0 && of[i] == of[j], f.person[i] == f.person[j]
			if isLinked {
				linked++
			}
			if isSame {
				same++
			}
			if isLinked && isSame {
				both++
			}
		}
	}
	return 2 * float64(both) / float64(linked+same)
}
