// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Streams of the seeded generator. Their values are part of what a seed means: do
// not change them.
const (
	streamDraw  = 1
	streamCount = 2
)

// Plan is which documents to read, as indices.
type Plan struct {
	Random   []int // in the order drawn: any number of the first is a random sample of the documents that are not in Picked
	Selected []int // most doubtful first
}

// Draw chooses the selected documents of the greatest doubt, and random ones of the
// others at random; fewer where there are fewer. Doubts are any measure by which
// documents can be ordered, such as the expected number of identifiers left; of
// equal ones the first is taken.
func Draw(doubts []float64, random, picked int, seed uint64) Plan {
	order := make([]int, len(doubts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(doubts[b], doubts[a]) })
	picked = max(0, min(picked, len(order)))
	p := Plan{Selected: slices.Clone(order[:picked])}
	rest := slices.Sorted(slices.Values(order[picked:]))
	for _, at := range rand.New(rand.NewPCG(seed, streamDraw)).Perm(len(rest))[:max(0, min(random, len(rest)))] {
		p.Random = append(p.Random, rest[at])
	}
	return p
}

// Gain is what annotating more notes is expected to leave.
type Gain struct {
	Notes int     `json:"notes"`
	Low   float64 `json:"low"` // share of the identifiers left now that would still be left
	High  float64 `json:"high"`
}

// Leaks fall with a power of the number of annotated documents: twice as many
// leave 60 to 65 %.
var (
	steep   = -math.Log2(0.60)
	shallow = -math.Log2(0.65)
)

// local is what a few notes of the other institution itself leave, next to a
// hundred of the first, at best: between the points shares fall geometrically. Measured
// on generated institutions only (docs/results.md), so the range is that and its square
// root.
var local = []struct{ notes, share float64 }{{0, 1}, {10, 0.23}, {30, 0.06}}

// Advise predicts the gain of annotating notes more, where annotated are annotated
// now. elsewhere says that those come from another source than what is to be
// published, and the new ones do not. With none annotated nothing is predicted:
// the range is 0 to 1.
func Advise(annotated, notes int, elsewhere bool) Gain {
	g := Gain{Notes: notes, High: 1}
	if annotated <= 0 || notes <= 0 {
		if notes <= 0 {
			g.Low = 1
		}
		return g
	}
	times := float64(annotated+notes) / float64(annotated)
	g.Low, g.High = math.Pow(times, -steep), math.Pow(times, -shallow)
	if elsewhere {
		share := localShare(float64(notes))
		g.Low, g.High = math.Min(g.Low, share), math.Min(g.High, math.Sqrt(share))
	}
	return g
}

// localShare is the share of missed PHI that remains after training on this number of
// local notes; it is constant beyond the last point.
func localShare(notes float64) float64 {
	for i := 1; i < len(local); i++ {
		a, b := local[i-1], local[i]
		if notes <= b.notes {
			return a.share * math.Pow(b.share/a.share, (notes-a.notes)/(b.notes-a.notes))
		}
	}
	return local[len(local)-1].share
}
