// SPDX-License-Identifier: Apache-2.0

package search

import (
	"context"
	"errors"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/fulltext"
	"hide/internal/project"
	"hide/internal/store"
)

// The sizes of the index.
const (
	segmentNotes = 1 << 17 // a segment with more is not merged any more
	portionBytes = 4 << 20 // bounds one transaction
)

// build adds the notes to the index that it does not have. What is stored stays if it is
// cancelled: the next call goes on from there.
func (s *Service) build(ctx context.Context, ws *workspace) error {
	run := fulltext.NewRun()
	for {
		if err := s.clear(ws.ID); err != nil {
			return err
		}
		r, err := s.record(ws.ID)
		if err != nil {
			return err
		}
		last, err := ws.NewestText()
		if err != nil || last <= r.Covered {
			return err
		}
		if err := s.extend(ctx, ws, r, run, last); err != nil {
			return err
		}
		ws.task.Change(func(*Progress) {})
	}
}

// errFull ends the collection of words before their memory exceeds its bound.
var errFull = errors.New("search: the run is full")

// extend adds one segment with the next notes, at most up to last.
func (s *Service) extend(ctx context.Context, ws *workspace, r record, run *fulltext.Run, last annotate.DocumentID) error {
	run.Reset()
	covered := last
	err := ws.Texts(ctx, r.Covered+1, last, func(doc annotate.DocumentID, text string) error {
		run.Add(uint64(doc), text)
		if run.Full() {
			covered = doc
			return errFull
		}
		return nil
	})
	if err != nil && !errors.Is(err, errFull) {
		return err
	}
	r.Covered = covered
	if run.Len() == 0 {
		return s.projects.Update(ws.ID, event(ws.ID, "index notes", "no notes"), r.put)
	}
	return s.add(ctx, ws.ID, r, run)
}

// add writes a segment of new notes and of the small segments before them.
func (s *Service) add(ctx context.Context, id project.ID, r record, run *fulltext.Run) error {
	next := segment{Number: r.Next, Notes: run.Len()}
	r.Next++
	inputs := []fulltext.Input{run}
	old := r.Segments
	for len(old) > 0 && old[len(old)-1].joins(next) {
		tail := old[len(old)-1]
		in, err := s.stored(id, tail)
		if err != nil {
			return err
		}
		inputs = append([]fulltext.Input{in}, inputs...)
		next.Notes += tail.Notes
		old = old[:len(old)-1]
	}
	w := &writing{service: s, ctx: ctx, id: id, number: next.Number}
	if err := w.begin(); err != nil {
		return err
	}
	made, err := fulltext.Merge(inputs, w.put)
	if err != nil {
		return err
	}
	next.First, next.Last = made.First, made.Last
	for _, replaced := range r.Segments[len(old):] {
		r.Leftover = append(r.Leftover, replaced.Number)
	}
	r.Segments = append(old[:len(old):len(old)], next)
	return w.end(r, made.Directory, run.Len())
}

// joins reports whether a segment becomes part of the one after it. It does when that is at
// least as large, so that a note is written again only when its segment has doubled.
func (g segment) joins(next segment) bool {
	return g.Notes <= next.Notes && g.Notes+next.Notes <= segmentNotes
}

// writing stores the pages of one segment in portions.
type writing struct {
	service *Service
	ctx     context.Context
	id      project.ID
	number  uint64
	portion []page
	bytes   int
}

type page struct {
	id   uint32
	data []byte
}

// begin records that the segment is incomplete. Whoever finds it so deletes it.
func (w *writing) begin() error {
	return w.service.projects.Update(w.id, event(w.id, "begin index", fmt.Sprintf("segment %d", w.number)), func(tx *store.Tx) error {
		r, err := readRecord(tx)
		if err != nil {
			return err
		}
		r.Next = w.number + 1
		r.Leftover = append(r.Leftover, w.number)
		return r.put(tx)
	})
}

func (w *writing) put(id uint32, data []byte) error {
	w.portion = append(w.portion, page{id, append([]byte(nil), data...)})
	if w.bytes += len(data); w.bytes < portionBytes {
		return nil
	}
	if err := w.ctx.Err(); err != nil {
		return err
	}
	err := w.service.projects.Update(w.id, event(w.id, "index notes", fmt.Sprintf("segment %d, %d pages", w.number, len(w.portion))), w.store)
	w.portion, w.bytes = w.portion[:0], 0
	return err
}

func (w *writing) store(tx *store.Tx) error {
	for _, p := range w.portion {
		if err := tx.Put(bucketPages, pageKey(w.number, p.id), p.data); err != nil {
			return err
		}
	}
	return nil
}

// end stores the last pages and the record, which makes the segment visible.
func (w *writing) end(r record, d fulltext.Directory, notes int) error {
	ev := event(w.id, "index notes", fmt.Sprintf("segment %d, %d new notes", w.number, notes))
	return w.service.projects.Update(w.id, ev, func(tx *store.Tx) error {
		return errors.Join(w.store(tx), tx.Put(bucketDirectories, store.Key(w.number), d.Append(nil)), r.put(tx))
	})
}
