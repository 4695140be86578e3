// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
)

// tolerance is for rounding errors of sums and logarithms.
const tolerance = 1e-9

// checkSensitive recomputes diversity and closeness of every class.
func (c *tableChecker) checkSensitive() error {
	for i := range c.sensitive {
		s := &c.sensitive[i]
		if s.L > 0 {
			c.conclude(s.diversity())
		}
		if s.T > 0 {
			distance, err := c.distance(s)
			if err != nil {
				return err
			}
			if distance == nil {
				continue // it is among the problems
			}
			c.conclude(s.closeness(distance))
		}
	}
	return nil
}

func (c *tableChecker) conclude(found Condition) {
	c.report.Conditions = append(c.report.Conditions, found)
	if !found.Holds {
		c.Add(tableName, "attribute %q: an equivalence class does not satisfy the %s claimed", found.Attribute, found.Model)
	}
}

// diversity finds the class that is least diverse.
func (s *sensitive) diversity() Condition {
	out := Condition{Attribute: s.Name, Model: s.Diversity, Claimed: s.L, Holds: true}
	for i, counts := range s.counts {
		holds, measure := true, 0.0
		switch s.Diversity {
		case "entropy":
			measure = perplexity(counts)
			holds = measure+tolerance >= s.L
		case "recursive":
			measure = headToTail(counts, int(s.L))
			holds = measure >= 0 && measure < s.C
		case "distinct":
			measure = float64(len(counts))
			holds = measure >= s.L
		default:
			holds = false
		}
		out.Holds = out.Holds && holds
		if i == 0 || worse(s.Diversity, measure, out.Worst) {
			out.Worst = measure
		}
	}
	return out
}

func worse(kind string, a, b float64) bool {
	if kind == "recursive" {
		return b >= 0 && (a < 0 || a > b)
	}
	return a < b
}

// perplexity is the exponential of the entropy of counts.
func perplexity(counts map[int]int) float64 {
	total := 0
	for _, n := range counts {
		total += n
	}
	var terms []float64
	for _, n := range counts {
		p := float64(n) / float64(total)
		terms = append(terms, -p*math.Log(p))
	}
	slices.Sort(terms) // the order of a map would change the rounding of the sum
	h := 0.0
	for _, t := range terms {
		h += t
	}
	return math.Exp(h)
}

// headToTail is r_1 / (r_l + ... + r_m), -1 if the tail is empty.
func headToTail(counts map[int]int, l int) float64 {
	var r []int
	for _, n := range counts {
		r = append(r, n)
	}
	slices.Sort(r)
	slices.Reverse(r)
	tail := 0
	for i := max(l, 1) - 1; i < len(r); i++ {
		tail += r[i]
	}
	if tail == 0 {
		return -1
	}
	return float64(r[0]) / float64(tail)
}

// closeness finds the class that is farthest from the whole table.
func (s *sensitive) closeness(distance func(extra []float64) float64) Condition {
	out := Condition{Attribute: s.Name, Model: "closeness", Claimed: s.T}
	all, rows := make([]float64, len(s.words)), 0.0
	for _, counts := range s.counts {
		for value, n := range counts {
			all[value] += float64(n)
			rows += float64(n)
		}
	}
	for _, counts := range s.counts {
		size := 0
		for _, n := range counts {
			size += n
		}
		extra := make([]float64, len(all))
		for value := range extra {
			extra[value] = float64(counts[value])/float64(size) - all[value]/rows
		}
		out.Worst = max(out.Worst, distance(extra))
	}
	out.Holds = out.Worst <= s.T+tolerance
	return out
}

// distance makes the claimed earth mover's distance, nil if it cannot be made.
func (c *tableChecker) distance(s *sensitive) (func([]float64) float64, error) {
	switch s.Distance {
	case "equal":
		return func(extra []float64) float64 {
			moved := 0.0
			for _, e := range extra {
				moved += max(e, 0)
			}
			return moved
		}, nil
	case "ordered":
		order, ok := s.order()
		if !ok {
			c.Add(manifestName, "attribute %q has values that are not in its order", s.Name)
			return nil, nil
		}
		return func(extra []float64) float64 { return alongLine(extra, order) }, nil
	case "hierarchical":
		return c.alongTree(s)
	}
	c.Add(manifestName, "attribute %q has an unknown distance", s.Name)
	return nil, nil
}

// order sorts the values: numbers by size, dates by time, others as in the manifest,
// missing values last.
func (s *sensitive) order() ([]int, bool) {
	type placed struct {
		value int
		at    float64
		word  string
	}
	all, ok := make([]placed, len(s.words)), true
	for i, word := range s.words {
		all[i] = placed{i, 0, word}
		var err error
		switch {
		case word == "na":
			all[i].at = math.Inf(1)
		case s.Kind == "number":
			all[i].at, err = strconv.ParseFloat(word, 64)
		case s.Kind == "ordinal":
			all[i].at = float64(slices.Index(s.Order, word))
			ok = ok && all[i].at >= 0
		}
		ok = ok && err == nil
	}
	slices.SortFunc(all, func(a, b placed) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		case a.word < b.word:
			return -1
		}
		return 1
	})
	order := make([]int, len(all))
	for i, p := range all {
		order[i] = p.value
	}
	return order, ok
}

// alongLine is the mass moved between neighbours, with steps of length 1.
func alongLine(extra []float64, order []int) float64 {
	if len(order) < 2 {
		return 0
	}
	carried, moved := 0.0, 0.0
	for _, value := range order[:len(order)-1] {
		carried += extra[value]
		moved += math.Abs(carried)
	}
	return moved / float64(len(order)-1)
}

// alongTree moves mass up to the lowest common label of two values: crossing the edge
// above a label at height h costs half a level each way.
func (c *tableChecker) alongTree(s *sensitive) (func([]float64) float64, error) {
	f, err := c.fsys.Open(s.Hierarchy)
	if err != nil {
		c.Add(manifestName, "the hierarchy of attribute %q is missing", s.Name)
		return nil, nil
	}
	defer f.Close() // only read
	in := csv.NewReader(f)
	in.Comma = ';'
	rows, err := in.ReadAll()
	if err != nil || len(rows) == 0 {
		c.Add(s.Hierarchy, "is not a hierarchy")
		return nil, nil
	}
	paths := map[string][]string{}
	for _, row := range rows {
		paths[row[0]] = row
	}
	height := len(rows[0]) - 1
	above := make([][]string, len(s.words)) // [value][level] label, with its level
	for i, word := range s.words {
		path := paths[word]
		for level := 1; level <= height; level++ {
			label := fmt.Sprint(level, " na")
			if path != nil {
				label = fmt.Sprint(level, "=", path[level])
			} else if level == height {
				label = fmt.Sprint(level, "=", rows[0][height])
			}
			above[i] = append(above[i], label)
		}
		if path == nil && word != "na" {
			c.Add(s.Hierarchy, "lacks a value of attribute %q", s.Name)
			return nil, nil
		}
	}
	return func(extra []float64) float64 { return crossings(extra, above, height) }, nil
}

// crossings sums |mass| over all edges of the tree: half a step of 1/height each.
func crossings(extra []float64, above [][]string, height int) float64 {
	sum := 0.0
	for _, e := range extra {
		sum += math.Abs(e)
	}
	for level := 0; level+1 < height; level++ {
		mass := map[string]float64{}
		for value, e := range extra {
			mass[above[value][level]] += e
		}
		moved := slices.Sorted(maps.Values(mass)) // the order of a map would change the rounding of the sum
		for _, m := range moved {
			sum += math.Abs(m)
		}
	}
	return sum / 2 / float64(height)
}
