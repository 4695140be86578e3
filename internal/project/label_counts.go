// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"

	"hide/internal/account"
	"hide/internal/annotate"
)

// Labels are the labels of a project with their spans.
type Labels struct {
	All     []LabelUse
	Version int // changes with every rename, merge and retirement

	// Counted of Total notes are counted. Until all are, the counts are too low.
	Counted, Total int
}

// LabelUse is a label and the spans that have it.
type LabelUse struct {
	annotate.LabelInfo
	Retired bool
	Earlier []annotate.Label // its earlier names, and those of labels merged into it
	Spans   int
	Notes   int // that have at least one of the spans
}

// Find returns a label of the table.
func (t Labels) Find(l annotate.Label) (LabelUse, bool) {
	for _, u := range t.All {
		if u.Label == l {
			return u, true
		}
	}
	return LabelUse{}, false
}

func (t Labels) of(l annotate.Label) LabelUse {
	u, _ := t.Find(l)
	return u
}

// LabelTable lists the labels with their counts. In a project with many notes the first count
// runs in the background; its end is reported under [TopicLabels].
func (s *Service) LabelTable(ctx context.Context, by account.User, id ID) (Labels, error) {
	ws, err := s.Enter(by, account.ManageWork, id)
	if err != nil {
		return Labels{}, err
	}
	open := ws.uncounted()
	if len(open) > countedWhileWaiting {
		return ws.labels(), s.countInBackground(ws, open)
	}
	return s.countedLabels(ctx, ws)
}

// countedWhileWaiting is for how many notes a person waits.
const countedWhileWaiting = 500

// countedLabels counts what is not counted yet, and returns the complete table.
func (s *Service) countedLabels(ctx context.Context, ws *Workspace) (Labels, error) {
	if err := ws.countLabels(ctx, ws.uncounted(), nil); err != nil {
		return Labels{}, err
	}
	return ws.labels(), nil
}

// countInBackground starts the count, unless it runs. A count that failed is reported once,
// and tried again by the next caller.
func (s *Service) countInBackground(ws *Workspace, open []annotate.DocumentID) error {
	if last, busy := ws.counting.State(); !busy && last != nil {
		ws.counting.Drop()
		return last
	}
	if !ws.counting.Claim(nil) {
		return nil
	}
	ws.counting.Start(
		func(ctx context.Context) error {
			return ws.countLabels(ctx, open, func() { s.Tell(ws.ID, TopicLabels) })
		},
		func(failed *error, err error) {
			if !errors.Is(err, context.Canceled) {
				*failed = err
			}
		},
	)
	return nil
}

// uncounted lists the notes whose labels are not counted: those that an earlier version of
// hide stored.
func (ws *Workspace) uncounted() []annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.unread.Slice()
}

// countTold is after how many notes a count in the background is reported.
const countTold = 5_000

func (ws *Workspace) countLabels(ctx context.Context, docs []annotate.DocumentID, tell func()) error {
	for i, doc := range docs {
		if err := ctx.Err(); err != nil {
			return err
		}
		layer, err := ws.Layer(doc)
		if _, gone := ws.Find(doc); gone != nil {
			continue // deleted since the list was made
		}
		if err != nil {
			return err
		}
		ws.enterCounts(doc, &layer)
		if tell != nil && (i+1)%countTold == 0 {
			tell()
		}
	}
	return nil
}

// enterCounts counts a note, unless it was changed since its layer was read. Its next edit
// stores the counts.
func (ws *Workspace) enterCounts(doc annotate.DocumentID, l *annotate.Layer) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if st, found := ws.get(doc); found && st.Revision == l.Revision {
		st.Labels, st.Counted = countSpans(l), true
		ws.put(doc, &st)
	}
}

// LabelsInUse are the present names of the labels that spans of the project have. It reads the
// notes whose labels are not counted yet.
func (ws *Workspace) LabelsInUse(ctx context.Context) (map[annotate.Label]bool, error) {
	if err := ws.countLabels(ctx, ws.uncounted(), nil); err != nil {
		return nil, err
	}
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	names, used := ws.Names(), map[annotate.Label]bool{}
	for place, l := range ws.uses.labels {
		if ws.uses.notes[place] > 0 {
			used[names.present.Of(l)] = true
		}
	}
	return used, nil
}

// labels sums up what is counted, under present names: counts of notes read before a rename
// stay valid.
func (ws *Workspace) labels() Labels {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	names := ws.Names()
	t := Labels{Version: ws.info.Relabelled, Total: ws.all.Len(), Counted: ws.all.Len() - ws.unread.Len()}
	for _, info := range ws.info.Labels {
		u := LabelUse{LabelInfo: info, Retired: names.Retired(info.Label), Earlier: names.Earlier(info.Label)}
		u.Spans, u.Notes = ws.usesOf(names, info.Label)
		t.All = append(t.All, u)
	}
	return t
}

// usesOf counts the spans and the notes of a label under its present name and under all names
// before it. Where labels were merged, a note may have several of them, and the notes are
// looked at one by one.
func (x *index) usesOf(names *Names, now annotate.Label) (spans, notes int) {
	of := map[int]bool{}
	for place, l := range x.uses.labels {
		if names.present.Of(l) == now && x.uses.notes[place] > 0 {
			of[place] = true
			spans, notes = spans+x.uses.spans[place], x.uses.notes[place]
		}
	}
	if len(of) < 2 {
		return spans, notes
	}
	notes = 0
	for doc := range x.all.All() {
		b, at := x.at(doc)
		for place := range x.uses.each(b.labels.get(at)) {
			if of[place] {
				notes++
				break
			}
		}
	}
	return spans, notes
}
