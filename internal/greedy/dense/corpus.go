// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"context"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// Corpus is what is known of documents before anything is trained. Many encoders
// can be fitted to parts of it. It is immutable and safe for concurrent use.
type Corpus struct {
	lists  *crf.Lists
	docs   []document
	hashes []uint64   // of each key, by its number
	grams  [][]uint16 // of each distinct word
}

// document is one view of a corpus, by token.
type document struct {
	group  string
	mask   []bool // nil when nothing is hidden
	skip   []bool // nil, or what training leaves out
	left   []bool // sensitive and not hidden
	keys   []int32
	words  []int32
	static []float32
	times  map[string]int // of each lower-case word
}

func (d *document) tokens() int { return len(d.words) }

func (d *document) hidden(t int) bool { return d.mask != nil && t >= 0 && t < len(d.mask) && d.mask[t] }

// taught reports whether token t is visible and training sees it.
func (d *document) taught(t int) bool { return !d.hidden(t) && (d.skip == nil || !d.skip[t]) }

// numbers gives numbers to keys and to words in order of appearance.
type numbers struct {
	reader *crf.FactReader
	keys   map[uint64]int32
	words  map[string]int32
	corpus *Corpus
}

// Prepare reads the views, whose documents have their own number, group and, for
// [Fitted.Rows], what is sensitive. Each of the lists is a column.
func Prepare(ctx context.Context, views []annotate.View, lists *crf.Lists) (*Corpus, error) {
	n := &numbers{crf.NewFactReader(lists), map[uint64]int32{}, map[string]int32{}, &Corpus{lists: lists, docs: make([]document, len(views))}}
	for i, v := range views {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n.read(&n.corpus.docs[i], v)
	}
	return n.corpus, nil
}

func (n *numbers) read(d *document, v annotate.View) {
	words, f, width := wordsOf(v), facts(nil), statics(n.corpus.lists.Len())
	f = n.reader.Read(v)
	*d = document{group: v.Group, mask: v.Redacted, skip: v.Skip, left: make([]bool, len(words)), keys: make([]int32, 0, keys*len(words)),
		words: make([]int32, len(words)), static: make([]float32, width*len(words)), times: map[string]int{}}
	for t := range f {
		d.times[f[t].Lower]++
	}
	var hashes [keys]uint64
	opening := ""
	for t, word := range words {
		if f[t].LinePlace == 0 {
			opening = f[t].Lower
		}
		f.keysOf(t, word, opening, &hashes)
		for _, h := range hashes {
			d.keys = append(d.keys, n.key(h))
		}
		d.left[t] = v.Sensitive != nil && v.Remaining(t)
		d.words[t] = n.word(word)
		d.describe(f, t, word, d.static[t*width:(t+1)*width])
	}
}

// wordsOf are the words as they read.
func wordsOf(v annotate.View) []string {
	words := make([]string, len(v.Words))
	for t := range words {
		words[t] = v.Word(t)
	}
	return words
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

func (n *numbers) word(word string) int32 {
	word = spelling(word)
	id, known := n.words[word]
	if !known {
		id = int32(len(n.corpus.grams))
		n.words[word] = id
		n.corpus.grams = append(n.corpus.grams, gramsOf(word))
	}
	return id
}
