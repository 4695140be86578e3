// SPDX-License-Identifier: Apache-2.0

package risk

import (
	"math"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

func TestSampleFiguresGoByClass(t *testing.T) {
	f := Sample([]int{1, 1, 3, 5, 10}, .2)
	if f.Rows != 20 || f.Classes != 5 || !near(f.Unique, .1) {
		t.Errorf("%+v", f)
	}
	if want := (Attacker{AtRisk: .25, Highest: 1, Success: .25}); f.Prosecutor != want {
		t.Errorf("prosecutor %+v, want %+v", f.Prosecutor, want)
	}
	if f.Journalist != nil || f.Marketer != nil {
		t.Error("there is a journalist without a population")
	}
	if f := Sample(nil, .2); f.Prosecutor != (Attacker{}) || f.Unique != 0 {
		t.Errorf("of no rows: %+v", f)
	}
}

func TestPopulationFiguresGoByPeople(t *testing.T) {
	f := Population([]int{1, 4}, []int{4, 10}, .2)
	// classes / people = 2/14; mean f/F = (1/4 + 4/10) / 5 = .13
	if !near(*f.Marketer, .13) || !near(f.Journalist.Success, 2./14) || !near(f.Journalist.Highest, .25) || !near(f.Journalist.AtRisk, .2) {
		t.Errorf("journalist %+v, marketer %v", *f.Journalist, *f.Marketer)
	}
	if same := Population([]int{2, 3}, []int{2, 3}, .2); same.Journalist.Highest != same.Prosecutor.Highest {
		t.Error("a table that is its population has two risks")
	}
}
