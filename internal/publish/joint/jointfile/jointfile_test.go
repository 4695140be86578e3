// SPDX-License-Identifier: Apache-2.0

package jointfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/hint"
	"hide/internal/publish/joint/jointfile"
)

// folder has the files of two patients with one note each.
func folder(t *testing.T) func(name string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"roles.yaml": "attributes:\n  - {name: key, role: direct}\n  - {name: age, role: quasi, kind: number}\n  - {name: note, role: text}\nprivacy: {k: 2}\nterms: {types: [CITY, NAME, DATE]}\n",
		"bad.yaml":   "attributes: 3\n",
		"notes.csv":  "key,age,note\np1,30,Seen in Ulm on 3/4/2020.\np2,40,Well.\n",
		"odd.csv":    "key,age,note\np1,old,Well.\n",
		"notes.jsonl": `{"id":"1","patient":"p1","attributes":{"age":"30"},"text":"Seen in Ulm.","spans":[{"start":8,"end":11,"label":"CITY"}]}` + "\n" +
			`{"id":"2","patient":"p2","attributes":{"age":"40"},"text":"Well."}` + "\n",
		"terms.jsonl": `{"id":"1","text":"Seen in Ulm on 3/4/2020.","spans":[{"start":8,"end":11,"label":"CITY"}]}` + "\n" + `{"id":"2","text":"Well.","spans":[]}` + "\n",
		"other.jsonl": `{"id":"1","text":"Other text.","spans":[]}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return func(name string) string { return filepath.Join(dir, name) }
}

// TestTermsComeFromOneSource: from the file of terms, the notes, a function, or rules.
func TestTermsComeFromOneSource(t *testing.T) {
	at := folder(t)
	c, err := jointfile.ReadConfig(at("roles.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	seen := func(string) []annotate.Span { return []annotate.Span{{Start: 0, End: 4, Label: "NAME"}} }
	for _, one := range []struct {
		name  string
		in    jointfile.Input
		terms int
		steps int
	}{
		{"file of terms", jointfile.Input{Rows: at("notes.csv"), Terms: at("terms.jsonl")}, 1, 0},
		{"notes", jointfile.Input{Rows: at("notes.jsonl")}, 1, 0},
		{"function", jointfile.Input{Rows: at("notes.jsonl"), Tag: seen}, 2, 2},
		{"rules", jointfile.Input{Rows: at("notes.csv")}, 2, 2}, // the town and the date
	} {
		steps := 0
		view, err := jointfile.Read(t.Context(), c, one.in, func(done, total int) {
			if steps++; done != steps || total != 2 {
				t.Errorf("%s: step %d of %d", one.name, done, total)
			}
		})
		if err != nil || view.Terms() != one.terms || view.Persons() != 2 || steps != one.steps {
			t.Errorf("%s: %v, %d terms, %d steps", one.name, err, view.Terms(), steps)
		}
	}
}

func TestMistakesHaveHints(t *testing.T) {
	at := folder(t)
	c, err := jointfile.ReadConfig(at("roles.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	config := func(name string) error { _, err := jointfile.ReadConfig(name); return err }
	read := func(rows, terms string) error {
		in := jointfile.Input{Rows: at(rows), Config: "roles.yaml"}
		if terms != "" {
			in.Terms = at(terms)
		}
		_, err := jointfile.Read(t.Context(), c, in, nil)
		return err
	}
	for next, err := range map[string]error{
		"docs/joint.md":                         config(at("bad.yaml")),
		"give a file":                           config(at("")),
		"correct the row, or change the kind":   read("odd.csv", ""),
		"a record's id is the row, from 1, and": read("notes.csv", "other.jsonl"),
	} {
		if err == nil || !strings.HasPrefix(hint.Of(err), next) || strings.Contains(err.Error(), "Other text") {
			t.Errorf("%v, hint %q, want %q", err, hint.Of(err), next)
		}
	}
}
