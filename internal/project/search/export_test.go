// SPDX-License-Identifier: Apache-2.0

package search

import (
	"errors"

	"hide/internal/fulltext"
	"hide/internal/project"
	"hide/internal/store"
)

// Die leaves what a process leaves that is killed while it writes a segment with a page.
func (s *Service) Die(id project.ID) error {
	r, err := s.record(id)
	w := &writing{service: s, ctx: nil, id: id, number: r.Next, portion: []page{{0, []byte("page")}}}
	return errors.Join(err, w.begin(), s.projects.Update(id, event(id, "test", ""), w.store))
}

// Outdate gives the index the form of an earlier version.
func (s *Service) Outdate(id project.ID) error {
	return s.projects.Update(id, event(id, "test", ""), func(tx *store.Tx) error {
		r, err := readRecord(tx)
		r.Version--
		return errors.Join(err, r.put(tx))
	})
}

// Segments lists the notes of each segment, and the numbers of the segments that have pages.
func (s *Service) Segments(id project.ID) (notes []int, stored map[uint64]bool, err error) {
	r, err := s.record(id)
	for _, g := range r.Segments {
		notes = append(notes, g.Notes)
	}
	stored = map[uint64]bool{}
	return notes, stored, errors.Join(err, s.projects.View(id, func(tx *store.Tx) error {
		return tx.Keys(bucketPages, nil, func(key []byte) error {
			stored[store.Number(key)] = true
			return nil
		})
	}))
}

// HasInIndex reports whether a page of the index has a note.
func (s *Service) HasInIndex(id project.ID, doc uint64) (has bool, err error) {
	r, err := s.record(id)
	if err != nil {
		return false, err
	}
	for _, g := range r.Segments {
		if doc < g.First || doc > g.Last {
			continue
		}
		in, err := s.stored(id, g)
		if err != nil {
			return false, err
		}
		for _, n := range in.Directory.IDs() {
			b, err := in.Page(n)
			if err != nil {
				return false, err
			}
			_, _, changed, err := fulltext.Without(b, in.Segment, in.Set([]uint64{doc}))
			if err != nil {
				return false, err
			}
			has = has || changed
		}
	}
	return has, nil
}
