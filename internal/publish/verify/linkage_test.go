// SPDX-License-Identifier: Apache-2.0

package verify_test

import (
	"strings"
	"testing"
)

// linkedTable is a table of two classes of three rows whose manifest says this of linkage.
func linkedTable(kind, claims, linkage string) envelope {
	return envelope{Schema: "hide release 2", Kind: kind, Tool: "test", Created: "2026-11-20T10:00:00Z", Statement: "evidence", Warnings: []string{}, Claims: []byte(claims), Linkage: []byte(linkage)}
}

func TestWhatAReleaseSaysOfLinkageIsChecked(t *testing.T) {
	const table = `{"parameters":{"k":3,"method":"mondrian"},"attributes":[{"name":"age","role":"quasi","kind":"number","released":true}],"counts":{"rows":6,"suppressed":1,"equivalence_classes":2,"smallest_class":3}}`
	const figures = `"links":2,"decided":1,"expected_missed":0.5,"expected_false":0.1,"precision":0.95,"recall":0.8`
	const risk = `"classes":{"k":3,"expected_people_in_smallest_class":2.5,"expected_risk":0.4,"probability_that_a_class_has_fewer_than_k_people":0.25}`
	of := func(counts, more string) string {
		return `{"linked":true,` + counts + `,` + figures + `,"unlinked_said":false,"expected_duplicates":0.5,` + more + `}`
	}
	right := `"records":9,"patients":7`
	for name, c := range map[string]struct{ linkage, problem string }{
		"linked":                {of(right, risk), ""},
		"not linked":            {`{"linked":false,"records":7,"patients":7,"unlinked_said":false}`, ""},
		"unlinked said":         {`{"linked":false,"records":7,"patients":7,"agreeing_records":4,"unlinked_said":true}`, ""},
		"nobody said":           {`{"linked":false,"records":7,"patients":7,"agreeing_records":4,"unlinked_said":false}`, "nobody said"},
		"not linked, figures":   {strings.Replace(of(`"records":7,"patients":7`, risk), `"linked":true`, `"linked":false`, 1), "has figures of a linkage"},
		"not linked, fewer":     {`{"linked":false,"records":9,"patients":7,"unlinked_said":false}`, "has figures of a linkage"},
		"more patients":         {of(`"records":9,"patients":8`, risk), "counts 8 patients"},
		"fewer records":         {of(`"records":6,"patients":7`, risk), "counts 6 records as 7 patients"},
		"a recall above 1":      {strings.Replace(of(right, risk), `"recall":0.8`, `"recall":1.8`, 1), "not a share"},
		"negative missed links": {strings.Replace(of(right, risk), `"expected_missed":0.5`, `"expected_missed":-0.5`, 1), "not a share"},
		"negative duplicates":   {strings.Replace(of(right, risk), `"expected_duplicates":0.5`, `"expected_duplicates":-1`, 1), "count twice is negative"},
		"another k":             {of(right, strings.Replace(risk, `"k":3`, `"k":2`, 1)), "for k = 2"},
		"more people":           {of(right, strings.Replace(risk, `class":2.5`, `class":3.5`, 1)), "in a smallest class of 3 rows"},
		"another risk":          {of(right, strings.Replace(risk, `0.4`, `0.3`, 1)), "does not follow"},
		"another probability":   {of(right, strings.Replace(risk, `0.25`, `25`, 1)), "does not follow"},
	} {
		r, err := found(linkedTable("table", table, c.linkage).sealed(map[string]string{"table.csv": "age\n1\n1\n1\n2\n2\n2\n"}))
		if err != nil || r.OK != (c.problem == "") || !r.OK && !strings.Contains(r.Problems[0].What, c.problem) {
			t.Errorf("%s: %v, %v; want %q", name, r.Problems, err, c.problem)
		}
		if r.Linkage == nil || len(r.Linkage.Lines()) == 0 {
			t.Errorf("%s: the report says nothing of linkage", name)
		}
	}
}

// TestCountsSayNothingExactOfLinkage wants that a release that costs epsilon has no number of
// patients without noise.
func TestCountsSayNothingExactOfLinkage(t *testing.T) {
	for linkage, bad := range map[string]bool{
		`{"linked":true,"unlinked_said":false}`:                           false,
		`{"linked":false,"unlinked_said":true}`:                           false,
		`{"linked":true,"records":9,"patients":7,"unlinked_said":false}`:  true,
		`{"linked":true,"agreeing_records":3,"unlinked_said":true}`:       true,
		`{"linked":true,"unlinked_said":false,"expected_duplicates":0.5}`: true,
	} {
		r, _ := found(linkedTable("cube", `{"settings":{}}`, linkage).sealed(nil)) // the rest is not right
		told := false
		for _, p := range r.Problems {
			told = told || strings.Contains(p.What, "without noise")
		}
		if told != bad {
			t.Errorf("%s: %v", linkage, r.Problems)
		}
	}
}
