// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// randomText is n code points of one to four bytes, with words, white space,
// combining marks, emoji and right-to-left letters.
func randomText(rng *rand.Rand, n int) string {
	alphabets := []string{"abcXYZ019_", " \t\n\r\f", ".,-'#", "éßøÅ", "\u0301\u0308\u200d\ufe0f", "日本語", "שלום", "😀👩🏽𝔘"}
	var b strings.Builder
	for range n {
		letters := []rune(alphabets[rng.IntN(len(alphabets))])
		b.WriteRune(letters[rng.IntN(len(letters))])
	}
	return b.String()
}

// checkOffsets compares every conversion with slices of runes.
func checkOffsets(t *testing.T, text string) {
	t.Helper()
	o := NewOffsets(text)
	runes := []rune(text)
	if int(o.Runes()) != len(runes) {
		t.Fatalf("length is %d, want %d", o.Runes(), len(runes))
	}
	at := ByteOff(0)
	for i := range len(runes) + 1 {
		if b, err := o.Byte(RuneOff(i)); err != nil || b != at {
			t.Fatalf("Byte(%d) = %d, %v, want %d", i, b, err, at)
		}
		if r, err := o.Rune(at); err != nil || int(r) != i {
			t.Fatalf("Rune(%d) = %d, %v, want %d", at, r, err, i)
		}
		if i == len(runes) {
			break
		}
		size := ByteOff(utf8.RuneLen(runes[i]))
		for inside := at + 1; inside < at+size; inside++ {
			if _, err := o.Rune(inside); !errors.Is(err, ErrSpanCut) {
				t.Fatalf("Rune(%d) inside a character: %v", inside, err)
			}
		}
		at += size
	}
}

func TestOffsetsMatchRuneSlices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 2, 3, 127, 128, 170, 171, 255, 256, 511, 512, 513, 1024, 3000} {
		checkOffsets(t, randomText(rng, n))
		checkOffsets(t, strings.Repeat("a", n))
		checkOffsets(t, strings.Repeat("😀", n))
		checkOffsets(t, strings.Repeat("a", 511)+strings.Repeat("é", n))
	}
	for range 200 {
		checkOffsets(t, randomText(rng, rng.IntN(900)))
	}
}

func TestOffsetsRefuseWhatLiesOutside(t *testing.T) {
	o := NewOffsets("naïve 😀")
	for _, b := range []ByteOff{-1, 12, 1 << 40} {
		if _, err := o.Rune(b); !errors.Is(err, ErrSpanRange) {
			t.Errorf("Rune(%d): %v", b, err)
		}
	}
	for _, r := range []RuneOff{-1, 8, 1 << 40} {
		if _, err := o.Byte(r); !errors.Is(err, ErrSpanRange) {
			t.Errorf("Byte(%d): %v", r, err)
		}
	}
	for _, c := range [][2]RuneOff{{3, 3}, {4, 2}, {-1, 2}, {2, 8}} {
		if _, err := o.Span(c[0], c[1], "X"); !errors.Is(err, ErrSpanRange) {
			t.Errorf("Span(%d, %d): %v", c[0], c[1], err)
		}
	}
}

func TestSpanAndRangeAreInverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 500 {
		text := randomText(rng, 1+rng.IntN(700))
		runes := []rune(text)
		o := NewOffsets(text)
		start := rng.IntN(len(runes))
		end := start + 1 + rng.IntN(len(runes)-start)
		s, err := o.Span(RuneOff(start), RuneOff(end), "X")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := s.Surface(text), string(runes[start:end]); got != want {
			t.Fatalf("characters %d to %d: got %q, want %q", start, end, got, want)
		}
		if b, e := o.Range(s); int(b) != start || int(e) != end {
			t.Fatalf("Range gives %d to %d, want %d to %d", b, e, start, end)
		}
	}
}

func TestRangeOfForeignSpanPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	NewOffsets("é").Range(Span{1, 2, "X"})
}

func FuzzOffsets(f *testing.F) {
	f.Add("")
	f.Add("plain")
	f.Add("naïve 😀\r\n\u0301x")
	f.Add(strings.Repeat("é", 600))
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			text = strings.ToValidUTF8(text, "?")
		}
		checkOffsets(t, text)
	})
}
