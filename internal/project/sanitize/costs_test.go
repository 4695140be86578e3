// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/projecttest"
	"hide/internal/project/sanitize"
)

func TestARunKeepsWhatErrorsCostAndItsBundlesDoToo(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(8))
	prices := greedy.Prices{greedy.Number: 500, greedy.Punctuation: 0.1}
	r := b.Ran(id, sanitize.Params{Mode: greedy.Cost, LC: []float64{10}, Folds: 2, Learners: []string{"bayes"}, LossByLabel: map[annotate.Label]float64{"DATE": 0.5}, CostByKind: prices})
	if !maps.Equal(r.Params.CostByKind, prices) || r.Params.LossByLabel["DATE"] != 0.5 {
		t.Errorf("the run forgets what it was asked: %+v", r.Params)
	}
	if k := r.Choices[0].Outcome.ByKind; len(k) != 3 || k[0].Kind != greedy.Punctuation || k[0].Words == 0 {
		t.Errorf("what goes by kind is %+v", k)
	}
	b.Reopen()
	if _, err := b.Choose(t.Context(), projecttest.Broker, id, r.Number, 10); err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	if err := b.WriteBundle(t.Context(), projecttest.Broker, id, 1, &file); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(file.String(), `"prices":{"number":500,"punctuation":0.1}`) {
		t.Error("the bundle marks without prices")
	}
}

func TestCostsThatCannotBeAreRefusedBeforeARun(t *testing.T) {
	b := newBench(t)
	id := b.FinishedProject(projecttest.Notes(8))
	for want, p := range map[string]sanitize.Params{
		"number: enter a number from 0.001 to 1,000":     {CostByKind: greedy.Prices{greedy.Number: 0}},
		"other: enter a number from 0.001 to 1,000":      {CostByKind: greedy.Prices{greedy.OtherWord: 1001}},
		"choose from punctuation, number, common, other": {CostByKind: greedy.Prices{"verb": 1}},
		"DATE: enter a number from 0":                    {LossByLabel: map[annotate.Label]float64{"DATE": -1}},
		"DATE: enter a number from 0 to 1,000":           {LossByLabel: map[annotate.Label]float64{"DATE": 1001}},
	} {
		p.LC = []float64{10}
		_, err := b.StartSanitize(t.Context(), projecttest.Broker, id, p)
		var refused *project.Error
		if !errors.As(err, &refused) || refused.Kind != project.Invalid || !strings.Contains(refused.Message, want) || refused.Hint == "" {
			t.Errorf("%+v: %v, want %q", p, err, want)
		}
	}
}
