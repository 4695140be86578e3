// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"slices"
	"strings"

	"hide/internal/crf/intern"
)

// word holds the features of a distinct word.
type word struct {
	text, lower, shape string
	folded             string // lower case without accents
	member             string // lists that contain it alone, and its class
	blur               string // the word, or its class if that is as informative
	lowerID, shapeID   int32  // shared with all words of the same lower case or shape
	memberID, blurID   int32
	joint              int32 // the word alone between spaces
	phrase             int32 // number in the gazetteer, -1 for none
	lists              int32 // set of lists that contain it alone
	digits             int32
	class              class
	codes              []string // by table of classes, "" for none
	codesID            int32
	symbol             byte // in the forms of identifiers
	numeric            bool // all digits, or a mark that joins them
	title, credential  bool
	name               bool // a name in the program's lists
}

// scratch is what is known of one document.
type scratch struct {
	of       sequence // the document; its words and positions are copies
	complete bool     // all words are numbered
	done     Families // that were prepared
	features table    // token -> features of the families in listed
	listed   Families

	given   []given // by token, the identity that it belongs to; empty without identities
	runs    []run
	heard   []firstPassEvidence
	ids     []int32 // word of each token
	counts  []int32 // by token, the occurrences of its word
	gaps    []gap   // gaps[i] is what stands before token i
	find    finder
	lines   []place
	starts  []int // first token of each line
	parts   []part
	chunks  []chunk
	digits  []int32
	symbols []byte
	phi     []identifier
	titles  []titled
	uses    uses
	under   []bool // by token, whether a colon is before it on its line
	said    []byte // by token, the known identifiers that it belongs to
}

// reader sees documents as features do, whatever the model: words, lists, places, forms
// of identifiers. Extractors of different models share one, so that a document is
// analysed once for all of them. It remembers words and keys, and its last documents; for
// one goroutine.
type reader struct {
	gazette *gazetteer // nil for none
	plain   bool       // words are described for HIDE's families only

	words    map[string]int32
	infos    []word
	strings  map[string]int32
	texts    []string // of the numbers in strings
	jointIDs map[string]int32
	joints   []joint
	keys     intern.Keys
	fresh    fresh
	key      []byte
	made     []int32
	phrases  []int32
	tally    []int32 // by word, all 0 between documents
	usesOf   []use   // by lowerID, all zero between documents

	taggers []taggerOf // of the models that used it last, the last first

	docs []scratch // the last documents,
	doc  *scratch  // the current one,
	next int       // and the place of the next new one
}

// edgeWord stands before the first and after the last word of a document.
const (
	edgeWord = 0
	edgeText = "\x00"
)

// newReader returns a reader that remembers some documents.
func newReader(g *gazetteer, plain bool, documents int) *reader {
	r := &reader{
		gazette: g, plain: plain,
		words: map[string]int32{}, strings: map[string]int32{}, jointIDs: map[string]int32{}, keys: intern.NewKeys(),
		docs: make([]scratch, documents),
	}
	r.doc = &r.docs[0]
	r.infos = append(r.infos, r.describe(edgeText))
	return r
}

// recall makes d the current document if it is one of the last. It compares what features
// see of a document, all but the first pass.
func (r *reader) recall(d sequence) bool {
	for i := range r.docs {
		if s := &r.docs[i]; s.complete && s.of.looksLike(d) {
			r.doc = s
			return true
		}
	}
	return false
}

func (d sequence) looksLike(o sequence) bool {
	return len(d.words) == len(o.words) && d.text == o.text && slices.Equal(d.words, o.words) && slices.Equal(d.tokens, o.tokens) &&
		slices.Equal(d.known, o.known) && slices.Equal(d.people, o.people)
}

// begin makes d the current document, in the place of the oldest.
func (r *reader) begin(d sequence, stops func() bool) {
	s := &r.docs[r.next]
	r.doc, r.next = s, (r.next+1)%len(r.docs)
	s.complete, s.done, s.listed, s.ids = false, 0, 0, s.ids[:0]
	s.given, s.said = s.given[:0], s.said[:0]
	s.of = sequence{
		text: d.text, words: append(s.of.words[:0], d.words...), tokens: append(s.of.tokens[:0], d.tokens...),
		known: slices.Clone(d.known), people: slices.Clone(d.people),
	}
	for t, w := range d.words {
		if t%restTokens == 0 && stops() {
			s.ids = s.ids[:0]
			return
		}
		s.ids = append(s.ids, r.wordID(w))
	}
	s.gaps = gapsOf(d, s.gaps[:0])
	if r.gazette != nil {
		r.phrases = r.phrases[:0]
		for _, id := range s.ids {
			r.phrases = append(r.phrases, r.infos[id].phrase)
		}
		r.gazette.find(r.phrases, &s.find)
	}
	s.complete = true
}

// wordID interns a word.
func (r *reader) wordID(s string) int32 {
	s = clip(s)
	id, ok := r.words[s]
	if !ok {
		id, s = int32(len(r.infos)), strings.Clone(s) // without the rest of the note
		r.words[s] = id
		r.infos = append(r.infos, r.describe(s))
	}
	return id
}

// stringID interns any other string. The numbers are dense from 0.
func (r *reader) stringID(s string) int32 {
	id, ok := r.strings[s]
	if !ok {
		id = int32(len(r.texts))
		r.strings[s], r.texts = id, append(r.texts, s)
	}
	return id
}

// bytesID is stringID for bytes that may be overwritten afterwards.
func (r *reader) bytesID(b []byte) int32 {
	if id, ok := r.strings[string(b)]; ok {
		return id
	}
	return r.stringID(string(b))
}

// describe fills in the features of a word.
func (r *reader) describe(s string) word {
	if r.plain {
		return r.describePlainly(s)
	}
	w := word{text: s, lower: lower(s), folded: fold(s), shape: shapeOf(s), class: classOf(s), phrase: -1}
	if r.gazette != nil {
		if w.phrase = r.gazette.words.Find(w.folded); w.phrase >= 0 {
			w.lists = r.gazette.alone[w.phrase]
		}
	}
	w.symbol, w.title, w.credential = symbolOf(&w), titleSet()[w.folded], credentialSet()[w.folded]
	w.name = r.gazette != nil && r.gazette.isName(w.lists)
	w.member = r.memberOf(&w)
	w.blur = r.blurOf(&w)
	w.lowerID, w.shapeID = r.stringID(w.lower), r.stringID(w.shape)
	w.memberID, w.blurID = r.stringID("\x03"+w.member), r.stringID("\x04"+w.blur)
	w.numeric, w.digits = numeric(w.shape)
	r.code(&w)
	w.joint = r.jointID(solid(nil, w.shape))
	return w
}

// describePlainly fills in the features of HIDE's families.
func (r *reader) describePlainly(s string) word {
	w := word{text: s, phrase: -1}
	if r.gazette != nil {
		w.phrase = r.gazette.words.Find(fold(s))
	}
	return w
}

// fresh has the hashed attributes of the features that were new when an extractor last
// listed those of a document. The other models of the document need them, too.
type fresh struct {
	families Families // of the extractor
	from     int32    // the first feature
	attrs    attributes
}

// begin forgets everything. The next new feature has number from.
func (f *fresh) begin(families Families, from int) {
	f.families, f.from = families, int32(from)
	f.attrs.hashed = true
	f.attrs.reset()
}

// of gives the attributes of a feature to a, and reports whether it has them.
func (f *fresh) of(families Families, feature int32, a *attributes) bool {
	i := int(feature - f.from)
	if f.families != families || i < 0 || i >= len(f.attrs.marks) {
		return false
	}
	start, end := 0, f.attrs.marks[i]
	if i > 0 {
		start = f.attrs.marks[i-1]
	}
	a.reset()
	a.hashes, a.values = append(a.hashes, f.attrs.hashes[start:end]...), append(a.values, f.attrs.values[start:end]...)
	a.mark()
	return true
}
