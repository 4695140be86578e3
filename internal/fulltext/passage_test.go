// SPDX-License-Identifier: Apache-2.0

package fulltext_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hide/internal/fulltext"
)

// TestPassageHasTheMostTerms compares the first place of passages with a plain count.
func TestPassageHasTheMostTerms(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	const width = 40
	for range 400 {
		var words []string
		for range 1 + r.IntN(60) {
			words = append(words, []string{"a", "bb", "ccc", "ab", "x", "y", "zz"}[r.IntN(7)])
		}
		text := strings.Join(words, " ")
		q := fulltext.Parse(`a b* cc* "ab x"`)
		places, _ := q.Find(text)
		near := func(p fulltext.Place) int {
			terms := map[int]bool{}
			for _, o := range places {
				if o.Start >= p.Start && o.End <= p.Start+width*3/4 {
					terms[o.Term] = true
				}
			}
			return len(terms)
		}
		got := q.Passage(text, width).First
		for _, p := range places {
			if n, most := near(got), near(p); most > n || most == n && p.Start < got.Start {
				t.Fatalf("%q: the passage begins at %d with %d terms, %d terms are near %d", text, got.Start, n, most, p.Start)
			}
		}
	}
}

// TestManyPlacesTakeLittleMemory has a query with 40 terms, each of which has many places. What
// is kept for each place is also what takes the time.
func TestManyPlacesTakeLittleMemory(t *testing.T) {
	var text, typed strings.Builder
	for i := range 200 * 40 {
		fmt.Fprintf(&text, "w%02d ", i%40)
	}
	for i := range 40 {
		fmt.Fprintf(&typed, "w%02d ", i)
	}
	q := fulltext.Parse(typed.String())
	if n := testing.AllocsPerRun(1, func() { q.Passage(text.String(), 240) }); n > 1000 {
		t.Errorf("a passage takes %.0f allocations", n)
	}
}
