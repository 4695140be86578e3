// SPDX-License-Identifier: Apache-2.0

package hierarchy

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"
)

// Limits of what [Read] takes.
const (
	maxBytes  = 64 << 20
	maxLevels = 64
)

// Read reads a hierarchy in the form of ARX: CSV with semicolons, no header. An
// error says which row is wrong and never what it says.
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

// Write writes the hierarchy in the form of ARX.
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

// finest is how many intervals the lowest level of [Numbers] has about.
const finest = 16

// Numbers makes a hierarchy of intervals [from, to) that start at a multiple of
// their width: first of 1, 2 or 5 times a power of ten, about a 16th of the range,
// and then twice as wide on each level. values are how the numbers are written;
// both are in ascending order, without repetition, and there must be at least one.
func Numbers(values []string, numbers []float64) *Hierarchy {
	spread := numbers[len(numbers)-1] - numbers[0]
	if spread < 1e-9*max(-numbers[0], numbers[len(numbers)-1]) {
		spread = 0 // bounds of intervals would be written alike
	}
	width := round(spread / finest)
	rows := make([][]string, len(values))
	for i, value := range values {
		rows[i] = []string{value}
		// whole steps of width, shifted, keep fine intervals within coarse ones
		step := int64(math.Floor(numbers[i]/width + 1e-9))
		for level := 0; math.Ldexp(width, level) < spread; level++ {
			from := step >> level << level
			rows[i] = append(rows[i], "["+format(float64(from)*width)+", "+format(float64(from+1<<level)*width)+")")
		}
		rows[i] = append(rows[i], Top)
	}
	return must(rows)
}

// round is the least of 1, 2 and 5 times a power of ten that is not less; 0 of 0.
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

// Dates makes a hierarchy of the day when there are times of day, the month, the
// year, ten years and a hundred. values are as ISO 8601 has them, the year first in
// four digits, without repetition; there must be at least one.
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

// century is that of a date, with both ends: "2000s" is its first decade.
func century(value string) string {
	return value[:len("20")] + "00-" + value[:len("20")] + "99"
}

// must makes a hierarchy of rows that are one.
func must(rows [][]string) *Hierarchy {
	h, err := New(rows)
	if err != nil {
		panic("hierarchy: " + err.Error())
	}
	return h
}

// format writes a bound without what binary fractions add to it.
func format(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	if err != nil {
		rounded = v // is no number of finite size
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
