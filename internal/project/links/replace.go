// SPDX-License-Identifier: Apache-2.0

package links

import (
	"errors"
	"fmt"
	"slices"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/store"
)

// replace makes the run the linkage of the project, in one transaction.
func (r *linking) replace() error {
	r.ws.deciding.Lock()
	defer r.ws.deciding.Unlock()
	next := &loaded{record: r.record, known: map[uint64]kept{}, pairs: r.scored.pairs, run: r.runFigures()}
	if now, err := r.load(r.ws); err == nil {
		next.decisions, next.Link, next.Floor = now.decisions, now.Link, now.Floor
	} else if !errors.Is(err, errNone) {
		return err
	}
	next.Below = r.scored.below
	for _, e := range r.records {
		next.keep(e.number, e.record())
	}
	gone := r.gone(next)
	newest, unread, err := r.extent()
	if err != nil {
		return err
	}
	next.figures = Figures{At: r.projects.Now().UTC(), Newest: uint64(newest), Unread: unread, Unseen: r.scored.unseen}
	next.regroup()
	for _, at := range thresholds {
		next.run.Thresholds = append(next.run.Thresholds, next.groups.threshold(at, next.figures.Unseen, next.Below))
	}
	next.run.Splits = len(next.groups.splits)
	return r.change(r.ws, next, func(tx *store.Tx) (store.Event, error) {
		ev := project.EventBy(r.by, "use links", object(r.ws.ID, next.Number), fmt.Sprintf("%d records, %d patients", len(r.records), next.groups.patients()))
		return ev, errors.Join(gone(tx), store.PutJSON(tx, bucketLinkage, recordKey, next.record),
			store.PutJSON(tx, bucketLinkage, runKey, next.run), dropOthers(tx, next.Number))
	})
}

// extent gives the newest note that was read, and the notes up to it that were not: those of the
// bin, and those that were restored while the run went on.
func (r *linking) extent() (newest annotate.DocumentID, unread []annotate.DocumentID, err error) {
	read := map[annotate.DocumentID]bool{}
	for _, e := range r.records {
		for _, doc := range e.docs {
			read[doc], newest = true, max(newest, doc)
		}
	}
	bin, err := r.projects.Bin(r.ws.ID) // before the notes, so that one that is restored now is in either
	for _, b := range bin {
		unread = append(unread, b.Document)
	}
	unread = append(unread, r.ws.All()...)
	unread = slices.DeleteFunc(unread, func(doc annotate.DocumentID) bool { return read[doc] || doc > newest })
	slices.Sort(unread)
	return newest, slices.Compact(unread), err
}

// gone keeps the numbers of records that are not there but that people decided about. It returns
// what stores them.
func (r *linking) gone(next *loaded) func(*store.Tx) error {
	keep := map[uint64]storedRecord{}
	for _, d := range next.decisions {
		for _, n := range []uint64{d.A, d.B} {
			if _, there := next.known[n]; !there && r.before != nil {
				k := r.before.known[n]
				keep[n] = storedRecord{Key: k.key, Keyed: k.keyed, Note: k.note}
			}
		}
	}
	for n, k := range keep {
		next.keep(n, k)
	}
	return func(tx *store.Tx) (err error) {
		for n, k := range keep {
			err = errors.Join(err, store.PutJSON(tx, bucketRecords, recordsKey(next.Number, n), k))
		}
		return err
	}
}

// runFigures are the figures of the run that stay as they are.
func (r *linking) runFigures() Run {
	run := r.scored.run
	run.Passes, run.Ignored = r.passes, r.columns
	for i := range run.Fields {
		for f, row := range fieldTable {
			if row.name == run.Fields[i].Name {
				run.Fields[i].From = r.sources(field(f))
			}
		}
	}
	return run
}

// sources says where the values of a field come from.
func (r *linking) sources(f field) []string {
	out := slices.Clone(r.used[f])
	counts := map[Origin]int{}
	for _, e := range r.records {
		for _, v := range e.cells[f] {
			counts[v.From]++
		}
	}
	for _, from := range origins {
		if n := counts[from]; n > 0 {
			out = append(out, fmt.Sprintf("%s: %d values", from, n))
		}
	}
	return out
}
