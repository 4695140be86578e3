// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The invented notes are more than asked for; the last one asked for is searched by name.
func TestNotesAreSplitIntoFinishedAndOpen(t *testing.T) {
	dir := t.TempDir()
	var all strings.Builder
	for range finished + 5 {
		all.WriteString(`{"id":"n","text":"Dr. Anna Weber called","spans":[{"start":4}]}` + "\n")
	}
	all.WriteString(`{"id":"last","text":"Mr. Kowalski came < 5 min","patient":"p7","spans":[]}` + "\n" + `{"id":"surplus","text":"x"}` + "\n")
	in, done, open := filepath.Join(dir, "in"), filepath.Join(dir, "done"), filepath.Join(dir, "open")
	if err := os.WriteFile(in, []byte(all.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	m := measurement{figures: figures{Notes: finished + 6}}
	if err := m.split(in, done, open); err != nil {
		t.Fatal(err)
	}
	if m.name != "last" || m.word != "Kowalski" {
		t.Errorf("searches for %q and %q", m.name, m.word)
	}
	if got := lines(t, done); len(got) != finished || got[0]["spans"] == nil {
		t.Errorf("%d finished notes, the first %v", len(got), got[0])
	}
	rest := lines(t, open)
	if len(rest) != 6 || rest[5]["text"] != "Mr. Kowalski came < 5 min" || rest[5]["patient"] != "p7" || rest[0]["spans"] != nil {
		t.Errorf("open notes: %+v", rest)
	}
	if want := int64((finished+5)*len("Dr. Anna Weber called") + len("Mr. Kowalski came < 5 min")); m.TextBytes != want {
		t.Errorf("%d bytes of text, want %d", m.TextBytes, want)
	}
	m.Notes = finished + 8
	if err := m.split(in, done, open); err == nil {
		t.Error("too few notes were accepted")
	}
}

func lines(t *testing.T, path string) (all []map[string]any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

func TestTheTableEndsWithTheGrowth(t *testing.T) {
	var b strings.Builder
	r := report{Sizes: []figures{{Notes: 1000, ListFirst: times{P50: 2}}, {Notes: 10000, ListFirst: times{P50: 3}}}}
	r.write(&b)
	for _, row := range []string{"notes 1000 10000 × 10.0", "list, first page, p50 ms 2.0 3.0 × 1.5", "import, s 0.0 0.0"} {
		found := false
		for line := range strings.Lines(b.String()) {
			found = found || strings.Join(strings.Fields(line), " ") == row
		}
		if !found {
			t.Errorf("no row %q in\n%s", row, &b)
		}
	}
}
