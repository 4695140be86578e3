// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// simulation drives one layer with random edits, undos and redos of several people. Beside
// it runs a model that stores for every step what it removed and added.
type simulation struct {
	t     *testing.T
	rng   *rand.Rand
	text  string
	layer *Layer
	spans map[uint64]Annotation // expected annotations
	steps []*step
	clock time.Time
}

type step struct {
	by             string
	removed, added []Annotation
	undone         bool
}

func TestLayerMatchesModelUnderRandomEdits(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s := &simulation{t: t, rng: rng, text: randomText(rng, 30+rng.IntN(60)), layer: &Layer{State: New}, spans: map[uint64]Annotation{}}
		for range 200 {
			s.clock = s.clock.Add(time.Second)
			s.act()
			s.check()
		}
	}
}

func (s *simulation) act() {
	by := []string{"ann", "ben", "cleo"}[s.rng.IntN(3)]
	switch s.rng.IntN(8) {
	case 0, 1:
		s.undo(by)
	case 2:
		s.redo(by)
	default:
		s.edit(by)
	}
}

func (s *simulation) edit(by string) {
	e := s.randomEdit()
	before := s.layer.Clone()
	err := s.layer.Apply(s.text, e, by, s.clock)
	if err != nil {
		s.unchanged(before, err)
		return
	}
	s.steps = slices.DeleteFunc(s.steps, func(p *step) bool { return p.by == by && p.undone })
	s.steps = append(s.steps, s.difference(before, by))
	s.explain(before, e)
}

// randomEdit is usually a valid edit and sometimes an invalid one.
func (s *simulation) randomEdit() Edit {
	verbs := []Verb{VerbTag, VerbTag, VerbTag, VerbTagAll, VerbRemove, VerbRelabel, VerbResize, VerbAccept, VerbReject, VerbFinish, VerbReopen, "nonsense"}
	e := Edit{Verb: verbs[s.rng.IntN(len(verbs))], Label: Label([]string{"A", "B", "not a label"}[s.rng.IntN(3)])}
	for range 1 + s.rng.IntN(2) {
		e.Spans = append(e.Spans, s.randomSpan())
		e.Suggestions = append(e.Suggestions, Suggestion{Span: s.randomSpan(), Score: 0.5, Model: 3})
		e.IDs = append(e.IDs, s.randomID())
	}
	if e.Verb == VerbResize && s.rng.IntN(4) > 0 {
		e.IDs, e.Spans = e.IDs[:1], e.Spans[:1]
	}
	return e
}

func (s *simulation) randomSpan() Span {
	label := Label([]string{"A", "B", "A", "B", "bad label"}[s.rng.IntN(5)])
	if s.rng.IntN(12) == 0 {
		return Span{ByteOff(s.rng.IntN(len(s.text)+4) - 2), ByteOff(s.rng.IntN(len(s.text) + 4)), label}
	}
	runes := NewOffsets(s.text)
	start := s.rng.IntN(int(runes.Runes()))
	end := min(start+1+s.rng.IntN(6), int(runes.Runes()))
	span, err := runes.Span(RuneOff(start), RuneOff(end), label)
	if err != nil {
		s.t.Fatal(err)
	}
	return span
}

func (s *simulation) randomID() uint64 {
	if len(s.layer.Annotations) > 0 && s.rng.IntN(6) > 0 {
		return s.layer.Annotations[s.rng.IntN(len(s.layer.Annotations))].ID
	}
	return uint64(s.rng.IntN(50))
}

// difference compares the layer before and after, without using the edit.
func (s *simulation) difference(before *Layer, by string) *step {
	p := &step{by: by}
	for _, a := range before.Annotations {
		if _, stays := s.layer.Find(a.ID); !stays {
			p.removed = append(p.removed, a)
			delete(s.spans, a.ID)
		}
	}
	for _, a := range s.layer.Annotations {
		if _, was := before.Find(a.ID); !was {
			if a.ID <= before.LastID {
				s.t.Fatalf("annotation id %d is used again", a.ID)
			}
			p.added = append(p.added, a)
			s.spans[a.ID] = a
		}
	}
	return p
}

// explain checks an edit's effect against its verb.
func (s *simulation) explain(before *Layer, e Edit) {
	p := s.steps[len(s.steps)-1]
	bad := func(what string) {
		s.t.Fatalf("%s %s: removed %d, added %d", e.Verb, what, len(p.removed), len(p.added))
	}
	switch e.Verb {
	case VerbTag:
		if len(p.added) != len(e.Spans) {
			bad("did not add all its spans")
		}
		for _, a := range p.removed {
			if !slices.ContainsFunc(e.Spans, a.Span.Overlaps) {
				bad("removed what it does not overlap")
			}
		}
	case VerbTagAll, VerbAccept:
		if len(p.removed) > 0 || len(p.added) == 0 {
			bad("must only add")
		}
	case VerbRemove:
		if len(p.added) > 0 || len(p.removed) != len(e.IDs) {
			bad("must only remove")
		}
	case VerbRelabel:
		for i, a := range p.added {
			if a.Span.Label != e.Label || !slices.ContainsFunc(p.removed, func(r Annotation) bool { return r.Span.Start == a.Span.Start && r.Span.End == a.Span.End }) {
				bad(fmt.Sprintf("changed more than the label of %d", i))
			}
		}
	case VerbResize:
		old, _ := before.Find(e.IDs[0])
		if len(p.added) != 1 || p.added[0].Span != (Span{e.Spans[0].Start, e.Spans[0].End, old.Span.Label}) {
			bad("must move one annotation")
		}
	case VerbReject, VerbFinish, VerbReopen:
		if len(p.removed)+len(p.added) > 0 {
			bad("must not touch annotations")
		}
	default:
		bad("must fail")
	}
}

// undo undoes the newest live step of by in the model, unless somebody's later change
// blocks it.
func (s *simulation) undo(by string) {
	before := s.layer.Clone()
	err := s.layer.Undo(s.text, by)
	i := len(s.steps) - 1
	for i >= 0 && (s.steps[i].by != by || s.steps[i].undone) {
		i--
	}
	if i < 0 {
		s.fails(before, err, ErrNothingToUndo)
		return
	}
	if !s.swap(s.steps[i].added, s.steps[i].removed) {
		s.fails(before, err, ErrUndoBlocked)
		return
	}
	s.steps[i].undone = true
	s.succeeds(err)
}

func (s *simulation) redo(by string) {
	before := s.layer.Clone()
	err := s.layer.Redo(s.text, by)
	i := slices.IndexFunc(s.steps, func(p *step) bool { return p.by == by && p.undone })
	if i < 0 {
		s.fails(before, err, ErrNothingToUndo)
		return
	}
	if !s.swap(s.steps[i].removed, s.steps[i].added) {
		s.fails(before, err, ErrUndoBlocked)
		return
	}
	s.steps[i].undone = false
	s.succeeds(err)
}

// swap removes and adds spans in the model, and reports whether that is possible.
func (s *simulation) swap(out, in []Annotation) bool {
	next := maps.Clone(s.spans)
	for _, a := range out {
		if _, stands := next[a.ID]; !stands {
			return false
		}
		delete(next, a.ID)
	}
	for _, a := range in {
		for _, b := range next {
			if a.Span.Overlaps(b.Span) {
				return false
			}
		}
		next[a.ID] = a
	}
	s.spans = next
	return true
}

func (s *simulation) succeeds(err error) {
	if err != nil {
		s.t.Fatalf("undo or redo should work: %v", err)
	}
}

func (s *simulation) fails(before *Layer, err, want error) {
	if !errors.Is(err, want) {
		s.t.Fatalf("got %v, want %v", err, want)
	}
	s.unchanged(before, err)
}

func (s *simulation) unchanged(before *Layer, err error) {
	if !reflect.DeepEqual(before, s.layer) {
		s.t.Fatalf("the layer changed though there was an error: %v", err)
	}
}

func (s *simulation) check() {
	if len(s.layer.Annotations) != len(s.spans) {
		s.t.Fatalf("%d annotations, want %d", len(s.layer.Annotations), len(s.spans))
	}
	for _, a := range s.layer.Annotations {
		if s.spans[a.ID] != a {
			s.t.Fatalf("annotation %d differs", a.ID)
		}
	}
	if err := CheckSpans(s.text, s.layer.Spans()); err != nil {
		s.t.Fatal(err)
	}
	for _, a := range s.layer.Annotations {
		if CheckLabel(a.Span.Label) != nil {
			s.t.Fatal("an invalid label was stored")
		}
	}
	if len(s.layer.Annotations) > 0 && s.layer.State == New {
		s.t.Fatal("a document with annotations has the state new")
	}
}

// must applies an edit that must succeed.
func must(t *testing.T, l *Layer, text string, e Edit, by string) {
	t.Helper()
	if err := l.Apply(text, e, by, time.Time{}); err != nil {
		t.Fatalf("%s by %s: %v", e.Verb, by, err)
	}
}

func TestUndoLeavesOthersAlone(t *testing.T) {
	const text = "one two three four"
	l := &Layer{State: New}
	must(t, l, text, Edit{Verb: VerbTag, Spans: []Span{{0, 3, "A"}}}, "ann")
	must(t, l, text, Edit{Verb: VerbTag, Spans: []Span{{4, 7, "B"}}}, "ben")
	must(t, l, text, Edit{Verb: VerbTag, Spans: []Span{{8, 13, "A"}}}, "ann")
	for range 2 {
		if err := l.Undo(text, "ann"); err != nil {
			t.Fatal(err)
		}
	}
	if got := l.Spans(); !slices.Equal(got, []Span{{4, 7, "B"}}) {
		t.Errorf("left are %v", got)
	}
	if err := l.Undo(text, "ann"); !errors.Is(err, ErrNothingToUndo) {
		t.Errorf("a third undo: %v", err)
	}
	for range 2 {
		if err := l.Redo(text, "ann"); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.Annotations) != 3 {
		t.Errorf("after redo there are %d annotations", len(l.Annotations))
	}
}

func TestUndoIsBlockedWhereAnotherHasChangedTheSpan(t *testing.T) {
	const text = "one two"
	l := &Layer{State: New}
	must(t, l, text, Edit{Verb: VerbTag, Spans: []Span{{0, 3, "A"}}}, "ann")
	must(t, l, text, Edit{Verb: VerbRelabel, IDs: []uint64{1}, Label: "B"}, "ben")
	before := l.Clone()
	if err := l.Undo(text, "ann"); !errors.Is(err, ErrUndoBlocked) {
		t.Errorf("got %v", err)
	}
	if !reflect.DeepEqual(before, l) {
		t.Error("the layer changed")
	}
	if err := l.Undo(text, "ben"); err != nil {
		t.Fatal(err)
	}
	if err := l.Undo(text, "ann"); err != nil {
		t.Errorf("after the other's undo: %v", err)
	}
}

func TestUndoBringsTheStateBack(t *testing.T) {
	const text = "one two three"
	tag := func(start ByteOff) Edit { return Edit{Verb: VerbTag, Spans: []Span{{start, start + 3, "A"}}} }
	finish := Edit{Verb: VerbFinish}
	type act struct {
		by   string
		edit Edit // without a verb: undo
	}
	cases := []struct {
		name string
		acts []act
		want State
	}{
		{"alone", []act{{"ann", tag(0)}, {"ann", Edit{}}}, New},
		{"finished", []act{{"ann", finish}, {"ann", Edit{}}}, New},
		{"tag after finish", []act{{"ann", finish}, {"ann", tag(0)}, {"ann", Edit{}}}, Done},
		{"another has tagged since", []act{{"ann", tag(0)}, {"ben", tag(4)}, {"ann", Edit{}}}, InProgress},
		{"another has finished since", []act{{"ann", tag(0)}, {"ben", finish}, {"ann", Edit{}}}, InProgress},
		{"another has tagged since the finish", []act{{"ann", finish}, {"ben", tag(0)}, {"ann", Edit{}}}, InProgress},
		{"another has undone", []act{{"ann", tag(0)}, {"ben", tag(4)}, {"ben", Edit{}}, {"ann", Edit{}}}, New},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := &Layer{State: New}
			for _, a := range c.acts {
				if a.edit.Verb != "" {
					must(t, l, text, a.edit, a.by)
				} else if err := l.Undo(text, a.by); err != nil {
					t.Fatal(err)
				}
			}
			if l.State != c.want {
				t.Errorf("state is %q, want %q", l.State, c.want)
			}
		})
	}
}

func TestRejectedSuggestionsStayAway(t *testing.T) {
	const text = "one two"
	l := &Layer{State: New}
	both := []Suggestion{{Span: Span{0, 3, "A"}}, {Span: Span{4, 7, "A"}, Score: 0.7, Model: 2}}
	must(t, l, text, Edit{Verb: VerbReject, Suggestions: both[:1]}, "ann")
	if open := l.Open(both); !slices.Equal(open, both[1:]) {
		t.Errorf("open are %v", open)
	}
	must(t, l, text, Edit{Verb: VerbAccept, Suggestions: both[1:]}, "ann")
	if a := l.Annotations[0]; a.Source != Accepted || a.Score != 0.7 || a.Model != 2 {
		t.Errorf("accepted as %+v", a)
	}
	if open := l.Open(both); len(open) > 0 {
		t.Errorf("still open are %v", open)
	}
	for range 2 {
		if err := l.Undo(text, "ann"); err != nil {
			t.Fatal(err)
		}
	}
	if open := l.Open(both); len(open) != 2 {
		t.Errorf("after undo, %d are open", len(open))
	}
}

func TestHistoryIsBounded(t *testing.T) {
	const text = "one two"
	l := &Layer{State: New}
	for i := range historyLimit + 100 {
		must(t, l, text, Edit{Verb: VerbTag, Spans: []Span{{0, 3, []Label{"A", "B"}[i%2]}}}, "ann")
	}
	if len(l.History) != historyLimit {
		t.Errorf("%d changes are kept, want %d", len(l.History), historyLimit)
	}
	if l.Revision != historyLimit+100 {
		t.Errorf("revision is %d", l.Revision)
	}
}

func TestApplyToCloneLeavesOriginal(t *testing.T) {
	const text = "one two three"
	l := &Layer{State: New}
	must(t, l, text, Edit{Verb: VerbTag, Spans: []Span{{0, 3, "A"}, {4, 7, "B"}}}, "ann")
	before := l.Clone()
	c := l.Clone()
	must(t, c, text, Edit{Verb: VerbRemove, IDs: []uint64{1}}, "ann")
	must(t, c, text, Edit{Verb: VerbReject, Suggestions: []Suggestion{{Span: Span{8, 13, "A"}}}}, "ann")
	if err := c.Undo(text, "ann"); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(before, l) {
		t.Error("the original changed")
	}
}

// TestALayerSaysWhatWasDoneSince has two people edit, undo and redo, and lists the changes
// after each revision.
func TestALayerSaysWhatWasDoneSince(t *testing.T) {
	const text = "Ann saw Bob."
	l, at := &Layer{State: New}, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	act := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	act(l.Apply(text, Edit{Verb: VerbTag, Spans: []Span{{0, 3, "A"}}}, "ann", at))  // revision 1
	act(l.Apply(text, Edit{Verb: VerbTag, Spans: []Span{{8, 11, "B"}}}, "ben", at)) // 2
	act(l.Apply(text, Edit{Verb: VerbFinish}, "ben", at))                           // 3
	if c, ok := l.Finished(); !ok || c.By != "ben" {
		t.Errorf("finished by %q, %v", c.By, ok)
	}
	act(l.Undo(text, "ann")) // 4
	if _, ok := l.Finished(); ok {
		t.Error("a layer in progress was finished by somebody")
	}
	act(l.Redo(text, "ann")) // 5
	for revision, want := range []string{"ben tag, ben finish, ann tag", "ben tag, ben finish, ann tag", "ben finish, ann tag", "ann tag", "ann tag", ""} {
		var got []string
		for _, c := range l.Since(revision) {
			got = append(got, c.By+" "+string(c.Verb))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("since revision %d: %q, want %q", revision, got, want)
		}
	}
	if c, ok := l.Last("ben"); !ok || c.Verb != VerbFinish {
		t.Errorf("ben's last is %q, %v", c.Verb, ok)
	}
	if _, ok := l.Last("cleo"); ok {
		t.Error("a person without changes has a last change")
	}
}
