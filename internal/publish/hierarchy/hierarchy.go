// SPDX-License-Identifier: Apache-2.0

// Package hierarchy holds domain generalization hierarchies: for each value of an
// attribute the ever more general labels that can replace it, up to one label for all
// values.
//
// A [Hierarchy] is a table with one row per value. Its columns are levels: level 0 is the
// value, the last level is one label for all. [Read] reads the format of ARX, with
// semicolons between the levels, and [Hierarchy.Write] writes it:
//
//	53710;5371*;537**;*
//	53711;5371*;537**;*
//	53220;5322*;532**;*
//
// [Numbers] and [Dates] make hierarchies from the values alone.
//
// A file that is not a tree is refused: each label must have one label above it, no label
// may be its own ancestor, all rows must have the same number of levels, and the last
// level must be one label. A row may repeat a label on the next level.
package hierarchy

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Top is the top label of hierarchies made here.
const Top = "*"

// Hierarchy generalizes the values of one attribute. It does not change.
type Hierarchy struct {
	rows  [][]string     // [value][level]
	index map[string]int // value to row
}

// Problem is the reason why rows are not a hierarchy. It never quotes a label.
type Problem struct {
	Row    int // from 1; 0 for a problem of all rows
	Reason string
}

func (p *Problem) Error() string {
	if p.Row == 0 {
		return p.Reason
	}
	return fmt.Sprintf("row %d %s", p.Row, p.Reason)
}

// New makes a hierarchy of rows, each a value and its labels from specific to general. It
// returns a [*Problem] if they are not a tree.
func New(rows [][]string) (*Hierarchy, error) {
	if len(rows) == 0 {
		return nil, &Problem{Reason: "a hierarchy needs at least one row"}
	}
	h := &Hierarchy{rows: rows, index: make(map[string]int, len(rows))}
	for i, row := range rows {
		if p := h.checkRow(i, row); p != nil {
			return nil, p
		}
		h.index[row[0]] = i
	}
	if p := h.checkTree(); p != nil {
		return nil, p
	}
	return h, nil
}

func (h *Hierarchy) checkRow(i int, row []string) error {
	first := h.rows[0]
	_, twice := h.index[row[0]]
	switch {
	case len(row) < 2:
		return &Problem{i + 1, "has no level above the value"}
	case len(row) != len(first):
		return &Problem{i + 1, fmt.Sprintf("has %d levels, the first has %d", len(row), len(first))}
	case row[len(row)-1] != first[len(first)-1]:
		return &Problem{i + 1, "ends in a different label than the first row: the last level must be one label for all"}
	case slices.Contains(row[1:], ""):
		return &Problem{i + 1, "has an empty label"}
	case twice:
		return &Problem{i + 1, "repeats the value of an earlier row"}
	}
	return nil
}

// node is a label on one level. The same label on another level is another node.
type node struct {
	level int
	label string
}

// checkTree finds labels with two labels above them, and loops.
func (h *Hierarchy) checkTree() error {
	above := map[node]string{}
	for i, row := range h.rows {
		for level := 1; level+1 < len(row); level++ {
			at := node{level, row[level]}
			if up, seen := above[at]; seen && up != row[level+1] {
				return &Problem{i + 1, fmt.Sprintf("puts a different label above the label of level %d than an earlier row", level)}
			}
			above[at] = row[level+1]
		}
	}
	if row := h.loop(); row >= 0 {
		return &Problem{row + 1, "makes a loop: a label is above itself"}
	}
	return nil
}

// loop returns the first row that makes a label its own ancestor, or -1. Labels are
// compared by their text, whatever their level: with "b" under "a" and "a" under "b", a
// reader could not tell which is more general.
func (h *Hierarchy) loop() int {
	order := map[string]map[string]bool{}
	for i, row := range h.rows {
		for level := range row[1:] {
			fine, coarse := row[level], row[level+1]
			if fine == coarse || order[fine][coarse] {
				continue
			}
			if reaches(order, coarse, fine) {
				return i
			}
			if order[fine] == nil {
				order[fine] = map[string]bool{}
			}
			order[fine][coarse] = true
		}
	}
	return -1
}

// reaches reports whether to is an ancestor of from.
func reaches(order map[string]map[string]bool, from, to string) bool {
	seen, stack := map[string]bool{from: true}, []string{from}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at == to {
			return true
		}
		for up := range order[at] {
			if !seen[up] {
				seen[up] = true
				stack = append(stack, up)
			}
		}
	}
	return false
}

// Levels is the number of levels including the values: at least 2.
func (h *Hierarchy) Levels() int { return len(h.rows[0]) }

// Len is the number of values.
func (h *Hierarchy) Len() int { return len(h.rows) }

// Values returns the values in their order.
func (h *Hierarchy) Values() []string {
	values := make([]string, len(h.rows))
	for i, row := range h.rows {
		values[i] = row[0]
	}
	return values
}

// Leaves returns the values so that those below one node are adjacent: by the order in
// which general labels first appear, then more specific ones, then the values.
func (h *Hierarchy) Leaves() []string {
	last := h.Levels() - 1
	places := make([][]int, len(h.rows)) // [row] order of its labels, general to specific
	first := map[node]int{}
	for i, row := range h.rows {
		for level := last; level >= 0; level-- {
			at := node{level, row[level]}
			if _, seen := first[at]; !seen {
				first[at] = i
			}
			places[i] = append(places[i], first[at])
		}
	}
	slices.SortFunc(places, slices.Compare)
	values := make([]string, len(places))
	for i, at := range places {
		values[i] = h.rows[at[last]][0]
	}
	return values
}

// Path returns a value and its labels, specific to general, or false for an unknown
// value. The caller must not change it.
func (h *Hierarchy) Path(value string) ([]string, bool) {
	i, ok := h.index[value]
	if !ok {
		return nil, false
	}
	return h.rows[i], true
}

// Limits of what [Read] takes.
const (
	maxBytes  = 64 << 20
	maxLevels = 64
)

// Read reads a hierarchy in the format of ARX: CSV with semicolons, no header. Errors
// give the row and never quote it.
func Read(r io.Reader) (*Hierarchy, error) {
	limited := &io.LimitedReader{R: r, N: maxBytes + 1}
	rows, err := readRows(limited)
	if limited.N <= 0 {
		return nil, fmt.Errorf("a hierarchy may have at most %d bytes", maxBytes)
	}
	if err != nil {
		return nil, err
	}
	return New(rows)
}

func readRows(r io.Reader) ([][]string, error) {
	in := csv.NewReader(r)
	in.Comma, in.FieldsPerRecord = ';', -1
	var rows [][]string
	for {
		row, err := in.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, rowError(len(rows)+1, err)
		}
		if len(row) > maxLevels {
			return nil, &Problem{len(rows) + 1, fmt.Sprintf("has more than %d levels", maxLevels)}
		}
		for _, label := range row {
			if !utf8.ValidString(label) {
				return nil, &Problem{len(rows) + 1, "is not UTF-8"}
			}
		}
		rows = append(rows, row)
	}
}

func rowError(row int, err error) error {
	if wrong := (*csv.ParseError)(nil); errors.As(err, &wrong) {
		return &Problem{row, fmt.Sprintf("cannot be read at column %d of line %d: a quote is in the wrong place", wrong.Column, wrong.Line)}
	}
	return err
}

// Write writes the hierarchy in the format of ARX.
func (h *Hierarchy) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Comma = ';'
	for _, row := range h.rows {
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// finest is the approximate number of intervals on the lowest level of [Numbers].
const finest = 16

// Numbers makes a hierarchy of intervals [from, to) that start at a multiple of their
// width. The first width is 1, 2 or 5 times a power of ten, about a 16th of the range;
// each further level doubles it. values are the numbers as text. Both are ascending and
// without duplicates, with at least one number.
func Numbers(values []string, numbers []float64) *Hierarchy {
	spread := numbers[len(numbers)-1] - numbers[0]
	if spread < 1e-9*max(-numbers[0], numbers[len(numbers)-1]) {
		spread = 0 // the interval bounds would all look the same
	}
	width := round(spread / finest)
	rows := make([][]string, len(values))
	for i, value := range values {
		rows[i] = []string{value}
		// shifting by whole widths keeps small intervals within large ones
		step := int64(math.Floor(numbers[i]/width + 1e-9))
		for level := 0; math.Ldexp(width, level) < spread; level++ {
			from := step >> level << level
			rows[i] = append(rows[i], "["+format(float64(from)*width)+", "+format(float64(from+1<<level)*width)+")")
		}
		rows[i] = append(rows[i], Top)
	}
	return must(rows)
}

// round is the smallest of 1, 2 and 5 times a power of ten that is not below the
// argument; 0 for 0.
func round(v float64) float64 {
	if v <= 0 {
		return 0
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, digit := range []float64{1, 2, 5} {
		if digit*power >= v {
			return digit * power
		}
	}
	return 10 * power
}

// Dates makes a hierarchy of the day (if there are times of day), month, year, decade and
// century. values are in ISO 8601, with a four-digit year first, and without duplicates;
// there must be at least one.
func Dates(values []string) *Hierarchy {
	rows, timed := make([][]string, len(values)), false
	for _, value := range values {
		timed = timed || len(value) > len("2006-01-02")
	}
	for i, value := range values {
		rows[i] = []string{value}
		if timed {
			rows[i] = append(rows[i], value[:len("2006-01-02")])
		}
		rows[i] = append(rows[i], value[:len("2006-01")], value[:len("2006")], value[:len("200")]+"0s", century(value), Top)
	}
	return must(rows)
}

// century is the century of a date, with both ends: "2000s" is its first decade.
func century(value string) string {
	return value[:len("20")] + "00-" + value[:len("20")] + "99"
}

// must makes a hierarchy of rows known to be valid.
func must(rows [][]string) *Hierarchy {
	h, err := New(rows)
	if err != nil {
		panic("hierarchy: " + err.Error())
	}
	return h
}

// format writes a bound without binary rounding errors.
func format(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	if err != nil {
		rounded = v // rounding overflowed
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
