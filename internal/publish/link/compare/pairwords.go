// SPDX-License-Identifier: Apache-2.0

package compare

import "bytes"

// mostWords is how many words of a value are paired. More are as rare as names of that length.
const mostWords = 8

// wordsWork pairs the words of two values.
type wordsWork struct {
	work
	wordsX, wordsY [][]byte
	roomX, roomY   [mostWords][]byte
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

func isGap(c byte) bool { return c == ' ' || c == '-' || c == ',' }

func hasGap(x []byte) bool { return bytes.IndexByte(x, ' ') >= 0 || bytes.IndexByte(x, '-') >= 0 }

// cut finds the words of both values.
func (w *wordsWork) cut(x, y []byte) {
	w.wordsX = cutWords(w.roomX[:0], x)
	w.wordsY = cutWords(w.roomY[:0], y)
}

func cutWords(to [][]byte, x []byte) [][]byte {
	start := 0
	for i := 0; i <= len(x); i++ {
		if i < len(x) && !isGap(x[i]) {
			continue
		}
		if i > start && len(to) < mostWords {
			to = append(to, x[start:i])
		}
		start = i + 1
	}
	return to
}

// matchWords is nickname or part if each word of the value with fewer words has a counterpart
// in the other, and unlike if not.
func (w *wordsWork) matchWords(x, y []byte) likeness {
	if !hasGap(x) && !hasGap(y) { // most names are one word
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
	return len(few) > 1 || len(few[0]) > 1
}

// pairing sums up the counterparts of the words of the value with fewer words.
type pairing struct {
	words int // that have one
	equal int // that have an equal one, and are longer than a letter
	worst likeness
}

// pair gives each word of the value with fewer words a counterpart in the other: an equal word
// first, then the first free one that is alike enough.
func (w *wordsWork) pair(limit likeness) pairing {
	few, many := w.wordsX, w.wordsY
	if len(few) > len(many) {
		few, many = many, few
	}
	var p pairing
	var usedFew, usedMany uint
	for _, enough := range [...]likeness{same, limit} {
		for i, a := range few {
			if usedFew&(1<<i) != 0 {
				continue
			}
			for j, b := range many {
				if usedMany&(1<<j) != 0 {
					continue
				}
				if l := w.alike(a, b, enough); l <= enough {
					usedFew |= 1 << i
					usedMany |= 1 << j
					p.add(l, len(a))
					break
				}
			}
		}
	}
	return p
}

func (p *pairing) add(l likeness, length int) {
	p.words++
	if l == same && length > 1 {
		p.equal++
	}
	p.worst = max(p.worst, l)
}

// sameName compares two words that may be forms of one name.
func (w *wordsWork) sameName(a, b []byte) likeness {
	switch {
	case bytes.Equal(a, b):
		return same
	case isInitial(a, b):
		return part
	case w.nicknames != nil && isNickname(w.nicknames, a, b):
		return nickname
	}
	return unlike
}

// alike is at most limit if two words are so alike.
func (w *wordsWork) alike(a, b []byte, limit likeness) likeness {
	l := w.sameName(a, b)
	switch {
	case l != unlike || limit < similar:
		return l
	case len(a) > 2 && len(b) > 2 && w.jaro.similarity(a, b) >= highSimilarity:
		return similar
	}
	return unlike
}

// isInitial reports whether one word is the first letter of the other. The first digit of a
// number is not.
func isInitial(a, b []byte) bool {
	return min(len(a), len(b)) == 1 && a[0] == b[0] && a[0] > '9'
}
