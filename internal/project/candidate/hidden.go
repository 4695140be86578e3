// SPDX-License-Identifier: Apache-2.0

package candidate

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"hide/internal/store"
)

const bucketHidden = "candidate-hidden" // candidate, place of a note -> places in it that its release does not list

// WithHidden is a note with further places, which its release does not list: surrogates and
// shifted dates. Its readers must know them, or they would take them for missed identifiers.
func (n Note) WithHidden(places []At) Note {
	if len(places) == 0 {
		return n
	}
	n.Redactions = slices.Concat(n.Redactions, places)
	slices.SortFunc(n.Redactions, func(a, b At) int { return a.Start - b.Start })
	return n
}

// PutHidden stores the places that the release of a candidate does not list, by note.
func (s Shelf) PutHidden(number int, places map[int][]At) error {
	w := &writer{shelf: s, number: uint64(number)}
	for _, note := range slices.Sorted(maps.Keys(places)) {
		text, err := json.Marshal(places[note])
		if err != nil {
			return err
		}
		if err := w.add(bucketHidden, text, uint64(note)); err != nil {
			return err
		}
	}
	return w.flush()
}

// hidden reads the places of a note that its release does not list.
func (t *Text) hidden(note int) (places []At, err error) {
	err = t.shelf.View(func(tx *store.Tx) error {
		return tx.Scan(bucketHidden, keyOf(uint64(t.number), uint64(note)), func(_, b []byte) error {
			return json.Unmarshal(b, &places)
		})
	})
	if err != nil {
		err = fmt.Errorf("places of note %d: %w", note+1, err)
	}
	return places, err
}

// allHidden reads those places of all notes.
func (t *Text) allHidden() (map[int][]At, error) {
	all := map[int][]At{}
	prefix := keyOf(uint64(t.number))
	err := t.shelf.View(func(tx *store.Tx) error {
		return tx.Scan(bucketHidden, prefix, func(key, b []byte) error {
			var places []At
			note := binary.BigEndian.Uint64(key[len(prefix):])
			err := json.Unmarshal(b, &places)
			all[int(note)] = places
			return err
		})
	})
	return all, err
}
