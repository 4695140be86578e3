// SPDX-License-Identifier: Apache-2.0

// Package dense describes each token by about a hundred numbers, for learners such as
// decision trees.
//
//	corpus, err := dense.Prepare(ctx, views, crf.NewLists(nil))
//	fitted, err := corpus.Fit(ctx, training) // indices of views
//	x, y, err := fitted.Rows(ctx, true)      // to train on
//	x := fitted.Columns(other)               // to score another of the views
//	x := fitted.Encoder().Columns(view)      // to score any view; see also Describe
//
// # Which numbers are there?
//
// Most are target rates: the smoothed log-odds of being sensitive among the training
// tokens with the same key, such as the word, its suffix or the words around it. With n
// tokens of which s are sensitive, and a share q of all,
//
//	log((s + a q) / (n - s + a (1-q))),  a = 2.
//
// In a training row, n and s leave out the tokens of the row's own fold, one of four
// that keep patients whole: a word that occurs in one patient's notes only looks unseen
// there, as the words of a new patient will. Rates of tokens to be scored count all
// training documents.
//
// The others are flags of characters, places, patterns and lists ([crf.Fact]), a
// name-likeness: the log-odds of a logistic model over character n-grams of the training
// words, nested in the same folds; and the novelty of the document: which share of its
// words counts nothing. In a document of another institution many words do, and few of them
// are sensitive. So that learners know that, each other document has a second set of
// training rows, for which only its opposite quarter counts: see [Corpus.Quarters].
//
// Redacted tokens read as [annotate.Placeholder]. They are not training rows and do not
// count in rates.
//
// # Caveats
//
// An encoder holds rates under 64-bit hashes of words and pairs of words. Its owner can
// test whether a name was in the training notes: treat it as PHI. While it is in memory it
// also remembers words of the notes that it described, up to a bound for each goroutine; its
// bytes do not have them.
package dense

import (
	"context"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy/drift"
)

// Corpus is the preprocessed form of documents, independent of training. Many encoders
// can be fitted to parts of it. It is immutable and safe for concurrent use.
type Corpus struct {
	lists  *crf.Lists
	docs   []document
	hashes []uint64   // of each key, by its number
	grams  [][]uint16 // of each distinct word

	quarters []int // of each document
}

// document is one view of a corpus, by token.
type document struct {
	group  string
	source string // its institution, "" if unknown
	mask   []bool // nil if nothing is hidden
	skip   []bool // nil, or the tokens left out of training
	left   []bool // sensitive and not hidden
	keys   []int32
	words  []int32
	static []float32
}

func (d *document) tokens() int { return len(d.words) }

func (d *document) hidden(t int) bool { return d.mask != nil && t >= 0 && t < len(d.mask) && d.mask[t] }

// taught reports whether token t is visible and used in training.
func (d *document) taught(t int) bool { return !d.hidden(t) && (d.skip == nil || !d.skip[t]) }

// numbers gives numbers to keys and spellings in order of appearance.
type numbers struct {
	reader    *reader
	keys      map[uint64]int32
	spellings map[string]int32
	known     []knownWord // by number of the reader's words
	corpus    *Corpus
}

// knownWord has the numbers of a word, which every token of the word shares.
type knownWord struct {
	keys     [wordKeys]int32
	spelling int32
}

// Prepare reads the views, whose documents have their own number, group and, for
// [Fitted.Rows], sensitive flags. Each of the lists is a column.
func Prepare(ctx context.Context, views []annotate.View, lists *crf.Lists) (*Corpus, error) {
	n := &numbers{reader: newReader(lists), keys: map[uint64]int32{}, spellings: map[string]int32{},
		corpus: &Corpus{lists: lists, docs: make([]document, len(views))}}
	for i, v := range views {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n.read(&n.corpus.docs[i], v)
	}
	n.corpus.divide()
	return n.corpus, nil
}

func (n *numbers) read(d *document, v annotate.View) {
	r, size, width := n.reader, len(v.Words), statics(n.corpus.lists.Len())
	r.read(v)
	*d = document{group: v.Group, source: drift.SourceOf(v.Attributes), mask: v.Redacted, skip: v.Skip, left: make([]bool, size), keys: make([]int32, 0, keys*size),
		words: make([]int32, size), static: make([]float32, width*size)}
	var hashes [contextKeys]uint64
	for t, id := range r.tokens() {
		w := n.word(id)
		r.contextOf(t, &hashes)
		d.keys = append(d.keys, w.keys[:]...)
		for _, h := range hashes {
			d.keys = append(d.keys, n.key(h))
		}
		d.left[t] = v.Sensitive != nil && v.Remaining(t)
		d.words[t] = w.spelling
		row := d.static[t*width : (t+1)*width]
		r.describe(t, row)
		for list, tokens := range r.facts[t].Phrases {
			row[colLists+list] = float32(tokens)
		}
	}
	r.done()
}

// word has the numbers of a word of the reader.
func (n *numbers) word(id int32) *knownWord {
	for len(n.known) < len(n.reader.words) {
		n.known = append(n.known, knownWord{spelling: -1})
	}
	k := &n.known[id]
	if k.spelling >= 0 {
		return k
	}
	w := &n.reader.words[id]
	for i, h := range w.keys {
		k.keys[i] = n.key(h)
	}
	k.spelling = n.spelling(spelling(w.text))
	return k
}

func (n *numbers) key(hash uint64) int32 {
	id, known := n.keys[hash]
	if !known {
		id = int32(len(n.corpus.hashes))
		n.keys[hash] = id
		n.corpus.hashes = append(n.corpus.hashes, hash)
	}
	return id
}

func (n *numbers) spelling(s string) int32 {
	id, known := n.spellings[s]
	if !known {
		id = int32(len(n.corpus.grams))
		n.spellings[s] = id
		n.corpus.grams = append(n.corpus.grams, gramsOf(s))
	}
	return id
}
