// SPDX-License-Identifier: Apache-2.0

package onnx

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// echo is a model whose log-odds of a label other than O are the number of the piece, less
// the distance from the middle of the window over 100.
type echo struct {
	windows [][]int64
	rows    int // too few by this number
	value   float32
	err     error
}

func (e *echo) close() error { return nil }

func (e *echo) run(ids []int64) ([][]float32, error) {
	e.windows = append(e.windows, slices.Clone(ids))
	var out [][]float32
	for _, id := range ids[e.rows:] {
		out = append(out, []float32{0, float32(id-10) + e.value, float32(math.Inf(-1))})
	}
	return out, e.err
}

func tagger(t *testing.T, room int) (*Tagger, *echo) {
	t.Helper()
	var pieces []string
	for c := 'a'; c <= 'z'; c++ {
		pieces = append(pieces, string(c), "##"+string(c))
	}
	w, err := newWordPiece(words(pieces...), true, true)
	if err != nil {
		t.Fatal(err)
	}
	e := &echo{}
	return &Tagger{tokenizer: w, runtime: e, window: room, outside: []int{0}}, e
}

func TestATokenHasItsHighestPiece(t *testing.T) {
	m, _ := tagger(t, 100)
	text := "ab, z"
	got, err := m.Scores(text)
	if err != nil || len(got) != len(annotate.Tokenize(text)) {
		t.Fatalf("%v, %v", got, err)
	}
	p := func(id float64) float64 { return 1 / (1 + math.Exp(10-id)) }
	for x, want := range []float64{p(7), p(1), p(54)} { // a 4, ##b 7, "," unknown 1, z 54
		if math.Abs(got[x]-want) > 1e-6 {
			t.Errorf("token %d has %g, want %g", x, got[x], want)
		}
	}
	if got, err := m.Scores(""); err != nil || len(got) != 0 {
		t.Errorf("of nothing %v, %v", got, err)
	}
}

func TestWindowsCoverEveryPieceAndOverlap(t *testing.T) {
	for n := range 60 {
		for room := 4; room < 20; room++ {
			all, at := windows(n, room), 0
			for k, w := range all {
				if w.from > at || w.to-w.from > room || k > 0 && w.from != at-room/4 {
					t.Fatalf("%d pieces, %d at once: %v", n, room, all)
				}
				at = w.to
			}
			if at != n {
				t.Fatalf("%d pieces, %d at once: %v", n, room, all)
			}
		}
	}
}

func TestLongNotesAreReadInWindowsWithMarks(t *testing.T) {
	m, e := tagger(t, 12)
	text := strings.Repeat("abc x ", 20)
	got, err := m.Scores(text)
	if err != nil || len(got) != 40 {
		t.Fatalf("%d scores, %v", len(got), err)
	}
	for _, w := range e.windows {
		if len(w) > 12 || w[0] != 2 || w[len(w)-1] != 3 {
			t.Errorf("window %v", w)
		}
	}
	once, _ := tagger(t, 1000)
	want, err := once.Scores(text)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("scores differ: %v", err)
	}
}

func TestAModelThatAnswersWronglyIsAnError(t *testing.T) {
	for want, change := range map[string]func(*Tagger, *echo){
		"another number of pieces": func(_ *Tagger, e *echo) { e.rows = 1 },
		"not a number":             func(_ *Tagger, e *echo) { e.value = float32(math.NaN()) },
		"fewer labels":             func(m *Tagger, _ *echo) { m.outside = []int{3} },
		"broken":                   func(_ *Tagger, e *echo) { e.err = errors.New("broken") },
	} {
		m, e := tagger(t, 20)
		change(m, e)
		if _, err := m.Scores("Gwendolyn"); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Gwendolyn") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
