// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"strings"
	"unicode"
)

// feature is the hash of an attribute and what kind of attribute it is.
type feature uint64

// The kinds of attributes. They are part of what a trained machine knows.
const (
	wordKind = iota + 1
	lowerKind
	shapeKind
	briefKind
	prefixKind
	suffixKind
	lengthKind
	gapKind
	beforeKind
	afterKind
	shapesKind
	pastKind
	pastTwoKind
	pastShapeKind
	doubtKind
	offsets // kinds above it are those of neighbours
)

// hash is FNV-1a.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// of mixes a kind and hashes into one feature (the finisher of splitmix64, once
// for each part).
func of(kind uint64, parts ...uint64) feature {
	h := kind * 0x9e3779b97f4a7c15
	for _, p := range parts {
		h += p + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return feature(h)
}

// word is what a surface tells by itself.
type word struct {
	lower uint64    // hash of it in lower case
	brief uint64    // hash of its shape, runs collapsed
	own   []feature // of the token itself
}

// edge stands before and after a document.
var edge = word{lower: 1, brief: 1}

func newWord(surface string) word {
	lower := strings.ToLower(surface)
	full, brief := shape(surface)
	w := word{lower: hash(lower), brief: hash(brief)}
	letters := []rune(lower)
	w.own = []feature{of(wordKind, hash(surface)), of(lowerKind, w.lower), of(shapeKind, hash(full)), of(briefKind, w.brief),
		of(lengthKind, uint64(min(len(letters), 12)))}
	for n := 1; n <= 4 && n < len(letters); n++ {
		w.own = append(w.own, of(prefixKind, hash(string(letters[:n]))), of(suffixKind, hash(string(letters[len(letters)-n:]))))
	}
	return w
}

// shape writes A for capitals, a for other letters, 0 for digits; brief has each
// run once. Only the first 32 characters of a word count.
func shape(surface string) (full, brief string) {
	var f, b []rune
	for _, r := range surface {
		if len(f) == 32 {
			break
		}
		c := class(r)
		if len(f) == 0 || f[len(f)-1] != c {
			b = append(b, c)
		}
		f = append(f, c)
	}
	return string(f), string(b)
}

func class(r rune) rune {
	switch {
	case unicode.IsUpper(r):
		return 'A'
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return 'a'
	case unicode.IsDigit(r):
		return '0'
	}
	return r
}
