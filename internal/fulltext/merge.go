// SPDX-License-Identifier: Apache-2.0

package fulltext

import (
	"bytes"
	"fmt"
)

// Input is what [Merge] merges: a [Run] or a [Stored] segment.
type Input interface {
	cursor() cursor
	span() (first, last uint64)
}

// cursor reads words in ascending order with their documents. A word may come several times,
// with ascending documents.
type cursor interface {
	next() (bool, error)
	word() []byte
	appendDocs(to []uint64) ([]uint64, error)
}

// Stored is a segment with its pages.
type Stored struct {
	Segment
	Page Page
}

func (s Stored) span() (first, last uint64) { return s.First, s.Last }

func (s Stored) cursor() cursor { return &storedCursor{stored: s, left: s.Directory.pages} }

type storedCursor struct {
	stored Stored
	left   []pageOf
	page   *entries
}

func (c *storedCursor) next() (bool, error) {
	for {
		if c.page != nil && c.page.next() {
			return true, nil
		}
		if c.page != nil && c.page.err() != nil {
			return false, fmt.Errorf("fulltext: page: %w", c.page.err())
		}
		if len(c.left) == 0 {
			return false, nil
		}
		b, err := c.stored.Page(c.left[0].id)
		if err != nil {
			return false, err
		}
		c.page, c.left = readPage(b), c.left[1:]
	}
}

func (c *storedCursor) word() []byte { return c.page.word }

func (c *storedCursor) appendDocs(to []uint64) ([]uint64, error) {
	return appendDocs(to, c.page.docs, c.stored.First, c.stored.Last)
}

// Merge writes one segment of several inputs, in ascending order of their documents, which
// must not overlap. It needs the memory of a page for each input, and that of the documents
// of one word.
func Merge(inputs []Input, put Put) (Segment, error) {
	first, _ := inputs[0].span()
	_, last := inputs[len(inputs)-1].span()
	w := &writer{first: first, put: put}
	m := &merger{}
	for _, in := range inputs {
		if err := m.push(in.cursor()); err != nil {
			return Segment{}, err
		}
	}
	for len(m.open) > 0 {
		if err := m.take(); err != nil {
			return Segment{}, err
		}
		if err := w.add(m.word, m.docs); err != nil {
			return Segment{}, err
		}
	}
	return Segment{first, last, w.directory}, w.flush()
}

// merger reads cursors at once. The open ones stand at a word each.
type merger struct {
	open []cursor
	word []byte
	docs []uint64 // of word
}

func (m *merger) push(c cursor) error {
	ok, err := c.next()
	if ok {
		m.open = append(m.open, c)
	}
	return err
}

// take reads the first word of all cursors and its documents.
func (m *merger) take() (err error) {
	first := m.open[0].word()
	for _, c := range m.open[1:] {
		if bytes.Compare(c.word(), first) < 0 {
			first = c.word()
		}
	}
	m.word, m.docs = append(m.word[:0], first...), m.docs[:0]
	left := m.open[:0]
	for _, c := range m.open {
		more := true
		for more && bytes.Equal(c.word(), m.word) {
			if m.docs, err = c.appendDocs(m.docs); err != nil {
				return err
			}
			if more, err = c.next(); err != nil {
				return err
			}
		}
		if more {
			left = append(left, c)
		}
	}
	m.open = left
	return nil
}
