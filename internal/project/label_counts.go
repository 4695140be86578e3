// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"
	"sync"

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

// labelCounts has the counts of each note. Layers are read once per revision. Notes that
// are deleted are simply not asked for.
type labelCounts struct {
	mu    sync.Mutex // guards what follows
	names []annotate.Label
	index map[annotate.Label]int32 // in names
	notes map[annotate.DocumentID]noteCounts
}

type noteCounts struct {
	revision int
	spans    []labelCount
}

// labelCount is small, because there is one for each label of each note.
type labelCount struct{ label, n int32 }

// uncounted lists the notes whose newest revision is not counted.
func (ws *Workspace) uncounted() []annotate.DocumentID {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	c := &ws.counts
	c.mu.Lock()
	defer c.mu.Unlock()
	var open []annotate.DocumentID
	for _, doc := range ws.order {
		if known, ok := c.notes[doc]; !ok || known.revision != ws.docs[doc].Revision {
			open = append(open, doc)
		}
	}
	return open
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
		ws.counts.enter(doc, layer)
		if tell != nil && (i+1)%countTold == 0 {
			tell()
		}
	}
	return nil
}

func (c *labelCounts) enter(doc annotate.DocumentID, l annotate.Layer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.notes == nil {
		c.notes, c.index = map[annotate.DocumentID]noteCounts{}, map[annotate.Label]int32{}
	}
	found := map[annotate.Label]int32{}
	for _, a := range l.Annotations {
		found[a.Span.Label]++
	}
	counts := make([]labelCount, 0, len(found))
	for label, n := range found {
		at, known := c.index[label]
		if !known {
			at = int32(len(c.names))
			c.index[label], c.names = at, append(c.names, label)
		}
		counts = append(counts, labelCount{at, n})
	}
	c.notes[doc] = noteCounts{l.Revision, counts}
}

// labels sums up what is counted, under present names: counts of notes read before a rename
// stay valid.
func (ws *Workspace) labels() Labels {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	names, row := ws.Names(), map[annotate.Label]int{}
	t := Labels{Version: ws.info.Relabelled, Total: len(ws.order)}
	for i, info := range ws.info.Labels {
		row[info.Label] = i
		t.All = append(t.All, LabelUse{LabelInfo: info, Retired: names.Retired(info.Label), Earlier: names.Earlier(info.Label)})
	}
	c := &ws.counts
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := make([]int, len(t.All)) // the last note that a row counted
	for i, doc := range ws.order {
		counted, ok := c.notes[doc]
		if !ok || counted.revision != ws.docs[doc].Revision {
			continue
		}
		t.Counted++
		for _, n := range counted.spans {
			at, known := row[names.present.Of(c.names[n.label])]
			if !known {
				continue
			}
			t.All[at].Spans += int(n.n)
			if seen[at] != i+1 {
				seen[at] = i + 1
				t.All[at].Notes++
			}
		}
	}
	return t
}
