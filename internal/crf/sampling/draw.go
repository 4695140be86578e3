// SPDX-License-Identifier: Apache-2.0

package sampling

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"hide/internal/annotate"
)

// mostDraws is how often one example can be drawn: every further draw of any example is
// another copy of its document.
const mostDraws = 200

// Draw draws with replacement, in proportion to cost (Gardner 2012, section 4.5.4: a file of
// 200,000 examples from one of 106,255). Examples are the words of O and the spans that O
// and Window keep. With c the cost of an example and m the mean cost of all such words, the
// number of draws is Poisson distributed with mean
//
//	Times * c / m
//
// so that training uses about Times as many words as O and Window keep. Poisson counts are
// those of independent draws from an unlimited file; they need no fixed number of draws,
// so that a document's draws do not depend on the other documents beyond m.
//
// The result has, for each document, what each of its copies leaves out: copy k has the
// examples that are drawn more than k times. Every document has a first copy.
func (s Sampling) Draw(docs []Document) ([][][]bool, error) {
	kept, mean := s.eligible(docs)
	for _, label := range labelsOf(docs) {
		if n := s.Times * s.cost(label) / mean; n > mostDraws {
			return nil, fmt.Errorf("sampling: an example of label %s would be drawn %.0f times, at most %d is possible: bring the costs closer together", cmp.Or(label, outside), n, mostDraws)
		}
	}
	out := make([][][]bool, len(docs))
	for i, d := range docs {
		out[i] = copies(s.counts(d, kept[i], mean))
	}
	return out, nil
}

// Copies is the result of [Sampling.Draw], or one copy of each document when the sampling
// draws without replacement.
func (s Sampling) Copies(docs []Document) ([][][]bool, error) {
	if s.Times > 0 {
		return s.Draw(docs)
	}
	out := make([][][]bool, len(docs))
	for i, d := range docs {
		skip := s.Rejects(d)
		if skip == nil {
			skip = make([]bool, len(d.Words))
		}
		out[i] = [][]bool{skip}
	}
	return out, nil
}

// eligible returns what O and Window leave out of each document, and the mean cost of the
// other words.
func (s Sampling) eligible(docs []Document) (skips [][]bool, mean float64) {
	whole := Sampling{O: s.O, Window: s.Window, Seed: s.Seed}
	skips = make([][]bool, len(docs))
	n, sum := 0, 0.0
	for i, d := range docs {
		skips[i] = whole.Rejects(d)
		for t := range d.Words {
			if skips[i] == nil || !skips[i][t] {
				n++
				sum += s.cost(d.label(t))
			}
		}
	}
	return skips, sum / float64(max(n, 1))
}

// labelsOf are the labels that occur, sorted; "" is O.
func labelsOf(docs []Document) []annotate.Label {
	seen := map[annotate.Label]bool{}
	for _, d := range docs {
		for t := range d.Words {
			seen[d.label(t)] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// counts is how often each word of a document is drawn. A span is drawn whole.
func (s Sampling) counts(d Document, skip []bool, mean float64) []int {
	s.Seed ^= 0x74696d6573 // other numbers than those that O compares with
	random, out := s.random(d), make([]int, len(d.Words))
	drawn := 0 // of the span that word t is in
	for t := range d.Words {
		u, label := random.Float64(), d.label(t)
		n := drawn
		if label == "" || d.opens(t) {
			n = poisson(u, s.Times*s.cost(label)/mean)
		}
		if label != "" {
			drawn = n
		}
		if skip == nil || !skip[t] {
			out[t] = n
		}
	}
	return out
}

// copies turns numbers of draws into what each copy of the document leaves out.
func copies(counts []int) [][]bool {
	most := 1
	for _, n := range counts {
		most = max(most, n)
	}
	out := make([][]bool, most)
	for k := range out {
		out[k] = make([]bool, len(counts))
		for t, n := range counts {
			out[k][t] = n <= k
		}
	}
	return out
}

// poisson is the quantile u of a Poisson distribution: the smallest n with
//
//	sum_{k<=n} e^-mean mean^k / k! > u
func poisson(u, mean float64) int {
	n, p := 0, math.Exp(-mean)
	for sum := p; sum <= u && n < 3*mostDraws; sum += p {
		n++
		p *= mean / float64(n)
	}
	return n
}

// cost is that of a label; 1 if none is given.
func (s Sampling) cost(label annotate.Label) float64 {
	if c, known := s.Cost[label]; known {
		return c
	}
	return 1
}
