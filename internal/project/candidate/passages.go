// SPDX-License-Identifier: Apache-2.0

package candidate

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"hide/internal/store"
)

const bucketPassages = "candidate-passages" // candidate, part -> passages

// Passage is a part of a note that a reader reads at once. Every kept word of a candidate is
// in exactly one passage.
type Passage struct {
	Note       int32   // place of its note, from 0
	Group      int32   // notes of one patient have the same; -1 if the patient is not known
	Start, End int32   // bytes of the note's text
	Words      int32   // kept words
	Doubt      float32 // expected identifiers left, by the model; -1 if it was not asked
}

// PutPassages stores the passages of a candidate.
func (s Shelf) PutPassages(number int, all []Passage) error {
	w := &writer{shelf: s, number: uint64(number)}
	for i, some := range slices.Collect(slices.Chunk(all, linesPart)) {
		var b bytes.Buffer
		if err := binary.Write(&b, binary.BigEndian, some); err != nil {
			return err
		}
		if err := w.add(bucketPassages, b.Bytes(), uint64(i)); err != nil {
			return err
		}
	}
	return w.flush()
}

// Passages reads the passages of a candidate, none for one without notes.
func (s Shelf) Passages(number int) (all []Passage, err error) {
	err = s.View(func(tx *store.Tx) error {
		return tx.Scan(bucketPassages, store.Key(uint64(number)), func(_, b []byte) error {
			some := make([]Passage, len(b)/binary.Size(Passage{}))
			if err := binary.Read(bytes.NewReader(b), binary.BigEndian, some); err != nil {
				return fmt.Errorf("passages of candidate %d: %w", number, err)
			}
			all = append(all, some...)
			return nil
		})
	})
	return all, err
}
