// SPDX-License-Identifier: Apache-2.0

package dense

import (
	"math"
	"strings"
	"unicode/utf8"

	"hide/internal/crf"
)

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
