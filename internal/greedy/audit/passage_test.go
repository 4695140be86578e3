// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"hide/internal/annotate"
)

const note = `DISCHARGE SUMMARY
Seen by [NAME] on [DATE] for chest pain that began two days before the admission and did not answer to nitrates at home. Dr. Weiss was called at once.
The patient was given aspirin 81 mg, metoprolol and heparin; serial enzymes stayed negative and the stress test was normal.

Medications:
1. Aspirin 81 mg daily
2. Metoprolol 25 mg twice daily
3. Atorvastatin 40 mg at night
Follow up with cardiology in two weeks, and with the primary care doctor in [ID] weeks or sooner if the pain comes back.`

// placeholders are what stands in brackets.
func placeholders(text string) []annotate.Span {
	var out []annotate.Span
	for at := 0; ; {
		from := strings.IndexByte(text[at:], '[')
		if from < 0 {
			return out
		}
		to := strings.IndexByte(text[at+from:], ']')
		if to < 0 {
			return out
		}
		out = append(out, annotate.Span{Start: annotate.ByteOff(at + from), End: annotate.ByteOff(at + from + to + 1), Label: "X"})
		at += from + to + 1
	}
}

func TestCutAtSentencesAndLines(t *testing.T) {
	var got []string
	for _, p := range Cut(note, placeholders(note)) {
		words := strings.Fields(note[p.Start:p.End])
		got = append(got, strconv.Itoa(p.Words)+" "+words[0]+" ... "+words[len(words)-1])
	}
	want := []string{"29 DISCHARGE ... once.", "26 The ... daily", "34 2. ... back."}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestCutOddNotes(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, " \n": 0, "[NAME]": 0, "[NAME], [DATE].": 0, "one": 1, "[NAME] x [DATE]": 1, "[A][B]c[D]": 1,
		strings.Repeat("word ", 40):         1,
		strings.Repeat("word ", 41):         2,
		strings.Repeat("3/4/2019-", 30):     3,
		strings.Repeat("Short one. ", 1000): 50,
	} {
		if got := Cut(text, placeholders(text)); len(got) != want {
			t.Errorf("%.20q has %d passages, want %d: %v", text, len(got), want, got)
		}
	}
	text := strings.Repeat("seen 3/4/2019 ", 20) // 80 words
	for _, p := range Cut(text, nil) {
		if strings.HasPrefix(text[p.Start:], "/") || strings.HasSuffix(text[:p.End], "/") || text[p.Start] != 's' {
			t.Errorf("a date is cut: %q", text[p.Start:p.End])
		}
	}
}

// FuzzCut checks that passages hold every kept word once and in order, on borders of runes,
// and never too many.
func FuzzCut(f *testing.F) {
	f.Add(note, uint(0), uint(0))
	f.Add("Seen by [NAME]son. \u2028Ünï 🙂 [DATE]", uint(3), uint(9))
	f.Add(strings.Repeat("a[B]1,", 90), uint(2), uint(4))
	f.Fuzz(func(t *testing.T, text string, from, size uint) {
		if !utf8.ValidString(text) {
			t.Skip("no document is invalid")
		}
		spans := placeholders(text)
		if start := from % uint(len(text)+1); size%50 > 0 { // one anywhere, also in a word
			end := min(start+size%50, uint(len(text)))
			odd := annotate.Span{Start: annotate.ByteOff(start), End: annotate.ByteOff(end)}
			if onRune(text, odd.Start) && onRune(text, odd.End) && end > start {
				spans = []annotate.Span{odd}
			}
		}
		checkPassages(t, text, spans, Cut(text, spans))
	})
}

func onRune(text string, at annotate.ByteOff) bool {
	return int(at) == len(text) || utf8.RuneStart(text[at])
}

func checkPassages(t *testing.T, text string, spans []annotate.Span, passages []Passage) {
	t.Helper()
	kept := keptWords(text, spans)
	at, last := 0, annotate.ByteOff(0)
	for _, p := range passages {
		if p.Start < last || p.End <= p.Start || !onRune(text, p.Start) || !onRune(text, p.End) || p.Words < 1 || p.Words > mostWords {
			t.Fatalf("%q: passage %+v after %d", text, p, last)
		}
		for i := range p.Words {
			if w := kept[at+i]; w.Start < p.Start || w.End > p.End {
				t.Fatalf("%q: word %+v is not in %+v", text, w, p)
			}
		}
		at, last = at+p.Words, p.End
	}
	if at != len(kept) {
		t.Fatalf("%q: %d of %d words are in passages", text, at, len(kept))
	}
	if len(kept) == 0 {
		return
	}
	for _, w := range annotate.Tokenize(text) { // punctuation and placeholders, too
		if !slices.ContainsFunc(passages, func(p Passage) bool { return p.Start <= w.Start && w.End <= p.End }) {
			t.Fatalf("%q: token %+v is in no passage", text, w)
		}
	}
}

// TestDrawCanBeRecomputed follows the layout of bytes in the comments, without any code of
// the package.
func TestDrawCanBeRecomputed(t *testing.T) {
	secret, candidate := [32]byte{1, 2, 3}, [32]byte{9}
	seed := Seed(secret, " 4711\n")
	if want := sha256.Sum256([]byte("hide seed 1\n" + string(secret[:]) + "4711")); seed != want {
		t.Errorf("seed %x, want %x", seed, want)
	}
	p := Parameters{15_000, 200, 450, 150, true, .05}
	text := "hide commitment 1\n" + string(secret[:]) + string(candidate[:]) + "passages=15000 doubtful=200 planned=450 plants=150 any_time=true alpha=0.05"
	if got, want := Commitment(secret, candidate, p), sha256.Sum256([]byte(text)); got != want {
		t.Errorf("commitment %x, want %x", got, want)
	}
	var want []string
	for _, i := range []int{0, 3, 258, 70_000} {
		h := sha256.Sum256([]byte(string(seed[:]) + string([]byte{0, 0, 0, 0, 0, byte(i >> 16), byte(i >> 8), byte(i)})))
		want = append(want, hex.EncodeToString(h[:])+" "+strconv.Itoa(i))
	}
	slices.Sort(want)
	for i, passage := range Order(seed, []int{70_000, 258, 0, 3}) {
		if !strings.HasSuffix(want[i], " "+strconv.Itoa(passage)) {
			t.Errorf("passage %d is drawn %d.; want %v", passage, i+1, want)
		}
	}
	if PlantSeed(secret, "4711") == seed {
		t.Error("plants have the seed of the draw")
	}
}

func TestDoubtfulPassages(t *testing.T) {
	doubts := []float64{3, 9, 1, 9, 4, 0}
	doubtful, others := Doubtful(doubts, 3)
	if !slices.Equal(doubtful, []int{1, 3, 4}) || !slices.Equal(others, []int{0, 2, 5}) {
		t.Errorf("%v %v", doubtful, others)
	}
	if doubtful, others = Doubtful(doubts, 9); len(doubtful) != 6 || len(others) != 0 {
		t.Errorf("%v %v", doubtful, others)
	}
}

// TestCutRandomTexts cuts texts of odd pieces, some of them redacted, also within words.
func TestCutRandomTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	pieces := []string{"a", "Weiss", " ", " ", "  ", "\n", "\n\n", "\t", "[NAME]", "ü", "🙂", "\x00", ",", ". ", "!", "e\u0301", "12", "_", "\u00a0", "\u2028", "(", "- "}
	for range 1500 {
		var b strings.Builder
		var spans []annotate.Span
		for range rng.IntN(300) {
			start := b.Len()
			b.WriteString(pieces[rng.IntN(len(pieces))])
			if rng.IntN(6) == 0 {
				spans = append(spans, annotate.Span{Start: annotate.ByteOff(start), End: annotate.ByteOff(b.Len())})
			}
		}
		checkPassages(t, b.String(), spans, Cut(b.String(), spans))
	}
}
