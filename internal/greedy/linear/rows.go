// SPDX-License-Identifier: Apache-2.0

package linear

import (
	"hide/internal/annotate"
	"strings"
)

// reader describes tokens. Surfaces are worked out once. It is used by one
// goroutine at a time.
type reader struct {
	words map[string]word
	doc   []word // of the document being read
	gaps  []uint64
}

func newReader() *reader { return &reader{words: map[string]word{}} }

// open reads a document; describe then tells of its tokens.
func (r *reader) open(v annotate.View) {
	r.doc, r.gaps = r.doc[:0], r.gaps[:0]
	for i := range v.Words {
		surface := v.Word(i)
		w, known := r.words[surface]
		if !known {
			w = newWord(surface)
			r.words[surface] = w
		}
		r.doc = append(r.doc, w)
		r.gaps = append(r.gaps, gap(v, i))
	}
}

// gap says what stands before token i: nothing, space, or a line break. Documents
// without places have spaces everywhere.
func gap(v annotate.View, i int) uint64 {
	const glued, space, line = 1, 2, 3
	switch {
	case i == 0:
		return line
	case v.Tokens == nil:
		return space
	}
	between := v.Text[v.Tokens[i-1].End:v.Tokens[i].Start]
	switch {
	case between == "":
		return glued
	case strings.ContainsAny(between, "\n\r"):
		return line
	}
	return space
}

func (r *reader) at(i int) *word {
	if i < 0 || i >= len(r.doc) {
		return &edge
	}
	return &r.doc[i]
}

// describe appends the features of token i that no history is needed for.
func (r *reader) describe(i int, to []feature) []feature {
	w := r.doc[i]
	to = append(to, w.own...)
	for offset := -3; offset <= 3; offset++ {
		if offset != 0 {
			n := r.at(i + offset)
			kind := uint64(offsets + 2*(offset+3))
			to = append(to, of(kind, n.lower), of(kind+1, n.brief))
		}
	}
	before, after := r.at(i-1), r.at(i+1)
	to = append(to, of(beforeKind, before.lower, w.lower), of(afterKind, w.lower, after.lower),
		of(shapesKind, before.brief, w.brief, after.brief), of(gapKind, r.gaps[i]))
	if i+1 < len(r.doc) {
		to = append(to, of(gapKind, r.gaps[i+1]+8))
	}
	return to
}

// past appends the features of the history: what the two tokens before token i
// are, alone and with the shape of token i.
func (r *reader) past(i int, before, twoBefore bool, to []feature) []feature {
	h := uint64(0)
	if before {
		h = 1
	}
	to = append(to, of(pastKind, h), of(pastShapeKind, h, r.doc[i].brief))
	if twoBefore {
		h += 2
	}
	return append(to, of(pastTwoKind, h))
}
