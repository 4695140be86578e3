// SPDX-License-Identifier: Apache-2.0

package verify_test

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"hide/internal/publish/verify"
)

const fuzzTable = `{"parameters":{"k":2,"method":"mondrian"},
"attributes":[{"name":"age","role":"quasi","kind":"number","released":true},{"name":"x","role":"sensitive","kind":"nominal","released":true,"l":2,"diversity":"entropy","t":0.5,"distance":"hierarchical","hierarchy":"1.hierarchy"}],
"counts":{"rows":4,"suppressed":0,"equivalence_classes":2,"smallest_class":2}}`

// FuzzTable: no files make the check fall over, and what passes with one
// quasi-identifier, the first column, has each of its values k times.
func FuzzTable(f *testing.F) {
	f.Add(fuzzTable, "age,x\n1,a\n1,b\n[2-3],a\n[2-3],b\n", "a;*\nb;*\n")
	f.Add(fuzzTable, "age,x\n1,a\n1,b\n2,a\n", "a;c;*\nb;*\n")
	f.Fuzz(func(t *testing.T, claims, table, hierarchy string) {
		result, err := verify.Release(sealed("table", []byte(claims), map[string]string{"table.csv": table, "1.hierarchy": hierarchy}))
		r, ok := result.(*verify.Table)
		if !ok || err != nil || !r.OK || r.Map {
			return
		}
		if r.K < 2 {
			t.Fatalf("k of %d passes", r.K)
		}
		var m struct{ Attributes []struct{ Role string } }
		if json.Unmarshal([]byte(claims), &m) != nil || len(m.Attributes) == 0 || m.Attributes[0].Role != "quasi" {
			return
		}
		for _, a := range m.Attributes[1:] {
			if a.Role == "quasi" {
				return
			}
		}
		rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int{}
		for _, row := range rows[1:] {
			counts[row[0]]++
		}
		for _, n := range counts {
			if n < r.K {
				t.Fatalf("a class of %d passes for k = %d", n, r.K)
			}
		}
	})
}

func TestTheTableOfTheFuzzerPasses(t *testing.T) {
	r, err := found(sealed("table", []byte(fuzzTable), map[string]string{"table.csv": "age,x\n1,a\n1,b\n[2-3],a\n[2-3],b\n", "1.hierarchy": "a;*\nb;*\n"}))
	if err != nil || !r.OK {
		t.Errorf("%v: %v", err, r.Problems)
	}
}

func TestOneRowLessThanKIsFound(t *testing.T) {
	const claims = `{"parameters":{"k":3,"method":"mondrian"},
"attributes":[{"name":"age","role":"quasi","kind":"number","released":true}],"counts":{"rows":ROWS,"suppressed":0,"equivalence_classes":2,"smallest_class":LEAST}}`
	for _, c := range []struct{ table, rows, least string }{{"age\n1\n1\n1\n2\n2\n2\n", "6", "3"}, {"age\n1\n1\n1\n2\n2\n", "5", "2"}} {
		r, err := found(sealed("table", []byte(strings.NewReplacer("ROWS", c.rows, "LEAST", c.least).Replace(claims)), map[string]string{"table.csv": c.table}))
		if err != nil || r.OK != (c.least == "3") || !r.OK && (len(r.Problems) != 1 || !strings.Contains(r.Problems[0].What, "fewer than k")) {
			t.Errorf("classes of at least %s: %+v, %v", c.least, r.Problems, err)
		}
	}
}
