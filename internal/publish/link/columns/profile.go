// SPDX-License-Identifier: Apache-2.0

package columns

import (
	"iter"
	"strconv"
	"strings"

	"hide/internal/publish/link/compare"
	"hide/internal/words"
)

// mostSampled is how many rows of all sources are looked at closely, at most twice as many as
// are kept. They are spread over all rows.
const mostSampled = 10000

// longest is how many bytes of a value are looked at. Longer ones are notes.
const longest = 300

// values sums up the values of a column.
type values struct {
	rows     int
	filled   int      // values that are not missing
	constant bool     // all of them are equal
	unique   bool     // in each source all of them differ
	counting bool     // all are numbers that grow by one
	sample   []string // some of them, trimmed
	distinct map[string]int

	first   string
	last    int
	seen    map[uint64]struct{}
	sampled sample
}

// sample keeps every step-th of the values that it is offered, with the step growing.
type sample struct {
	step, offered int
	kept          []string
}

func (s *sample) isDue() bool { return s.offered%max(s.step, 1) == 0 }

func (s *sample) offer(v string) {
	if s.isDue() {
		s.kept = append(s.kept, strings.Clone(v))
	}
	s.offered++
	if len(s.kept) == 2*mostSampled {
		for i := range mostSampled {
			s.kept[i] = s.kept[2*i]
		}
		s.kept = s.kept[:mostSampled]
		s.step = 2 * max(s.step, 1)
	}
}

// profile reads all rows of all sources once.
func profile(columns int, sources []iter.Seq[[]string]) []*values {
	all := make([]*values, columns)
	for i := range all {
		all[i] = &values{constant: true, unique: true, counting: true}
	}
	for _, rows := range sources {
		for _, v := range all {
			v.seen, v.last = map[uint64]struct{}{}, -1
		}
		for row := range rows {
			for i, v := range all {
				v.rows++
				if i < len(row) {
					v.add(strings.TrimSpace(row[i]))
				}
			}
		}
	}
	for _, v := range all {
		v.seen = nil
		v.sample, v.sampled.kept = v.sampled.kept, nil
		v.distinct = make(map[string]int)
		for _, s := range v.sample {
			v.distinct[s]++
		}
	}
	return all
}

// add counts a value. Most values of a large file are counted and not looked at.
func (v *values) add(s string) {
	s = s[:min(len(s), longest)]
	decided := !v.constant && !v.unique && !v.counting
	if s == "" || !(decided && !v.sampled.isDue()) && v.isMissing(s) {
		return
	}
	if v.filled == 0 {
		v.first = strings.Clone(s)
	}
	v.filled++
	v.constant = v.constant && s == v.first
	v.counting = v.counting && v.follows(s)
	v.unique = v.unique && v.isNew(s)
	v.sampled.offer(s)
}

// isMissing reports whether a value says that there is none. Most values show at once that
// they do not.
func (v *values) isMissing(s string) bool {
	return s != v.first && !hasDigit(s) && compare.Text.Clean(s) == ""
}

// follows reports whether a value is the number after the one before it.
func (v *values) follows(s string) bool {
	n, err := strconv.Atoi(s)
	next := v.last + 1
	first := v.last < 0
	v.last = n
	return err == nil && (first || n == next)
}

func (v *values) isNew(s string) bool {
	h := hash(s)
	if _, again := v.seen[h]; again {
		v.seen = nil
		return false
	}
	v.seen[h] = struct{}{}
	return true
}

// hash is FNV-1a of 64 bits.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// share is how many of the sampled values satisfy a condition, of all.
func (v *values) share(is func(string) bool) tally {
	t := tally{of: len(v.sample)}
	for s, n := range v.distinct {
		if is(s) {
			t.n += n
		}
	}
	return t
}

// tally is a count of sampled values.
type tally struct{ n, of int }

func (t tally) atLeast(percent int) bool { return t.of > 0 && 100*t.n >= percent*t.of }

// String is "9,812 of 10,000 values".
func (t tally) String() string {
	return words.Number(t.n) + " of " + words.Count(t.of, "value", "values")
}

func (t tally) are(what string) string {
	if t.n == 1 {
		return t.String() + " is " + what
	}
	return t.String() + " are " + what
}
