// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/crf"
)

func TestBayesLearnsAndRedacts(t *testing.T) {
	result, err := Sanitize(t.Context(), letters(24), Params{LC: []float64{10}, Learners: []Learner{Bayes{}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := result.Choices[0]
	if c.Outcome.Residual.Value != 0 || len(c.Classifiers) == 0 {
		t.Fatalf("%g of %d names left with %d classifiers", c.Outcome.Residual.Value, c.Outcome.Sensitive, len(c.Classifiers))
	}
	m, is := c.Classifiers[0].Classifier.(*Model)
	if !is || c.Classifiers[0].Learner != "bayes" || m.CRF.Learner() != crf.Bayes {
		t.Errorf("%s is a %T", c.Classifiers[0].Learner, c.Classifiers[0].Classifier)
	}
}

func TestBayesNeverReadsRedactedWords(t *testing.T) {
	docs := letters(12)
	masks := nothing(docs)
	for i := range masks {
		masks[i][3] = true
	}
	h, err := Bayes{}.Train(t.Context(), views(docs, masks))
	if err != nil {
		t.Fatal(err)
	}
	changed := docs[0]
	changed.Words = slices.Clone(changed.Words)
	changed.Words[3] = "otherwise"
	changed.Text = strings.Replace(changed.Text, docs[0].Words[3], "XXXX", 1)
	if a, b := h.Scores(annotate.View{Note: &docs[0], Redacted: masks[0]}), h.Scores(annotate.View{Note: &changed, Redacted: masks[0]}); !slices.Equal(a, b) {
		t.Error("the scores depend on a redacted word")
	}
}

func TestBayesScoresAreProbabilitiesThatFitItsHardLabels(t *testing.T) {
	docs := letters(12)
	h, err := Bayes{}.Train(t.Context(), views(docs, nothing(docs)))
	if err != nil {
		t.Fatal(err)
	}
	v := annotate.View{Note: &docs[1], Redacted: nil}
	hard := h.Hard(v)
	for x, p := range h.Scores(v) {
		if p < 0 || p > 1 || (p > 0.5) != hard[x] {
			t.Errorf("token %d: P(sensitive) = %g, hard label %v", x, p, hard[x])
		}
	}
	if !slices.Equal(hard, docs[1].Sensitive) {
		t.Errorf("hard labels %v, want %v", hard, docs[1].Sensitive)
	}
}
