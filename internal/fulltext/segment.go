// SPDX-License-Identifier: Apache-2.0

package fulltext

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"

	"hide/internal/wire"
)

// Segment is the index of a range of documents.
type Segment struct {
	First, Last uint64 // documents
	Directory   Directory
}

// Directory lists the pages of a segment, in the order of their words.
type Directory struct{ pages []pageOf }

// pageOf is a page with its first word.
type pageOf struct {
	id   uint32
	word string
}

// IDs lists the pages.
func (d Directory) IDs() []uint32 {
	ids := make([]uint32, len(d.pages))
	for i, p := range d.pages {
		ids[i] = p.id
	}
	return ids
}

// Change gives a page another first word. A page without words is left out from then on.
func (d *Directory) Change(id uint32, word string) {
	at := slices.IndexFunc(d.pages, func(p pageOf) bool { return p.id == id })
	switch {
	case at < 0:
	case word == "":
		d.pages = slices.Delete(d.pages, at, at+1)
	default:
		d.pages[at].word = word
	}
}

// Append adds the bytes of the directory, to store them.
func (d Directory) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(d.pages)))
	before := uint32(0)
	for _, p := range d.pages {
		b = binary.AppendUvarint(b, uint64(p.id-before))
		b = wire.AppendSection(b, []byte(p.word))
		before = p.id
	}
	return b
}

// ReadDirectory reads what [Directory.Append] wrote.
func ReadDirectory(b []byte) (d Directory, err error) {
	r := wire.NewReader(b)
	n := r.Count(r.Left())
	id := uint32(0)
	for i := 0; i < n && r.Err() == nil; i++ {
		gap := r.Uint(math.MaxUint32 - uint64(id))
		word := r.Section()
		if r.Err() == nil && (len(word) == 0 || len(word) > longestWord || i > 0 && (gap == 0 || string(word) < d.pages[i-1].word)) {
			r.Failf("pages are not in ascending order")
		}
		id += uint32(gap)
		d.pages = append(d.pages, pageOf{id, string(word)})
	}
	r.End()
	if err := r.Err(); err != nil {
		return Directory{}, fmt.Errorf("fulltext: directory: %w", err)
	}
	return d, nil
}

// find lists the pages that may have words of a key.
func (d Directory) find(k key) []pageOf {
	from := sort.Search(len(d.pages), func(i int) bool { return d.pages[i].word >= k.word })
	from = max(0, from-1) // the words before the first of a page are in the page before
	to := from
	for to < len(d.pages) && !k.passed([]byte(d.pages[to].word)) {
		to++
	}
	return d.pages[from:to]
}

// Page reads a page.
type Page func(id uint32) ([]byte, error)

// Match lists the documents that have all words of a query, ascending. It reads the pages of
// these words alone, those of the rarest first.
func (s Segment) Match(q Query, page Page) ([]uint64, error) {
	keys := q.keys()
	slices.SortStableFunc(keys, func(a, b key) int { return len(s.Directory.find(a)) - len(s.Directory.find(b)) })
	var all Set
	for _, k := range keys {
		found, err := s.having(k, page)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = found
		} else {
			all.intersect(found)
		}
		if all.empty() {
			return nil, nil
		}
	}
	return all.docs(s.First), nil
}

// having finds the documents with a word of a key.
func (s Segment) having(k key, page Page) (Set, error) {
	found := s.Set(nil)
	var docs []uint64
	for _, p := range s.Directory.find(k) {
		b, err := page(p.id)
		if err != nil {
			return nil, err
		}
		e := readPage(b)
		for e.next() && !k.passed(e.word) {
			if !k.matches(e.word) {
				continue
			}
			if docs, err = appendDocs(docs[:0], e.docs, s.First, s.Last); err != nil {
				return nil, err
			}
			found.add(docs, s.First)
		}
		if e.err() != nil {
			return nil, fmt.Errorf("fulltext: page: %w", e.err())
		}
	}
	return found, nil
}

// Set is documents of a segment, one bit each.
type Set []uint64

// Set has those of the documents that are in the range of the segment.
func (s Segment) Set(docs []uint64) Set {
	some := make(Set, (s.Last-s.First)/64+1)
	for _, doc := range docs {
		if doc >= s.First && doc <= s.Last {
			some[(doc-s.First)/64] |= 1 << ((doc - s.First) % 64)
		}
	}
	return some
}

func (s Set) add(docs []uint64, first uint64) {
	for _, doc := range docs {
		s[(doc-first)/64] |= 1 << ((doc - first) % 64)
	}
}

func (s Set) has(doc, first uint64) bool { return s[(doc-first)/64]>>((doc-first)%64)&1 != 0 }

func (s Set) hasOne(docs []uint64, first uint64) bool {
	return slices.ContainsFunc(docs, func(doc uint64) bool { return s.has(doc, first) })
}

func (s Set) intersect(o Set) {
	for i := range s {
		s[i] &= o[i]
	}
}

func (s Set) empty() bool {
	return !slices.ContainsFunc(s, func(word uint64) bool { return word != 0 })
}

func (s Set) docs(first uint64) []uint64 {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	docs := make([]uint64, 0, n)
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			docs = append(docs, first+uint64(i*64+bits.TrailingZeros64(word)))
		}
	}
	return docs
}
