// SPDX-License-Identifier: Apache-2.0

package crf

import "strconv"

// run is a stretch of tokens that look like one unit: capitalised words with their
// connecting words ("Dr. Ana de la Cruz-Ruiz"), or a piece without a space that has a
// digit ("#BC-654321"). The words around the whole run are more informative than the
// neighbours of one token.
type run struct {
	kind       runKind
	start, end int32 // tokens [start, end)
}

type runKind uint8

const (
	noRun runKind = iota
	names
	numbers
)

const (
	longestRun = 10 // tokens
	cueReach   = 6  // words before a number that may describe it
)

func (x *extractor) prepareRuns() {
	s := x.doc
	s.runs = s.runs[:0]
	for t := 0; t < len(s.ids); {
		r := x.runAt(t)
		for ; t < int(r.end); t++ {
			s.runs = append(s.runs, r)
		}
	}
}

// runAt is the run that begins at t, or t alone with no kind.
func (x *extractor) runAt(t int) run {
	if end := x.numberEnd(t); end > t {
		return run{numbers, int32(t), int32(end)}
	}
	if end := x.nameEnd(t); end > t {
		return run{names, int32(t), int32(end)}
	}
	return run{noRun, int32(t), int32(t + 1)}
}

// numberEnd is the end of the piece without a space that begins at t, or t if it has no
// digit.
func (x *extractor) numberEnd(t int) int {
	end, digits := t, false
	for end < len(x.doc.ids) && end-t < longestRun && (end == t || x.doc.gaps[end] == glued) {
		k := x.infoAt(end).class
		digits = digits || k == both || '1' <= k && k <= '5'
		end++
	}
	for end > t && digits && closes(x.infoAt(end-1).class) {
		end--
	}
	if !digits {
		return t
	}
	return end
}

func closes(k class) bool {
	return k == ',' || k == '.' || k == ';' || k == ':' || k == ')' || k == '?' || k == '!'
}

// nameEnd is the end of the capitalised words that begin at t, or t for none.
func (x *extractor) nameEnd(t int) int {
	end := t
	for at := t; at < len(x.doc.ids) && at-t < longestRun && (at == t || x.doc.gaps[at] < newLine); at++ {
		switch w := x.infoAt(at); {
		case w.class.named():
			end = at + 1
		case at == t || w.class != '.' && w.class != '-' && w.class != '\'' && w.symbol != 'c':
			return end
		}
	}
	return end
}

// runs returns features of the context of the run that a token is part of.
func (x *extractor) runs(t int, to []int32) []int32 {
	r := x.doc.runs[t]
	if r.kind == noRun {
		return to
	}
	kind, place, size := string('0'+byte(r.kind)), min(t-int(r.start), 4), min(int(r.end-r.start), 6)
	before, earlier, after := x.infoAt(int(r.start)-1), x.infoAt(int(r.start)-2), x.infoAt(int(r.end))
	to = keep(to, x.keyed(bundleKey{runBeforeBundle, int32(r.kind), before.lowerID, earlier.blurID}, func(a *attributes) {
		a.add("r-=", kind, "|", before.lower)
		a.add("r--=", kind, "|", earlier.blur, "|", before.lower)
	}))
	to = keep(to, x.keyed(bundleKey{runAfterBundle, int32(r.kind), after.lowerID, 0}, func(a *attributes) {
		a.add("r+=", kind, "|", after.lower)
	}))
	to = keep(to, x.keyed(bundleKey{runBundle, int32(r.kind), int32(place), int32(size)}, func(a *attributes) {
		a.add("r@=", kind, "|", strconv.Itoa(place), "|", strconv.Itoa(size))
		a.add("r#=", kind, "|", strconv.Itoa(size))
	}))
	if r.kind == numbers {
		to = x.cues(r, to)
	}
	return to
}

// cues are the last few words before a number, regardless of position.
func (x *extractor) cues(r run, to []int32) []int32 {
	for at := int(r.start) - 1; at >= max(0, int(r.start)-cueReach); at-- {
		w := x.infoAt(at)
		if !w.class.named() && w.class != small {
			continue
		}
		to = keep(to, x.keyed(bundleKey{cueBundle, w.lowerID, 0, 0}, func(a *attributes) { a.add("cue=", w.lower) }))
	}
	return to
}

// blurOf generalizes a word for contexts: digits become their number, capitalised words
// the lists that contain them, or their class if no list does.
func (r *reader) blurOf(w *word) string {
	switch {
	case w.class.named() && w.lists != 0:
		return clipName(w.member)
	case w.class.named(), w.class == both, '1' <= w.class && w.class <= '5':
		return string(rune(w.class))
	}
	return w.lower
}

// use says how the places of a word in a document use it. Words are compared in lower
// case.
type use struct {
	once, more uint16 // a bit for each way of at least one place, and of more than one
	places     int32
}

func (u *use) add(ways uint16) {
	u.more |= u.once & ways
	u.once |= ways
	u.places++
}

// The ways a word can occur that tell names from other words.
const (
	inCapitals  = iota // with a capital, inside a sentence
	inSmall            // without a capital
	afterTitle         // after Dr., Mme, Sr. and the like
	underHeader        // after a colon on its line
	besideName         // next to a word of the program's lists of names
	besideUpper        // next to another word with a capital, inside a sentence
	onItsOwn           // alone on its line
	anywhere
)

// uses records how each word of a document is used.
type uses struct {
	at        []uint16 // by token: a bit for each way
	elsewhere []uint16 // by token: a bit for each way of the word in other places
	others    []int32  // by token: the number of these places
}

func (x *extractor) prepareElsewhere() {
	u, ids := &x.doc.uses, x.doc.ids
	u.at, u.elsewhere, u.others = u.at[:0], u.elsewhere[:0], u.others[:0]
	if n := len(x.texts) - len(x.usesOf); n > 0 {
		x.usesOf = append(x.usesOf, make([]use, n)...)
	}
	x.underHeaders()
	for t, id := range ids {
		bits := x.waysOf(t)
		u.at = append(u.at, bits)
		x.usesOf[x.infos[id].lowerID].add(bits)
	}
	for t, id := range ids {
		of := &x.usesOf[x.infos[id].lowerID]
		u.elsewhere, u.others = append(u.elsewhere, of.more|of.once&^u.at[t]), append(u.others, of.places-1)
	}
	for _, id := range ids {
		x.usesOf[x.infos[id].lowerID] = use{}
	}
}

// underHeaders marks the tokens after a colon on their line.
func (x *extractor) underHeaders() {
	s, after := x.doc, false
	s.under = s.under[:0]
	for t, id := range s.ids {
		after = after && s.gaps[t] < newLine
		s.under = append(s.under, after)
		after = after || x.infos[id].class == ':'
	}
}

// waysOf returns a bit for each way in which token t is used.
func (x *extractor) waysOf(t int) uint16 {
	w, before, after := x.infoAt(t), x.infoAt(t-1), x.infoAt(t+1)
	bits := uint16(0)
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

// insideSentence reports whether a capital at t is not due to the start of a sentence.
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

// elsewhere returns features of the other places of the word in the document.
func (x *extractor) elsewhere(t int, to []int32) []int32 {
	w := x.infoAt(t)
	bits, others := int32(x.doc.uses.elsewhere[t]), x.doc.uses.others[t]
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
