// SPDX-License-Identifier: Apache-2.0

package compare

import "bytes"

// mostWords is how many words of a value are paired. Few values have more.
const mostWords = 8

// wordsWork pairs the words of two values.
type wordsWork struct {
	work
	wordsX, wordsY []chars
	roomX, roomY   [mostWords]chars
	nicknames      map[string][]uint16 // nil where they do not count
}

// likeness says how two words are alike, from the best.
type likeness int

const (
	same likeness = iota
	part          // equal, but only some of the words; or an initial
	nickname
	similar // Jaro-Winkler at least 0.92
	unlike
)

// matchWords is nickname or part if each word of the value with fewer words has a counterpart
// in the other, and unlike if not.
func (w *wordsWork) matchWords(x, y chars) likeness {
	if (x.has|y.has)&gaps == 0 { // most values are one word
		return w.sameName(x, y)
	}
	w.cut(x, y)
	p := w.pair(nickname)
	if fewer := min(len(w.wordsX), len(w.wordsY)); fewer == 0 || p.words < fewer || w.onlyInitials(p) {
		return unlike
	}
	return max(p.worst, part)
}

// onlyInitials reports whether nothing but the first letter of a full word matches, beside
// other words: Oscar is not a part of John O.
func (w *wordsWork) onlyInitials(p pairing) bool {
	if p.equal > 0 || p.worst == nickname || len(w.wordsX) == len(w.wordsY) {
		return false
	}
	few := w.wordsX
	if len(w.wordsY) < len(few) {
		few = w.wordsY
	}
	return len(few) > 1 || len(few[0].text) > 1
}

// cut finds the words of both values.
func (w *wordsWork) cut(x, y chars) {
	w.wordsX = cutWords(w.roomX[:0], x)
	w.wordsY = cutWords(w.roomY[:0], y)
}

func cutWords(to []chars, x chars) []chars {
	start := 0
	for i := 0; i <= len(x.text); i++ {
		if i < len(x.text) && !isGap(x.text[i]) {
			continue
		}
		if i > start && len(to) < mostWords {
			to = append(to, x.from(start, i))
		}
		start = i + 1
	}
	return to
}

// pairing sums up the counterparts of the words of the value with fewer words.
type pairing struct {
	words int // that have one
	equal int // that have an equal one, and are longer than a letter
	worst likeness

	usedFew, usedMany uint
}

// pair gives each word of the value with fewer words a counterpart in the other: an equal word
// first, then the first free one that is alike enough.
func (w *wordsWork) pair(limit likeness) pairing {
	few, many := w.wordsX, w.wordsY
	if len(few) > len(many) {
		few, many = many, few
	}
	var p pairing
	w.pairUpTo(&p, few, many, same)
	if p.words < len(few) {
		w.pairUpTo(&p, few, many, limit)
	}
	return p
}

func (w *wordsWork) pairUpTo(p *pairing, few, many []chars, limit likeness) {
	for i, a := range few {
		for j, b := range many {
			if p.usedFew&(1<<i) != 0 {
				break
			}
			if p.usedMany&(1<<j) != 0 {
				continue
			}
			if l := w.alike(a, b, limit); l <= limit {
				p.usedFew |= 1 << i
				p.usedMany |= 1 << j
				p.add(l, len(a.text))
			}
		}
	}
}

func (p *pairing) add(l likeness, length int) {
	p.words++
	if l == same && length > 1 {
		p.equal++
	}
	p.worst = max(p.worst, l)
}

// alike compares two words, and does not look for a likeness that is worse than the limit.
func (w *wordsWork) alike(a, b chars, limit likeness) likeness {
	if limit == same {
		if a.has == b.has && bytes.Equal(a.text, b.text) {
			return same
		}
		return unlike
	}
	l := w.sameName(a, b)
	if l == unlike && limit == similar && min(len(a.text), len(b.text)) > 2 && w.jaro.similarity(a, b) >= highSimilarity {
		return similar
	}
	return l
}

// sameName compares two words that may be forms of one name.
func (w *wordsWork) sameName(a, b chars) likeness {
	switch {
	case a.has == b.has && bytes.Equal(a.text, b.text):
		return same
	case isInitial(a.text, b.text):
		return part
	case w.nicknames != nil && isNickname(w.nicknames, a.text, b.text):
		return nickname
	}
	return unlike
}

// isInitial reports whether one word is the first letter of the other. The first digit of a
// number is not.
func isInitial(a, b []byte) bool {
	return min(len(a), len(b)) == 1 && a[0] == b[0] && a[0] > '9'
}
