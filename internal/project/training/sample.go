// SPDX-License-Identifier: Apache-2.0

package training

import (
	"context"
	"slices"

	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/greedy/drift"
	"hide/internal/project"
)

// sampleState is the sample that a project's models train on while there are more finished
// notes than help. Notes finished after it was drawn train together with it, until there
// are so many that it is drawn again. So most trainings only add a note to the last one.
type sampleState struct {
	drawn    map[annotate.DocumentID]bool // finished when the sample was drawn; nil before
	chosen   map[annotate.DocumentID]bool
	measured map[annotate.DocumentID]bool // may be used for estimates
	facts    map[annotate.DocumentID]noteFacts
}

// noteFacts are what the choice reads from a note itself.
type noteFacts struct {
	revision int
	kind     string
	labels   []annotate.Label
}

// corpus reads the finished documents to train on, or all of them. of is how many finished
// documents there are.
func (ws *workspace) corpus(ctx context.Context, all bool) (c project.Corpus, of int, err error) {
	finished := ws.Finished()
	chosen, measured := finished, map[annotate.DocumentID]bool(nil)
	if !all {
		if chosen, measured, err = ws.chosen(ctx, finished); err != nil {
			return c, 0, err
		}
	}
	c, err = ws.SnapshotOf(ctx, chosen)
	for i, d := range c.Docs {
		c.Random[i] = c.Random[i] && (measured == nil || measured[d.ID])
	}
	return c, len(finished), err
}

// chosen is the sample of the finished documents, in their order, and which of them may be
// used for estimates. While all fit, it is all of them, and measured is nil.
func (ws *workspace) chosen(ctx context.Context, finished []annotate.DocumentID) (chosen []annotate.DocumentID, measured map[annotate.DocumentID]bool, err error) {
	ws.choosing.Lock()
	defer ws.choosing.Unlock()
	bound, s := ws.service.bound, &ws.sample
	notes, tokens, err := ws.describeFinished(finished)
	if err != nil {
		return nil, nil, err
	}
	if bound.Holds(len(notes), tokens) {
		*s = sampleState{facts: s.facts}
		return finished, nil, nil
	}
	fresh, freshTokens := s.fresh(notes)
	if few := bound.Fresh().Holds(len(fresh), freshTokens); !few || !s.holds(notes) {
		if err := ws.addFacts(ctx, notes, finished); err != nil {
			return nil, nil, err
		}
		s.draw(notes, bound)
	}
	for _, doc := range finished {
		if s.chosen[doc] || !s.drawn[doc] {
			chosen = append(chosen, doc)
		}
	}
	return chosen, s.measured, nil
}

// describeFinished is what the list of notes knows of the finished ones.
func (ws *workspace) describeFinished(finished []annotate.DocumentID) (notes []bootstrap.Finished, tokens int, err error) {
	random := ws.RandomSample()
	all, err := ws.Summaries(finished)
	for i, n := range all {
		notes = append(notes, bootstrap.Finished{Number: int(finished[i]), Group: n.Unit, Tokens: n.Tokens, Random: random.Has(finished[i])})
		tokens += n.Tokens
	}
	return notes, tokens, err
}

// fresh lists the notes that were finished after the sample was drawn, and their tokens.
func (s *sampleState) fresh(notes []bootstrap.Finished) (fresh []bootstrap.Finished, tokens int) {
	for _, n := range notes {
		if !s.drawn[annotate.DocumentID(n.Number)] {
			fresh, tokens = append(fresh, n), tokens+n.Tokens
		}
	}
	return fresh, tokens
}

// holds reports whether there is a sample and all its notes are still finished.
func (s *sampleState) holds(notes []bootstrap.Finished) bool {
	found := 0
	for _, n := range notes {
		if s.chosen[annotate.DocumentID(n.Number)] {
			found++
		}
	}
	return s.drawn != nil && found == len(s.chosen)
}

// draw chooses a new sample. The notes of the last weeks of work stay in it: those
// finished since it was last drawn, unless they came in large numbers, from a file.
func (s *sampleState) draw(notes []bootstrap.Finished, bound bootstrap.Bound) {
	recent, tokens := s.fresh(notes)
	few := bound.Fresh()
	few.Notes, few.Tokens = 2*few.Notes, 2*few.Tokens
	if s.drawn == nil || !few.Holds(len(recent), tokens) {
		recent = nil
	}
	at, measured := bootstrap.Sample(notes, bound)
	s.drawn, s.chosen, s.measured = map[annotate.DocumentID]bool{}, map[annotate.DocumentID]bool{}, map[annotate.DocumentID]bool{}
	for _, n := range notes {
		s.drawn[annotate.DocumentID(n.Number)] = true
	}
	for _, i := range at {
		s.chosen[annotate.DocumentID(notes[i].Number)] = true
	}
	for _, n := range recent {
		s.chosen[annotate.DocumentID(n.Number)] = true
	}
	for i := range measured {
		s.measured[annotate.DocumentID(notes[i].Number)] = true
	}
}

// addFacts completes the notes with their kinds and labels. It reads only those that are
// new or changed.
func (ws *workspace) addFacts(ctx context.Context, notes []bootstrap.Finished, finished []annotate.DocumentID) error {
	s := &ws.sample
	if s.facts == nil {
		s.facts = map[annotate.DocumentID]noteFacts{}
	}
	var unknown []annotate.DocumentID
	all, err := ws.Summaries(finished)
	if err != nil {
		return err
	}
	for i, doc := range finished {
		if f, known := s.facts[doc]; !known || f.revision != all[i].Revision {
			unknown = append(unknown, doc)
		}
	}
	for d, err := range ws.Documents(ctx, unknown) {
		if err != nil {
			return err
		}
		f := noteFacts{revision: d.Revision, kind: drift.KindOf(d.Attributes)}
		for _, span := range d.Spans {
			f.labels = append(f.labels, span.Label)
		}
		slices.Sort(f.labels)
		f.labels = slices.Clone(slices.Compact(f.labels))
		s.facts[d.ID] = f
	}
	for i := range notes {
		f := s.facts[finished[i]]
		notes[i].Kind, notes[i].Labels = f.kind, f.labels
	}
	return nil
}
