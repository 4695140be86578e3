// SPDX-License-Identifier: Apache-2.0

package check_test

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"hide/internal/publish/table/check"
)

const fuzzManifest = `{"schema":"hide table release 1","tool":"t","created":"2026-01-01T00:00:00Z","statement":"s","parameters":{"k":2},
"attributes":[{"name":"age","role":"quasi","kind":"number","released":true},{"name":"x","role":"sensitive","kind":"nominal","released":true,"l":2,"diversity":"entropy","t":0.5,"distance":"hierarchical","hierarchy":"1.hierarchy"}],
"counts":{"rows":4,"classes":2,"smallest":2}}`

// sealed is a folder whose manifest lists the other files as they are.
func sealed(manifest string, files map[string]string) fstest.MapFS {
	hash := func(s string) string { h := sha256.Sum256([]byte(s)); return hex.EncodeToString(h[:]) }
	var m map[string]any
	if json.Unmarshal([]byte(manifest), &m) == nil && m != nil {
		list := []map[string]any{}
		for name, text := range files {
			list = append(list, map[string]any{"path": name, "bytes": len(text), "sha256": hash(text)})
		}
		m["files"] = list
		if text, err := json.Marshal(m); err == nil {
			manifest = string(text)
		}
	}
	files["manifest.json"] = manifest
	out, sums := fstest.MapFS{}, []string{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
		sums = append(sums, name)
	}
	slices.Sort(sums)
	for i, name := range sums {
		sums[i] = hash(files[name]) + "  " + name + "\n"
	}
	out["SHA256SUMS"] = &fstest.MapFile{Data: []byte(strings.Join(sums, ""))}
	return out
}

// FuzzRelease: no files make the check fall over, and what passes with one
// quasi-identifier, the first column, has each of its values k times.
func FuzzRelease(f *testing.F) {
	f.Add(fuzzManifest, "age,x\n1,a\n1,b\n[2-3],a\n[2-3],b\n", "a;*\nb;*\n")
	f.Add(fuzzManifest, "age,x\n1,a\n1,b\n2,a\n", "a;c;*\nb;*\n")
	f.Fuzz(func(t *testing.T, manifest, table, hierarchy string) {
		r, err := check.Release(sealed(manifest, map[string]string{"table.csv": table, "1.hierarchy": hierarchy}))
		if err != nil || !r.OK || r.Map {
			return
		}
		if r.K < 2 {
			t.Fatalf("k of %d passes", r.K)
		}
		var m struct{ Attributes []struct{ Role string } }
		if json.Unmarshal([]byte(manifest), &m) != nil || len(m.Attributes) == 0 || m.Attributes[0].Role != "quasi" {
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

func TestTheSeedOfTheFuzzerPasses(t *testing.T) {
	r, err := check.Release(sealed(fuzzManifest, map[string]string{"table.csv": "age,x\n1,a\n1,b\n[2-3],a\n[2-3],b\n", "1.hierarchy": "a;*\nb;*\n"}))
	if err != nil || !r.OK {
		t.Errorf("%v: %v", err, r.Problems)
	}
}

func TestOneLessThanKIsFound(t *testing.T) {
	const manifest = `{"schema":"hide table release 1","tool":"t","created":"2026-01-01T00:00:00Z","statement":"s","parameters":{"k":3},
"attributes":[{"name":"age","role":"quasi","kind":"number","released":true}],"counts":{"rows":ROWS,"classes":2,"smallest":LEAST}}`
	for _, c := range []struct{ table, rows, least string }{{"age\n1\n1\n1\n2\n2\n2\n", "6", "3"}, {"age\n1\n1\n1\n2\n2\n", "5", "2"}} {
		r, err := check.Release(sealed(strings.NewReplacer("ROWS", c.rows, "LEAST", c.least).Replace(manifest), map[string]string{"table.csv": c.table}))
		if err != nil || r.OK != (c.least == "3") || !r.OK && (len(r.Problems) != 1 || !strings.Contains(r.Problems[0].What, "less than k")) {
			t.Errorf("classes of at least %s: %+v, %v", c.least, r.Problems, err)
		}
	}
}
