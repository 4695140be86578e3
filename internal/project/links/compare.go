// SPDX-License-Identifier: Apache-2.0

package links

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hide/internal/publish/link"
)

// scored is what comparing the records gave. Records are named by their index.
type scored struct {
	pairs  []scoredPair // the most likely first
	run    Run          // its model, rules and histogram
	below  float64      // expected pairs of one person below the lowest kept probability, unseen ones not included
	unseen float64      // expected pairs of one person that no rule compared
	bars   map[[2]int][]storedBar
}

// scoredPair is a pair that may be one person. Odds are log2 odds.
type scoredPair struct {
	a, b     int
	odds     float64
	conflict bool // their birth dates are certain, and agree in the year at most
}

// probability of log2 odds.
func probability(odds float64) float64 { return 1 / (1 + math.Exp2(-odds)) }

// oddsOf is the inverse of probability.
func oddsOf(p float64) float64 { return math.Log2(p / (1 - p)) }

// keptFrom is the lowest probability of a pair that is kept.
const keptFrom = .02

// mostBars bounds the pairs whose waterfall is kept: those nearest to even odds.
const mostBars = 20_000

// compareRecords compares the records with what they say of their patients.
func compareRecords(ctx context.Context, records []*evidence, progress func(done, total int)) (*scored, error) {
	fields := usedFields(records)
	if len(fields) == 0 || len(records) < 2 {
		return &scored{}, nil
	}
	names := linkFields()
	used := make([]link.Field, len(fields))
	for i, f := range fields {
		used[i] = names[f]
	}
	all := link.NewRecords(used)
	for _, e := range records {
		row := make([][]string, len(fields))
		for i, f := range fields {
			row[i] = texts(e.cells[f])
		}
		all.Add(row...)
	}
	config := link.Default(used)
	config.Review = keptFrom
	result, err := link.Run(ctx, all, config, link.Options{Progress: progress, Workers: workers})
	if err != nil {
		return nil, err
	}
	return newScored(ctx, result, records)
}

// birthConflict finds records whose birth dates agree in the year at most. A year without a day
// comes from an age, so it may be the year before or after.
func birthConflict() func(x, y *evidence) bool {
	kind := fieldTable[born].kind
	comparer, sameYear := kind.NewComparer(), len(kind.Levels())-2
	agree := func(a, b string) bool {
		if comparer.Level(a, b) < sameYear {
			return true
		}
		yearA, err := strconv.Atoi(a[:4])
		yearB, err2 := strconv.Atoi(b[:4])
		return (a[4:] == noDay || b[4:] == noDay) && err == nil && err2 == nil && max(yearA-yearB, yearB-yearA) <= 1
	}
	return func(x, y *evidence) bool {
		if !x.certain(born) || !y.certain(born) {
			return false
		}
		for _, v := range x.cells[born] {
			for _, w := range y.cells[born] {
				if agree(born.clean(v.Text), born.clean(w.Text)) {
					return false
				}
			}
		}
		return true
	}
}

// noDay stands behind the year of a cleaned date whose month and day are not known.
const noDay = "0000"

// markCopies finds the records that the engine compares as another one, and the index of that
// one: of many equal records those beyond [link.MostCopies].
func markCopies(records []*evidence) map[int]int {
	equal, like := map[string][]int{}, map[int]int{}
	for i, e := range records {
		e.like = 0
		key := e.cleaned()
		if equal[key] = append(equal[key], i); len(equal[key]) > link.MostCopies {
			like[i] = equal[key][link.MostCopies-1]
			e.like = records[like[i]].number
		}
	}
	return like
}

// cleaned are the values of a record as they are compared.
func (e *evidence) cleaned() string {
	var b strings.Builder
	for f, values := range e.cells {
		all := make([]string, len(values))
		for i, v := range values {
			all[i] = field(f).clean(v.Text)
		}
		slices.Sort(all)
		fmt.Fprintf(&b, "%q", slices.Compact(all))
	}
	return b.String()
}

// workers compare the records.
const workers = 2

// usedFields are the fields that some record has.
func usedFields(records []*evidence) (all []field) {
	for f := range fieldCount {
		if slices.ContainsFunc(records, func(e *evidence) bool { return len(e.cells[f]) > 0 }) {
			all = append(all, f)
		}
	}
	return all
}

func newScored(ctx context.Context, r *link.Result, records []*evidence) (*scored, error) {
	s := &scored{unseen: r.Errors.Unseen, below: r.Errors.Matches, bars: map[[2]int][]storedBar{}}
	prior, conflict := oddsOf(r.Model.Prior), birthConflict()
	for _, p := range r.Pairs {
		s.pairs = append(s.pairs, scoredPair{p.A, p.B, rounded(p.Weight + prior), conflict(records[p.A], records[p.B])})
		s.below -= p.Probability
	}
	s.below = max(0, s.below)
	s.run = runOf(r)
	for i, p := range s.doubtful() {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.bars[[2]int{p.a, p.b}] = barsOf(r.Waterfall(p.a, p.b))
	}
	return s, nil
}

// rounded keeps what pages show of bits.
func rounded(bits float64) float64 { return math.Round(bits*1000) / 1000 }

// doubtful are the pairs nearest to even odds.
func (s *scored) doubtful() []scoredPair {
	all := slices.Clone(s.pairs)
	slices.SortStableFunc(all, func(x, y scoredPair) int {
		switch dx, dy := math.Abs(x.odds), math.Abs(y.odds); {
		case dx < dy:
			return -1
		case dx > dy:
			return 1
		}
		return 0
	})
	return all[:min(len(all), mostBars)]
}

func barsOf(all []link.Bar) []storedBar {
	out := make([]storedBar, len(all))
	for i, b := range all {
		out[i] = storedBar{Field: b.Name, Level: b.Level, Weight: rounded(b.Bits), Rare: rounded(b.Frequency)}
	}
	return out
}

// runOf is the part of a run that the engine knows.
func runOf(r *link.Result) Run {
	run := Run{Prior: r.Model.Prior, Compared: r.Compared}
	for _, f := range r.Model.Fields {
		out := Field{Name: f.Field.Name, Kind: string(f.Field.Kind), Records: int(math.Round(f.Filled * float64(r.Records)))}
		for _, l := range f.Levels {
			out.Levels = append(out.Levels, Level{l.Name, l.M, l.U, rounded(l.Weight)})
		}
		run.Fields = append(run.Fields, out)
	}
	for _, rule := range r.Rules {
		run.Rules = append(run.Rules, Rule{rule.Rule, rule.Pairs, rule.Only, rule.Cut})
	}
	for _, b := range r.Histogram {
		run.Histogram = append(run.Histogram, Bin{b.Low, b.Pairs, b.Matches})
	}
	return run
}
