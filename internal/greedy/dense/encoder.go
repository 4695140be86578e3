// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

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

// The columns that nothing is trained for, before those of lists and ways.
const (
	colClass = iota
	colLength
	colDigits
	colNumber
	colGap
	colGapAfter
	colLinePlace
	colLineEnd
	colLineSize
	colHeadDistance
	colSectionAt
	colAbove
	colBelow
	colPosition
	colTimes
	colTitle
	colCredit
	colKind
	colRunKind
	colRunAt
	colRunLeft
	colHidden
	colHiddenNear
	colUsed
	colElsewhere = colUsed + crf.Ways
	colLists     = colElsewhere + crf.Ways
)

// classOrder puts the classes that names have last, so that one split divides
// them from the rest.
const classOrder = "^p12345lxuMCAT"

// kindOrder are the identifiers of [crf.Fact.Kind].
var kindOrder = []string{"", "RECORD", "TIME", "AGE", "AGE90", "WEEKDAY", "MONTH", "DAY", "DATE", "PHONE", "SSN", "POSTAL"}

var runOrder = []string{"", "IP", "DATE", "URL", "EMAIL"}

func place(of string, in []string) float32 {
	for i, s := range in {
		if s == of {
			return float32(i)
		}
	}
	return -1
}

func classNumber(c byte) float32 {
	if i := strings.IndexByte(classOrder, c); i >= 0 {
		return float32(i)
	}
	return -1 // marks
}

// statics is the number of columns with this number of lists.
func statics(lists int) int { return colLists + lists }

// describe fills a token's columns.
func (d *document) describe(f facts, t int, word string, row []float32) {
	w := f.at(t)
	row[colClass], row[colLength] = classNumber(w.Class), float32(utf8.RuneCountInString(word))
	row[colDigits], row[colNumber] = float32(w.Digits), float32(strings.Count(w.Shape, "d"))
	row[colGap], row[colGapAfter] = float32(w.Gap), 3
	if t+1 < len(f) {
		row[colGapAfter] = float32(f[t+1].Gap)
	}
	row[colLinePlace], row[colLineEnd], row[colLineSize] = float32(w.LinePlace), flag(w.LineEnd), float32(w.LineSize)
	row[colHeadDistance], row[colSectionAt] = float32(w.HeadDistance), float32(w.SectionAt)
	row[colAbove], row[colBelow] = float32(w.Above), float32(w.Below)
	row[colPosition] = float32(t) / float32(len(f))
	row[colTimes] = float32(math.Log(float64(d.times[w.Lower])))
	row[colTitle], row[colCredit] = distance(w.Title), distance(w.Credit)
	row[colKind], row[colRunKind] = place(w.Kind, kindOrder), place(w.RunKind, runOrder)
	row[colRunAt], row[colRunLeft] = float32(w.RunAt), float32(w.RunLeft)
	row[colHidden] = flag(d.hidden(t))
	row[colHiddenNear] = flag(d.hidden(t-1)) + 2*flag(d.hidden(t+1))
	for way := range crf.Ways {
		row[colUsed+way] = float32(w.Used >> way & 1)
		row[colElsewhere+way] = float32(w.Elsewhere >> way & 1)
	}
	for list, size := range w.Phrases {
		row[colLists+list] = float32(size)
	}
}

// distance puts none, 0, beyond all others.
func distance(n int8) float32 {
	if n == 0 {
		return 9
	}
	return float32(n)
}

func flag(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
