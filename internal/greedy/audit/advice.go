// SPDX-License-Identifier: Apache-2.0

package audit

import "math"

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

// localShare is the share left after so many local notes; beyond the last point it
// stays as it is.
func localShare(notes float64) float64 {
	for i := 1; i < len(local); i++ {
		a, b := local[i-1], local[i]
		if notes <= b.notes {
			return a.share * math.Pow(b.share/a.share, (notes-a.notes)/(b.notes-a.notes))
		}
	}
	return local[len(local)-1].share
}
