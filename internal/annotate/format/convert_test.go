// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

func TestAConversionNamesItsLossesAndWritesTheRest(t *testing.T) {
	files := []File{file("a.jsonl", `{"id":"n1","text":"Ann was here.","patient":"p1","spans":[{"start":0,"end":3,"label":"NAME"}]}`+"\n"+`{"id":"n2","text":"Bob."}`+"\n")}
	c := Conversion{To: "brat"}
	lost, report, err := c.Losses(t.Context(), files)
	if err != nil || !slices.Equal(lost, []string{"1 note: the patient is left out"}) || report.Documents != 2 {
		t.Errorf("%q, %d notes, %v", lost, report.Documents, err)
	}
	var out bytes.Buffer
	if _, err := c.Write(t.Context(), files, &out); err != nil {
		t.Fatal(err)
	}
	back, err := collect(t, []File{file("a.zip", out.String())})
	if err != nil || len(back) != 2 || back[0].Text != "Ann was here." || len(back[0].Spans) != 1 || back[1].Name != "n2" {
		t.Errorf("%v, %v", back, err)
	}
	c.Map = func(docs iter.Seq2[annotate.Annotated, error]) iter.Seq2[annotate.Annotated, error] {
		return func(yield func(annotate.Annotated, error) bool) {
			for d, err := range docs {
				d.Patient = ""
				if !yield(d, err) {
					return
				}
			}
		}
	}
	if lost, _, err := c.Losses(t.Context(), files); err != nil || len(lost) != 0 {
		t.Errorf("after a change: %q, %v", lost, err)
	}
}

func TestAConversionStopsAtABadRecord(t *testing.T) {
	files := []File{file("a.jsonl", `{"id":"n1","text":"Ann."}`+"\n"+`{"id":"n1","text":"again"}`+"\n")}
	var p *Problem
	if _, _, err := (Conversion{To: "brat"}).Losses(t.Context(), files); !errors.As(err, &p) || p.Code != "duplicate-id" {
		t.Errorf("%v", err)
	}
	if _, err := (Conversion{To: "brat"}).Write(t.Context(), files, io.Discard); !errors.As(err, &p) {
		t.Errorf("%v", err)
	}
	c := Conversion{To: "brat", Options: Options{SkipBad: true}}
	if report, err := c.Write(t.Context(), files, io.Discard); err != nil || report.Documents != 1 || report.Refused != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	if _, _, err := (Conversion{To: "papyrus"}).Losses(t.Context(), files); !errors.As(err, &p) || p.Code != "format" {
		t.Errorf("%v", err)
	}
	for range Documents(t.Context(), files, Options{}, new(Report)) {
		break // the reading stops with its consumer
	}
}

func collect(t *testing.T, files []File) (all []annotate.Annotated, err error) {
	t.Helper()
	_, err = Read(t.Context(), files, Options{}, func(d annotate.Annotated) error {
		all = append(all, d)
		return nil
	})
	return all, err
}

var update = flag.Bool("update", false, "write the table of formats into docs/formats.md")

// The table of the documents is the one that hide formats prints.
func TestTheDocumentsHaveTheTableOfFormats(t *testing.T) {
	const path, begin, end = "../../../docs/formats.md", "<!-- hide formats -->\n", "<!-- end -->\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	old, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no table of formats", path)
	}
	var table strings.Builder
	if err := WriteMatrix(&table); err != nil {
		t.Fatal(err)
	}
	if old == table.String() {
		return
	}
	if !*update {
		t.Fatal("docs/formats.md has another table than hide formats: run go test ./internal/annotate/format -run TableOfFormats -update")
	}
	if err := os.WriteFile(path, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
