// SPDX-License-Identifier: Apache-2.0

package web

import (
	"errors"
	"strings"
	"testing"

	"hide/internal/project"
)

// TestAFormOfManyTablesIsRefusedBeforeTheyAreMade has 150 numbers in each field, of
// which 3375000 settings would be made.
func TestAFormOfManyTablesIsRefusedBeforeTheyAreMade(t *testing.T) {
	var words []string
	for i := range 150 {
		words = append(words, typedNumber(float64(i+2)))
	}
	many := strings.Join(words, " ")
	var refused *project.Error
	allocated := testing.AllocsPerRun(1, func() {
		sets, err := tableForm{ks: many, l: many, t: many}.settings()
		if !errors.As(err, &refused) || refused.Kind != project.Invalid || sets != nil {
			t.Fatalf("%d settings, %v", len(sets), err)
		}
	})
	if allocated > 100 {
		t.Errorf("%v allocations to refuse a form", allocated)
	}
	if sets, err := (tableForm{ks: "2 3 4", l: "2 3 4 5", t: ".1 .2"}).settings(); err != nil || len(sets) != project.MaxPreviews {
		t.Errorf("%d settings, %v; want %d", len(sets), err, project.MaxPreviews)
	}
}
