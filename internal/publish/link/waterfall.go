// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"math"
)

// A Bar is one step of the weight of a pair, in bits. The bars of a pair add up to its weight
// and the prior: the log2 odds of a match.
type Bar struct {
	Name      string
	Level     string  // in words; "missing" if one record lacks the field
	Bits      float64 // the whole step
	Frequency float64 // the part of Bits that comes from how frequent the value is
}

// Names of the bars that are not fields.
const (
	priorBar     = "prior"
	householdBar = "shared address and family"
)

// Waterfall explains the weight of two records: the prior, then each field as if it were
// independent, then the correction for the parts of an address, which do not count several
// times, and for families. It panics if there is no such record. It is not safe for
// concurrent use.
func (r *Result) Waterfall(a, b int) []Bar {
	e, s := r.engine, r.scorer
	of, weight, _ := s.score(e.at[a], e.at[b])
	values := s.chancesOf(of, e.row(e.at[a]), e.row(e.at[b]))
	bars := []Bar{{Name: priorBar, Level: fmt.Sprintf("1 of %.0f pairs is a match", 1/e.prior), Bits: logOdds(e.prior)}}
	sum := 0.
	for f, field := range e.fields {
		bar := s.bar(of, f, values.u[f])
		bar.Name = field.Name
		bars = append(bars, bar)
		sum += bar.Bits
	}
	if !e.shape.showsNothing() {
		bars = append(bars, Bar{Name: householdBar, Level: e.likelyState(of), Bits: weight - sum})
	}
	return bars
}

// bar is the step of one field. chance replaces u if it is not 0.
func (s *scorer) bar(of pattern, f int, chance float64) Bar {
	level := of.level(f)
	if level == missing {
		return Bar{Level: s.missingLevel(of, f)}
	}
	bar := Bar{Level: s.shape.levels[f][level], Bits: s.levelWeights[f][level]}
	if chance > 0 {
		bar.Frequency = math.Log2(s.model.u[f][level] / chance)
		bar.Bits += bar.Frequency
	}
	return bar
}

// missingLevel is "missing", but for a surname that was compared with given names, and for a sex
// that follows from the given names.
func (s *scorer) missingLevel(of pattern, f int) string {
	if given := s.shape.given; f == s.shape.surname {
		if level := of.level(given); level != missing && level >= s.shape.ownLevels(given) {
			return "compared with the " + s.fields[given].Name
		}
	}
	if f == s.shape.sex && s.sexFollows(of.with(f, 0)) {
		return "follows from the " + s.fields[s.shape.named].Name
	}
	return "missing"
}

// likelyState says in words which hidden state is the most probable.
func (e *engine) likelyState(of pattern) string {
	m, u := e.model.joint(of, e.prior)
	best := 0
	for i := range m {
		if m[i]+u[i] > m[best]+u[best] {
			best = i
		}
	}
	return []string{"different addresses", "the same locality", "the same address", "different addresses, perhaps relatives"}[best]
}
