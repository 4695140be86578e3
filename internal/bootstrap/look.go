// SPDX-License-Identifier: Apache-2.0

package bootstrap

import (
	"hash/fnv"
	"io"
	"math"
	"math/bits"

	"hide/internal/crf"
)

// Look is what a model made of a note.
type Look struct {
	Suggestions int     // spans it proposes
	Doubt       float64 // sum of min(p, 1-p) over tokens, p = P(sensitive), per 100 tokens
	words       sketch
}

// LookAt lets a model read a note.
func LookAt(m *crf.Model, d crf.Doc) Look {
	var doubt float64
	for _, p := range m.Sensitive(d) {
		doubt += min(p, 1-p)
	}
	return Look{
		Suggestions: len(m.Tag(d)),
		Doubt:       100 * doubt / math.Max(1, float64(len(d.Words))),
		words:       sketchOf(d.Words),
	}
}

// Likeness is how much two notes have in common: the Jaccard coefficient of their
// sets of words, roughly, from 0 to 1.
func (l Look) Likeness(to Look) float64 { return l.words.likeness(to.words) }

// sketch is a set of words, hashed to 1024 bits.
type sketch [16]uint64

func sketchOf(words []string) sketch {
	var s sketch
	for _, w := range words {
		h := fnv.New64a()
		_, _ = io.WriteString(h, w) // never fails
		bit := h.Sum64() % 1024
		s[bit/64] |= 1 << (bit % 64)
	}
	return s
}

func (s sketch) likeness(t sketch) float64 {
	var both, either int
	for i := range s {
		both += bits.OnesCount64(s[i] & t[i])
		either += bits.OnesCount64(s[i] | t[i])
	}
	return float64(both) / math.Max(1, float64(either))
}
