// SPDX-License-Identifier: Apache-2.0

package home

import (
	"testing"

	"hide/internal/greedy"
	"hide/internal/project/training"
)

func TestScoresSayWhatTheySpeakFor(t *testing.T) {
	state := training.Status{Model: 7, Documents: 40, Scores: training.Scores{
		Recall: greedy.Estimate{Value: 0.94, Low: 0.92, High: 0.96}, Folds: 5, Documents: 31, Model: 7, Random: true,
	}}
	const plain = "Its recall is 94 % (95 % interval 92 % to 96 %), measured by cross-validation on 31 notes"
	detail := func() string { return overview{training: state}.trainStep().Detail }
	if got := detail(); got != plain+"." {
		t.Errorf("says %q", got)
	}
	state.Scores.Random = false
	if got := detail(); got != plain+", not all of them from a random sample: other notes may come out worse." {
		t.Errorf("says %q", got)
	}
	state.Scores.Random, state.Scores.Model = true, 5
	if got := detail(); got != plain+". Measured with model 5." {
		t.Errorf("says %q", got)
	}
	state.Scores = training.Scores{Model: 5}
	if got := detail(); got != "" {
		t.Errorf("without scores: %q", got)
	}
}
