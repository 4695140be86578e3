// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/store"
)

// Hold keeps releases from being written while notes are removed, and ends the previews.
// It fails while a release is being written. done drops what is in memory of the notes.
func (s *Service) Hold(ctx context.Context, p *project.Workspace) (done func(), err error) {
	ws := s.of(p)
	if !ws.publish.Claim(Status{}) {
		return nil, errWriting
	}
	done = func() {
		ws.gathering.Lock()
		ws.mark, ws.people = "", nil
		ws.gathering.Unlock()
		ws.tables.Change(func(p *TablePreview) { *p = TablePreview{} })
		ws.joint.Change(func(p *JointPreview) { *p = JointPreview{} })
		ws.publish.Drop()
	}
	if err := errors.Join(ws.tables.Stop(ctx), ws.joint.Stop(ctx)); err != nil {
		ws.publish.Drop()
		return nil, err
	}
	return done, nil
}

// WhileIdle calls fn while no release is written or frozen. It is refused if one is: what fn
// deletes could be stored again with it.
func (s *Service) WhileIdle(p *project.Workspace, fn func() error) error {
	publish := s.of(p).publish
	if !publish.Claim(Status{}) {
		return errWriting
	}
	defer publish.Drop()
	return fn()
}

// errWriting refuses what no release may be written beside.
var errWriting = &project.Error{Kind: project.Stale, Message: "a release is being written", Hint: "wait for its end, or cancel it, and try again"}

// DropFrozen deletes from candidates what the store is to keep of their releases in some buckets,
// if gone says so of the content of the first.
func DropFrozen(tx *store.Tx, gone func(content []byte) (bool, error), buckets ...string) error {
	return tx.Keys(bucketFrozen, nil, func(key []byte) error {
		if string(key[len(store.Key(0)):]) != buckets[0] {
			return nil
		}
		content, err := tx.Get(bucketFrozen, key)
		if err != nil {
			return err
		}
		drop, err := gone(content)
		for _, bucket := range buckets {
			if err == nil && drop {
				err = tx.Delete(bucketFrozen, frozenKey(int(store.Number(key)), bucket))
			}
		}
		return err
	})
}

// ForgetProject drops what is in memory of a destroyed project.
func (s *Service) ForgetProject(id project.ID) { s.states.Forget(id) }

// Purge deletes the removed notes from the re-identification maps of releases of text,
// and the maps and originals of releases of notes with fields that may hold them. It marks
// these releases and returns their numbers. The released files are not touched; those of
// candidates are deleted.
func (s *Service) Purge(tx *store.Tx, r project.Removal, now time.Time) (numbers []int, err error) {
	all, err := store.ListJSON[Release](tx, bucketReleases)
	for _, rel := range all {
		if err != nil {
			break
		}
		var held int
		var hit bool
		switch rel.Kind {
		case KindText:
			held, err = cutMapping(tx, rel.Number, r.Docs)
			hit = held > 0
		case KindJoint:
			hit = mayHold(rel, r)
			err = s.dropOriginals(tx, rel.Number, hit)
		}
		if err != nil || !hit {
			continue
		}
		numbers = append(numbers, rel.Number)
		if rel.Removed != nil {
			held += rel.Removed.Notes
		}
		rel.Removed = &RemovedNotes{Notes: held, At: now}
		err = store.PutJSON(tx, bucketReleases, store.Key(uint64(rel.Number)), rel)
	}
	return numbers, errors.Join(err, cutDocs(tx, r.Docs), dropFor(tx))
}

// cutDocs removes notes from the lists of notes of releases.
func cutDocs(tx *store.Tx, gone map[annotate.DocumentID]bool) error {
	return tx.Scan(bucketDocs, nil, func(key, value []byte) error {
		docs, err := store.DecodeJSON[[]annotate.DocumentID](bucketDocs, value)
		if err != nil || !slices.ContainsFunc(docs, func(doc annotate.DocumentID) bool { return gone[doc] }) {
			return err
		}
		return store.PutJSON(tx, bucketDocs, key, slices.DeleteFunc(docs, func(doc annotate.DocumentID) bool { return gone[doc] }))
	})
}

// mayHold reports whether a release of notes with fields may hold a removed note: it was
// finished, and in the project but not in the bin when the release was made.
func mayHold(rel Release, r project.Removal) bool {
	return r.Finished && !rel.Created.Before(r.Since) && (r.Trained || rel.Created.Before(r.Binned))
}

func (s *Service) dropOriginals(tx *store.Tx, number int, hit bool) error {
	if !hit {
		return nil
	}
	key := store.Key(uint64(number))
	return errors.Join(tx.Delete(bucketMappings, key), tx.Delete(bucketOriginals, key), tx.Delete(bucketPlaces, key))
}

// cutMapping removes the rows of notes from a mapping: JSONL, the head first.
func cutMapping(tx *store.Tx, number int, docs map[annotate.DocumentID]bool) (cut int, err error) {
	key := store.Key(uint64(number))
	raw, err := tx.Get(bucketMappings, key)
	if errors.Is(err, store.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var left bytes.Buffer
	for line := range bytes.Lines(raw) {
		var row struct {
			Document annotate.DocumentID `json:"document"`
		}
		if err := json.Unmarshal(line, &row); err != nil {
			return 0, fmt.Errorf("mapping of release %d: %w", number, err)
		}
		if docs[row.Document] {
			cut++
			continue
		}
		left.Write(line)
	}
	if cut == 0 {
		return 0, nil
	}
	return cut, tx.Put(bucketMappings, key, left.Bytes())
}
