// SPDX-License-Identifier: Apache-2.0

package kanonymity

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hide/internal/publish/release"
	"hide/internal/publish/table"
)

// TestReleasedTablesRunNoFormula publishes cells that a spreadsheet program would run. They
// have a prefix in the file and none for the verifier, which counts classes of the values.
func TestReleasedTablesRunNoFormula(t *testing.T) {
	const (
		formula = `=HYPERLINK("http://x","y")`
		kept    = "'=1" // looks as if it had a prefix
	)
	file := "=zip;note\n-1-1;" + strings.Join([]string{"'=1", "-1-1;+49 30", "-1-1;-3.5", "@a;" + strings.ReplaceAll(`"`+strings.ReplaceAll(formula, `"`, `""`)+`"`, "\n", ""), "@a;x", "@a;-"}, "\n") + "\n"
	c, err := table.ReadConfig(strings.NewReader("separator: ';'\nattributes:\n- {name: '=zip', role: quasi}\n- {name: note, role: sensitive}\nprivacy: {k: 3}\n"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := table.ReadCSV(strings.NewReader(file), c)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Anonymize(context.Background(), all, c)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "release")
	sum, err := r.Write(context.Background(), dir, Origin{}, reportOf(t, r))
	if err != nil {
		t.Fatal(err)
	}
	found, err := checked(os.DirFS(dir))
	if err != nil || !found.OK || found.Classes != 2 || found.Smallest != 3 {
		t.Errorf("%+v, %v", found, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "table.csv"))
	if err != nil {
		t.Fatal(err)
	}
	written, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range written {
		for _, cell := range row {
			if cell != "-3.5" && strings.ContainsAny(cell[:1], "=+-@") {
				t.Errorf("%q can be run", cell)
			}
		}
	}
	in, err := release.Open(os.DirFS(dir), sum)
	if err != nil {
		t.Fatal(err)
	}
	if got := in.Manifest.Formulas.Files; len(got) != 1 || got[0].Path != "table.csv" || got[0].Cells != 11 || !slices.Equal(got[0].Columns, []string{"=zip", "note"}) {
		t.Errorf("the manifest says %+v", got)
	}
	rows, err := in.Table("table.csv")
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	for _, row := range rows {
		notes = append(notes, row[1])
	}
	slices.Sort(notes)
	if want := []string{kept, "+49 30", "-", "-3.5", formula, "note", "x"}; !slices.Equal(notes, want) {
		t.Errorf("the values are %q, want %q", notes, want)
	}
	forgeFormulas(t, dir)
}

// forgeFormulas changes the table or what the manifest says of its prefixes, and makes
// everything else fit. The verifier finds each.
func forgeFormulas(t *testing.T, dir string) {
	t.Helper()
	original := map[string]string{}
	for _, name := range []string{"table.csv", "manifest.json"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		original[name] = string(text)
	}
	for name, change := range map[string]struct{ file, old, new string }{
		"a prefix gone":           {"table.csv", `"'@a"`, `@a`},
		"a prefix gone, quoted":   {"table.csv", `"'@a"`, `"@a"`},
		"quotes gone":             {"table.csv", `"'@a"`, `'@a`},
		"a formula more":          {"table.csv", `-3.5`, `-3.5-1`},
		"a cell less":             {"manifest.json", `"cells": 11`, `"cells": 10`},
		"a column less":           {"manifest.json", `"=zip",` + "\n" + `          "note"`, `"note"`},
		"another rule":            {"manifest.json", "A single quote", "No single quote"},
		"another table":           {"manifest.json", `"path": "table.csv",` + "\n" + `        "cells"`, `"path": "other.csv",` + "\n" + `        "cells"`},
		"no word of the formulas": {"manifest.json", `"formula_safe": {`, `"formula_safe": null, "x": {`},
	} {
		changed := strings.Replace(original[change.file], change.old, change.new, 1)
		if changed == original[change.file] {
			t.Fatalf("%s: nothing changed", name)
		}
		forged := filepath.Join(t.TempDir(), "forged")
		forge(t, dir, forged, change.file, changed)
		if r, err := checked(os.DirFS(forged)); err == nil && r.OK {
			t.Errorf("%s: it passes", name)
		}
	}
}

// forge writes a release again with another file, whose sums fit.
func forge(t *testing.T, from, to, name, content string) {
	t.Helper()
	var m release.Manifest
	var claims json.RawMessage
	m.Claims = &claims
	text, err := os.ReadFile(filepath.Join(from, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if name == "manifest.json" {
		text = []byte(content)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	var files []release.Content
	for _, f := range m.Files {
		old, err := os.ReadFile(filepath.Join(from, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		if f.Path == name {
			old = []byte(content)
		}
		files = append(files, release.Bytes(f.Path, old))
	}
	if _, err := release.Write(context.Background(), to, m, files, nil); err != nil {
		t.Fatal(err)
	}
}
