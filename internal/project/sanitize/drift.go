// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"context"
	"errors"
	"slices"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/drift"
	"hide/internal/project"
	"hide/internal/words"
)

const driftSample = 600 // number of documents to be published that are compared

// compareDocuments tests whether the documents outside the estimates, finished or not,
// are like those that the estimates are based on. The result is nil if the estimates use
// every document, and inconclusive if there are too few documents on either side. After a
// drift warning, advised lists documents to annotate first.
func (s *Service) compareDocuments(ctx context.Context, ws *workspace, c project.Corpus, sensitive func(annotate.Label) bool, seed uint64) (report *drift.Report, advised advisedNotes, err error) {
	measured := c.Measured()
	var reference []annotate.DocumentID
	measures := map[annotate.DocumentID]bool{}
	for i, d := range c.Docs {
		if c.Random[i] || measured == len(c.Docs) {
			reference, measures[d.ID] = append(reference, d.ID), true
		}
	}
	others := ws.AllBut(measures)
	switch {
	case len(others) == 0:
		return nil, advised, nil
	case len(others) < drift.LeastUnits:
		return &drift.Report{}, advised, nil
	}
	annotated := onlySensitive(c, sensitive)
	looked := project.SomeOf(others, driftSample, seed)
	target, err := notes(ctx, ws, looked)
	if err != nil {
		return nil, advised, err
	}
	known, strange, err := drift.Profiles(ctx, annotated, of(annotated, project.SomeOf(reference, driftSample, seed)), target)
	if errors.Is(err, drift.ErrNothingSensitive) {
		return &drift.Report{}, advised, nil
	}
	if err != nil {
		return nil, advised, err
	}
	if report, err = drift.Compare(ctx, known, strange, seed); err != nil {
		return nil, advised, err
	}
	return report, ws.toAnnotate(report, looked, known, strange, seed), nil
}

// keepDrift records in the running run whether its figures carry over.
func (s *Service) keepDrift(ctx context.Context, ws *workspace, c project.Corpus, p Params) error {
	s.sanitizeEvent(ws, c, greedy.Event{Doing: "comparing the other notes with the measured notes", Share: shareSanitizing}, foundAt{})
	report, advised, err := s.compareDocuments(ctx, ws, c, sensitive(p.Labels), p.Seed)
	if err != nil {
		return err
	}
	ws.run.Change(func(r *Run) { r.Drift, r.Local, r.Drawn = report, advised.all, advised.drawn })
	return nil
}

// onlySensitive is the corpus with only its sensitive spans; nil means all.
func onlySensitive(c project.Corpus, sensitive func(annotate.Label) bool) []annotate.Note {
	out := make([]annotate.Note, len(c.Docs))
	for i, d := range c.Docs {
		out[i] = annotate.NewNote(d.Annotated).Only(sensitive)
		out[i].ID = d.ID
	}
	return out
}

// of are the notes with these numbers, in the order of the numbers.
func of(notes []annotate.Note, which []annotate.DocumentID) []annotate.Note {
	at := make(map[annotate.DocumentID]int, len(notes))
	for i, n := range notes {
		at[n.ID] = i
	}
	out := make([]annotate.Note, len(which))
	for i, id := range which {
		out[i] = notes[at[id]]
	}
	return out
}

// notes reads documents of the project.
func notes(ctx context.Context, ws *workspace, which []annotate.DocumentID) ([]annotate.Note, error) {
	out := make([]annotate.Note, 0, len(which))
	for d, err := range ws.Documents(ctx, which) {
		if err != nil {
			return nil, err
		}
		out = append(out, annotate.NewNote(d.Annotated))
	}
	return out, nil
}

// ForecastDoubt is why the run's forecast does not hold for the notes to be published, so that
// people have to read a sample of them. It is "" if the forecast holds, or if people have
// finished every note.
func (r *Run) ForecastDoubt() string {
	switch {
	case r.AllFinished:
		return ""
	case r.Drift.Warns():
		return "the notes to be published differ from the annotated notes"
	case r.Later > 0:
		return words.Count(r.Later, "note was", "notes were") + " imported after the run and not compared with the annotated notes; a new run compares them"
	case r.Drift != nil && !r.Drift.Known():
		return "there are too few notes to compare those to be published with the annotated notes"
	case r.Drift != nil && slices.ContainsFunc(r.Drift.Sources, func(s drift.Side) bool { return !s.Annotated }):
		return "some notes to be published are from an institution with hardly any annotated notes"
	case r.Random < r.Documents && r.Measured != r.Random:
		return "the annotated notes are not a random sample"
	}
	return ""
}

// mostLocal is how many notes a run advises to annotate after a drift warning: a few of them
// help more than many others.
const mostLocal = 30

// advisedNotes are notes to annotate, in this order.
type advisedNotes struct{ all, drawn []annotate.DocumentID } // drawn: those drawn at random

// toAnnotate advises open documents from sources with hardly any annotated note. If there
// are none, it takes them from sources that raise the warning, and otherwise from any source.
func (ws *workspace) toAnnotate(r *drift.Report, docs []annotate.DocumentID, known, profiles []drift.Profile, seed uint64) (out advisedNotes) {
	if !r.Warns() {
		return out
	}
	strange, profileOf := strangeSources(r), map[annotate.DocumentID]drift.Profile{}
	var open []annotate.DocumentID
	for i, doc := range docs {
		if len(strange) == 0 || strange[profiles[i].Source] {
			open, profileOf[doc] = append(open, doc), profiles[i]
		}
	}
	open = ws.Unfinished(open)
	target := make([]drift.Profile, len(open))
	for i, doc := range open {
		target[i] = profileOf[doc]
	}
	for _, a := range drift.ToAnnotate(known, target, mostLocal, seed) {
		out.all = append(out.all, open[a.At])
		if a.Random {
			out.drawn = append(out.drawn, open[a.At])
		}
	}
	return out
}

func sourcesThat(sides []drift.Side, holds func(drift.Side) bool) map[string]bool {
	out := map[string]bool{}
	for _, s := range sides {
		if holds(s) {
			out[s.Source] = true
		}
	}
	return out
}
