// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"maps"
	"slices"

	"hide/internal/annotate"
)

// categories tallies sensitive tokens by label. Groups in which nothing is left
// are not there: thousands of labels cost no more than their tokens do.
type categories map[annotate.Label]*categoryTally

type categoryTally struct {
	tokens, spans            int
	missed, spansMissed      map[int]float64 // by group
	documents, documentSpans []float64       // tokens and spans of each document that has some
}

func (c categories) add(v annotate.View, g int) {
	here, seen, seenLeft := map[annotate.Label]*[2]int{}, map[int]bool{}, map[int]bool{}
	for x, s := range v.Sensitive {
		if !s {
			continue
		}
		label, span := v.Label(x), v.SpanOf[x]
		n := here[label]
		if n == nil {
			n = new([2]int)
			here[label] = n
		}
		n[0]++
		if !seen[span] {
			seen[span] = true
			n[1]++
		}
		if !v.Hidden(x) {
			c.of(label).addMissed(g, !seenLeft[span])
			seenLeft[span] = true
		}
	}
	for label, n := range here {
		c.of(label).addDocument(n[0], n[1])
	}
}

func (t *categoryTally) addMissed(g int, newSpan bool) {
	t.missed[g]++
	if newSpan {
		t.spansMissed[g]++
	}
}

func (t *categoryTally) addDocument(tokens, spans int) {
	t.tokens, t.spans = t.tokens+tokens, t.spans+spans
	t.documents, t.documentSpans = append(t.documents, float64(tokens)), append(t.documentSpans, float64(spans))
}

func (c categories) of(label annotate.Label) *categoryTally {
	t := c[label]
	if t == nil {
		t = &categoryTally{missed: map[int]float64{}, spansMissed: map[int]float64{}}
		c[label] = t
	}
	return t
}

// one reports whether all that is sensitive is of one category.
func (c categories) one() bool {
	_, unknown := c[""]
	return len(c) == 1 && !unknown
}

// outcomes are the categories by label, nil when no token has one.
func (c categories) outcomes(s *resampler) []Category {
	labels := slices.Sorted(maps.Keys(c))
	if len(labels) == 0 || len(labels) == 1 && !c.one() {
		return nil
	}
	out := make([]Category, len(labels))
	for i, label := range labels {
		t := c[label]
		out[i] = Category{Label: label, Sensitive: t.tokens, Spans: t.spans,
			Missed:      s.bounded(sumOf(amounts(t.missed)), percentile95(t.documents), t.tokens),
			SpansMissed: s.bounded(sumOf(amounts(t.spansMissed)), percentile95(t.documentSpans), t.spans)}
	}
	return out
}

// amounts lists what groups have, most of which have none.
func amounts(perGroup map[int]float64) []amount {
	some := make([]amount, 0, len(perGroup))
	for _, g := range slices.Sorted(maps.Keys(perGroup)) {
		some = append(some, amount{g, perGroup[g]})
	}
	return some
}
