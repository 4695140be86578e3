// SPDX-License-Identifier: Apache-2.0

package fulltext

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"hide/internal/wire"
)

// A page is entries in ascending order of their words. An entry is
//
//	uvarint  bytes that its word shares with the word before
//	section  the rest of the word
//	section  the documents
//
// The documents are uvarints: the first minus the first document of the segment, then the
// gaps between them, minus one. A word with many documents has an entry in each of several
// pages, one after the other.

// pageBytes is about how large a page is.
const pageBytes = 32 << 10

// Put stores a page under its number. It must not keep the bytes.
type Put func(id uint32, page []byte) error

// writer cuts entries into pages.
type writer struct {
	first     uint64 // document of the segment
	put       Put
	directory Directory
	page      []byte
	word      []byte // the last of the page
	docs      []byte
	next      uint32 // number of the page
}

// add adds the documents of a word, ascending. Words come in ascending order.
func (w *writer) add(word []byte, docs []uint64) error {
	for len(docs) > 0 {
		if len(w.page) > pageBytes*15/16 {
			if err := w.flush(); err != nil {
				return err
			}
		}
		n, err := w.encode(docs, pageBytes-len(w.page))
		if err != nil {
			return err
		}
		docs = docs[n:]
		w.entry(word)
	}
	return nil
}

// encode writes as many documents as fit into room bytes, at least one.
func (w *writer) encode(docs []uint64, room int) (n int, err error) {
	w.docs = w.docs[:0]
	after := w.first
	for n < len(docs) && (n == 0 || len(w.docs) < room) {
		if docs[n] < after {
			return n, errors.New("fulltext: documents are not in ascending order")
		}
		w.docs = binary.AppendUvarint(w.docs, docs[n]-after)
		after = docs[n] + 1
		n++
	}
	return n, nil
}

func (w *writer) entry(word []byte) {
	if len(w.page) == 0 {
		w.directory.pages = append(w.directory.pages, pageOf{w.next, string(word)})
	}
	w.page = appendEntry(w.page, w.word, word, w.docs)
	w.word = append(w.word[:0], word...)
}

func appendEntry(page, before, word, docs []byte) []byte {
	shared := 0
	for shared < min(len(before), len(word)) && before[shared] == word[shared] {
		shared++
	}
	page = binary.AppendUvarint(page, uint64(shared))
	page = wire.AppendSection(page, word[shared:])
	return wire.AppendSection(page, docs)
}

// flush stores the page, if it has entries.
func (w *writer) flush() error {
	if len(w.page) == 0 {
		return nil
	}
	if err := w.put(w.next, w.page); err != nil {
		return err
	}
	w.page, w.word = w.page[:0], w.word[:0]
	w.next++
	return nil
}

// entries reads a page.
type entries struct {
	wire *wire.Reader
	word []byte // of the entry
	docs []byte
	any  bool
}

func readPage(page []byte) *entries { return &entries{wire: wire.NewReader(page)} }

// next reads an entry. At the end of the page, and after damage, it returns false.
func (e *entries) next() bool {
	if e.wire.Left() == 0 || e.wire.Err() != nil {
		return false
	}
	shared := e.wire.Count(len(e.word))
	rest := e.wire.Section()
	if e.wire.Err() == nil && e.any && (len(rest) == 0 || shared < len(e.word) && rest[0] <= e.word[shared]) {
		e.wire.Failf("words are not in ascending order")
	}
	e.word, e.any = append(e.word[:shared], rest...), true
	e.docs = e.wire.Section()
	if e.wire.Err() == nil && (len(e.word) == 0 || len(e.word) > longestWord || len(e.docs) == 0) {
		e.wire.Failf("a word is too short or too long, or has no documents")
	}
	return e.wire.Err() == nil
}

func (e *entries) err() error { return e.wire.Err() }

var errDocs = errors.New("fulltext: the documents of a word are damaged")

// appendDocs reads the documents of an entry of a segment.
func appendDocs(to []uint64, docs []byte, first, last uint64) ([]uint64, error) {
	doc := first
	for i := 0; i < len(docs); {
		gap, n := uint64(docs[i]), 1
		if gap >= 0x80 {
			if gap, n = binary.Uvarint(docs[i:]); n <= 0 || docs[i+n-1] == 0 {
				return to, errDocs
			}
		}
		i += n
		if doc > last || gap > last-doc {
			return to, errDocs
		}
		to = append(to, doc+gap)
		doc += gap + 1
	}
	return to, nil
}

// Without is a page of a segment without some of its documents. changed is false if it has
// none of them. word is the first that is left, and kept is empty if none is.
func Without(page []byte, s Segment, gone Set) (kept []byte, word string, changed bool, err error) {
	var docs []uint64
	e := readPage(page)
	for e.next() && !changed {
		if docs, err = appendDocs(docs[:0], e.docs, s.First, s.Last); err != nil {
			return nil, "", false, err
		}
		changed = gone.hasOne(docs, s.First)
	}
	if e.err() != nil || !changed {
		return page, "", false, e.err()
	}
	return rewrite(page, s, gone)
}

// rewrite writes a page that has some of the documents without them.
func rewrite(page []byte, s Segment, gone Set) (kept []byte, word string, changed bool, err error) {
	w := writer{first: s.First}
	var docs []uint64
	e := readPage(page)
	for e.next() {
		if docs, err = appendDocs(docs[:0], e.docs, s.First, s.Last); err != nil {
			return nil, "", false, err
		}
		docs = slices.DeleteFunc(docs, func(doc uint64) bool { return gone.has(doc, s.First) })
		if len(docs) == 0 {
			continue
		}
		if _, err := w.encode(docs, math.MaxInt); err != nil {
			return nil, "", false, err
		}
		w.entry(e.word)
	}
	if len(w.directory.pages) > 0 {
		word = w.directory.pages[0].word
	}
	return w.page, word, true, e.err()
}
