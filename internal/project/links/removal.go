// SPDX-License-Identifier: Apache-2.0

package links

import (
	"errors"
	"slices"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/store"
)

// Hold refuses if records are being linked, and lets nobody link or decide while notes are
// removed. release puts the links to use that are left.
func (s *Service) Hold(p *project.Workspace) (release func(), err error) {
	ws := s.of(p)
	if !ws.task.Claim(Progress{}) {
		return nil, &project.Error{Kind: project.Stale, Message: "the records are being linked", Hint: "wait for it, or cancel it, and try again"}
	}
	ws.deciding.Lock()
	before := ws.Links().Version
	return func() {
		s.follow(ws, before)
		ws.deciding.Unlock()
		ws.task.Drop()
	}, nil
}

// follow makes the links anew of what a removal has left. What fails here is done by the next
// decision or run: the stored links have no removed record already.
func (s *Service) follow(ws *workspace, before int) {
	ws.use(nil)
	if err := ws.RereadLinks(); err != nil {
		return
	}
	l, err := s.load(ws)
	if err == nil && (ws.Links().Version != before || l.figures.Records != l.groups.records) {
		next := *l
		_ = s.change(ws, &next, func(*store.Tx) (store.Event, error) {
			return project.SystemEvent("relink after a removal", object(ws.ID), ""), nil
		})
	}
}

// ForgetProject drops what is in memory of a destroyed project.
func (s *Service) ForgetProject(id project.ID) { s.states.Forget(id) }

// Purge deletes what the linkage has of removed notes: the values that only they have, and of a
// record whose last note is removed everything, the decisions about it included.
func (s *Service) Purge(tx *store.Tx, gone project.Removal) error {
	left, err := project.RecordsLeft(tx, gone.Docs)
	if err != nil {
		return err
	}
	erased, keys, touched := map[uint64]bool{}, map[string]bool{}, map[string]bool{}
	err = tx.Scan(bucketRecords, nil, func(key, raw []byte) error {
		r, err := store.DecodeJSON[storedRecord](bucketRecords, raw)
		if err != nil {
			return err
		}
		hit := slices.ContainsFunc(r.Docs, func(d annotate.DocumentID) bool { return gone.Docs[d] })
		switch {
		case r.Note > 0 && gone.Docs[r.Note], !left[r.Key] && (hit || len(r.Docs) == 0):
			erased[store.Number(key[len(store.Key(0)):])], keys[r.Key] = true, true
			return tx.Delete(bucketRecords, slices.Clone(key))
		case hit:
			touched[r.Key] = true
			return store.PutJSON(tx, bucketRecords, slices.Clone(key), r.without(gone.Docs))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return errors.Join(purgePairs(tx, erased), purgeDecisions(tx, erased), purgeNear(tx, keys), project.PurgeLinks(tx, keys, touched))
}

// without leaves out removed notes and the values that only they have.
func (r storedRecord) without(gone map[annotate.DocumentID]bool) storedRecord {
	drop := func(d annotate.DocumentID) bool { return gone[d] }
	r.Docs = slices.DeleteFunc(r.Docs, drop)
	for name, values := range r.Values {
		for i := range values {
			before := len(values[i].Notes)
			values[i].Notes = slices.DeleteFunc(values[i].Notes, drop)
			values[i].Count -= before - len(values[i].Notes)
		}
		r.Values[name] = slices.DeleteFunc(values, func(v storedValue) bool { return len(v.Notes) == 0 })
	}
	return r
}

// purgePairs deletes the pairs of erased records, and their waterfalls.
func purgePairs(tx *store.Tx, erased map[uint64]bool) error {
	err := tx.Scan(bucketPairs, nil, func(key, raw []byte) error {
		some, err := store.DecodeJSON[[]storedPair](bucketPairs, raw)
		before := len(some)
		some = slices.DeleteFunc(some, func(p storedPair) bool { return erased[p.A] || erased[p.B] })
		if err != nil || len(some) == before {
			return err
		}
		return store.PutJSON(tx, bucketPairs, slices.Clone(key), some)
	})
	size := len(store.Key(0))
	return errors.Join(err, tx.Keys(bucketBars, nil, func(key []byte) error {
		if erased[store.Number(key[size:])] || erased[store.Number(key[2*size:])] {
			return tx.Delete(bucketBars, slices.Clone(key))
		}
		return nil
	}))
}

func purgeDecisions(tx *store.Tx, erased map[uint64]bool) error {
	return tx.Scan(bucketDecisions, nil, func(key, raw []byte) error {
		d, err := store.DecodeJSON[storedDecision](bucketDecisions, raw)
		if err != nil || !erased[d.A] && !erased[d.B] {
			return err
		}
		return tx.Delete(bucketDecisions, slices.Clone(key))
	})
}

// purgeNear deletes the near pairs of erased records.
func purgeNear(tx *store.Tx, keys map[string]bool) error {
	f, err := store.GetJSON[Figures](tx, bucketLinkage, figuresKey)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	before := len(f.Near)
	f.Near = slices.DeleteFunc(f.Near, func(n Near) bool { return keys[n.A] || keys[n.B] })
	if err != nil || len(f.Near) == before {
		return err
	}
	return store.PutJSON(tx, bucketLinkage, figuresKey, f)
}
