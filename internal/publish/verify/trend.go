// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// trend is a claim about counts, which is recomputed.
type trend struct {
	Of    string   `json:"of"`
	Value *float64 `json:"value"`
	Off   *float64 `json:"expected_error"`
}

// recomputed is a trend from counts, the variance of its noise (negative if the files do
// not give it), and the sum of the absolute terms, which bounds the rounding error.
type recomputed struct {
	value, variance, size float64
}

func (t recomputed) is(c trend) bool {
	near := 1e-8*t.size + 1e-6
	return math.Abs(*c.Value-t.value) <= near && (t.variance < 0 || math.Abs(*c.Off-math.Sqrt(2*t.variance/math.Pi)) <= 1e-6**c.Off)
}

// checkTrends recomputes the claimed trends from the counts.
func (c *countsChecker) checkTrends() {
	for i, t := range c.claims.Trends {
		if t.Value == nil || t.Off == nil || !(*t.Off >= 0) {
			c.Add(manifestName, "trend %d has no value, or no expected error", i+1)
			continue
		}
		all, err := c.recompute(t.Of)
		if err != nil {
			c.Add(manifestName, "trend %d cannot be recomputed: %v", i+1, err)
			continue
		}
		if !slices.ContainsFunc(all, func(r recomputed) bool { return r.is(t) }) {
			c.Add(manifestName, "trend %d is %v with an expected error of %v, which differs from the counts", i+1, *t.Value, *t.Off)
		}
	}
}

// recompute finds a trend in the files. Marginals that overlap may give it several times.
func (c *countsChecker) recompute(of string) ([]recomputed, error) {
	if c.Kind == "sequences" {
		t, err := c.sequences(of)
		return []recomputed{t}, err
	}
	rest, ok := strings.CutPrefix(of, "steps of the counts by ")
	quoted, err := strconv.QuotedPrefix(rest)
	if !ok || err != nil {
		return nil, errors.New("it does not name its dimension")
	}
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(c.settings.Dimensions, func(d dimension) bool { return d.Name == name })
	if at < 0 {
		return nil, errors.New("unknown dimension")
	}
	d := c.settings.Dimensions[at]
	if d.ranks() < 2 {
		return nil, errors.New("its dimension has no order")
	}
	return c.steps(d, at)
}

// steps is the last count of a dimension minus its first, divided by the number of steps,
// from each file that has the dimension.
func (c *countsChecker) steps(d dimension, at int) ([]recomputed, error) {
	var out []recomputed
	for i, p := range c.claims.Phases {
		name := c.fileOf(i)
		if name == "" {
			continue
		}
		rows, err := c.readCSV(name)
		if err != nil {
			return nil, err
		}
		t, there := recomputed{}, true
		if name == blocksName {
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

// ends sums the counts of the first and the last category.
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

func (e *ends) slope(variance float64) recomputed {
	n := float64(e.d.ranks())
	return recomputed{(e.last - e.first) / n, variance * (e.terms[0] + e.terms[1]) / (n * n), e.size}
}

// cellSteps reads a file with a count for each combination of categories. there is false
// if the dimension is not among its columns.
func cellSteps(rows [][]string, d dimension, variance float64) (_ recomputed, there bool, err error) {
	last := len(rows[0]) - 1
	column := slices.Index(rows[0][:max(0, last)], d.Name)
	if column < 0 {
		return recomputed{}, false, nil
	}
	e, place := ends{d: d}, d.places()
	for i, row := range rows[1:] {
		count, err := strconv.ParseFloat(row[last], 64)
		if err != nil {
			return recomputed{}, true, fmt.Errorf("row %d has no count", i+1)
		}
		at, ok := place(row[column])
		if !ok {
			return recomputed{}, true, fmt.Errorf("row %d has an unknown category", i+1)
		}
		e.add(at, count)
	}
	return e.slope(variance), true, nil
}

// blockSteps reads a file of blocks, whose counts are spread evenly over their cells. The
// error from noise and uneven cells is not in the files.
func blockSteps(rows [][]string, d dimension, column int) (recomputed, error) {
	e, place := ends{d: d}, d.places()
	for i, row := range rows[1:] {
		if len(row) < column+5 {
			return recomputed{}, fmt.Errorf("row %d is too short", i+1)
		}
		count, err := strconv.ParseFloat(row[len(row)-4], 64)
		low, known := place(row[column])
		high, ok := place(row[column+1])
		if err != nil || !known || !ok || high < low {
			return recomputed{}, fmt.Errorf("row %d is not a block", i+1)
		}
		for _, at := range []int{0, d.ranks() - 1} {
			if low <= at && at <= high {
				e.add(at, count/float64(high-low+1))
			}
		}
	}
	t := e.slope(0)
	t.variance = -1
	return t, nil
}

// sequences counts the sequences of a trend at the leaves of the tree: prefixes that no
// row continues.
func (c *countsChecker) sequences(of string) (recomputed, error) {
	sign := 2
	for name, s := range map[string]int{"sequences that fall": -1, "sequences that stay level": 0, "sequences that rise": 1} {
		if strings.HasPrefix(of, name) {
			sign = s
		}
	}
	if sign == 2 || !c.settings.Ordered {
		return recomputed{}, errors.New("it does not name its direction, or the alphabet has no order")
	}
	rows, err := c.readCSV("tree.csv")
	if err != nil {
		return recomputed{}, err
	}
	ranks := map[string]int{}
	for i, s := range c.settings.Alphabet {
		ranks[s] = i
	}
	var out recomputed
	for i, row := range rows[1:] {
		length, err := strconv.Atoi(row[0])
		if err != nil || length < 0 || length >= len(c.claims.Phases) || len(row) < 3 {
			return recomputed{}, fmt.Errorf("tree.csv: row %d is not a prefix", i+1)
		}
		if next := i + 2; next < len(rows) && longer(rows[next][0], length) {
			continue
		}
		goes, ok := c.settings.goes(row[1], length, ranks)
		count, err := strconv.ParseFloat(row[2], 64)
		if !ok || err != nil {
			return recomputed{}, fmt.Errorf("tree.csv: row %d has unknown symbols, or no count", i+1)
		}
		if goes == sign {
			out.value += count
			out.size += math.Abs(count)
			out.variance += c.claims.Phases[length].variance()
		}
	}
	return out, nil
}

func longer(length string, than int) bool {
	n, err := strconv.Atoi(length)
	return err == nil && n > than
}

// goes is the sign of the slope of a prefix, 2 for a prefix of fewer than two symbols.
// The least squares line through c_0 .. c_n-1 has the sign of the sum of (2i - (n-1))
// c_i.
func (c countsSettings) goes(prefix string, length int, ranks map[string]int) (sign int, ok bool) {
	var names []string
	if length > 0 {
		names = strings.Split(prefix, cmp.Or(c.Separator, " "))
	}
	if len(names) != length {
		return 0, false
	}
	if n := length - 1; n >= 0 && !c.Fixed && names[n] == "(end)" {
		names = names[:n]
	}
	sum := 0
	for i, name := range names {
		at, known := ranks[name]
		if !known {
			return 0, false
		}
		sum += (2*i - (len(names) - 1)) * at
	}
	if len(names) < 2 {
		return 2, true
	}
	return cmp.Compare(sum, 0), true
}

// dimension is the part of a dimension's settings that its order needs.
type dimension struct {
	Name    string   `json:"name"`
	Values  []string `json:"values"`
	Ordered bool     `json:"ordered"`
	Min     float64  `json:"min"`
	Max     float64  `json:"max"`
	Width   float64  `json:"width"`
	Other   bool     `json:"other"`
}

// mostRanks limits the bins of a dimension.
const mostRanks = 1 << 20

// ranks is the number of categories that have an order.
func (d dimension) ranks() int {
	switch n := math.Floor((d.Max-d.Min)/d.Width + 1e-9); {
	case d.Ordered:
		return len(d.Values)
	case d.Width > 0 && n >= 0 && n < mostRanks:
		return int(n) + 1
	}
	return 0
}

// places returns the rank of a category; "(other)" comes last.
func (d dimension) places() func(label string) (at int, ok bool) {
	known := map[string]int{}
	for i, v := range d.Values {
		known[v] = i
	}
	if d.Other {
		known["(other)"] = d.ranks()
	}
	return func(label string) (int, bool) {
		at, ok := known[label]
		if !ok && !d.Ordered {
			if at, ok = d.bin(label); ok {
				known[label] = at
			}
		}
		return at, ok
	}
}

// bin reads a label: the number of a bin of one, or "[low, high)".
func (d dimension) bin(label string) (at int, ok bool) {
	low, _, _ := strings.Cut(strings.TrimPrefix(label, "["), ",")
	x, err := strconv.ParseFloat(low, 64)
	rank := math.Round((x - d.Min) / d.Width)
	if err != nil || !(math.Abs(d.Min+rank*d.Width-x) <= 1e-6*d.Width) || !(rank >= 0 && rank < float64(d.ranks())) {
		return 0, false
	}
	return int(rank), true
}
