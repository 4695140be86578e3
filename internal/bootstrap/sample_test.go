// SPDX-License-Identifier: Apache-2.0

package bootstrap_test

import (
	"fmt"
	"slices"
	"testing"

	"hide/internal/annotate"
	"hide/internal/bootstrap"
)

// finished are n notes, three of each patient, of four kinds. One in 100 has a rare label.
func finished(n int) []bootstrap.Finished {
	all := make([]bootstrap.Finished, n)
	for i := range all {
		all[i] = bootstrap.Finished{
			Number: i + 1, Group: fmt.Sprint("p", i/3), Kind: fmt.Sprint("kind ", i%4), Labels: []annotate.Label{"DATE"},
			Tokens: 100, Random: i%2 == 0,
		}
		if i%100 == 7 {
			all[i].Labels = append(all[i].Labels, "FAX")
		}
	}
	return all
}

func TestSampleHoldsRareLabelsKindsAndManyPatients(t *testing.T) {
	all := finished(3000)
	bound := bootstrap.Bound{Notes: 600, Tokens: 1 << 30}
	chosen, measured := bootstrap.Sample(all, bound)
	kinds, patients, rare := map[string]int{}, map[string]bool{}, 0
	for _, i := range chosen {
		kinds[all[i].Kind]++
		patients[all[i].Group] = true
		if slices.Contains(all[i].Labels, "FAX") {
			rare++
		}
	}
	if len(chosen) != 600 || rare != 30 || len(kinds) != 4 || len(patients) < 450 {
		t.Errorf("%d notes of %d patients and %d kinds, %d with the rare label; want 600, at least 450, 4 and 30", len(chosen), len(patients), len(kinds), rare)
	}
	for i := range measured {
		if !all[i].Random || !slices.Contains(chosen, i) {
			t.Fatalf("note %d is measured; random: %v", all[i].Number, all[i].Random)
		}
	}
	if len(measured) != 200 {
		t.Errorf("%d notes are measured, want a third of the places", len(measured))
	}
}

// What is measured is drawn without regard to content: other labels, kinds and patients
// leave it as it is.
func TestMeasuredNotesDoNotDependOnContent(t *testing.T) {
	all, bound := finished(1000), bootstrap.Bound{Notes: 300, Tokens: 1 << 30}
	_, before := bootstrap.Sample(all, bound)
	for i := range all {
		all[i].Labels, all[i].Kind, all[i].Group = []annotate.Label{annotate.Label(fmt.Sprint("L", i%50))}, "other", "one"
	}
	_, after := bootstrap.Sample(all, bound)
	for i := range before {
		if !after[i] {
			t.Fatalf("note %d is not measured when contents differ", all[i].Number)
		}
	}
}

func TestSampleChangesLittleWithNewNotes(t *testing.T) {
	bound := bootstrap.Bound{Notes: 300, Tokens: 1 << 30}
	before, _ := bootstrap.Sample(finished(2000), bound)
	after, _ := bootstrap.Sample(finished(2020), bound)
	same := 0
	for _, i := range before {
		if slices.Contains(after, i) {
			same++
		}
	}
	if same < 280 {
		t.Errorf("%d of 300 notes stay after 20 of 2,000 notes are new", same)
	}
}

func TestSampleIsBoundedInTokens(t *testing.T) {
	chosen, _ := bootstrap.Sample(finished(1000), bootstrap.Bound{Notes: 500, Tokens: 20_050})
	if len(chosen) != 200 {
		t.Errorf("%d notes of 100 tokens, want 200", len(chosen))
	}
}

func TestACheckIsDueAfterATenthMore(t *testing.T) {
	for _, c := range []struct {
		checked, now int
		want         bool
	}{{0, 3, true}, {8, 9, true}, {100, 109, false}, {100, 110, true}, {100, 91, false}, {100, 90, true}} {
		if got := bootstrap.CheckDue(c.checked, c.now); got != c.want {
			t.Errorf("checked at %d notes, now %d: %v", c.checked, c.now, got)
		}
	}
}
