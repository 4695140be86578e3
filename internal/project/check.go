// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"fmt"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
)

// How a model is measured. Fewer iterations than a model in use gets are enough
// to tell how good it is, and err on the low side.
const (
	checkFolds      = 3
	checkIterations = 60
	checkSeed       = 1
	minRandom       = 10 // randomly chosen documents needed to score on them alone
)

// crossValidate tags each document by a model that saw no document of its
// patient and scores what it finds, token by token, whatever the label. With
// enough randomly chosen documents it scores on those alone, since what
// uncertainty chose is harder than the rest.
func crossValidate(ctx context.Context, c corpus, docs []crf.Doc) (Scores, error) {
	seen, err := crf.CrossValidate(ctx, docs, c.groups(), checkFolds, checkSeed, crf.Options{MaxIterations: checkIterations})
	if err != nil {
		return Scores{}, fmt.Errorf("check the model: %w", err)
	}
	t := tally{group: map[string]int{}}
	scores := Scores{Folds: checkFolds, Random: c.randomly() >= minRandom}
	for i, d := range docs {
		if c.random[i] || !scores.Random {
			t.count(c.docs[i].Group(), d, seen.Tags[i])
			scores.Documents++
		}
	}
	scores.Precision, _ = greedy.ShareEstimate(t.found, t.marked, checkSeed)
	scores.Recall, _ = greedy.ShareEstimate(t.found, t.sensitive, checkSeed)
	return scores, nil
}

// tally counts tokens by group: sensitive ones, those that a model marked, and
// those that are both.
type tally struct {
	group                    map[string]int
	sensitive, marked, found []float64
}

func (t *tally) count(group string, d crf.Doc, tags []annotate.Suggestion) {
	g, known := t.group[group]
	if !known {
		g = len(t.group)
		t.group[group] = g
		t.sensitive, t.marked, t.found = append(t.sensitive, 0), append(t.marked, 0), append(t.found, 0)
	}
	marked := make([]bool, len(d.Words))
	for _, tag := range tags {
		from, to := annotate.Covered(d.Tokens, tag.Span)
		for i := from; i < to; i++ {
			marked[i] = true
		}
	}
	for i, label := range d.Labels {
		if label != "" {
			t.sensitive[g]++
		}
		if marked[i] {
			t.marked[g]++
		}
		if label != "" && marked[i] {
			t.found[g]++
		}
	}
}
