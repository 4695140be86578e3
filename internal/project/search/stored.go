// SPDX-License-Identifier: Apache-2.0

package search

import (
	"encoding/binary"
	"errors"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/fulltext"
	"hide/internal/project"
	"hide/internal/store"
)

// The buckets of the index. Their keys hold numbers only.
const (
	bucketIndex       = "search"             // "record" -> record
	bucketDirectories = "search-directories" // segment number -> fulltext.Directory
	bucketPages       = "search-pages"       // segment number, page number -> page
)

var recordKey = []byte("record")

// indexVersion is the form of the index. It changes when words are cut or folded differently.
const indexVersion = 1

// record says what the index has. Its transaction makes a new segment visible.
type record struct {
	Version  int                 `json:"version"`
	Covered  annotate.DocumentID `json:"covered"` // all notes up to this one are in the index
	Next     uint64              `json:"next"`    // number of the next segment
	Segments []segment           `json:"segments"`
	// Leftover segments are incomplete, or others have replaced them.
	Leftover []uint64 `json:"leftover,omitempty"`
}

// segment is one of the index, in the order of its notes.
type segment struct {
	Number uint64 `json:"number"`
	First  uint64 `json:"first"` // note
	Last   uint64 `json:"last"`
	Notes  int    `json:"notes"` // when it was made
}

func (s *Service) record(id project.ID) (record, error) {
	return project.Read(s.projects, id, readRecord)
}

func readRecord(tx *store.Tx) (record, error) {
	r, err := store.FindJSON[record](tx, bucketIndex, recordKey)
	if r.Version == indexVersion {
		return r, err
	}
	fresh := record{Version: indexVersion, Next: max(1, r.Next), Leftover: r.Leftover}
	for _, old := range r.Segments {
		fresh.Leftover = append(fresh.Leftover, old.Number)
	}
	return fresh, err
}

func (r record) put(tx *store.Tx) error { return store.PutJSON(tx, bucketIndex, recordKey, r) }

func pageKey(segment uint64, page uint32) []byte {
	return binary.BigEndian.AppendUint32(store.Key(segment), page)
}

// open reads the directory of a segment.
func (g segment) open(tx *store.Tx) (fulltext.Segment, error) {
	b, err := tx.Get(bucketDirectories, store.Key(g.Number))
	if err != nil {
		return fulltext.Segment{}, err
	}
	d, err := fulltext.ReadDirectory(b)
	return fulltext.Segment{First: g.First, Last: g.Last, Directory: d}, err
}

// stored is a segment whose pages are read one by one, each in its own transaction.
func (s *Service) stored(id project.ID, g segment) (fulltext.Stored, error) {
	opened, err := project.Read(s.projects, id, g.open)
	return fulltext.Stored{Segment: opened, Page: func(page uint32) ([]byte, error) {
		return project.Read(s.projects, id, func(tx *store.Tx) ([]byte, error) {
			return tx.Get(bucketPages, pageKey(g.Number, page))
		})
	}}, err
}

// clear deletes the leftover segments, each in its own transaction.
func (s *Service) clear(id project.ID) error {
	for {
		r, err := s.record(id)
		if err != nil || len(r.Leftover) == 0 {
			return err
		}
		number := r.Leftover[0]
		r.Leftover = r.Leftover[1:]
		err = s.projects.Update(id, event(id, "drop index", fmt.Sprintf("segment %d", number)), func(tx *store.Tx) error {
			return errors.Join(
				tx.DeletePrefix(bucketPages, store.Key(number)),
				tx.Delete(bucketDirectories, store.Key(number)),
				r.put(tx),
			)
		})
		if err != nil {
			return err
		}
	}
}

func event(id project.ID, action, detail string) store.Event {
	return project.SystemEvent(action, id.Object("search"), detail)
}
