// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/words"
)

// What a card says in words, wherever it is shown.

// String says how much a model learnt from.
func (d CardData) String() string {
	line := counted(d.Documents, "document") + ", " + counted(d.Words, "word")
	if d.Learnt != d.Words {
		line += ", " + words.Number(d.Learnt) + " of them learnt from"
	}
	if d.Patients > 0 {
		line += ", " + counted(d.Patients, "patient")
	}
	if d.First != "" {
		line += ", " + d.First + " to " + d.Last
	}
	return line
}

// Labels lists those of the spans, the most frequent first.
func (d CardData) Labels() []annotate.Label {
	return slices.SortedFunc(maps.Keys(d.Spans), func(a, b annotate.Label) int {
		return cmp.Or(cmp.Compare(d.Spans[b], d.Spans[a]), cmp.Compare(a, b))
	})
}

// OptionsText says what a training was asked for.
func (c Card) OptionsText() string {
	o := c.Options
	parts := []string{fmt.Sprintf("minimum count %d", o.MinCount)}
	if c.Learner == Bayes {
		parts = append(parts, fmt.Sprintf("alpha %g", o.Alpha))
	} else {
		parts = append(parts, fmt.Sprintf("c2 %g", o.C2), fmt.Sprintf("pairs %s", o.Pairs), fmt.Sprintf("at most %d iterations", o.MaxIterations), fmt.Sprintf("tolerance %g", o.Tolerance))
	}
	if o.L1 > 0 {
		parts = append(parts, fmt.Sprintf("l1 %g", o.L1))
	}
	if s := o.Sampling.String(); s != "" {
		parts = append(parts, "sampling "+s)
	}
	if o.Binary {
		parts = append(parts, "labels folded into one")
	}
	if o.Warm {
		parts = append(parts, "begun from an earlier model")
	}
	return strings.Join(parts, ", ")
}

// String says how a training went.
func (t CardTraining) String() string {
	line := cmp.Or(string(t.Status), "unknown")
	if t.Iterations > 0 {
		line += fmt.Sprintf(", %s, objective %.4f", counted(t.Iterations, "iteration"), t.Objective)
	}
	line += ", " + counted(t.Attributes, "attribute") + ", " + counted(t.Weights, "weight")
	if t.Kept != t.Weights {
		line += " of which " + words.Number(t.Kept) + " are more than next to nothing"
	}
	return line
}

func counted(n int, what string) string { return words.Count(n, what, what+"s") }
