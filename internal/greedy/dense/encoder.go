// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"context"

	"hide/internal/greedy"
	"hide/internal/greedy/boost"
)

// Encoder describes tokens of any document. It is immutable and safe for
// concurrent use.
type Encoder struct {
	share  float64
	counts map[uint64]count
	like   *likeness
}

// Encoder is what f has learnt, without its corpus.
func (f *Fitted) Encoder() *Encoder {
	e := &Encoder{f.share, make(map[uint64]count, len(f.counts)), f.whole}
	for k, c := range f.counts {
		if c.n > 0 {
			e.counts[f.corpus.hashes[k]] = c
		}
	}
	return e
}

// Columns describes every token of a view, hidden ones too.
func (e *Encoder) Columns(v greedy.View) boost.Matrix {
	c, err := Prepare(context.Background(), []greedy.View{v})
	if err != nil {
		panic("dense: nothing cancels this")
	}
	x := newMatrix(len(v.Words))
	c.docs[0].rows(x, 0, e.share, func(k int32) count { return e.counts[c.hashes[k]] }, c.likeness(e.like), false)
	return x
}
