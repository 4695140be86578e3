// SPDX-License-Identifier: Apache-2.0

package corpus_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/corpus"
	"hide/internal/crf"
	"hide/internal/hint"
)

// file writes a file into a folder and returns its name.
func file(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const notes = `{"id":"1","text":"Ann Ray walks.","spans":[{"start":0,"end":7,"label":"NAME"}]}
{"id":"2","text":"Rest at home.","spans":[]}
`

func TestFilesAreReadWhole(t *testing.T) {
	dir := t.TempDir()
	read, report, err := corpus.Notes(t.Context(), file(t, dir, "notes.jsonl", notes))
	if err != nil || len(read) != 2 || report.Spans != 1 || read[0].Text != "Ann Ray walks." {
		t.Fatalf("%d notes, %d spans, %v", len(read), report.Spans, err)
	}
	trained, _, err := crf.Train(t.Context(), annotate.Views(annotate.NewNotes(read)), crf.Options{MaxIterations: 2})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := trained.Encode(&b); err != nil {
		t.Fatal(err)
	}
	model, err := corpus.Model(file(t, dir, "names.model", b.String()))
	if err != nil || model.Hash() != trained.Hash() {
		t.Errorf("another model, or %v", err)
	}
}

// TestDictionariesOfAFolder leaves out hidden files and folders.
func TestDictionariesOfAFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := corpus.Dictionaries(dir); err == nil || hint.Of(err) == "" {
		t.Errorf("an empty folder: %v", err)
	}
	file(t, dir, ".hidden", "Oslo\n")
	file(t, dir, "drugs.txt", "Reglan\nAllegra\n")
	file(t, dir, "towns.txt", "Madison\n")
	lists, err := corpus.Dictionaries(dir)
	if err != nil || len(lists) != 2 || len(lists[0].Phrases) != 2 || lists[1].Phrases[0] != "Madison" {
		t.Errorf("%d lists, %v", len(lists), err)
	}
	if lists, err := corpus.Dictionaries(""); lists != nil || err != nil {
		t.Errorf("no folder: %d lists, %v", len(lists), err)
	}
}

func TestAnEmptyNameOfAClassTableIsRefused(t *testing.T) {
	for _, names := range []string{",", "auto,", "auto, ,builtin"} {
		if _, err := corpus.Classes(names); err == nil || !strings.Contains(err.Error(), "names an empty table") {
			t.Errorf("%q: %v", names, err)
		}
	}
}

func TestBadFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	absent := filepath.Join(dir, "absent")
	bad := file(t, dir, "bad.txt", "secret\n\xff\xfe")
	for _, c := range []struct {
		name   string
		err    func(path string) error
		hinted bool // when the file is there
	}{
		{"notes", func(path string) error { _, _, err := corpus.Notes(t.Context(), path); return err }, false},
		{"model", func(path string) error { _, err := corpus.Model(path); return err }, true},
		{"dictionary", func(path string) error { _, err := corpus.Dictionary(path, os.Open); return err }, true},
		{"dictionaries", func(path string) error { _, err := corpus.Dictionaries(path); return err }, false},
	} {
		for _, path := range []string{absent, bad} {
			err := c.err(path)
			if err == nil || !strings.Contains(err.Error(), filepath.Base(path)) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s of %s: %v", c.name, filepath.Base(path), err)
			} else if path == bad && c.hinted && hint.Of(err) == "" {
				t.Errorf("%s: no hint with %v", c.name, err)
			}
		}
	}
}
