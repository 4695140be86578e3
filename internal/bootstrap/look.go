// SPDX-License-Identifier: Apache-2.0

package bootstrap

import (
	"cmp"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"

	"hide/internal/annotate"
	"hide/internal/crf"
)

// Look is a model's uncertainty about a note.
type Look struct {
	Doubt    float64 // sum over tokens of 1 minus the probability of the best label (or O), per 100 tokens
	tokens   int
	contexts []usage // contexts of uncertain words, by key
}

// usage is a context: the word before and the shape of the word. doubt is the greatest
// uncertainty of the model about such a word in the note.
type usage struct {
	key   uint64
	doubt float64
}

// leastDoubt is the smallest doubt kept: 200 looks then take a few kilobytes each.
const leastDoubt = 0.01

// LookAt computes a model's uncertainty about a note.
func LookAt(m *crf.Model, v annotate.View) Look {
	var doubt float64
	var contexts []usage
	for t, unsure := range m.Doubt(v) {
		doubt += unsure
		if unsure >= leastDoubt {
			contexts = append(contexts, usage{contextOf(v.Words, t), unsure})
		}
	}
	return Look{
		Doubt:    100 * doubt / math.Max(1, float64(len(v.Words))),
		tokens:   len(v.Words),
		contexts: greatest(contexts),
	}
}

// greatest keeps the greatest doubt of each context.
func greatest(contexts []usage) []usage {
	slices.SortFunc(contexts, func(a, b usage) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(b.doubt, a.doubt))
	})
	return slices.CompactFunc(contexts, func(a, b usage) bool { return a.key == b.key })
}

// contextOf hashes the word before word t, digits alike, and the shape of word t.
func contextOf(words []string, t int) uint64 {
	before := ""
	if t > 0 {
		before = strings.Map(sameDigits, words[t-1])
	}
	h := fnv.New64a()
	_, _ = io.WriteString(h, before+"\x00"+shapeOf(words[t])) // never fails
	return h.Sum64()
}

func sameDigits(r rune) rune {
	if unicode.IsDigit(r) {
		return '0'
	}
	return unicode.ToLower(r)
}

// shapeOf is the word with runs of capitals, small letters and other marks collapsed, and
// every digit kept as one: "Xx", "00", "x-X".
func shapeOf(word string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range word {
		switch {
		case unicode.IsDigit(r):
			r = '0'
		case unicode.IsUpper(r):
			r = 'X'
		case unicode.IsLetter(r) || unicode.IsMark(r):
			r = 'x'
		default:
			r = '-'
		}
		if r != last || r == '0' {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}
