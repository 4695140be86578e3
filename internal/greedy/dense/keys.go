// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"math"
	"strings"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// The keys of a token with rates, in the order of their columns. The first ones depend
// on the word alone.
const (
	keyWord = iota
	keyLower
	keyPrefix
	keySuffix2
	keySuffix
	keyShape
	keyMember
	wordKeys
)

// The keys that depend on the context too.
const (
	keyRun = iota + wordKeys
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
	contextKeys = keys - wordKeys
)

// hasher makes a key of 64 bits of its parts (FNV-1a, mixed once more at the end).
type hasher uint64

const fnvPrime = 1099511628211

func newKey(kind int) hasher { return hasher(14695981039346656037 ^ uint64(kind+1)*0x9e3779b97f4a7c15) }

func (h hasher) text(s string) hasher {
	for i := range len(s) {
		h = (h ^ hasher(s[i])) * fnvPrime
	}
	return (h ^ 0x1ff) * fnvPrime
}

// text3 is text of three keys: their multiplications overlap.
func text3(a, b, c hasher, s string) (hasher, hasher, hasher) {
	for i := range len(s) {
		x := hasher(s[i])
		a, b, c = (a^x)*fnvPrime, (b^x)*fnvPrime, (c^x)*fnvPrime
	}
	return (a ^ 0x1ff) * fnvPrime, (b ^ 0x1ff) * fnvPrime, (c ^ 0x1ff) * fnvPrime
}

// class is text of one character. Classes are ASCII.
func (h hasher) class(c byte) hasher { return ((h^hasher(c))*fnvPrime ^ 0x1ff) * fnvPrime }

func (h hasher) number(n int) hasher { return (h ^ hasher(n+0x200)) * fnvPrime }

func (h hasher) sum() uint64 {
	v := uint64(h)
	v = (v ^ v>>32) * 0xd6e8feb86659fd93
	return v ^ v>>32
}

// edge stands for the tokens before the first and after the last.
var edge = crf.Fact{Lower: "\x00", Shape: "\x00", Member: "\x00", Blur: "\x00", Class: '^'}

// word has what the columns of a token take from a word alone.
type word struct {
	text   string
	lower  int32 // number of its lower case, -1 until a token of the word has been read
	keys   [wordKeys]uint64
	starts // of keys that begin with it

	class, length, numbers float32 // columns
}

// starts are keys of which the first part is hashed.
type starts struct {
	before, after, pairBefore, pairAfter, around, twoBefore, twoAfter hasher // lower case
	shapesBefore, shapesAfter                                         hasher
	blurBefore, blurAfter                                             hasher
}

func startsOf(f *crf.Fact) starts {
	return starts{
		before: newKey(keyBefore).text(f.Lower), after: newKey(keyAfter).text(f.Lower),
		pairBefore: newKey(keyPairBefore).text(f.Lower), pairAfter: newKey(keyPairAfter).text(f.Lower),
		around:    newKey(keyAround).text(f.Lower),
		twoBefore: newKey(keyTwoBefore).text(f.Lower), twoAfter: newKey(keyTwoAfter).text(f.Lower),
		shapesBefore: newKey(keyShapesBefore).text(f.Shape), shapesAfter: newKey(keyShapesAfter).text(f.Shape),
		blurBefore: newKey(keyBlurBefore).text(f.Blur), blurAfter: newKey(keyBlurAfter).text(f.Member),
	}
}

// keysOf are the keys of a word alone.
func keysOf(text string, f *crf.Fact) [wordKeys]uint64 {
	key := func(kind int, s string) uint64 { return newKey(kind).text(s).sum() }
	return [wordKeys]uint64{
		keyWord: key(keyWord, text), keyLower: key(keyLower, f.Lower), keyPrefix: key(keyPrefix, head(f.Lower, 3)),
		keySuffix2: key(keySuffix2, tail(f.Lower, 2)),
		keySuffix:  newKey(keySuffix).text(tail(f.Lower, 3)).class(f.Class).sum(),
		keyShape:   key(keyShape, f.Shape), keyMember: key(keyMember, f.Member),
	}
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

// shared is a key whose first part, a text, is the same for many tokens in a row.
type shared struct {
	kind int
	text string
	hash hasher // of text
}

func newShared(kind int) shared { return shared{kind: kind, hash: newKey(kind).text("")} }

func (s *shared) of(text string) hasher {
	if s.text != text {
		s.text, s.hash = text, newKey(s.kind).text(text)
	}
	return s.hash
}

// edgeID is the number of the word of edge.
const edgeID = 0

// reader gives the tokens of a view their words, keys and untrained columns. It knows
// words from one view to the next, and is for one goroutine.
type reader struct {
	crf    *crf.FactReader
	ids    map[string]int32 // of words
	lowers map[string]int32
	words  []word
	bytes  int         // of the texts of words
	logs   [64]float32 // of small counts

	mask  []bool // of the view that is read
	facts []crf.Fact
	at    []int32 // numbers of words: edgeID twice, those of the tokens, edgeID twice
	times []int32 // by lower case

	head, headNext, section, opening shared
}

func newReader(lists *crf.Lists) *reader {
	r := &reader{crf: crf.NewFactReader(lists), ids: map[string]int32{}, lowers: map[string]int32{}}
	r.words = append(r.words, word{text: edge.Lower, starts: startsOf(&edge)})
	for n := range r.logs {
		r.logs[n] = float32(math.Log(float64(n)))
	}
	r.head, r.headNext = newShared(keyHead), newShared(keyHeadNext)
	r.section, r.opening = newShared(keySection), newShared(keyOpening)
	return r
}

// read makes v the view that the other methods describe.
func (r *reader) read(v annotate.View) {
	r.spell(v)
	r.mask, r.facts = v.Redacted, r.crf.Read(v)
	for t := range r.facts {
		w := &r.words[r.at[t+2]]
		if w.lower < 0 {
			r.learn(w, &r.facts[t])
		}
	}
	for len(r.times) < len(r.lowers) {
		r.times = append(r.times, 0)
	}
	for _, id := range r.tokens() {
		r.times[r.words[id].lower]++
	}
}

// spell finds the words of a view under its mask.
func (r *reader) spell(v annotate.View) {
	r.at = append(r.at[:0], edgeID, edgeID)
	for t := range v.Words {
		text := v.Word(t)
		id, known := r.ids[text]
		if !known {
			id, text = int32(len(r.words)), strings.Clone(text) // without the rest of the note
			r.ids[text] = id
			r.words = append(r.words, word{text: text, lower: -1})
			r.bytes += len(text)
		}
		r.at = append(r.at, id)
	}
	r.at = append(r.at, edgeID, edgeID)
}

// learn fills in a word by the facts of one of its tokens.
func (r *reader) learn(w *word, f *crf.Fact) {
	lower, known := r.lowers[f.Lower]
	if !known {
		lower = int32(len(r.lowers))
		r.lowers[strings.Clone(f.Lower)] = lower
	}
	w.lower, w.keys, w.starts = lower, keysOf(w.text, f), startsOf(f)
	w.class, w.length, w.numbers = classNumber(f.Class), float32(utf8.RuneCountInString(w.text)), float32(strings.Count(f.Shape, "d"))
}

// tokens are the numbers of the words of the tokens.
func (r *reader) tokens() []int32 { return r.at[2 : len(r.at)-2] }

// done forgets the view.
func (r *reader) done() {
	for _, id := range r.tokens() {
		r.times[r.words[id].lower] = 0
	}
	r.mask, r.facts = nil, nil
}

func (r *reader) fact(t int) *crf.Fact {
	if t < 0 || t >= len(r.facts) {
		return &edge
	}
	return &r.facts[t]
}

// contextOf are the other keys of token t. Tokens are asked for in order.
func (r *reader) contextOf(t int, to *[contextKeys]uint64) {
	b2, b1, w, a1, a2 := r.fact(t-2), r.fact(t-1), r.fact(t), r.fact(t+1), r.fact(t+2)
	two, one, own, next := &r.words[r.at[t]].starts, &r.words[r.at[t+1]].starts, &r.words[r.at[t+2]].starts, &r.words[r.at[t+3]].starts
	set := func(kind int, h hasher) { to[kind-wordKeys] = h.sum() }
	headNext, twoBefore, _ := text3(r.headNext.of(w.Head), two.twoBefore, 0, b1.Lower)
	headNext, pairAfter, around := text3(headNext, own.pairAfter, one.around, a1.Lower)
	set(keyRun, newKey(keyRun).text(w.Run).number(int(w.RunAt)).number(int(w.RunLeft)))
	set(keyKind, newKey(keyKind).text(w.Kind).number(int(w.Place)).number(int(w.Size)).text(w.RunKind).number(w.Digits))
	set(keyBefore, one.before.class(w.Class))
	set(keyAfter, next.after.class(w.Class))
	set(keyPairBefore, one.pairBefore.text(w.Lower))
	set(keyPairAfter, pairAfter)
	set(keyAround, around.class(w.Class))
	set(keyTwoBefore, twoBefore.class(w.Class))
	set(keyTwoAfter, next.twoAfter.text(a2.Lower).class(w.Class))
	set(keyShapesBefore, two.shapesBefore.text(b1.Shape).text(w.Shape))
	set(keyShapesAfter, own.shapesAfter.text(a1.Shape).text(a2.Shape))
	set(keyClasses, newKey(keyClasses).text(string([]byte{b2.Class, b1.Class, w.Class, a1.Class, a2.Class})))
	set(keyHead, r.head.of(w.Head).number(int(w.HeadDistance)).number(int(w.Class)))
	set(keyHeadNext, headNext)
	set(keySection, r.section.of(w.Section).number(int(w.SectionAt)).number(int(w.Class)))
	set(keyLine, newKey(keyLine).number(int(w.Above)).number(int(w.LineSize)).number(int(w.LinePlace)).number(int(w.Class)))
	set(keyOpening, r.openingAt(t).number(int(w.LinePlace)).number(int(w.Class)))
	set(keyBlurBefore, two.blurBefore.text(b1.Blur).text(w.Member))
	set(keyBlurAfter, own.blurAfter.text(a1.Blur).text(a2.Blur))
}

// openingAt is the hash of the first word of the line of token t.
func (r *reader) openingAt(t int) hasher {
	switch w := &r.facts[t]; {
	case w.LinePlace == 0:
		return r.opening.of(w.Lower)
	case t == 0:
		return r.opening.of("")
	}
	return r.opening.hash
}
