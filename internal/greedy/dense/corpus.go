// SPDX-License-Identifier: Apache-2.0

// Package dense describes each token by about a hundred numbers, for learners such as
// decision trees.
//
//	corpus, err := dense.Prepare(ctx, views, crf.NewLists(nil))
//	fitted, err := corpus.Fit(ctx, training) // indices of views
//	x, y, err := fitted.Rows(ctx)            // to train on
//	x := fitted.Columns(other)               // to score another of the views
//	x := fitted.Encoder().Columns(view)      // to score any view
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
// The others are flags of characters, places, patterns and lists ([crf.Fact]), and a
// name-likeness: the log-odds of a logistic model over character n-grams of the training
// words, nested in the same folds.
//
// Redacted tokens read as [annotate.Placeholder]. They are not training rows and do not
// count in rates.
//
// # Caveats
//
// An encoder holds rates under 64-bit hashes of words and pairs of words. Its owner can
// test whether a name was in the training notes: treat it as PHI.
package dense

import (
	"context"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// Corpus is the preprocessed form of documents, independent of training. Many encoders
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
	mask   []bool // nil if nothing is hidden
	skip   []bool // nil, or the tokens left out of training
	left   []bool // sensitive and not hidden
	keys   []int32
	words  []int32
	static []float32
	times  map[string]int // of each lower-case word
}

func (d *document) tokens() int { return len(d.words) }

func (d *document) hidden(t int) bool { return d.mask != nil && t >= 0 && t < len(d.mask) && d.mask[t] }

// taught reports whether token t is visible and used in training.
func (d *document) taught(t int) bool { return !d.hidden(t) && (d.skip == nil || !d.skip[t]) }

// numbers gives numbers to keys and words in order of appearance.
type numbers struct {
	reader *crf.FactReader
	keys   map[uint64]int32
	words  map[string]int32
	corpus *Corpus
}

// Prepare reads the views, whose documents have their own number, group and, for
// [Fitted.Rows], sensitive flags. Each of the lists is a column.
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

// wordsOf are the words under the mask.
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

// The keys of a token with rates, in the order of their columns.
const (
	keyWord = iota
	keyLower
	keyPrefix
	keySuffix2
	keySuffix
	keyShape
	keyMember
	keyRun
	keyKind
	keyBefore
	keyAfter
	keyPairBefore
	keyPairAfter
	keyAround
	keyTwoBefore
	keyTwoAfter
	keyShapesBefore
	keyShapesAfter
	keyClasses
	keyHead
	keyHeadNext
	keySection
	keyLine
	keyOpening
	keyBlurBefore
	keyBlurAfter
	keys
)

// hasher makes a key of 64 bits of its parts (FNV-1a, mixed once more at the end).
type hasher uint64

func newKey(kind int) hasher { return hasher(14695981039346656037 ^ uint64(kind+1)*0x9e3779b97f4a7c15) }

func (h hasher) text(s string) hasher {
	for i := range len(s) {
		h = (h ^ hasher(s[i])) * 1099511628211
	}
	return (h ^ 0x1ff) * 1099511628211
}

func (h hasher) number(n int) hasher { return (h ^ hasher(n+0x200)) * 1099511628211 }

func (h hasher) sum() uint64 {
	v := uint64(h)
	v = (v ^ v>>32) * 0xd6e8feb86659fd93
	return v ^ v>>32
}

// edge stands for the tokens before the first and after the last.
var edge = crf.Fact{Lower: "\x00", Shape: "\x00", Member: "\x00", Blur: "\x00", Class: '^'}

type facts []crf.Fact

func (f facts) at(t int) *crf.Fact {
	if t < 0 || t >= len(f) {
		return &edge
	}
	return &f[t]
}

// keysOf are the keys of token t.
func (f facts) keysOf(t int, word string, opening string, to *[keys]uint64) {
	b2, b1, w, a1, a2 := f.at(t-2), f.at(t-1), f.at(t), f.at(t+1), f.at(t+2)
	set := func(kind int, h func(hasher) hasher) { to[kind] = h(newKey(kind)).sum() }
	texts := func(kind int, parts ...string) {
		h := newKey(kind)
		for _, p := range parts {
			h = h.text(p)
		}
		to[kind] = h.sum()
	}
	texts(keyWord, word)
	texts(keyLower, w.Lower)
	texts(keyPrefix, head(w.Lower, 3))
	texts(keySuffix2, tail(w.Lower, 2))
	texts(keySuffix, tail(w.Lower, 3), string(rune(w.Class)))
	texts(keyShape, w.Shape)
	texts(keyMember, w.Member)
	set(keyRun, func(h hasher) hasher { return h.text(w.Run).number(int(w.RunAt)).number(int(w.RunLeft)) })
	set(keyKind, func(h hasher) hasher {
		return h.text(w.Kind).number(int(w.Place)).number(int(w.Size)).text(w.RunKind).number(w.Digits)
	})
	texts(keyBefore, b1.Lower, string(rune(w.Class)))
	texts(keyAfter, a1.Lower, string(rune(w.Class)))
	texts(keyPairBefore, b1.Lower, w.Lower)
	texts(keyPairAfter, w.Lower, a1.Lower)
	texts(keyAround, b1.Lower, a1.Lower, string(rune(w.Class)))
	texts(keyTwoBefore, b2.Lower, b1.Lower, string(rune(w.Class)))
	texts(keyTwoAfter, a1.Lower, a2.Lower, string(rune(w.Class)))
	texts(keyShapesBefore, b2.Shape, b1.Shape, w.Shape)
	texts(keyShapesAfter, w.Shape, a1.Shape, a2.Shape)
	texts(keyClasses, string([]byte{b2.Class, b1.Class, w.Class, a1.Class, a2.Class}))
	set(keyHead, func(h hasher) hasher { return h.text(w.Head).number(int(w.HeadDistance)).number(int(w.Class)) })
	texts(keyHeadNext, w.Head, b1.Lower, a1.Lower)
	set(keySection, func(h hasher) hasher { return h.text(w.Section).number(int(w.SectionAt)).number(int(w.Class)) })
	set(keyLine, func(h hasher) hasher {
		return h.number(int(w.Above)).number(int(w.LineSize)).number(int(w.LinePlace)).number(int(w.Class))
	})
	set(keyOpening, func(h hasher) hasher { return h.text(opening).number(int(w.LinePlace)).number(int(w.Class)) })
	texts(keyBlurBefore, b2.Blur, b1.Blur, w.Member)
	texts(keyBlurAfter, w.Member, a1.Blur, a2.Blur)
}

// head is the first n characters of s.
func head(s string, n int) string {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at]
}

// tail is the last n characters of s.
func tail(s string, n int) string {
	at := len(s)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return s[at:]
}
