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

// portionPages bounds the pages of one transaction of an erasure.
const portionPages = 128

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
	gone := slices.Sorted(slices.Values(docs))
	for _, g := range r.Segments {
		if err := s.eraseFrom(id, g, gone); err != nil {
			return fmt.Errorf("segment %d of the index: %w", g.Number, err)
		}
	}
	return nil
}

func (s *Service) eraseFrom(id project.ID, g segment, gone []annotate.DocumentID) error {
	from, _ := slices.BinarySearch(gone, annotate.DocumentID(g.First))
	to, _ := slices.BinarySearch(gone, annotate.DocumentID(g.Last)+1)
	if gone = gone[from:to]; len(gone) == 0 {
		return nil
	}
	opened, err := project.Read(s.projects, id, g.open)
	if err != nil {
		return err
	}
	for ids := range slices.Chunk(opened.Directory.IDs(), portionPages) {
		changed, err := s.changed(id, g, opened, ids, gone)
		if err == nil && len(changed) > 0 {
			err = s.replace(id, g, &opened.Directory, changed)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// change is a page without the erased notes.
type change struct {
	page
	word string // the first of the page; "" if nothing is left
}

// changed finds the pages that have words of erased notes.
func (s *Service) changed(id project.ID, g segment, opened fulltext.Segment, pages []uint32, gone []annotate.DocumentID) (all []change, err error) {
	isGone := func(doc uint64) bool {
		_, found := slices.BinarySearch(gone, annotate.DocumentID(doc))
		return found
	}
	err = s.projects.View(id, func(tx *store.Tx) error {
		for _, n := range pages {
			b, err := tx.Get(bucketPages, pageKey(g.Number, n))
			if err != nil {
				return err
			}
			kept, word, changed, err := fulltext.Without(b, opened, isGone)
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
