// SPDX-License-Identifier: Apache-2.0

package invented_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/annotate/format"
	"hide/internal/hospital"
	"hide/internal/hospital/invented"
)

var people = hospital.Options{Patients: 3, Seed: 7, Split: 1}

// TestFilesHoldTheNotes reads the files again: they hold the notes of the hospital and the
// person of each.
func TestFilesHoldTheNotes(t *testing.T) {
	dir := t.TempDir()
	o := invented.Options{Options: people, Format: "jsonl", Out: filepath.Join(dir, "notes.jsonl"), Truth: filepath.Join(dir, "truth.csv")}
	last := 0
	r, err := invented.Write(t.Context(), o, nil, func(patients int) {
		if patients != last+1 {
			t.Errorf("patient %d follows patient %d", patients, last)
		}
		last = patients
	})
	if err != nil || last != 3 {
		t.Fatalf("%d patients, %v", last, err)
	}
	file, err := os.Open(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	read, err := format.LoadJSONL(file, o.Out)
	if err != nil {
		t.Fatal(err)
	}
	truth, err := invented.OpenTruth(o.Truth)
	if err != nil || truth.Covers(read) != nil {
		t.Fatalf("truth of %d notes, %v, %v", len(truth), err, truth.Covers(read))
	}
	want := invented.Report{Out: o.Out, Format: "jsonl", Patients: 3, Seed: 7}
	for n := range hospital.Notes(people) {
		if got := read[want.Notes]; got.Text != n.Text || got.Patient != n.Patient || truth[n.Name] != n.Person {
			t.Errorf("note %d differs", want.Notes)
		}
		want.Notes++
		want.Spans += len(n.Spans)
		want.Bytes += int64(len(n.Text))
	}
	if r != want || len(read) != want.Notes || len(truth) != want.Notes {
		t.Errorf("%+v, want %+v", r, want)
	}
}

func TestFormats(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "notes")
	for name, check := range map[string]func(string) bool{
		"csv":   func(out string) bool { return strings.HasPrefix(out, `"id","patient","text","birth_date"`) },
		"jsonl": func(out string) bool { return strings.Count(out, "\n") == 4 },
		"text": func(string) bool {
			files, err := os.ReadDir(folder)
			return err == nil && len(files) == 4
		},
	} {
		o := invented.Options{Options: hospital.Options{Patients: 2, Seed: 1, MinNotes: 2, MaxNotes: 2}, Format: name}
		if name == "text" {
			o.Out = folder
		}
		var out bytes.Buffer
		if r, err := invented.Write(t.Context(), o, &out, nil); err != nil || r.Notes != 4 || !check(out.String()) {
			t.Errorf("%s: %d notes, %v", name, r.Notes, err)
		}
	}
	o := invented.Options{Options: people, Format: "text", Out: folder}
	if _, err := invented.Write(t.Context(), o, nil, nil); !errors.Is(err, os.ErrExist) {
		t.Errorf("a folder that is there: %v", err)
	}
}

// TestFilesAreWholeOrAbsent interrupts the writing.
func TestFilesAreWholeOrAbsent(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	o := invented.Options{Options: people, Format: "jsonl", Out: filepath.Join(dir, "notes.jsonl"), Truth: filepath.Join(dir, "truth.csv")}
	_, err := invented.Write(ctx, o, nil, func(int) { cancel() })
	left, readErr := os.ReadDir(dir)
	if !errors.Is(err, context.Canceled) || readErr != nil || len(left) > 0 {
		t.Errorf("%v; %d files are left, %v", err, len(left), readErr)
	}
}

func TestRefusals(t *testing.T) {
	for want, o := range map[string]invented.Options{
		`unknown format "xml"`:           {Format: "xml"},
		"only the format jsonl holds":    {Format: "csv", Options: hospital.Options{Identities: true}},
		`institution "c" is neither a`:   {Format: "csv", Options: hospital.Options{Institution: "c"}},
		"the share of patients with sev": {Format: "jsonl", Options: hospital.Options{Split: 2}},
	} {
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
