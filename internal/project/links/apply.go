// SPDX-License-Identifier: Apache-2.0

package links

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/store"
)

// change stores a changed linkage, which is regrouped, with the links that follow from it, and
// puts them to use. put stores what changed and says it for the audit trail, in the same
// transaction. The caller holds ws.deciding.
func (s *Service) change(ws *workspace, next *loaded, put func(*store.Tx) (store.Event, error)) error {
	var taken *project.Links
	err := s.projects.Transact(ws.ID, func(tx *store.Tx) error {
		ev, err := put(tx)
		if err != nil {
			return err
		}
		if taken, err = s.putLinks(tx, ws, next); err != nil {
			return err
		}
		return tx.Audit(ev)
	})
	if err != nil {
		return err
	}
	s.take(ws, next, taken)
	return nil
}

// take puts a stored linkage to use. links are nil if they are as before. Other links are other
// folds and other known identifiers, so models are trained again.
func (s *Service) take(ws *workspace, l *loaded, links *project.Links) {
	if links != nil {
		ws.TakeLinks(links)
	}
	ws.use(l)
	s.projects.Tell(ws.ID, project.TopicLinks)
	if links != nil {
		s.projects.Tell(ws.ID, project.TopicPublish)
		ws.Model().FinishedChanged()
	}
}

// putLinks stores the links and figures of a linkage. The links are nil if they are as before.
func (s *Service) putLinks(tx *store.Tx, ws *workspace, l *loaded) (taken *project.Links, err error) {
	of, members := l.links(ws.Workspace)
	before := ws.Links()
	about, err := l.about(tx, members, before)
	if err != nil {
		return nil, err
	}
	if before.Version == 0 || !before.Same(of) || !sameAbout(before.About, about) {
		if taken, err = ws.PutLinks(tx, of, about); err != nil {
			return nil, err
		}
		before = taken
	}
	l.figures.Version, l.figures.Floor = before.Version, l.Floor
	l.groups.count(&l.figures, l.Below)
	l.figures.Review = len(l.asked)
	l.figures.Near = l.nearest()
	return taken, store.PutJSON(tx, bucketLinkage, figuresKey, l.figures)
}

func sameAbout(a, b map[string][]annotate.Identity) bool {
	return maps.EqualFunc(a, b, func(x, y []annotate.Identity) bool { return slices.Equal(x, y) })
}

// links gives each linked record the one that stands for its patient, and each of these the
// numbers of its records. A record without a key is left out if another note has its name now.
func (l *loaded) links(ws *project.Workspace) (of map[string]string, members map[string][]uint64) {
	of, members = map[string]string{}, map[string][]uint64{}
	notes := sync.OnceValue(ws.NotesByRecord)
	for _, group := range l.groups.members {
		group = slices.DeleteFunc(slices.Clone(group), func(i int) bool {
			k := l.known[l.numbers[i]]
			return k.note > 0 && !ws.Has(k.note) && notes()[k.key] > 0
		})
		if len(group) < 2 {
			continue
		}
		head := l.known[l.standsFor(group)].key
		for _, i := range group {
			of[l.known[l.numbers[i]].key] = head
			members[head] = append(members[head], l.numbers[i])
		}
	}
	return of, members
}

// about is what the linked records of each patient say. Patients with the same records as before
// keep what they have, so that a decision reads few records.
func (l *loaded) about(tx *store.Tx, members map[string][]uint64, before *project.Links) (map[string][]annotate.Identity, error) {
	fresh := l.figures.Version == 0 // of a new run, whose records may say something else
	was := map[string]int{}
	for _, head := range before.Of {
		was[head]++
	}
	out := map[string][]annotate.Identity{}
	for head, numbers := range members {
		same := was[head] == len(numbers) && !fresh
		for _, n := range numbers {
			same = same && before.Of[l.known[n].key] == head
		}
		if was, known := before.About[head]; known && same {
			out[head] = was
			continue
		}
		var all []cells
		for _, n := range numbers {
			r, err := store.GetJSON[storedRecord](tx, bucketRecords, recordsKey(l.Number, n))
			if err != nil {
				return nil, fmt.Errorf("read record %d: %w", n, err)
			}
			all = append(all, r.cells())
		}
		out[head] = about(all)
	}
	return out, nil
}

// nearest are the near pairs of the figures.
func (l *loaded) nearest() []Near {
	pairs := l.groups.near(NearFrom)
	all := make([]Near, 0, min(len(pairs), MostNear))
	for _, p := range pairs[:min(len(pairs), MostNear)] {
		a, b := l.known[l.numbers[p.a]], l.known[l.numbers[p.b]]
		all = append(all, Near{A: a.key, B: b.key, Probability: probability(p.odds)})
	}
	return all
}

func thresholdWords(link, floor float64) string {
	return fmt.Sprintf("links from %g, review from %g", link, floor)
}

// cells are the values of a stored record by field.
func (r storedRecord) cells() (c cells) {
	for f, row := range fieldTable {
		for _, v := range r.Values[row.name] {
			c[f] = append(c[f], Value(v))
		}
	}
	return c
}

// record is a stored record without values.
func (e *evidence) record() storedRecord {
	return storedRecord{Key: e.key, Keyed: e.keyed, Docs: e.docs, Note: e.note(), Like: e.like}
}

// note is the note that is the record, 0 for a record with a patient's key.
func (e *evidence) note() annotate.DocumentID {
	if e.keyed {
		return 0
	}
	return e.docs[0]
}

// stored is a record as the store has it.
func (e *evidence) stored() storedRecord {
	r := e.record()
	r.Values = map[string][]storedValue{}
	for f, row := range fieldTable {
		for _, v := range e.cells[f] {
			r.Values[row.name] = append(r.Values[row.name], storedValue(v))
		}
	}
	return r
}
