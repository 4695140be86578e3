// SPDX-License-Identifier: Apache-2.0

package training_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/training"
)

// known is a note without annotations that has these identities.
func known(name, text string) annotate.Annotated {
	return annotate.Annotated{Document: annotate.Document{Name: name, Text: text, Identities: []annotate.Identity{
		{Of: annotate.OfRelative, Label: "PATIENT", Value: "Zora Quarkinson", From: "NK1-2"},
		{Of: annotate.OfPatient, Label: "DATE", Value: "1961-05-14", From: "PID-7"},
		{Of: annotate.OfPatient, Label: "MEDICALRECORD", Value: "0081-5573", From: "PID-3"},
	}}}
}

// suggested lists the known identifiers that are suggested in a note.
func (b *bench) suggested(id project.ID, doc annotate.DocumentID) (found []string) {
	b.T.Helper()
	n := b.MustNote(projecttest.Annotator, id, doc)
	for _, s := range n.Suggestions {
		if s.Known {
			found = append(found, fmt.Sprintf("%s/%s", s.Span.Surface(n.Document.Text), s.Span.Label))
		}
	}
	return found
}

func TestKnownIdentifiersAreSuggestedFromTheFirstNote(t *testing.T) {
	b := newBench(t)
	id := b.NewProject([]annotate.Annotated{known("a", "quarkinson came on May 14 with chart 815573."), known("b", "nobody came")}, false)
	b.Set(id, func(s *project.Settings) { s.Blind = 0 })
	if got, want := b.suggested(id, 1), []string{"quarkinson/PATIENT", "May 14/DATE", "815573/MEDICALRECORD"}; !slices.Equal(got, want) {
		t.Errorf("suggested %v, want %v", got, want)
	}
	n := b.MustNote(projecttest.Annotator, id, 1)
	if !n.By.Known || !n.By.KnownOnly || n.By.Model != 0 {
		t.Errorf("they are by %+v", n.By)
	}
	n = b.MustEdit(projecttest.Annotator, id, 1, 0, annotate.Edit{Verb: annotate.VerbAccept, Suggestions: n.Suggestions[:1]})
	if len(n.Suggestions) != 2 || n.Layer.Annotations[0].Source != annotate.Accepted {
		t.Errorf("after accepting one, %d are open", len(n.Suggestions))
	}
}

func TestABlindNoteShowsNoKnownIdentifier(t *testing.T) {
	b := newBench(t)
	var docs []annotate.Annotated
	for i := range 16 {
		docs = append(docs, known(fmt.Sprint(i), "quarkinson came"))
	}
	id := b.NewProject(docs, false)
	b.Set(id, func(s *project.Settings) { s.Blind = 0.5 })
	blind := 0
	for doc := range annotate.DocumentID(16) {
		got, is := b.suggested(id, doc+1), b.MustNote(projecttest.Annotator, id, doc+1).Blind
		if (len(got) == 0) != is {
			t.Errorf("note %d, blind %v, shows %v", doc+1, is, got)
		}
		if is {
			blind++
		}
	}
	if blind == 0 || blind == 16 {
		t.Errorf("%d of 16 notes are blind", blind)
	}
}

// A project with other labels gets the label that people gave to the identifiers, and none
// that they do not mark.
func TestKnownIdentifiersHaveTheLabelsOfFinishedNotes(t *testing.T) {
	b := newBench(t)
	var docs []annotate.Annotated
	for i := range 24 {
		d := known(fmt.Sprint("done-", i), "Quarkinson came on May 14 with chart 815573.")
		d.Spans = []annotate.Span{{Start: 0, End: 10, Label: "WHO"}}
		docs = append(docs, d)
	}
	id := b.NewProject(docs, true)
	b.MustImport(id, []annotate.Annotated{known("open", "chart 815573 of quarkinson, May 14")}, false)
	b.Set(id, func(s *project.Settings) { s.Blind = 0 })
	b.Trained(id)
	if got, want := b.suggested(id, 25), []string{"quarkinson/WHO"}; !slices.Equal(got, want) {
		t.Errorf("suggested %v, want %v", got, want)
	}
	b.Reopen()
	if got := b.suggested(id, 25); len(got) != 1 {
		t.Errorf("after reopening, suggested %v", got)
	}
}

// TestKnownWinsUnlessAModelCoversIt compares with the rule applied to each letter.
func TestKnownWinsUnlessAModelCoversIt(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	spans := func(isKnown bool, model int) (all []annotate.Suggestion) {
		for at := rng.IntN(4); at < 20; {
			end := at + 1 + rng.IntN(4)
			all = append(all, annotate.Suggestion{Span: annotate.Span{Start: annotate.ByteOff(at), End: annotate.ByteOff(end), Label: "A"}, Model: model, Known: isKnown})
			at = end + rng.IntN(4)
		}
		return all
	}
	for range 5000 {
		model := rng.IntN(2)
		known, others := spans(true, 0), spans(false, model)
		got := training.WithKnown(known, others)
		var want []annotate.Suggestion
		for _, o := range others {
			overlaps := slices.DeleteFunc(slices.Clone(known), func(k annotate.Suggestion) bool { return !k.Span.Overlaps(o.Span) })
			inside := !slices.ContainsFunc(overlaps, func(k annotate.Suggestion) bool { return k.Span.Start < o.Span.Start || k.Span.End > o.Span.End })
			if len(overlaps) == 0 || model > 0 && inside {
				want = append(want, o)
			}
		}
		for _, k := range known {
			if !slices.ContainsFunc(want, func(o annotate.Suggestion) bool { return !o.Known && o.Span.Overlaps(k.Span) }) {
				want = append(want, k)
			}
		}
		slices.SortFunc(want, func(a, b annotate.Suggestion) int { return annotate.CompareSpans(a.Span, b.Span) })
		if !slices.Equal(got, want) {
			t.Fatalf("known %v and others %v give %v, want %v", known, others, got, want)
		}
	}
}
