// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
)

// trend is a claim about counts, which is computed from them once more.
type trend struct {
	Of    string   `json:"of"`
	Value *float64 `json:"value"`
	Off   *float64 `json:"expected_error"`
}

// told is what counts tell: a trend, the variance of the noise in it, negative where
// the files do not say that, and the sum of what was added up, without signs, which
// bounds what rounding did.
type told struct {
	value, variance, size float64
}

func (t told) is(c trend) bool {
	near := 1e-8*t.size + 1e-6
	return math.Abs(*c.Value-t.value) <= near && (t.variance < 0 || math.Abs(*c.Off-math.Sqrt(2*t.variance/math.Pi)) <= 1e-6**c.Off)
}

// trends computes the claimed trends again from the counts.
func (r *Report) trends(fsys fs.FS, m manifest) {
	for i, c := range m.Trends {
		if c.Value == nil || c.Off == nil || !(*c.Off >= 0) {
			r.Add("trend %d has no value, or no expected error", i+1)
			continue
		}
		all, err := m.told(fsys, c.Of)
		if err != nil {
			r.Add("trend %d cannot be computed again: %v", i+1, err)
			continue
		}
		if !slices.ContainsFunc(all, func(t told) bool { return t.is(c) }) {
			r.Add("trend %d is %v with an expected error of %v, and the counts tell another", i+1, *c.Value, *c.Off)
		}
	}
}

// told are what the files tell of something. Marginals that overlap may say it several
// times.
func (m manifest) told(fsys fs.FS, of string) ([]told, error) {
	if m.Kind == "sequences" {
		t, err := m.sequences(fsys, of)
		return []told{t}, err
	}
	rest, ok := strings.CutPrefix(of, "steps of the counts by ")
	quoted, err := strconv.QuotedPrefix(rest)
	if !ok || err != nil {
		return nil, fmt.Errorf("it does not say what it is of")
	}
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(m.Config.Config.Dimensions, func(d dimension) bool { return d.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("there is no dimension of this name")
	}
	d := m.Config.Config.Dimensions[at]
	if d.ranks() < 2 {
		return nil, fmt.Errorf("its dimension has no order")
	}
	return m.steps(fsys, d, at)
}

// steps are the last count of a dimension less its first, over how many there are, from
// each file that has the dimension.
func (m manifest) steps(fsys fs.FS, d dimension, at int) ([]told, error) {
	var out []told
	for i, p := range m.Phases {
		name, blocks := "", false
		switch {
		case m.Kind == "query":
			name = "answer.csv"
		case p.Name == "cells" && len(m.Phases) == 1:
			name = "cells.csv"
		case p.Name == "blocks" || p.Name == "total":
			name, blocks = "blocks.csv", true
		case strings.HasPrefix(p.Name, "marginal "):
			name = fmt.Sprintf("marginal-%d.csv", i+1)
		default:
			continue
		}
		rows, err := table(fsys, name)
		if err != nil {
			return nil, err
		}
		t, there, err := told{}, true, error(nil)
		if blocks {
			t, err = blockSteps(rows, d, 2*at)
		} else {
			t, there, err = cellSteps(rows, d, p.variance())
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if there {
			out = append(out, t)
		}
	}
	return out, nil
}

// variance of Laplace noise of this scale that is rounded to integers.
func (p phase) variance() float64 { return 2*p.Scale*p.Scale + 1.0/12 }

// ends adds up the counts of the first and the last category.
type ends struct {
	d           dimension
	first, last float64
	terms       [2]float64 // how many counts there are in each
	size        float64
}

func (e *ends) add(at int, count float64) {
	switch at {
	case 0:
		e.first += count
		e.terms[0]++
	case e.d.ranks() - 1:
		e.last += count
		e.terms[1]++
	default:
		return
	}
	e.size += math.Abs(count)
}

func (e *ends) told(variance float64) told {
	n := float64(e.d.ranks())
	return told{(e.last - e.first) / n, variance * (e.terms[0] + e.terms[1]) / (n * n), e.size}
}

// cellSteps reads a file with a count for each combination of categories. there is
// false when the dimension is none of its columns.
func cellSteps(rows [][]string, d dimension, variance float64) (_ told, there bool, err error) {
	last := len(rows[0]) - 1
	column := slices.Index(rows[0][:max(0, last)], d.Name)
	if column < 0 {
		return told{}, false, nil
	}
	e, place := ends{d: d}, d.places()
	for i, row := range rows[1:] {
		count, err := strconv.ParseFloat(row[last], 64)
		if err != nil {
			return told{}, true, fmt.Errorf("row %d has no count", i+1)
		}
		at, ok := place(row[column])
		if !ok {
			return told{}, true, fmt.Errorf("row %d has a category that there is not", i+1)
		}
		e.add(at, count)
	}
	return e.told(variance), true, nil
}

// blockSteps reads a file of blocks, whose counts are spread evenly over their cells.
// What noise and uneven cells make of it, the files do not say.
func blockSteps(rows [][]string, d dimension, column int) (told, error) {
	e, place := ends{d: d}, d.places()
	for i, row := range rows[1:] {
		if len(row) < column+5 {
			return told{}, fmt.Errorf("row %d is too short", i+1)
		}
		count, err := strconv.ParseFloat(row[len(row)-4], 64)
		low, known := place(row[column])
		high, ok := place(row[column+1])
		if err != nil || !known || !ok || high < low {
			return told{}, fmt.Errorf("row %d is no block", i+1)
		}
		for _, at := range []int{0, d.ranks() - 1} {
			if low <= at && at <= high {
				e.add(at, count/float64(high-low+1))
			}
		}
	}
	t := e.told(0)
	t.variance = -1
	return t, nil
}
