// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// TestMiddlingIsHowOftenOneSideIsGreater against the count of all pairs.
func TestMiddlingIsHowOftenOneSideIsGreater(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		n := 2 + random.IntN(10)
		values, target := make([]float64, n), make([]bool, n)
		for i := range values {
			values[i], target[i] = float64(random.IntN(4)), i%2 == 0
		}
		greater, pairs := 0.0, 0.0
		for i := range values {
			for j := range values {
				if target[i] && !target[j] {
					pairs++
					switch {
					case values[i] > values[j]:
						greater++
					case values[i] == values[j]:
						greater += 0.5
					}
				}
			}
		}
		if got, want := middling(values)(target), math.Abs(greater/pairs-0.5); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v, %v: %g, want %g", values, target, got, want)
		}
	}
}

func TestDividingIsTheShareThatWouldHaveToChange(t *testing.T) {
	target := []bool{false, false, false, false, true, true}
	if got := dividing([]string{"x", "x", "y", "z", "x", "y"})(target); math.Abs(got-0.25) > 1e-12 {
		t.Errorf("%g, want 1/4", got)
	}
	if got := dividing([]string{"x", "x", "x", "x", "y", "y"})(target); got != 1 {
		t.Errorf("%g, want 1", got)
	}
}

// TestNewWordsAreThoseOfNoOtherReference against a search through all documents.
func TestNewWordsAreThoseOfNoOtherReference(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for range 100 {
		docs, target := make([]Profile, 8), make([]bool, 8)
		for i := range docs {
			docs[i].Group, target[i] = string(rune('a'+random.IntN(4))), random.IntN(2) == 0
			for w := range uint64(6) {
				if random.IntN(3) == 0 {
					docs[i].words = append(docs[i].words, w)
				}
			}
		}
		got := newNovelty(docs, func(p Profile) []uint64 { return p.words }).shares(target)
		for i, d := range docs {
			unseen := 0.0
			for _, w := range d.words {
				known := false
				for j, o := range docs {
					known = known || !target[j] && o.Group != d.Group && slices.Contains(o.words, w)
				}
				if !known {
					unseen++
				}
			}
			if want := unseen / math.Max(1, float64(len(d.words))); got[i] != want {
				t.Fatalf("document %d: %g, want %g", i, got[i], want)
			}
		}
	}
}

func TestProfilesHoldWhatIsCompared(t *testing.T) {
	d := annotate.Document{Name: "n", Patient: "p", Attributes: map[string]string{"institution": " b ", "note_type": "x"},
		Text: "SOCIAL HISTORY\nRoom 12: the the\nHe said nothing of note\n10:30\n"}
	tokens := len(annotate.Tokenize(d.Text))
	scores, redacted := make([]float64, tokens), make([]bool, tokens)
	scores[0], scores[1], redacted[0] = 0.9, 0.25, true
	p := Describe(new(annotate.NewNote(annotate.Annotated{Document: d})), scores, redacted)
	if p.Source != "b" || p.Kind != "x" || p.Tokens != tokens || p.Kept != tokens-1 || p.Doubt != 0.25 {
		t.Errorf("%+v", p)
	}
	if len(p.words) != 9 { // social history room the he said nothing of note
		t.Errorf("%d distinct words, want 9", len(p.words))
	}
	if len(p.heads) != 2 || !slices.Contains(p.heads, hash("room 00")) || !slices.Contains(p.heads, hash("social history")) {
		t.Errorf("%d line heads, want 2", len(p.heads))
	}
}

// TestCorrectedValuesKeepTheirPromise: of independent noise, a test of any of many
// warns no more often than its level says.
func TestCorrectedValuesKeepTheirPromise(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	rung := 0
	for range 300 {
		values := make([][]float64, 200)
		for r := range values {
			values[r] = make([]float64, 12)
			for k := range values[r] {
				values[r][k] = random.ExpFloat64() * float64(k+1)
			}
		}
		standardize(values)
		if slices.Min(corrected(values)) <= 0.05 {
			rung++
		}
	}
	if rung < 3 || rung > 30 {
		t.Errorf("12 tests at .05 rang in %d of 300 trials of noise, want about 15", rung)
	}
}

func TestDoubtIsComparedInWords(t *testing.T) {
	for words, test := range map[string]Test{
		"has more doubt than the text":            {Reference: 0, Target: 3},
		"has 2.0 times as much doubt as the text": {Reference: 3, Target: 6},
		"has 50 % as much doubt as the text":      {Reference: 6, Target: 3},
		"in 1,000 are PHI, compared with 6.0.":    {Reference: 6, Target: 3},
	} {
		test.Name = Doubt
		if got := test.Sentence(); !strings.Contains(got, words) {
			t.Errorf("%q lacks %q", got, words)
		}
	}
}
