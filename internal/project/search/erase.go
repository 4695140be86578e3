// SPDX-License-Identifier: Apache-2.0

package search

import (
	"errors"
	"fmt"
	"slices"

	"hide/internal/annotate"
	"hide/internal/fulltext"
	"hide/internal/project"
	"hide/internal/store"
)

// readPages is how many pages an erasure reads in one transaction.
const readPages = 64

// EraseFromIndex takes the words of notes out of the index, in transactions of bounded size.
// It may be repeated after an interruption. The caller holds the index, see [Service.Hold], or
// nobody can use the project yet.
//
// It looks at every page of the segments that cover the notes: an earlier version may have
// cut words differently, so the text of a note does not tell its pages.
func (s *Service) EraseFromIndex(id project.ID, docs []annotate.DocumentID) error {
	r, err := s.record(id)
	if err != nil || r.Next == 1 || len(docs) == 0 {
		return err
	}
	if err := s.clear(id); err != nil {
		return err
	}
	gone := make([]uint64, len(docs))
	for i, doc := range docs {
		gone[i] = uint64(doc)
	}
	for _, g := range r.Segments {
		if err := s.eraseFrom(id, g, gone); err != nil {
			return fmt.Errorf("segment %d of the index: %w", g.Number, err)
		}
	}
	return nil
}

func (s *Service) eraseFrom(id project.ID, g segment, gone []uint64) error {
	if !slices.ContainsFunc(gone, func(doc uint64) bool { return doc >= g.First && doc <= g.Last }) {
		return nil
	}
	opened, err := project.Read(s.projects, id, g.open)
	if err != nil {
		return err
	}
	set := opened.Set(gone)
	var changed []change
	bytes := 0
	for ids := range slices.Chunk(opened.Directory.IDs(), readPages) {
		more, err := s.changed(id, g, opened, ids, set)
		if err != nil {
			return err
		}
		for _, c := range more {
			bytes += len(c.data)
		}
		if changed = append(changed, more...); bytes < portionBytes {
			continue
		}
		if err := s.replace(id, g, &opened.Directory, changed); err != nil {
			return err
		}
		changed, bytes = changed[:0], 0
	}
	return s.replace(id, g, &opened.Directory, changed)
}

// change is a page without the erased notes.
type change struct {
	page
	word string // the first of the page; "" if nothing is left
}

// changed finds the pages that have words of erased notes.
func (s *Service) changed(id project.ID, g segment, opened fulltext.Segment, pages []uint32, gone fulltext.Set) (all []change, err error) {
	err = s.projects.View(id, func(tx *store.Tx) error {
		for _, n := range pages {
			b, err := tx.Get(bucketPages, pageKey(g.Number, n))
			if err != nil {
				return err
			}
			kept, word, changed, err := fulltext.Without(b, opened, gone)
			if err != nil {
				return err
			}
			if changed {
				all = append(all, change{page{n, kept}, word})
			}
		}
		return nil
	})
	return all, err
}

// replace stores changed pages, with the directory, which has their first words.
func (s *Service) replace(id project.ID, g segment, d *fulltext.Directory, all []change) error {
	if len(all) == 0 {
		return nil
	}
	return s.projects.Update(id, event(id, "erase from index", fmt.Sprintf("%d pages", len(all))), func(tx *store.Tx) error {
		var err error
		for _, c := range all {
			d.Change(c.id, c.word)
			if c.word == "" {
				err = errors.Join(err, tx.Delete(bucketPages, pageKey(g.Number, c.id)))
			} else {
				err = errors.Join(err, tx.Put(bucketPages, pageKey(g.Number, c.id), c.data))
			}
		}
		return errors.Join(err, tx.Put(bucketDirectories, store.Key(g.Number), d.Append(nil)), tx.Wipe())
	})
}
