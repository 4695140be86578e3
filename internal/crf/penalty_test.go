// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"strings"
	"testing"
)

// TestOnlyAPenaltyThatLeavesNoWeightIsRefused: without any annotation, as in the other
// folds of a single annotated document, weights are 0 for any penalty.
func TestOnlyAPenaltyThatLeavesNoWeightIsRefused(t *testing.T) {
	docs, _ := notes(6, 4)
	o := Options{Features: HIDE, MaxIterations: 5, L1: 1e9}
	if _, _, err := Train(t.Context(), views(docs), o); err == nil || !strings.Contains(err.Error(), "leaves all of them 0") {
		t.Errorf("a penalty of 1e9: %v", err)
	}
	o.L1 = 0.1
	if _, _, err := Train(t.Context(), views(docs), o); err != nil {
		t.Errorf("a penalty of 0.1: %v", err)
	}
	for i := range docs {
		clear(docs[i].labels)
		clear(docs[i].begins)
	}
	if m, _, err := Train(t.Context(), views(docs), o); err != nil || m == nil {
		t.Errorf("nothing marked: %v", err)
	}
}
