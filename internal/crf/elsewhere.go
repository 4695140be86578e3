// SPDX-License-Identifier: Apache-2.0

package crf

// use counts in how many of a word's places in a document each way holds. Words
// are told apart in lower case.
type use [ways]int32

// The ways a word can occur that tell names from other words.
const (
	inCapitals  = iota // with a capital inside a sentence
	inSmall            // without a capital
	afterTitle         // after Dr., Mme, Sr. and the like
	underHeader        // after a colon on its line
	besideName         // next to a word of the program's lists of names
	besideUpper        // next to another word with a capital, inside a sentence
	onItsOwn           // alone on its line
	anywhere
	ways
)

// uses are what each word of a document is used like.
type uses struct {
	of   []use    // by lowerID; zero but for the words of this document
	at   []uint16 // by token: a bit for each way
	seen []int32  // the lowerIDs that are not zero
}

func (x *extractor) prepareElsewhere() {
	u := &x.doc.uses
	for _, id := range u.seen {
		u.of[id] = use{}
	}
	u.seen, u.at = u.seen[:0], u.at[:0]
	if n := len(x.strings) - len(u.of); n > 0 {
		u.of = append(u.of, make([]use, n)...)
	}
	x.underHeaders()
	for t, id := range x.doc.ids {
		bits := x.waysOf(t)
		u.at = append(u.at, bits)
		of := &u.of[x.infos[id].lowerID]
		if of[anywhere] == 0 {
			u.seen = append(u.seen, x.infos[id].lowerID)
		}
		for way := range of {
			of[way] += int32(bits >> way & 1)
		}
	}
}

// underHeaders marks the tokens after a colon on their line.
func (x *extractor) underHeaders() {
	s, after := &x.doc, false
	s.under = s.under[:0]
	for t, id := range s.ids {
		after = after && s.gaps[t] < newLine
		s.under = append(s.under, after)
		after = after || x.infos[id].class == ':'
	}
}

// waysOf has a bit for each way in which token t is used.
func (x *extractor) waysOf(t int) uint16 {
	w, before, after := x.infoAt(t), x.infoAt(t-1), x.infoAt(t+1)
	bits := uint16(1) << anywhere
	set := func(way int, holds bool) {
		if holds {
			bits |= 1 << way
		}
	}
	inside := x.insideSentence(t)
	set(inCapitals, inside && w.class.named())
	set(inSmall, w.class == small)
	set(afterTitle, x.afterTitle(t))
	set(underHeader, x.doc.under[t])
	set(besideName, before.name && before.class.named() || after.name && after.class.named())
	set(besideUpper, w.class.named() && (before.class == title && x.insideSentence(t-1) || after.class == title && inside))
	set(onItsOwn, x.startsLine(t) && (t+1 == len(x.doc.ids) || x.doc.gaps[t+1] >= newLine || after.class == ',' && x.startsLine(t+2)))
	return bits
}

func (x *extractor) startsLine(t int) bool { return t >= len(x.doc.ids) || x.doc.gaps[t] >= newLine }

// insideSentence reports whether a capital at t is there for itself.
func (x *extractor) insideSentence(t int) bool {
	if t <= 0 || x.doc.gaps[t] >= newLine {
		return false
	}
	switch x.infoAt(t - 1).class {
	case '.', '!', '?', ':', '"', '\'', '(', '-', '*', '>', other:
		return false
	}
	return true
}

func (x *extractor) afterTitle(t int) bool {
	before := x.infoAt(t - 1)
	if before.class == '.' {
		before = x.infoAt(t - 2)
	}
	return before.title && before.class.named() && x.infoAt(t).class.named()
}

// usedElsewhere has a bit for each way in which other places of the word are used.
func (x *extractor) usedElsewhere(t int) uint16 {
	of, own := &x.doc.uses.of[x.infoAt(t).lowerID], x.doc.uses.at[t]
	bits := uint16(0)
	for way := range of[:anywhere] {
		if of[way]-int32(own>>way&1) > 0 {
			bits |= 1 << way
		}
	}
	return bits
}

// elsewhere is what the other places of the word in the document are like.
func (x *extractor) elsewhere(t int, to []int32) []int32 {
	w := x.infoAt(t)
	bits, others := int32(x.usedElsewhere(t)), x.doc.uses.of[w.lowerID][anywhere]-1
	times := bucket(int(others), 1, 2, 4, 8)
	return keep(to, x.keyed(bundleKey{elsewhereBundle, bits, int32(w.class), int32(times[0])}, func(a *attributes) {
		k := string(rune(w.class))
		a.add("e#=", times, "|", k)
		for way := range int(anywhere) {
			if bits>>way&1 != 0 {
				a.add("e=", string('0'+byte(way)), "|", k)
			}
		}
		if bits != 0 {
			a.add("es=", string('A'+byte(bits&15)), string('A'+byte(bits>>4)), "|", k)
		}
	}))
}
