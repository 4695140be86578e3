// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"context"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy/boost"
)

// Encoder describes tokens of any document. It is immutable and safe for
// concurrent use.
type Encoder struct {
	lists  *crf.Lists
	share  float64
	counts map[uint64]count
	like   *likeness
}

// Encoder is what f has learnt, without its corpus.
func (f *Fitted) Encoder() *Encoder {
	e := &Encoder{f.corpus.lists, f.share, make(map[uint64]count, len(f.counts)), f.whole}
	for k, c := range f.counts {
		if c.n > 0 {
			e.counts[f.corpus.hashes[k]] = c
		}
	}
	return e
}

// Share is the share of the training tokens that are sensitive, never 0 nor 1.
func (e *Encoder) Share() float64 { return e.share }

// Width is how many numbers describe a token.
func (e *Encoder) Width() int { return width(e.lists) }

// Columns describes every token of a view, hidden ones too.
func (e *Encoder) Columns(v annotate.View) boost.Matrix {
	c, err := Prepare(context.Background(), []annotate.View{v}, e.lists)
	if err != nil {
		panic("dense: nothing cancels this")
	}
	x := newMatrix(e.Width(), len(v.Words))
	c.docs[0].rows(x, 0, e.share, func(k int32) count { return e.counts[c.hashes[k]] }, c.likeness(e.like), false)
	return x
}
