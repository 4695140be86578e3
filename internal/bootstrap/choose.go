// SPDX-License-Identifier: Apache-2.0

package bootstrap

// How the next note is chosen.
const (
	FirstAtRandom = 10  // the first notes are all drawn at random
	RandomShare   = 4   // of those after, one in RandomShare
	LookSample    = 200 // open notes that a model looks at after a training
	Recent        = 20  // notes done last, from which the next one should differ
)

// Random reports whether, with so many notes done, the next one is to be drawn at
// random.
func Random(done int) bool { return done < FirstAtRandom || done%RandomShare == 0 }

// MostUseful is the index of the open note from which a model learns most for the
// time it takes to read: the one with the greatest worth, the first of equals; -1
// when there is none. recent are the notes that were done last.
func MostUseful(open, recent []Look) int {
	best, most := -1, 0.0
	for i, l := range open {
		if w := l.worth(recent); best < 0 || w > most {
			best, most = i, w
		}
	}
	return best
}

// worth is doubt times unlikeness to the nearest of the recent notes.
func (l Look) worth(recent []Look) float64 { return l.Doubt * (1 - l.Nearest(recent)) }

// Nearest is the likeness to the most like of others; 0 when there is none.
func (l Look) Nearest(others []Look) float64 {
	var most float64
	for _, o := range others {
		most = max(most, l.Likeness(o))
	}
	return most
}
