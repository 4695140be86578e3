// SPDX-License-Identifier: Apache-2.0

package compare

import "math/bits"

// Thresholds of similar values, of Winkler's string comparator.
const (
	highSimilarity = 0.92
	lowSimilarity  = 0.8
)

// longestJaro is how many characters of a value Jaro-Winkler compares: the bits of a word.
const longestJaro = 64

// jaro has, for each character, the positions at which the first value has it.
type jaro struct{ at [256]uint64 }

// similarity is the Jaro-Winkler similarity of two values:
//
//	jaro    = (m/|x| + m/|y| + (m-t)/m) / 3
//	winkler = jaro + 0.1 p (1 - jaro)    if jaro > 0.7
//
// m is the number of common characters at most max(|x|,|y|)/2 - 1 apart, t half of the common
// characters in another order, p the length of the common prefix up to 4. Winkler 1990, section
// 3. Pairs that cannot reach 0.8 are 0.
func (j *jaro) similarity(a, b chars) float64 {
	x, y := a.text[:min(len(a.text), longestJaro)], b.text[:min(len(b.text), longestJaro)]
	common := min(len(x)-a.has.without(b.has), len(y)-b.has.without(a.has))
	if len(a.text) > longestJaro || len(b.text) > longestJaro { // the sets are of more characters
		common = longestJaro
	}
	if common <= 0 || bound(x, y, common) < lowSimilarity {
		return 0
	}
	inX, inY, m := j.match(x, y)
	if m == 0 || bound(x, y, m) < lowSimilarity {
		return 0
	}
	moved := 0
	for a, b := inX, inY; a != 0; a, b = a&(a-1), b&(b-1) {
		if x[bits.TrailingZeros64(a)] != y[bits.TrailingZeros64(b)] {
			moved++
		}
	}
	return winkler(x, y, m, moved)
}

// level is first for a high similarity of two values, and the levels after it for a low one and
// for none.
func (j *jaro) level(first int, a, b chars) int {
	switch s := j.similarity(a, b); {
	case s >= highSimilarity:
		return first
	case s >= lowSimilarity:
		return first + 1
	}
	return first + 2
}

// match pairs each character of y with the first free equal one of x within the window, and
// returns the paired positions.
func (j *jaro) match(x, y []byte) (inX, inY uint64, m int) {
	for i, c := range x {
		j.at[c] |= 1 << i
	}
	reach := max(max(len(x), len(y))/2-1, 0)
	window := uint64(1)<<(reach+1) - 1 // positions 0 to reach
	for i, c := range y {
		if free := j.at[c] & window &^ inX; free != 0 {
			inX |= free & -free
			inY |= 1 << i
			m++
		}
		if i < reach {
			window = window<<1 | 1
		} else {
			window <<= 1
		}
	}
	for _, c := range x {
		j.at[c] = 0
	}
	return inX, inY, m
}

func winkler(x, y []byte, m, moved int) float64 {
	f := float64(m)
	s := (f/float64(len(x)) + f/float64(len(y)) + (f-float64(moved/2))/f) / 3
	if s > 0.7 {
		s += 0.1 * float64(commonPrefix(x, y)) * (1 - s)
	}
	return s
}

// bound is the most that the similarity can be with at most m common characters.
func bound(x, y []byte, m int) float64 { return winkler(x, y, m, 0) }

func commonPrefix(x, y []byte) int {
	p := 0
	for p < 4 && p < len(x) && p < len(y) && x[p] == y[p] {
		p++
	}
	return p
}
