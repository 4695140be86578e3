// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"
)

// checkTokens checks the guarantees about the tokens of any text.
func checkTokens(t *testing.T, text string) {
	t.Helper()
	tokens := Tokenize(text)
	covered := make([]bool, len(text))
	end := ByteOff(0)
	for _, k := range tokens {
		if k.Start < end || k.End <= k.Start || int(k.End) > len(text) {
			t.Fatalf("token %v after byte %d of %d", k, end, len(text))
		}
		end = k.End
		for i := k.Start; i < k.End; i++ {
			covered[i] = true
		}
		first, size := utf8.DecodeRuneInString(text[k.Start:k.End])
		if !WordRune(first) && size != int(k.End-k.Start) {
			t.Fatalf("token %v has more than one character that is not part of a word", k)
		}
		if WordRune(first) && k.End < ByteOff(len(text)) {
			if next, _ := utf8.DecodeRuneInString(text[k.End:]); WordRune(next) {
				t.Fatalf("token %v stops inside a word", k)
			}
		}
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if blank := unicode.IsSpace(r) || unicode.IsControl(r); covered[i] == blank {
			t.Fatalf("character %U at byte %d: covered is %v", r, i, covered[i])
		}
		i += size
	}
}

func TestTokens(t *testing.T) {
	cases := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"white space", " \t\r\n\u00a0\u2003", nil},
		{"words", "Mr. O'Neil-Smith", []string{"Mr", ".", "O", "'", "Neil", "-", "Smith"}},
		{"date", "3/4/21", []string{"3", "/", "4", "/", "21"}},
		{"underscore and digits", "a_1 2b", []string{"a_1", "2b"}},
		{"combining mark", "Zoe\u0308!", []string{"Zoe\u0308", "!"}},
		{"emoji", "😀😀a", []string{"😀", "😀", "a"}},
		{"right to left", "שלום עולם", []string{"שלום", "עולם"}},
		{"control characters", "a\x00b\x07", []string{"a", "b"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, k := range Tokenize(c.text) {
				got = append(got, c.text[k.Start:k.End])
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTokensCoverWhatIsVisible(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 500 {
		checkTokens(t, randomText(rng, rng.IntN(200)))
	}
}

func FuzzTokenize(f *testing.F) {
	f.Add("Dr. May saw Mrs. Rose on 3/4.")
	f.Add("\x00\xff\u0301e\u200b😀")
	f.Fuzz(checkTokens)
}

func TestCoveredMatchesScan(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for range 300 {
		text := randomText(rng, 1+rng.IntN(60))
		tokens := Tokenize(text)
		start := rng.IntN(len(text))
		s := Span{ByteOff(start), ByteOff(start + 1 + rng.IntN(len(text)-start)), "X"}
		var want []int
		for i, k := range tokens {
			if s.Overlaps(Span{k.Start, k.End, ""}) {
				want = append(want, i)
			}
		}
		from, to := Covered(tokens, s)
		if to-from != len(want) || len(want) > 0 && from != want[0] {
			t.Fatalf("span %v covers tokens %d to %d, want %v", s, from, to, want)
		}
	}
}

func TestTokenLabelsAndSpansOfAreInverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for range 500 {
		text := randomText(rng, rng.IntN(120))
		tokens := Tokenize(text)
		var want []Span
		for i := 0; i < len(tokens); i++ {
			if rng.IntN(3) > 0 {
				continue
			}
			last := min(i+rng.IntN(3), len(tokens)-1)
			want = append(want, Span{tokens[i].Start, tokens[last].End, []Label{"A", "B"}[rng.IntN(2)]})
			i = last
		}
		labels, begins := TokenLabels(tokens, want)
		if got := SpansOf(tokens, labels, begins); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func TestSharedTokenBelongsToTheEarlierSpan(t *testing.T) {
	tokens := Tokenize("abcdef gh")
	labels, begins := TokenLabels(tokens, []Span{{0, 3, "A"}, {3, 9, "B"}})
	if !slices.Equal(labels, []Label{"A", "B"}) || !slices.Equal(begins, []bool{true, true}) {
		t.Errorf("got %v %v", labels, begins)
	}
}
