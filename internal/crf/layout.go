// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"strings"

	"hide/internal/annotate"
)

// place is a token's place on its line. Notes are full of lines such as "Name: Ana Ruiz
// Age: 41": the header before a word says more about it than its neighbours.
type place struct {
	head     int32 // interned words before the last colon, or of the line before, lower case
	lastHead string
	distance int8 // tokens since the colon, up to 5; 0 without header
	position int8 // tokens since the start of the line, up to 6
	last     bool // last token of the line
	part     bool // the line follows an empty one
}

// headWords is the maximum number of words before a colon that count as a header.
const headWords = 3

func (x *extractor) prepareLayout() {
	ids, gaps := x.doc.ids, x.doc.gaps
	to, above := x.doc.lines[:0], x.phraseID(0, 0, 0)
	for start := 0; start < len(ids); {
		end := start + 1
		for end < len(ids) && gaps[end] < newLine {
			end++
		}
		to = x.line(to, start, end, above)
		above = x.headAbove(start, end)
		start = end
	}
	x.doc.lines = to
}

// headAbove is the header that a line gives to the next one: its own words if it ends in
// a colon.
func (x *extractor) headAbove(start, end int) int32 {
	if x.infos[x.doc.ids[end-1]].text != ":" {
		return x.phraseID(0, 0, 0)
	}
	return x.phraseID(0, max(start, end-1-headWords), end-1)
}

func (x *extractor) line(to []place, start, end int, above int32) []place {
	p := place{part: x.doc.gaps[start] == newPart}
	from := start // where the words of the next header may begin
	x.setHead(&p, above)
	for t := start; t < end; t++ {
		p.position = int8(min(t-start, 6))
		p.last = t == end-1
		to = append(to, p)
		if p.distance > 0 {
			p.distance = min(p.distance+1, 5)
		}
		if x.infos[x.doc.ids[t]].text == ":" && t > from && x.doc.gaps[t] == glued {
			x.setHead(&p, x.phraseID(0, max(from, t-headWords), t))
			from = t + 1
		}
	}
	return to
}

func (x *extractor) setHead(p *place, id int32) {
	head := x.texts[id][1:]
	p.head, p.distance = id, 0
	p.lastHead = head[strings.LastIndexByte(head, ' ')+1:]
	if head != "" {
		p.distance = 1
	}
}

// phraseID interns a byte that says what the phrase is, and words in lower case.
func (r *reader) phraseID(kind byte, from, to int) int32 {
	r.key = append(r.key[:0], kind)
	for t := from; t < to; t++ {
		if t > from {
			r.key = append(r.key, ' ')
		}
		r.key = append(r.key, r.infos[r.doc.ids[t]].lower...)
	}
	return r.bytesID(r.key)
}

// place returns the bundles of a token's place.
func (x *extractor) place(t int, to []int32) []int32 {
	p := &x.doc.lines[t]
	flags := int32(p.distance) | int32(p.position)<<4
	if p.last {
		flags |= 1 << 8
	}
	if p.part {
		flags |= 1 << 9
	}
	to = keep(to, x.keyed(bundleKey{layoutBundle, p.head, flags, 0}, func(a *attributes) {
		x.placeAttributes(a, p)
	}))
	if p.distance == 0 {
		return to
	}
	own := &x.infos[x.doc.ids[t]]
	return keep(to, x.keyed(bundleKey{headShapeBundle, p.head, own.shapeID, int32(p.distance)}, func(a *attributes) {
		a.add("hs=", p.lastHead, "|", own.shape)
	}))
}

func (x *extractor) placeAttributes(a *attributes, p *place) {
	a.add("at=", string('0'+byte(p.position)))
	if p.last {
		a.add("last")
	}
	if p.part && p.position == 0 {
		a.add("part")
	}
	if p.distance == 0 {
		return
	}
	distance := string('0' + byte(p.distance))
	a.add("hd=", distance)
	a.add("h=", p.lastHead)
	a.add("h,d=", p.lastHead, "|", distance)
}

// gap is the white space before a token.
type gap uint8

const (
	glued   gap = iota // none
	spaced             // on the same line
	newLine            // at least one line break
	newPart            // an empty line, or the start of the document
)

// gapsOf reads the white space before each token. Features see nothing else of a
// document's text besides the words.
func gapsOf(d sequence, to []gap) []gap {
	for i := range d.words {
		switch {
		case i == 0:
			to = append(to, newPart)
		case len(d.tokens) != len(d.words):
			to = append(to, spaced)
		default:
			to = append(to, gapBetween(d.text, d.tokens[i-1].End, d.tokens[i].Start))
		}
	}
	return to
}

func gapBetween(text string, from, to annotate.ByteOff) gap {
	if from >= to || int(to) > len(text) || from < 0 {
		return glued
	}
	breaks := 0
	for _, c := range []byte(text[from:to]) {
		if c == '\n' {
			breaks++
		}
	}
	return spaced + gap(min(breaks, 2))
}

// part is a line's place: its header, and its position in the document.
type part struct {
	head     int32 // interned words of the nearest header line above, or of this one
	words    string
	distance int8 // lines below the header, up to 6; 0 on its own line
	from     int8 // lines from the start of the document, bucketed
	left     int8 // lines to its end, bucketed
	size     int8 // tokens of the line, bucketed
	alone    bool // empty lines around it
}

// longestHeader is the maximum number of words in a header line.
const longestHeader = 5

func (x *extractor) prepareSections() {
	s := x.doc
	starts := s.starts[:0]
	for t := range s.ids {
		if s.gaps[t] >= newLine {
			starts = append(starts, t)
		}
	}
	s.starts = starts
	s.parts = s.parts[:0]
	p := part{head: x.phraseID(6, 0, 0), distance: 6}
	for i, start := range starts {
		end := len(s.ids)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		p.distance = min(p.distance+1, 6)
		if n := x.headerWords(start, end); n > 0 {
			p.head, p.distance = x.phraseID(6, start+max(0, n-headWords), start+n), 0
			p.words = x.texts[p.head][1:]
		}
		p.from, p.left, p.size = logBucket(i), logBucket(len(starts)-1-i), logBucket(end-start)
		p.alone = s.gaps[start] == newPart && (end == len(s.ids) || s.gaps[end] == newPart)
		for range end - start {
			s.parts = append(s.parts, p)
		}
	}
}

// headerWords is how many words of a line are a header: those before a colon near its
// start, or all of a short line of capitals.
func (x *extractor) headerWords(start, end int) int {
	caps := true
	for t := start; t < end && t-start <= longestHeader; t++ {
		w := &x.infos[x.doc.ids[t]]
		if w.text == ":" {
			return t - start
		}
		caps = caps && (w.class == capitals || w.class == capital)
	}
	if caps && end-start <= longestHeader {
		return end - start
	}
	return 0
}

// logBucket is 0, 1, 2, 3, 4 for 0, 1, 2, 3 and 4 to 7, and so on by doubling.
func logBucket(n int) int8 {
	if n <= 3 {
		return int8(n)
	}
	bucket := int8(3)
	for ; n >= 4 && bucket < 8; n /= 2 {
		bucket++
	}
	return bucket
}

// section returns the bundles of a token's line.
func (x *extractor) section(t int, to []int32) []int32 {
	p, w := &x.doc.parts[t], &x.infos[x.doc.ids[t]]
	to = keep(to, x.keyed(bundleKey{sectionBundle, p.head, int32(w.class), int32(p.distance)}, func(a *attributes) {
		if p.words == "" {
			return
		}
		distance := string('0' + byte(p.distance))
		a.add("sec=", p.words)
		a.add("sec@=", p.words, "|", distance)
		a.add("sec,k=", p.words, "|", string(rune(w.class)))
	}))
	key := int32(p.from) | int32(p.left)<<4 | int32(p.size)<<8
	if p.alone {
		key |= 1 << 12
	}
	return keep(to, x.keyed(bundleKey{lineBundle, key, int32(w.class), 0}, func(a *attributes) {
		k := string(rune(w.class))
		a.add("line=", string('0'+byte(p.from)))
		a.add("line-=", string('0'+byte(p.left)))
		a.add("size=", string('0'+byte(p.size)), "|", k)
		if p.alone {
			a.add("alone=", string('0'+byte(p.size)), "|", k)
		}
	}))
}
