// SPDX-License-Identifier: Apache-2.0

package project

import (
	"errors"
	"math"
	"slices"

	"hide/internal/annotate"
	"hide/internal/wire"
)

// blockReader reads a stored block. It refuses every form that [storedBlock.encode] does not
// write.
type blockReader struct {
	wire.Reader
	name, group []byte
	labels      []annotate.Label
	st          Status // of the document that is read; its slices are used again
}

// decodeBlock gives fn the statuses of a stored block. fn must not keep the pointer, nor
// Labels and Finals.
func decodeBlock(raw []byte, fn func(at int, st *Status)) error {
	r := blockReader{Reader: *wire.NewReader(raw)}
	if version := r.Uint(math.MaxUint64); version != blockVersion {
		r.Failf("its version is %d and this program reads %d", version, blockVersion)
	}
	for at, first := 0, true; r.Err() == nil && (first || r.Left() > 0); first = false {
		step := r.Count(blockDocs - 1 - at)
		if step == 0 && !first {
			r.Fail(errors.New("a document occurs twice"))
		}
		at += step
		if r.status(); r.Err() == nil {
			fn(at, &r.st)
		}
	}
	return r.Err()
}

// status reads a document into r.st.
func (r *blockReader) status() {
	flags := r.flags()
	st := &r.st
	r.shared(&r.name)
	st.Name = string(r.name)
	if flags&flagAlone != 0 {
		st.Group = aloneRecord + st.Name
	} else {
		r.shared(&r.group)
		if st.Group != string(r.group) {
			st.Group = string(r.group)
		}
		if st.alone() {
			r.Fail(errors.New("a group is stored that follows from the name"))
		}
	}
	st.Annotations, st.Tokens = r.Count(math.MaxUint32), r.Count(math.MaxUint32)
	st.Import, st.Revision = r.Uint(math.MaxUint32), r.Count(math.MaxUint32)
	st.Labels, st.Same, st.Finals = st.Labels[:0], 0, st.Finals[:0]
	if st.Counted {
		r.uses()
	}
	if flags&flagRare != 0 {
		r.finals()
	}
}

func (r *blockReader) flags() uint8 {
	b := r.Take(1)
	if b == nil {
		return 0
	}
	state := int(b[0] & 3)
	if state >= len(stateNames) {
		r.Fail(errors.New("a state is out of range"))
		return 0
	}
	st := &r.st
	st.State, st.Help = stateNames[state], helpNames[b[0]>>2&3]
	st.Random, st.Counted = b[0]&flagRandom != 0, b[0]&flagCounted != 0
	return b[0]
}

// shared reads a text after the text before it.
func (r *blockReader) shared(last *[]byte) {
	n := r.Count(len(*last))
	rest := r.Section()
	if r.Err() == nil && n < len(*last) && len(rest) > 0 && rest[0] == (*last)[n] {
		r.Fail(errors.New("a text repeats what it shares with the one before"))
	}
	if r.Err() == nil {
		*last = append((*last)[:n], rest...)
	}
}

// Each label and each final take more bytes than 1 and 8.
const finalSize = 9

func (r *blockReader) uses() {
	st := &r.st
	for range r.Count(r.Left() / 2) {
		at := r.Count(len(r.labels))
		if at == len(r.labels) {
			r.label()
		}
		spans := r.Count(math.MaxUint32)
		if r.Err() != nil {
			return
		}
		st.Labels = append(st.Labels, LabelCount{r.labels[at], spans})
	}
}

// label reads a label that the block did not have yet.
func (r *blockReader) label() {
	l := annotate.Label(r.Section())
	if slices.Contains(r.labels, l) {
		r.Fail(errors.New("a label is new twice"))
	}
	r.labels = append(r.labels, l)
}

func (r *blockReader) finals() {
	st := &r.st
	st.Same = r.Count(math.MaxUint32)
	for range r.Count(r.Left() / finalSize) {
		st.Finals = append(st.Finals, final{r.Count(math.MaxUint32), r.Uint64()})
	}
	if r.Err() == nil && !st.rare() {
		r.Fail(errors.New("finals are flagged and missing"))
	}
}
