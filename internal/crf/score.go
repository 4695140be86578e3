// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"cmp"
	"slices"

	"hide/internal/annotate"
)

// Scores compare predicted with gold spans.
type Scores struct {
	Entity            Level `json:"entity"` // a span is right when start, end and label are
	Token             Level `json:"token"`  // a token is right when its label is
	Documents         int   `json:"documents"`
	DocumentsWithLeak int   `json:"documents_with_leak"` // those with a sensitive token that no predicted span covers
}

// Level is one way of counting, in all and by label.
type Level struct {
	Micro  Tally                    `json:"micro"` // over all labels together
	Labels map[annotate.Label]Tally `json:"labels"`
}

// Tally counts decisions and gives the ratios: precision TP/(TP+FP), recall
// TP/(TP+FN), and F1, their harmonic mean (dissertation, section 4.3). A ratio
// without denominator is 0. Nothing is counted where gold and prediction agree
// that there is nothing, so a rare label is not flattered.
type Tally struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	TP        int     `json:"tp"`
	FP        int     `json:"fp"`
	FN        int     `json:"fn"`
}

// Score compares the spans of each document. The three slices are parallel; docs
// need Tokens. Where a label is mistaken for another, the predicted one has a
// false positive and the true one a false negative.
func Score(gold, predicted [][]annotate.Span, docs []Doc) Scores {
	if len(gold) != len(docs) || len(predicted) != len(docs) {
		panic("crf: Score wants one list of spans per document")
	}
	entity, token := tallies{}, tallies{}
	s := Scores{Documents: len(docs)}
	for i, d := range docs {
		entity.spans(gold[i], predicted[i])
		if token.tokens(d.Tokens, gold[i], predicted[i]) {
			s.DocumentsWithLeak++
		}
	}
	s.Entity, s.Token = entity.level(), token.level()
	return s
}

type tallies map[annotate.Label]*Tally

func (t tallies) of(l annotate.Label) *Tally {
	if t[l] == nil {
		t[l] = &Tally{}
	}
	return t[l]
}

// spans counts exact matches by merging the two sorted lists.
func (t tallies) spans(gold, predicted []annotate.Span) {
	g, p := sorted(gold), sorted(predicted)
	for len(g) > 0 || len(p) > 0 {
		switch c := order(g, p); {
		case c == 0:
			t.of(g[0].Label).TP++
			g, p = g[1:], p[1:]
		case c < 0:
			t.of(g[0].Label).FN++
			g = g[1:]
		default:
			t.of(p[0].Label).FP++
			p = p[1:]
		}
	}
}

func sorted(spans []annotate.Span) []annotate.Span {
	return slices.SortedFunc(slices.Values(spans), annotate.CompareSpans)
}

// order compares the heads of two lists; an empty one comes last.
func order(g, p []annotate.Span) int {
	if len(g) == 0 || len(p) == 0 {
		return cmp.Compare(len(p), len(g))
	}
	return annotate.CompareSpans(g[0], p[0])
}

// tokens counts token by token and reports whether a sensitive one is uncovered.
func (t tallies) tokens(tokens []annotate.Token, gold, predicted []annotate.Span) (leak bool) {
	want, _ := annotate.TokenLabels(tokens, sorted(gold))
	got, _ := annotate.TokenLabels(tokens, sorted(predicted))
	for i, label := range want {
		if label == got[i] && label != "" {
			t.of(label).TP++
			continue
		}
		if label != "" {
			t.of(label).FN++
		}
		if got[i] != "" {
			t.of(got[i]).FP++
		}
		leak = leak || label != "" && got[i] == ""
	}
	return leak
}

func (t tallies) level() Level {
	level := Level{Labels: make(map[annotate.Label]Tally, len(t))}
	for label, n := range t {
		level.Labels[label] = n.withRatios()
		level.Micro.TP += n.TP
		level.Micro.FP += n.FP
		level.Micro.FN += n.FN
	}
	level.Micro = level.Micro.withRatios()
	return level
}

func (t Tally) withRatios() Tally {
	t.Precision = ratio(t.TP, t.TP+t.FP)
	t.Recall = ratio(t.TP, t.TP+t.FN)
	t.F1 = ratio(2*t.TP, 2*t.TP+t.FP+t.FN)
	return t
}

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
