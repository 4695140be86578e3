// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestMatches(t *testing.T) {
	cases := []struct {
		name, text string
		at         Span
		fold       bool
		want       []Span
	}{
		{"whole words only", "Rose rose primrose Rose-bush Rose_ Rose", Span{0, 4, "N"}, false, []Span{{19, 23, "N"}, {35, 39, "N"}}},
		{"any case", "Rose rose ROSE", Span{5, 9, "N"}, true, []Span{{0, 4, "N"}, {10, 14, "N"}}},
		{"case that changes the size", "STRASSE Maße MASSE maſſe", Span{8, 13, "N"}, true, nil},
		{"kelvin sign", "\u212a12 k12", Span{6, 9, "N"}, true, []Span{{0, 5, "N"}}},
		{"several words", "Dr. Jo Li and Jo Li", Span{4, 9, "N"}, false, []Span{{14, 19, "N"}}},
		{"no overlap with the origin", "na na na", Span{0, 5, "N"}, false, nil},
		{"no overlap with each other", "x na na na na x na na", Span{16, 21, "N"}, false, []Span{{2, 7, "N"}, {8, 13, "N"}}},
		{"punctuation", "3/4, 13/4, 3/45, 3/4", Span{0, 3, "D"}, false, []Span{{17, 20, "D"}}},
		{"beside an emoji", "Al 😀Al😀", Span{0, 2, "N"}, false, []Span{{7, 9, "N"}}},
		{"combining mark is part of the word", "Zoe Zoe\u0308 Zoe", Span{0, 3, "N"}, false, []Span{{10, 13, "N"}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Matches(c.text, c.at, c.fold); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestMatchesFitTheText(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	words := []string{"ana", "Ana", "ANA", "ana ana", "é", "É", " ", ".", "\n", "😀", "anaé"}
	for range 2000 {
		var b strings.Builder
		for range 2 + rng.IntN(15) {
			b.WriteString(words[rng.IntN(len(words))])
		}
		text := b.String()
		o := NewOffsets(text)
		start := RuneOff(rng.IntN(int(o.Runes())))
		s, err := o.Span(start, start+1+RuneOff(rng.IntN(int(o.Runes()-start))), "N")
		if err != nil {
			t.Fatal(err)
		}
		for _, fold := range []bool{false, true} {
			found := Matches(text, s, fold)
			if err := CheckSpans(text, append(slices.Clone(found), s)); err != nil {
				t.Fatalf("%q, %v: %v", text, s, err)
			}
			for _, m := range found {
				if got, want := m.Surface(text), s.Surface(text); !strings.EqualFold(got, want) || !fold && got != want {
					t.Fatalf("%q does not match %q", got, want)
				}
			}
		}
	}
}

func TestLabelsAreSortedAndDistinct(t *testing.T) {
	docs := []Annotated{{Spans: []Span{{0, 1, "B"}, {1, 2, "A"}}}, {Spans: []Span{{0, 1, "B"}}}, {}}
	if got := Labels(docs); !slices.Equal(got, []Label{"A", "B"}) {
		t.Errorf("got %v", got)
	}
}
