// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"slices"

	"hide/internal/annotate"
)

// Which finished documents are a random sample? Each project has an order of its
// documents drawn once and for all: by a hash of their numbers, keyed by a
// random number that nobody sees. The documents at the front of that order that
// are done, without a gap, are a simple random sample of the project, however
// each of them came to be annotated: nothing about their content put them there.
// A document that somebody holds just now makes no gap; one that everybody skips
// does, and so the sample stops growing instead of leaning towards easy notes.
// Documents imported as a random sample count as well.

// redraw puts the documents into the drawn order. The caller holds ws.mu.
func (ws *Workspace) redraw() {
	ws.drawn = ws.drawn[:0]
	for _, doc := range ws.order {
		if !ws.docs[doc].Random {
			ws.drawn = append(ws.drawn, doc)
		}
	}
	slices.SortFunc(ws.drawn, func(a, b annotate.DocumentID) int {
		return cmp.Or(cmp.Compare(mix(ws.info.Draw, uint64(a)), mix(ws.info.Draw, uint64(b))), cmp.Compare(a, b))
	})
}

// mix is a keyed hash: the finalizer of SplitMix64 (Steele, Lea and Flood 2014),
// once with the number and once more with the key.
func mix(key, n uint64) uint64 { return finalize(finalize(n) ^ key) }

func finalize(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// sample is the finished documents that are a random sample.
func (ws *Workspace) sample() map[annotate.DocumentID]bool {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	held := ws.heldBy("")
	sample := map[annotate.DocumentID]bool{}
	for doc, st := range ws.docs {
		if st.Random && st.State == annotate.Done {
			sample[doc] = true
		}
	}
	for _, doc := range ws.drawn {
		done := ws.docs[doc].State == annotate.Done
		if !done && !held[doc] {
			break
		}
		if done {
			sample[doc] = true
		}
	}
	return sample
}
