// SPDX-License-Identifier: Apache-2.0

package bootstrap

import "math"

// How the next note is chosen.
const (
	BeforeModel = 3   // the first notes are sampled at random
	RandomShare = 4   // of those after, one in RandomShare
	LookSample  = 200 // open notes that a model looks at after a training
)

// Random reports whether the next note is sampled at random when done notes are
// finished. Ten of the first 29 are, fifteen of the first 49.
func Random(done int) bool { return done < BeforeModel || done%RandomShare == 0 }

// MostUseful is the index of the open note from which a model learns most for the
// time it takes to read, the first of equals; -1 when there is none. since are
// notes that the model looked at and does not know yet: those that people have
// finished meanwhile, and those they have in hand.
func MostUseful(open, since []Look) int {
	best, most := -1, 0.0
	for i, l := range open {
		if w := l.worth(since); best < 0 || w > most {
			best, most = i, w
		}
	}
	return best
}

// reading is what opening a note costs, in tokens.
const reading = 50

// worth is the doubt about each context of the note, once however often it occurs,
// and half of it for each of the notes since that hold the context too: the model
// is about to learn that. It is set against the root of the note's length. Against
// the length itself, short notes would be worth most, whatever is in them; against
// nothing, long ones, which take as long to read as several.
func (l Look) worth(since []Look) float64 {
	sum := 0.0
	for _, c := range l.contexts {
		doubt := c.doubt
		for _, s := range since {
			if s.in(c.key) {
				doubt /= 2
			}
		}
		sum += doubt
	}
	return sum / math.Sqrt(float64(l.tokens+reading))
}
