// SPDX-License-Identifier: Apache-2.0

package score

import (
	"hide/internal/annotate"
)

// Masking counts what is masked, whatever the label: figures that every learner has, those
// that predict labels and those that only mark PHI. A run is a maximal sequence of
// neighbouring tokens, of PHI or of predictions: neighbouring spans of two labels are one
// run, because marks do not show where one ends.
type Masking struct {
	Runs   Tally                          `json:"runs"`   // predicted runs that are exactly a run of PHI
	Spans  SpanMasking                    `json:"spans"`  // of PHI
	Labels map[annotate.Label]SpanMasking `json:"labels"` // the same by label
	Inside Share                          `json:"inside"` // of the predicted runs, those without a token that is not PHI
	Alarms Share                          `json:"alarms"` // of the predicted runs, those without a token of PHI
}

// SpanMasking counts spans of PHI by how much of them is masked. Spans without a token do
// not count.
type SpanMasking struct {
	Covered Share `json:"covered"` // every token is masked
	Touched Share `json:"touched"` // at least one token is masked
}

const (
	wayRuns    measure = "runs"
	wayCovered measure = "covered spans"
	wayTouched measure = "touched spans"
	wayInside  measure = "runs inside PHI"
	wayAlarms  measure = "runs without PHI"
)

// RunLabel is the label of runs: spans without regard to labels.
const RunLabel annotate.Label = "PHI"

// runs are the maximal sequences of tokens that spans cover.
func runs(tokens []annotate.Token, spans []annotate.Span) []annotate.Span {
	labels, begins := annotate.TokenLabels(tokens, spans)
	for t := range labels {
		if labels[t] != "" {
			labels[t], begins[t] = RunLabel, false
		}
	}
	return annotate.SpansOf(tokens, labels, begins)
}

// masking records what is masked in a document. gold are its spans, with their labels.
func (l *ledger) masking(group int, d Prediction, gold, predicted []annotate.Span) {
	exact(sides{runs(d.Tokens, gold), runs(d.Tokens, predicted)}, entry{l, group, wayRuns})
	said, _ := annotate.TokenLabels(d.Tokens, predicted)
	for _, s := range gold {
		masked, all := d.marked(s, said)
		if all == 0 {
			continue
		}
		for _, label := range []annotate.Label{anyLabel, s.Label} {
			l.share(group, account{wayCovered, label}, masked == all)
			l.share(group, account{wayTouched, label}, masked > 0)
		}
	}
	truth, _ := annotate.TokenLabels(d.Tokens, gold)
	for _, run := range runs(d.Tokens, predicted) {
		right, all := d.marked(run, truth)
		l.share(group, account{wayInside, anyLabel}, right == all)
		l.share(group, account{wayAlarms, anyLabel}, right == 0)
	}
}

// marked counts the tokens of a span that have a label.
func (d Prediction) marked(s annotate.Span, labels []annotate.Label) (marked, all int) {
	from, to := annotate.Covered(d.Tokens, s)
	for _, label := range labels[from:to] {
		if label != "" {
			marked++
		}
	}
	return marked, to - from
}

func (b reportData) masking() Masking {
	m := Masking{
		Runs: b.one(account{wayRuns, RunLabel}), Spans: b.spanMasking(anyLabel), Labels: map[annotate.Label]SpanMasking{},
		Inside: b.special(account{wayInside, anyLabel}), Alarms: b.special(account{wayAlarms, anyLabel}),
	}
	for _, label := range b.labels(wayCovered) {
		if label != anyLabel {
			m.Labels[label] = b.spanMasking(label)
		}
	}
	return m
}

func (b reportData) spanMasking(label annotate.Label) SpanMasking {
	return SpanMasking{b.special(account{wayCovered, label}), b.special(account{wayTouched, label})}
}
