// SPDX-License-Identifier: Apache-2.0

package crf

// part is where a line stands: under which header, and where in the document.
type part struct {
	head     int32 // interned words of the nearest header line above, or of this one
	words    string
	distance int8 // lines below the header, up to 6; 0 on its own line
	from     int8 // lines from the start of the document, bucketed
	left     int8 // lines to its end, bucketed
	size     int8 // tokens of the line, bucketed
	alone    bool // empty lines around it
}

// longestHeader is how many words a header line has at most.
const longestHeader = 5

func (x *extractor) prepareSections() {
	s := &x.doc
	starts := s.starts[:0]
	for t := range s.ids {
		if s.gaps[t] >= newLine {
			starts = append(starts, t)
		}
	}
	s.starts = starts
	s.parts = s.parts[:0]
	p := part{head: x.stringID("\x06"), distance: 6}
	for i, start := range starts {
		end := len(s.ids)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		p.distance = min(p.distance+1, 6)
		if n := x.headerWords(start, end); n > 0 {
			p.words, p.distance = x.joined(start+max(0, n-headWords), start+n), 0
			p.head = x.stringID("\x06" + p.words)
		}
		p.from, p.left, p.size = logBucket(i), logBucket(len(starts)-1-i), logBucket(end-start)
		p.alone = s.gaps[start] == newPart && (end == len(s.ids) || s.gaps[end] == newPart)
		for range end - start {
			s.parts = append(s.parts, p)
		}
	}
}

// headerWords is how many words of a line are a header: those before a colon near
// its start, or all of a short line of capitals.
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

// section gives the bundles of the line that a token is on.
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
