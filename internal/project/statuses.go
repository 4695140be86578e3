// SPDX-License-Identifier: Apache-2.0

package project

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"hide/internal/annotate"
	"hide/internal/store"
	"hide/internal/wire"
)

// statuses reads and changes the stored statuses of documents in one transaction. They are in
// blocks, so that a large project opens fast. flush stores what was changed.
type statuses struct {
	tx     *store.Tx
	blocks map[uint64]*storedBlock // as read or changed; by number
}

// storedBlock is the statuses of one range of documents; nil where there is none.
type storedBlock struct {
	docs    [blockDocs]*Status
	changed bool
}

func newStatuses(tx *store.Tx) *statuses { return &statuses{tx, map[uint64]*storedBlock{}} }

// at finds the block of a document, and its place there.
func (s *statuses) at(doc annotate.DocumentID) (*storedBlock, int, error) {
	number, at := uint64(doc)/blockDocs, int(doc%blockDocs)
	if b := s.blocks[number]; b != nil {
		return b, at, nil
	}
	b := new(storedBlock)
	raw, err := s.tx.Get(bucketStatuses, store.Key(number))
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return nil, 0, err
	default:
		err := decodeBlock(raw, func(at int, st *Status) { b.docs[at] = st.clone() })
		if err != nil {
			return nil, 0, blockError(number, err)
		}
	}
	s.blocks[number] = b
	return b, at, nil
}

// clone is a copy that shares nothing with what it is read into.
func (st *Status) clone() *Status {
	c := *st
	c.Labels, c.Finals = append([]LabelCount(nil), st.Labels...), append([]final(nil), st.Finals...)
	return &c
}

// get is the status of a document, or store.ErrNotFound.
func (s *statuses) get(doc annotate.DocumentID) (Status, error) {
	b, at, err := s.at(doc)
	if err != nil {
		return Status{}, err
	}
	if b.docs[at] == nil {
		return Status{}, fmt.Errorf("the status of document %d: %w", doc, store.ErrNotFound)
	}
	return *b.docs[at], nil
}

// put stores the status of a document.
func (s *statuses) put(doc annotate.DocumentID, st Status) error {
	b, at, err := s.at(doc)
	if err == nil {
		b.docs[at], b.changed = &st, true
	}
	return err
}

// drop deletes the status of a document, if it has one.
func (s *statuses) drop(doc annotate.DocumentID) error {
	b, at, err := s.at(doc)
	if err == nil && b.docs[at] != nil {
		b.docs[at], b.changed = nil, true
	}
	return err
}

// flush writes the changed blocks, ascending: the store then fills its pages.
func (s *statuses) flush() (err error) {
	for _, number := range slices.Sorted(maps.Keys(s.blocks)) {
		if b := s.blocks[number]; b.changed {
			err = errors.Join(err, s.write(number, b))
			b.changed = false
		}
	}
	return err
}

func (s *statuses) write(number uint64, b *storedBlock) error {
	raw, err := b.encode()
	if err != nil {
		return blockError(number, err)
	}
	if raw == nil {
		return s.tx.Delete(bucketStatuses, store.Key(number))
	}
	return s.tx.Put(bucketStatuses, store.Key(number), raw)
}

// putStatus stores the status of one document.
func putStatus(tx *store.Tx, doc annotate.DocumentID, st Status) error {
	s := newStatuses(tx)
	return errors.Join(s.put(doc, st), s.flush())
}

// eachStatus gives fn the stored statuses, ascending. fn must not keep the pointer.
func eachStatus(tx *store.Tx, fn func(annotate.DocumentID, *Status)) error {
	return tx.Scan(bucketStatuses, nil, func(key, raw []byte) error {
		number := store.Number(key)
		err := decodeBlock(raw, func(at int, st *Status) { fn(annotate.DocumentID(number*blockDocs+uint64(at)), st) })
		return blockError(number, err)
	})
}

// blockError says where a block is wrong.
func blockError(number uint64, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the statuses of documents %d to %d: %w", number*blockDocs, number*blockDocs+blockDocs-1, err)
}

// A stored block is a version, then for each document that there is, ascending:
//
//	the distance to the place of the last one, a byte of flags, its name and its group (unless
//	it follows from the name), annotations, tokens, import, revision; if flagged, the labels
//	with their spans; if flagged, same and the finals.
//
// Numbers are varints. A name, and likewise a group, is the length of what it shares with the
// one before, and a section with the rest. A label is its place among the labels of the
// block; a new one follows as a section.
const blockVersion = 1

// The bits of the flags. The first four are the places of state and help.
const (
	flagRandom = 1 << (iota + 4)
	flagAlone
	flagCounted
	flagRare
)

var errOutOfRange = errors.New("a number is out of range")

// blockWriter keeps what later documents refer to.
type blockWriter struct {
	out         []byte
	name, group string
	labels      map[annotate.Label]int
}

// encode makes the stored form of a block, nil if it has no documents.
func (b *storedBlock) encode() ([]byte, error) {
	w := blockWriter{out: []byte{blockVersion}, labels: map[annotate.Label]int{}}
	last, some := 0, false
	for at, st := range b.docs {
		if st == nil {
			continue
		}
		w.number(at - last)
		if err := w.status(st); err != nil {
			return nil, err
		}
		last, some = at, true
	}
	if !some {
		return nil, nil
	}
	return w.out, nil
}

func (w *blockWriter) number(n int) { w.out = binary.AppendUvarint(w.out, uint64(n)) }

func (w *blockWriter) status(st *Status) error {
	for _, n := range []int{st.Annotations, st.Tokens, st.Revision, st.Same, int(st.Import)} {
		if n < 0 || n > math.MaxUint32 {
			return errOutOfRange
		}
	}
	flags := placeOf(stateNames[:], st.State) | placeOf(helpNames[:], st.Help)<<2
	flags |= flag(flagRandom, st.Random) | flag(flagAlone, st.alone()) | flag(flagCounted, st.Counted) | flag(flagRare, st.rare())
	w.out = append(w.out, flags)
	w.shared(&w.name, st.Name)
	if !st.alone() {
		w.shared(&w.group, st.Group)
	}
	for _, n := range []int{st.Annotations, st.Tokens, int(st.Import), st.Revision} {
		w.number(n)
	}
	if st.Counted {
		w.uses(st.Labels)
	}
	if st.rare() {
		w.finals(st)
	}
	return nil
}

func flag(bit uint8, is bool) uint8 {
	if is {
		return bit
	}
	return 0
}

// rare reports whether people finished the document in hide.
func (st *Status) rare() bool { return st.Same > 0 || len(st.Finals) > 0 }

// shared writes a text after the text before it.
func (w *blockWriter) shared(last *string, text string) {
	n := sharedPrefix(*last, text)
	w.number(n)
	w.out = wire.AppendSection(w.out, []byte(text[n:]))
	*last = text
}

func sharedPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

func (w *blockWriter) uses(all []LabelCount) {
	w.number(len(all))
	for _, c := range all {
		at, known := w.labels[c.Label]
		if !known {
			at = len(w.labels)
			w.labels[c.Label] = at
		}
		w.number(at)
		if !known {
			w.out = wire.AppendSection(w.out, []byte(c.Label))
		}
		w.number(c.Spans)
	}
}

func (w *blockWriter) finals(st *Status) {
	w.number(st.Same)
	w.number(len(st.Finals))
	for _, f := range st.Finals {
		w.number(f.Revision)
		w.out = binary.LittleEndian.AppendUint64(w.out, f.Spans)
	}
}
