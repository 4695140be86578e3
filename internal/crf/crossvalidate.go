// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"hide/internal/annotate"
	"hide/internal/hint"
)

// CrossValidation is the models' output for documents that they were not trained on.
type CrossValidation struct {
	Fold      []int                   // of each document
	Tags      [][]annotate.Suggestion // of each document, as [Model.Tag]
	Sensitive [][]float64             // of each document, as [Model.Sensitive]
	Training  []Stats                 // of each fold
	Models    []*Model                // of each fold
	Tagging   time.Duration           // spent in [Model.Tag]; 0 without [Options.Now]
}

// Folds deals whole groups into k folds with about equal numbers of documents. groups
// names each document's group, such as its patient. The same groups, k and seed give the
// same folds, in any order of the documents.
func Folds(groups []string, k int, seed uint64) ([]int, error) {
	sizes := map[string]int{}
	for _, g := range groups {
		sizes[g]++
	}
	if k < 2 || len(sizes) < k {
		return nil, hint.Add(fmt.Errorf("%d folds need at least %d groups (patients, or notes without one), and there are %d", k, max(k, 2), len(sizes)), "choose at least 2 folds, and at most one for each group")
	}
	names := make([]string, 0, len(sizes))
	for g := range sizes {
		names = append(names, g)
	}
	slices.Sort(names)
	random := rand.New(rand.NewPCG(seed, 0x666f6c6473))
	random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	// The largest groups first, each to the currently smallest fold.
	slices.SortStableFunc(names, func(a, b string) int { return sizes[b] - sizes[a] })
	fold, filled := map[string]int{}, make([]int, k)
	for _, g := range names {
		smallest := slices.Index(filled, slices.Min(filled))
		fold[g] = smallest
		filled[smallest] += sizes[g]
	}
	out := make([]int, len(groups))
	for i, g := range groups {
		out[i] = fold[g]
	}
	return out, nil
}

// CrossValidate trains k models, each on all folds but one, and tags the documents of
// that fold one by one, as in real use. See [Folds] for groups and seed.
func CrossValidate(ctx context.Context, views []annotate.View, groups []string, k int, seed uint64, o Options) (CrossValidation, error) {
	if len(groups) != len(views) {
		return CrossValidation{}, fmt.Errorf("cross-validate: %d groups for %d documents", len(groups), len(views))
	}
	fold, err := Folds(groups, k, seed)
	if err != nil {
		return CrossValidation{}, fmt.Errorf("cross-validate: %w", err)
	}
	c := CrossValidation{Fold: fold, Tags: make([][]annotate.Suggestion, len(views)), Sensitive: make([][]float64, len(views))}
	for f := range k {
		if err := c.fold(ctx, views, f, o); err != nil {
			return CrossValidation{}, fmt.Errorf("cross-validate: fold %d of %d: %w", f+1, k, err)
		}
	}
	return c, nil
}

func (c *CrossValidation) fold(ctx context.Context, views []annotate.View, f int, o Options) error {
	var rest, held []annotate.View
	var at []int
	for i, v := range views {
		if c.Fold[i] != f {
			rest = append(rest, v)
		} else {
			held, at = append(held, v), append(at, i)
		}
	}
	m, stats, err := Train(ctx, rest, o)
	if err != nil {
		return err
	}
	c.Training, c.Models = append(c.Training, stats), append(c.Models, m)
	for k, v := range held {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.Sensitive[at[k]] = m.Sensitive(v)
		if len(v.Tokens) == len(v.Words) {
			took := o.Stopwatch()
			c.Tags[at[k]] = m.Tag(v)
			c.Tagging += took()
		}
	}
	return nil
}

// SpansOf drops the scores of suggestions.
func SpansOf(suggestions []annotate.Suggestion) []annotate.Span {
	spans := make([]annotate.Span, len(suggestions))
	for i, s := range suggestions {
		spans[i] = s.Span
	}
	return spans
}
