// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const (
	familiesBegin = "<!-- the table of families -->\n"
	familiesEnd   = "<!-- end of the table -->\n"
)

// familiesPage is the table of families as the documents have it.
func familiesPage() string {
	var b strings.Builder
	b.WriteString("\n| family | what it is | dissertation | `hide` | `default` |\n| --- | --- | --- | --- | --- |\n")
	yes := func(holds bool) string {
		if holds {
			return "yes"
		}
		return ""
	}
	for _, row := range FamilyTable() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", row.Name, row.About, row.Section, yes(HIDE&row.Families != 0), yes(Default&row.Families != 0))
	}
	return b.String() + "\n"
}

// TestThePageOfFeaturesIsTheTable: with UPDATE_DOCS=1 it rewrites the page.
func TestThePageOfFeaturesIsTheTable(t *testing.T) {
	const name = "../../docs/features.md"
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(page), familiesBegin)
	_, after, ok2 := strings.Cut(rest, familiesEnd)
	if !ok1 || !ok2 {
		t.Fatal("the page has no place for the table")
	}
	want := before + familiesBegin + familiesPage() + familiesEnd + after
	if want == string(page) {
		return
	}
	if os.Getenv("UPDATE_DOCS") == "" {
		t.Fatal("docs/features.md is not the table: run the test with UPDATE_DOCS=1")
	}
	if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
