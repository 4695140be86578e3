// SPDX-License-Identifier: Apache-2.0

package crf

import "strings"

// place is where a token stands on its line. Notes are full of lines such as
// "Name: Ana Ruiz  Age: 41": what a word is depends on the header before it more
// than on its neighbours.
type place struct {
	head     int32 // interned words before the last colon, or of the line before, lower case
	lastHead string
	distance int8 // tokens since the colon, up to 5; 0 without header
	position int8 // tokens since the start of the line, up to 6
	last     bool // last token of the line
	part     bool // the line follows an empty one
}

// headWords is how many words before a colon are taken for a header.
const headWords = 3

func (x *extractor) prepareLayout() {
	ids, gaps := x.doc.ids, x.doc.gaps
	to, above := x.doc.lines[:0], ""
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

// headAbove is the header that a line gives to the next one: its own words when
// it ends in a colon.
func (x *extractor) headAbove(start, end int) string {
	if x.infos[x.doc.ids[end-1]].text != ":" {
		return ""
	}
	return x.joined(max(start, end-1-headWords), end-1)
}

func (x *extractor) line(to []place, start, end int, above string) []place {
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
			x.setHead(&p, x.joined(max(from, t-headWords), t))
			from = t + 1
		}
	}
	return to
}

func (x *extractor) setHead(p *place, head string) {
	p.head, p.distance = x.stringID("\x00"+head), 0
	p.lastHead = head[strings.LastIndexByte(head, ' ')+1:]
	if head != "" {
		p.distance = 1
	}
}

func (x *extractor) joined(from, to int) string {
	parts := make([]string, 0, headWords)
	for t := from; t < to; t++ {
		parts = append(parts, x.infos[x.doc.ids[t]].lower)
	}
	return strings.Join(parts, " ")
}

// place gives the bundles of a token's place.
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
