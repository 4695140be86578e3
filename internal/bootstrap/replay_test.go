// SPDX-License-Identifier: Apache-2.0

package bootstrap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/hospital"
)

// invented are two notes of each patient, with a single label.
func invented(patients int, seed uint64) []annotate.Annotated {
	notes := slices.Collect(hospital.Generate(hospital.Options{Patients: patients, Seed: seed, Institution: "a", MinNotes: 2, MaxNotes: 2}))
	for _, n := range notes {
		for i := range n.Spans {
			n.Spans[i].Label = "PHI"
		}
	}
	return notes
}

// quick has options that train within a moment.
func quick(o Options) Options {
	o.Train = crf.Options{Features: crf.Fold | crf.Shape | crf.Affix, MaxIterations: 12}
	return o
}

func mustReplay(t *testing.T, pool, test []annotate.Annotated, o Options) *Result {
	t.Helper()
	r, err := Replay(t.Context(), pool, test, quick(o))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReplayDoesNotDependOnWorkers(t *testing.T) {
	pool, test := invented(5, 1), invented(2, 2)
	var want []byte
	for _, n := range []int{1, 2, 8} {
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
			got, err := json.Marshal(mustReplay(t, pool, test, Options{Start: 2, Step: 4, Repeats: 2, Seed: 3}))
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if string(got) != string(want) {
				t.Errorf("GOMAXPROCS %d gives other results than 1", n)
			}
		}()
	}
}

func TestReplayReadsEveryNoteOnce(t *testing.T) {
	pool, test := invented(8, 1), invented(2, 2)
	r := mustReplay(t, pool, test, Options{Start: 3, Step: 5})
	all := sizeOf(pool)
	for _, c := range r.Curves {
		end := c.Points[len(c.Points)-1]
		if got := (Size{int(end.Documents), int(end.Tokens), int(end.Spans)}); got != all {
			t.Errorf("%s order read %+v, there were %+v", c.Order, got, all)
		}
		first := c.Points[0]
		if first.ByHand != first.Spans || first.Refused != 0 {
			t.Errorf("%s order: %g of %g spans by hand before there was a model", c.Order, first.ByHand, first.Spans)
		}
		if !(end.ByHand < end.Spans) || end.F1 < 0.5 {
			t.Errorf("%s order: %g of %g spans by hand in the end, F1 %.3f", c.Order, end.ByHand, end.Spans, end.F1)
		}
		var n []float64
		for _, p := range c.Points {
			n = append(n, p.Documents)
		}
		if want := []float64{3, 8, 13, 16}; !slices.Equal(n, want) {
			t.Errorf("%s order trained at %v notes, want %v", c.Order, n, want)
		}
	}
	if a, b := r.Curves[0].Points[0], r.Curves[1].Points[0]; a != b {
		t.Errorf("the orders start from different notes: %+v and %+v", a, b)
	}
}

// TestActiveOrderAsksForWhatIsUnknown has a pool in which one note in eight has new
// content.
func TestActiveOrderAsksForWhatIsUnknown(t *testing.T) {
	var pool, test []annotate.Annotated
	rare := func(i int) annotate.Annotated {
		return note(fmt.Sprintf("Call %d-%d now please", 200+i, 3000+7*i), 5, 13)
	}
	usual := func(i int) annotate.Annotated { return note("Seen by Smith for a cough and fever today", 8, 13) }
	for i := range 96 {
		if i%8 == 0 {
			pool = append(pool, rare(i))
		} else {
			pool = append(pool, usual(i))
		}
	}
	for i := range 4 {
		test = append(test, rare(400+i), usual(i))
	}
	r := mustReplay(t, pool, test, Options{Start: 10, Step: 2, Most: 24, Repeats: 5, Seed: 4})
	share := func(o Order) float64 { // share of tokens; the rare notes have fewer
		p := r.Curve(o).Points
		return (p[len(p)-1].Tokens - p[0].Tokens) / (p[len(p)-1].Documents - p[0].Documents)
	}
	if a, b := share(Active), share(AtRandom); a >= b {
		t.Errorf("%.2f tokens a note in the active order, %.2f at random: it does not ask for the rare kind", a, b)
	}
}

func note(text string, start, end annotate.ByteOff) annotate.Annotated {
	return annotate.Annotated{Document: annotate.Document{Text: text}, Spans: []annotate.Span{{Start: start, End: end, Label: "NAME"}}}
}

func TestReplayEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := quick(Options{Start: 2})
	o.Progress = func(done, total int, _ Order, _ int) {
		if done == 2 {
			cancel()
		}
	}
	if r, err := Replay(ctx, invented(6, 1), invented(2, 2), o); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("got %v, %v; want no result and that it was cancelled", r, err)
	}
}

func TestReplayRefusesWhatItCannotDo(t *testing.T) {
	some := invented(2, 1)
	for name, o := range map[string]Options{
		"order": {Orders: []Order{"best"}}, "start": {Start: -1}, "goal": {Goal: 1.5}, "goal that is no number": {Goal: math.NaN()},
	} {
		if _, err := Replay(t.Context(), some, some, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Replay(t.Context(), nil, some, Options{}); err == nil {
		t.Error("no notes: no error")
	}
}

func TestScheduleGrowsToAllNotes(t *testing.T) {
	for _, c := range []struct {
		o    Options
		pool int
		want []int
	}{
		{Options{}, 30, []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 27, 30}},
		{Options{}, 2, []int{2}},
		{Options{Start: 1}, 4, []int{1, 2, 3, 4}},
		{Options{Start: 80}, 105, []int{80, 90, 101, 105}},
		{Options{Start: 2, Step: 3}, 9, []int{2, 5, 8, 9}},
		{Options{Start: 2, Step: 3, Most: 6}, 9, []int{2, 5, 6}},
	} {
		if got := c.o.withDefaults().schedule(c.pool); !slices.Equal(got, c.want) {
			t.Errorf("%+v of %d: %v, want %v", c.o, c.pool, got, c.want)
		}
	}
}

// TestNeededLiesOnTheLine has an expected value computed by hand: from (10, .6) to (20, .8)
// the line crosses .75 at 17.5 documents.
func TestNeededLiesOnTheLine(t *testing.T) {
	points := []Point{{Documents: 10, Tokens: 100, F1: 0.6}, {Documents: 20, Tokens: 300, F1: 0.8}, {Documents: 30, Tokens: 500, F1: 0.7}}
	cases := map[float64]Needed{
		0.75: {Reached: true, Documents: 17.5, Tokens: 250},
		0.8:  {Reached: true, Documents: 20, Tokens: 300},
		0.5:  {Reached: true, AtStart: true, Documents: 10, Tokens: 100},
		0.9:  {},
	}
	for goal, want := range cases {
		if got := needed(points, goal); math.Abs(got.Documents-want.Documents) > 1e-9 || math.Abs(got.Tokens-want.Tokens) > 1e-9 || got.Reached != want.Reached || got.AtStart != want.AtStart {
			t.Errorf("goal %g: %+v, want %+v", goal, got, want)
		}
	}
	runs := [][]Point{points, {{Documents: 10, F1: 0.8}, {Documents: 20, F1: 0.8}, {Documents: 30, F1: 0.9}}, {{Documents: 10, F1: 0.1}, {Documents: 20, F1: 0.1}, {Documents: 30, F1: 0.1}}}
	c := newCurve(AtRandom, runs, 0.75)
	if c.Needed.Never != 1 || c.Needed.Least != 10 || math.Abs(c.Needed.Most-17.5) > 1e-9 {
		t.Errorf("over three repeats: %+v, want from 10 to 17.5 and one never", c.Needed)
	}
	if p := c.Points[1]; math.Abs(p.F1-1.7/3) > 1e-9 || c.Low[1].F1 != 0.1 || c.High[1].F1 != 0.8 {
		t.Errorf("the second step is %.3f from %g to %g", p.F1, c.Low[1].F1, c.High[1].F1)
	}
}

func TestSplitKeepsPatientsWhole(t *testing.T) {
	notes := invented(10, 1)
	pool, test, err := Split(notes, 0.3, 7)
	if err != nil {
		t.Fatal(err)
	}
	if len(pool)+len(test) != len(notes) || len(test) < 6 || len(test) > 8 {
		t.Errorf("%d and %d of %d notes, want about 6 held out", len(pool), len(test), len(notes))
	}
	held := map[string]bool{}
	for _, n := range test {
		held[n.Group()] = true
	}
	for _, n := range pool {
		if held[n.Group()] {
			t.Error("a patient is on both sides")
		}
	}
	again, _, _ := Split(notes, 0.3, 7)
	if !reflect.DeepEqual(pool, again) {
		t.Error("the same seed parts the notes otherwise")
	}
	if _, _, err := Split(notes[:2], 0.3, 7); err == nil {
		t.Error("two notes of one patient were parted")
	}
}
