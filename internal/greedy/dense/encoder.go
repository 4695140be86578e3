// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"context"
	"slices"

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

// Encoder is what f was trained, without its corpus.
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

// The columns: rates, counts, likeness of the word before, the word, and the word
// after, and those for which nothing is trained.
const (
	firstCount    = keys
	firstLikeness = firstCount + 4
	firstStatic   = firstLikeness + 3
)

// counted are the keys whose count is a column too, as a logarithm.
var counted = [firstLikeness - firstCount]int{keyWord, keyLower, keyPairBefore, keyPairAfter}

// width is how many numbers describe a token.
func width(lists *crf.Lists) int { return firstStatic + statics(lists.Len()) }

// Likeness lists the columns of name-likeness.
func Likeness() []int { return []int{firstLikeness, firstLikeness + 1, firstLikeness + 2} }

// Flags lists the columns that a second stage wants beside the log-odds of base
// learners: what the token is made of, where it stands, how its word is rated and
// how often it was seen.
func Flags() []int {
	flags := []int{keyLower, keyMember, firstCount + slices.Index(counted[:], keyLower)}
	for _, c := range []int{colClass, colLength, colDigits, colGap, colGapAfter, colLinePlace, colLineEnd, colHeadDistance, colTimes, colTitle, colCredit, colKind, colRunKind} {
		flags = append(flags, firstStatic+c)
	}
	return flags
}

// Pattern is how a token is written that identifies by its form alone.
type Pattern uint8

// The patterns. Their values are stored: do not reorder them.
const (
	NoPattern Pattern = iota
	Email
	URL
	FullDate
	Phone
	Patterns // how many there are, with none
)

// PatternOf is the pattern of a row of columns. A mark at an end of what stands
// together without a space, such as a full stop, is no part of it.
func PatternOf(x boost.Matrix, row int) Pattern {
	if x[firstStatic+colClass][row] < 0 && min(x[firstStatic+colRunAt][row], x[firstStatic+colRunLeft][row]) == 0 {
		return NoPattern
	}
	switch runOrder[max(0, int(x[firstStatic+colRunKind][row]))] {
	case "EMAIL":
		return Email
	case "URL":
		return URL
	case "DATE":
		return FullDate
	}
	switch kindOrder[max(0, int(x[firstStatic+colKind][row]))] {
	case "DATE":
		return FullDate
	case "PHONE":
		return Phone
	}
	return NoPattern
}

func newMatrix(columns, rows int) boost.Matrix {
	x := make(boost.Matrix, columns)
	for c := range x {
		x[c] = make([]float32, rows)
	}
	return x
}
