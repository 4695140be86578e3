// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"hide/internal/annotate"
)

// span counts in tokens of the text "t0 t1 t2 ...".
func span(from, to int, label annotate.Label) annotate.Span {
	return annotate.Span{Start: annotate.ByteOff(3 * from), End: annotate.ByteOff(3*to - 1), Label: label}
}

var tenTokens = NewDoc(annotate.Annotated{Document: annotate.Document{Text: "t0 t1 t2 t3 t4 t5 t6 t7 t8 t9"}})

func TestScoreMatchesConfusionsWorkedByHand(t *testing.T) {
	type spans = []annotate.Span
	tests := []struct {
		name            string
		gold, predicted spans
		entity, token   Tally
		leaks           int
	}{
		{"nothing to find and nothing found", nil, nil, Tally{}, Tally{}, 0},
		{"all right", spans{span(0, 2, "N"), span(5, 6, "D")}, spans{span(5, 6, "D"), span(0, 2, "N")},
			Tally{1, 1, 1, 2, 0, 0}, Tally{1, 1, 1, 3, 0, 0}, 0},
		{"one of two tokens found", spans{span(0, 2, "N")}, spans{span(0, 1, "N")},
			Tally{0, 0, 0, 0, 1, 1}, Tally{1, 0.5, 2. / 3, 1, 0, 1}, 1},
		{"one token too many", spans{span(0, 2, "N")}, spans{span(0, 3, "N")},
			Tally{0, 0, 0, 0, 1, 1}, Tally{2. / 3, 1, 0.8, 2, 1, 0}, 0},
		{"wrong label leaks nothing", spans{span(0, 2, "N")}, spans{span(0, 2, "D")},
			Tally{0, 0, 0, 0, 1, 1}, Tally{0, 0, 0, 0, 2, 2}, 0},
		{"split in two", spans{span(0, 2, "N")}, spans{span(0, 1, "N"), span(1, 2, "N")},
			Tally{0, 0, 0, 0, 2, 1}, Tally{1, 1, 1, 2, 0, 0}, 0},
		{"same span twice", spans{span(0, 1, "N")}, spans{span(0, 1, "N"), span(0, 1, "N")},
			Tally{0.5, 1, 2. / 3, 1, 1, 0}, Tally{1, 1, 1, 1, 0, 0}, 0},
		{"missed", spans{span(3, 4, "N")}, nil, Tally{0, 0, 0, 0, 0, 1}, Tally{0, 0, 0, 0, 0, 1}, 1},
		{"invented", nil, spans{span(3, 5, "N")}, Tally{0, 0, 0, 0, 1, 0}, Tally{0, 0, 0, 0, 2, 0}, 0},
		// Five hits, five misses and four false alarms: a denominator that
		// counts false alarms would make recall (14-5)/14.
		{"false alarms do not raise recall", spans{span(0, 5, "N"), span(5, 10, "N")}, spans{span(0, 5, "N")},
			Tally{1, 0.5, 2. / 3, 1, 0, 1}, Tally{1, 0.5, 2. / 3, 5, 0, 5}, 1},
	}
	for _, test := range tests {
		s := Score([][]annotate.Span{test.gold}, [][]annotate.Span{test.predicted}, []Doc{tenTokens})
		if s.Entity.Micro != test.entity || s.Token.Micro != test.token || s.DocumentsWithLeak != test.leaks || s.Documents != 1 {
			t.Errorf("%s: entity %+v, token %+v, %d leaks", test.name, s.Entity.Micro, s.Token.Micro, s.DocumentsWithLeak)
		}
	}
}

func TestScoreByLabelAddsUpToMicro(t *testing.T) {
	gold := [][]annotate.Span{{span(0, 2, "N"), span(4, 5, "D")}, {span(1, 2, "D")}}
	predicted := [][]annotate.Span{{span(0, 2, "N"), span(4, 5, "A")}, {span(1, 2, "D"), span(7, 8, "N")}}
	s := Score(gold, predicted, []Doc{tenTokens, tenTokens})
	want := map[annotate.Label]Tally{
		"N": {0.5, 1, 2. / 3, 1, 1, 0},
		"D": {1, 0.5, 2. / 3, 1, 0, 1},
		"A": {0, 0, 0, 0, 1, 0},
	}
	if !reflect.DeepEqual(s.Entity.Labels, want) {
		t.Errorf("labels %+v", s.Entity.Labels)
	}
	if (s.Entity.Micro != Tally{0.5, 2. / 3, 4. / 7, 2, 2, 1}) {
		t.Errorf("micro %+v", s.Entity.Micro)
	}
}

// Counting spans by merging lists must agree with counting them in a map.
func TestScoreAgreesWithASimplerCount(t *testing.T) {
	r := rand.New(rand.NewPCG(30, 31))
	some := func() []annotate.Span {
		var spans []annotate.Span
		for at := r.IntN(3); at < 9; at += 1 + r.IntN(3) {
			to := at + 1
			spans = append(spans, span(at, to, []annotate.Label{"A", "B"}[r.IntN(2)]))
			at = to
		}
		return spans
	}
	for range 200 {
		gold, predicted := some(), some()
		s := Score([][]annotate.Span{gold}, [][]annotate.Span{predicted}, []Doc{tenTokens})
		right := 0
		for _, g := range gold {
			for _, p := range predicted {
				if g == p {
					right++
				}
			}
		}
		m := s.Entity.Micro
		if m.TP != right || m.TP+m.FN != len(gold) || m.TP+m.FP != len(predicted) {
			t.Fatalf("%+v, want %d right of %d and %d", m, right, len(gold), len(predicted))
		}
	}
}
