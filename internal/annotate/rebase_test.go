// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// rebaseWalk makes random edits of a note of few words and remembers every revision.
type rebaseWalk struct {
	t      *testing.T
	rng    *rand.Rand
	text   string
	layer  *Layer
	states []*Layer // by revision
	undone []bool   // by revision: it came from an undo or a redo
}

func (w *rebaseWalk) span() Span {
	const words = 12 // of three bytes and a space
	start := w.rng.IntN(words)
	end := min(words, start+1+w.rng.IntN(2))
	return Span{ByteOff(4 * start), ByteOff(4*end - 1), []Label{"NAME", "DATE"}[w.rng.IntN(2)]}
}

func (w *rebaseWalk) edit(on *Layer) Edit {
	e := Edit{Verb: []Verb{VerbTag, VerbTag, VerbTagAll, VerbRemove, VerbRelabel, VerbResize, VerbAccept, VerbReject, VerbFinish, VerbReopen}[w.rng.IntN(10)]}
	if w.rng.IntN(3) > 0 && (e.Verb == VerbFinish || e.Verb == VerbReopen) {
		e.Verb = VerbTag
	}
	switch e.Verb {
	case VerbTag, VerbResize:
		e.Spans = []Span{w.span()}
	case VerbTagAll:
		e.Spans = []Span{w.span()}
		if other := w.span(); !other.Overlaps(e.Spans[0]) {
			e.Spans = append(e.Spans, other)
		}
	case VerbAccept, VerbReject:
		e.Suggestions = []Suggestion{{Span: w.span(), Score: 0.5}}
	}
	if e.Verb == VerbRemove || e.Verb == VerbRelabel || e.Verb == VerbResize {
		e.Label = "DATE"
		if len(on.Annotations) > 0 {
			e.IDs = []uint64{on.Annotations[w.rng.IntN(len(on.Annotations))].ID}
		}
	}
	return e
}

// step makes one change, undo or redo of somebody, which may be refused.
func (w *rebaseWalk) step() {
	by, undo := fmt.Sprint("u-", w.rng.IntN(3)), false
	var err error
	switch n := w.rng.IntN(10); n {
	case 0:
		undo, err = true, w.layer.Undo(w.text, by)
	case 1:
		undo, err = true, w.layer.Redo(w.text, by)
	default:
		err = w.layer.Apply(w.text, w.edit(w.layer), by, time.Unix(int64(len(w.states)), 0))
	}
	if err == nil {
		w.states, w.undone = append(w.states, w.layer.Clone()), append(w.undone, undo)
	}
}

func (w *rebaseWalk) anyUndone(after int) bool { return slices.Contains(w.undone[after+1:], true) }

func newRebaseWalk(t *testing.T, seed uint64) *rebaseWalk {
	w := &rebaseWalk{t: t, rng: rand.New(rand.NewPCG(seed, 1)), text: strings.TrimSpace(strings.Repeat("abc ", 12)), layer: &Layer{}}
	w.states, w.undone = []*Layer{w.layer.Clone()}, []bool{false}
	return w
}

// TestAtIsTheLayerThatWas compares with every revision of random walks.
func TestAtIsTheLayerThatWas(t *testing.T) {
	found := 0
	for seed := range uint64(300) {
		w := newRebaseWalk(t, seed)
		for range 15 {
			w.step()
		}
		for revision, was := range w.states {
			got, ok := w.layer.At(w.text, revision)
			if !ok {
				if !w.anyUndone(revision) {
					t.Fatalf("seed %d: revision %d of %d is not found, and nothing was undone", seed, revision, w.layer.Revision)
				}
				continue
			}
			found++
			same := got.Revision == revision &&
				slices.Equal(got.Annotations, was.Annotations) && slices.Equal(got.Rejected, was.Rejected)
			if !same {
				t.Fatalf("seed %d: revision %d of %d is %+v, was %+v", seed, revision, w.layer.Revision, got, was)
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d revisions were found", found)
	}
}

// at is everything that the layer has where an edit is made.
func (l *Layer) at(places []Span) (found []string) {
	for _, a := range l.Annotations {
		if slices.ContainsFunc(places, a.Span.Overlaps) {
			found = append(found, fmt.Sprint(a.ID, a.Span))
		}
	}
	for _, s := range l.Rejected {
		if slices.ContainsFunc(places, s.Overlaps) {
			found = append(found, fmt.Sprint("rejected", s))
		}
	}
	return found
}

// TestAnEditStandsWhereNothingChanged: an edit stands only if its places are as they were
// in every revision since, and does if nothing was undone and the document is not finished.
func TestAnEditStandsWhereNothingChanged(t *testing.T) {
	stood, fell := 0, 0
	for seed := range uint64(2000) {
		w := newRebaseWalk(t, seed)
		for range 10 {
			w.step()
		}
		revision := w.rng.IntN(w.layer.Revision + 1)
		was := w.states[revision]
		e := w.edit(was)
		places, about := was.about(e)
		same := about
		for _, l := range w.states[revision:] {
			same = same && reflect.DeepEqual(l.at(places), was.at(places))
		}
		switch stands := w.layer.Stands(revision, e); {
		case stands && !same:
			t.Fatalf("seed %d: %+v of revision %d stands, and its place has changed", seed, e, revision)
		case !stands && same && !w.anyUndone(revision) && w.layer.State != Done:
			t.Fatalf("seed %d: %+v of revision %d does not stand, and nothing has changed", seed, e, revision)
		case stands && revision < w.layer.Revision:
			stood++
		case !stands:
			fell++
		}
	}
	if stood < 100 || fell < 100 {
		t.Errorf("%d edits stood and %d fell: too few to tell", stood, fell)
	}
}

func TestTheLayerForgetsWhatLiesTooFarBack(t *testing.T) {
	w := newRebaseWalk(t, 1)
	for i := range historyLimit + 1 {
		e := Edit{Verb: VerbTag, Spans: []Span{{0, 3, []Label{"NAME", "DATE"}[i%2]}}}
		if err := w.layer.Apply(w.text, e, "u-1", time.Unix(int64(i), 0)); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere := Edit{Verb: VerbTag, Spans: []Span{{4, 7, "NAME"}}}
	if _, ok := w.layer.At(w.text, 0); ok || w.layer.Stands(0, elsewhere) {
		t.Error("the first revision is known, beyond the limit of the history")
	}
	if _, ok := w.layer.At(w.text, 1); !ok || !w.layer.Stands(1, elsewhere) {
		t.Error("the second revision is not known, within the limit of the history")
	}
}
