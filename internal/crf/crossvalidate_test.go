// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf/score"
)

func TestFoldsKeepGroupsWholeAndSizesEven(t *testing.T) {
	var groups []string
	for i := range 101 {
		groups = append(groups, fmt.Sprint(i*i%37))
	}
	fold, err := Folds(groups, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	of, sizes := map[string]int{}, make([]int, 5)
	for i, g := range groups {
		if f, ok := of[g]; ok && f != fold[i] {
			t.Fatalf("group %s is in folds %d and %d", g, f, fold[i])
		}
		of[g] = fold[i]
		sizes[fold[i]]++
	}
	if largest := 6; slices.Max(sizes)-slices.Min(sizes) > largest {
		t.Errorf("sizes %v", sizes)
	}
}

func TestFoldsDependOnTheSeedAndNotOnTheOrder(t *testing.T) {
	groups := make([]string, 40)
	for i := range groups {
		groups[i] = fmt.Sprint(i)
	}
	one, _ := Folds(groups, 4, 1)
	again, _ := Folds(groups, 4, 1)
	other, _ := Folds(groups, 4, 2)
	if !slices.Equal(one, again) || slices.Equal(one, other) {
		t.Error("the seed does not change the folds")
	}
	slices.Reverse(groups)
	reversed, _ := Folds(groups, 4, 1)
	slices.Reverse(reversed)
	if !slices.Equal(one, reversed) {
		t.Error("the folds depend on the order of the documents")
	}
}

func TestFoldsRefuseTooFewGroups(t *testing.T) {
	for _, k := range []int{-1, 0, 1, 3} {
		if _, err := Folds([]string{"a", "b", "a"}, k, 1); err == nil {
			t.Errorf("%d folds of two groups: no error", k)
		}
	}
}

func TestCrossValidationScoresUnseenDocuments(t *testing.T) {
	docs, gold := notes(40, 30)
	groups := make([]string, len(docs))
	for i := range groups {
		groups[i] = fmt.Sprint(i / 2)
	}
	o := Options{MaxIterations: 40}
	c, err := CrossValidate(t.Context(), views(docs), groups, 3, 5, o)
	if err != nil {
		t.Fatal(err)
	}
	if m := entities(docs, gold, func(i int) []annotate.Suggestion { return c.Tags[i] }); m.F1 < 0.9 {
		t.Errorf("%+v", m)
	}
	var rest []sequence
	for i, d := range docs {
		if c.Fold[i] != c.Fold[0] {
			rest = append(rest, d)
		}
	}
	m, _ := train(t, rest, o)
	if !reflect.DeepEqual(c.Tags[0], m.Tag(docs[0].view())) || !slices.Equal(c.Sensitive[0], m.Sensitive(docs[0].view())) {
		t.Error("document 0 was not tagged by the model of the other folds")
	}
	if len(c.Training) != 3 || len(c.Models) != 3 {
		t.Errorf("%d trainings, %d models", len(c.Training), len(c.Models))
	}
}

// entities counts exact spans.
func entities(docs []sequence, gold [][]annotate.Span, tags func(i int) []annotate.Suggestion) score.Tally {
	scored := make([]score.Prediction, len(docs))
	for i, d := range docs {
		scored[i] = score.Prediction{Note: &annotate.Note{Text: d.text, Tokens: d.tokens, Spans: gold[i]}, Predicted: tags(i)}
	}
	return score.Of(scored, score.Options{}).Entity.Micro
}

func TestCrossValidationCanBeCancelled(t *testing.T) {
	docs, _ := notes(41, 12)
	groups := make([]string, len(docs))
	for i := range groups {
		groups[i] = fmt.Sprint(i)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := Options{Progress: func(Iteration) { cancel() }}
	if _, err := CrossValidate(ctx, views(docs), groups, 3, 1, o); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if _, err := CrossValidate(t.Context(), views(docs), groups[1:], 3, 1, Options{}); err == nil {
		t.Error("too few groups: no error")
	}
}

// Figures are of documents tagged one by one, regardless of their patient.
func TestCrossValidationTagsEachDocumentByItself(t *testing.T) {
	docs := bareNames(1, 30, true)
	groups := make([]string, len(docs))
	for i, d := range docs {
		groups[i] = d.group
	}
	c, err := CrossValidate(t.Context(), views(docs), groups, 2, 1, Options{Features: Thorough, MaxIterations: 20})
	if err != nil {
		t.Fatal(err)
	}
	other := 0
	for f, m := range c.Models {
		var held []sequence
		for i, d := range docs {
			if c.Fold[i] != f {
				continue
			}
			held = append(held, d)
			if alone := m.Sensitive(d.view()); !slices.Equal(c.Sensitive[i], alone) {
				t.Errorf("document %d: probabilities %v, alone %v", i, c.Sensitive[i], alone)
			}
		}
		for k, d := range together(m, held) {
			if !slices.Equal(m.sensitive(d), m.sensitive(held[k])) {
				other++
			}
		}
	}
	if other == 0 {
		t.Error("the patients' other documents have no effect, so this test proves nothing")
	}
}
