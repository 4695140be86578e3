// SPDX-License-Identifier: Apache-2.0

package fulltext

import (
	"math"
	"slices"
	"strings"
)

// The limits of a run, which bound its memory to about 60 MB.
const (
	runPostings = 3 << 20
	runWords    = 250_000
)

// Run collects the words of documents in memory.
type Run struct {
	first, last uint64
	documents   int
	ids         map[string]uint32
	words       []runWord
	postings    []posting
}

type runWord struct {
	word  string
	count uint32 // of documents
	last  uint32 // document, as in posting
}

// posting says that a document has a word. There are millions of them.
type posting struct {
	word uint32
	doc  uint32 // 1 + the document minus the first
}

// NewRun returns an empty run.
func NewRun() *Run { return &Run{ids: map[string]uint32{}} }

// Add adds a document. Its number must be greater than those before.
func (r *Run) Add(doc uint64, text string) {
	if r.documents == 0 {
		r.first = doc
	}
	r.documents++
	r.last = doc
	at := uint32(doc-r.first) + 1
	Words(text, func(folded []byte, _, _ int) {
		id, known := r.ids[string(folded)]
		if !known {
			id = uint32(len(r.words))
			word := string(folded)
			r.ids[word] = id
			r.words = append(r.words, runWord{word: word})
		}
		if w := &r.words[id]; w.last != at {
			w.last = at
			w.count++
			r.postings = append(r.postings, posting{id, at})
		}
	})
}

// Len is the number of documents.
func (r *Run) Len() int { return r.documents }

// Full reports whether the run should be written before another document is added.
func (r *Run) Full() bool {
	return len(r.postings) >= runPostings || len(r.words) >= runWords || r.documents > 0 && r.last-r.first >= math.MaxUint32/2
}

// Reset empties the run and keeps its memory.
func (r *Run) Reset() {
	clear(r.ids)
	*r = Run{ids: r.ids, words: r.words[:0], postings: r.postings[:0]}
}

// cursor reads a run in the order of its words.
func (r *Run) cursor() cursor {
	order := make([]uint32, len(r.words))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(r.words[a].word, r.words[b].word) })
	c := &runCursor{run: r, order: order, at: -1, docs: make([]uint32, len(r.postings)), ends: make([]uint32, len(r.words))}
	// A counting sort: the postings of a word are already in the order of documents.
	end := uint32(0)
	for i, w := range r.words {
		c.ends[i] = end
		end += w.count
	}
	for _, p := range r.postings {
		c.docs[c.ends[p.word]] = p.doc
		c.ends[p.word]++
	}
	return c
}

type runCursor struct {
	run   *Run
	order []uint32
	at    int
	docs  []uint32
	ends  []uint32 // of the documents of each word, in docs
	buf   []byte
}

func (c *runCursor) next() (bool, error) {
	if c.at++; c.at >= len(c.order) {
		return false, nil
	}
	c.buf = append(c.buf[:0], c.run.words[c.order[c.at]].word...)
	return true, nil
}

func (c *runCursor) word() []byte { return c.buf }

func (c *runCursor) appendDocs(to []uint64) ([]uint64, error) {
	id := c.order[c.at]
	end := c.ends[id]
	for _, doc := range c.docs[end-c.run.words[id].count : end] {
		to = append(to, c.run.first+uint64(doc)-1)
	}
	return to, nil
}

func (r *Run) span() (first, last uint64) { return r.first, r.last }
