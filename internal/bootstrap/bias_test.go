// SPDX-License-Identifier: Apache-2.0

package bootstrap

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf/score"
)

// letters is a note of n one-letter words; people marked some and a model proposes some.
func letters(n int, people, model []int) score.Prediction {
	at := func(i int) annotate.Span {
		return annotate.Span{Start: annotate.ByteOff(2 * i), End: annotate.ByteOff(2*i + 1), Label: "NAME"}
	}
	var d annotate.Annotated
	for range n {
		d.Text += "a "
	}
	for _, i := range people {
		d.Spans = append(d.Spans, at(i))
	}
	var proposed []annotate.Suggestion
	for _, i := range model {
		proposed = append(proposed, annotate.Suggestion{Span: at(i)})
	}
	return score.Prediction{Note: new(annotate.NewNote(d)), Predicted: proposed}
}

// TestBiasCountsBothSides has expected values computed by hand. In each blind note people
// mark four words; the model finds two of them and marks one more. In each assisted note
// they mark three; it finds two of them.
func TestBiasCountsBothSides(t *testing.T) {
	var reads []Read
	for i := range 6 {
		reads = append(reads, Read{fmt.Sprint("p", i), false, letters(20, []int{0, 2, 4, 6}, []int{0, 2, 8})})
		reads = append(reads, Read{fmt.Sprint("q", i), true, letters(20, []int{0, 2, 4}, []int{0, 2})})
	}
	b := BiasOf(reads, 1)
	for what, c := range map[string]struct{ got, want float64 }{
		"recall, blind": {b.Blind.Recall.Value, 0.5}, "recall, assisted": {b.Assisted.Recall.Value, 2.0 / 3}, "recall, difference": {b.Recall.Value, 1.0 / 6},
		"precision, blind": {b.Blind.Precision.Value, 2.0 / 3}, "precision, assisted": {b.Assisted.Precision.Value, 1},
		"agreement, difference": {b.Agreement.Value, 1.0 / 3}, "marked, blind": {b.Blind.Marked.Value, 20}, "marked, difference": {b.Marked.Value, -5},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s: %g, want %g", what, c.got, c.want)
		}
	}
	if !b.Known() || b.Blind.Documents != 6 || b.Assisted.Groups != 6 {
		t.Errorf("sides %+v and %+v, want six notes of six patients each", b.Blind, b.Assisted)
	}
	if b.Recall.Low < 1.0/6-1e-12 || b.Recall.High > 1.0/6+1e-12 {
		t.Errorf("interval %+v of notes that are all alike", b.Recall)
	}
}

func TestBiasNeedsNotesOnBothSides(t *testing.T) {
	var reads []Read
	for i := range 9 {
		reads = append(reads, Read{fmt.Sprint(i), i < 4, letters(4, []int{0}, []int{0})})
	}
	b := BiasOf(reads, 1)
	if b.Known() || b.Recall != (Estimate{}) {
		t.Errorf("4 assisted and 5 blind notes: known %v, recall %+v", b.Known(), b.Recall)
	}
	reads = append(reads, Read{"5", true, letters(4, nil, nil)}) // a patient with notes of both kinds
	if b = BiasOf(reads, 1); !b.Known() || b.Assisted.Groups != 5 || b.Blind.Groups != 5 {
		t.Errorf("5 patients on each side, one of them on both: %+v", b)
	}
	if empty := BiasOf(nil, 1); !reflect.DeepEqual(empty, Bias{}) {
		t.Errorf("of nothing: %+v", empty)
	}
}

// TestBiasShowsWhatAnnotatorsOverlook simulates annotators who mark ten words, of which a
// model finds each with probability 0.8. Careful annotators mark all; the others overlook
// each word without a suggestion with probability 0.4.
func TestBiasShowsWhatAnnotatorsOverlook(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	bias := func(overlook float64, seed uint64) Bias {
		var reads []Read
		for i := range 120 {
			var people, model []int
			assisted := i%3 > 0
			for w := range 10 {
				found := random.Float64() < 0.8
				if found {
					model = append(model, w)
				}
				if found || !assisted || random.Float64() >= overlook {
					people = append(people, w)
				}
			}
			reads = append(reads, Read{fmt.Sprint(i), assisted, letters(40, people, model)})
		}
		return BiasOf(reads, seed)
	}
	alarms, seen := 0, 0
	for seed := range uint64(40) {
		if b := bias(0, seed); b.Recall.Low > 0 || b.Recall.High < 0 {
			alarms++
		}
		if b := bias(0.4, seed); b.Recall.Low > 0 {
			seen++
		}
	}
	if alarms > 6 {
		t.Errorf("%d of 40 comparisons of careful annotators show a difference, want about 2", alarms)
	}
	if seen < 34 {
		t.Errorf("%d of 40 comparisons show that annotators overlook things, want nearly all", seen)
	}
}
