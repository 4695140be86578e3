// SPDX-License-Identifier: Apache-2.0

package format

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/hospital"
)

// file is a File with the given bytes.
func file(name, content string) File {
	return File{Name: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}
}

// readAll reads files and collects the documents.
func readAll(o Options, files ...File) ([]annotate.Annotated, Report, error) {
	var docs []annotate.Annotated
	report, err := Read(context.Background(), files, o, func(d annotate.Annotated) error {
		docs = append(docs, d)
		return nil
	})
	return docs, report, err
}

// mustRead reads files without bad records.
func mustRead(t *testing.T, o Options, files ...File) ([]annotate.Annotated, Report) {
	t.Helper()
	docs, report, err := readAll(o, files...)
	if err != nil {
		t.Fatal(err)
	}
	return docs, report
}

// sequence makes the argument of the writers.
func sequence(docs []annotate.Annotated) iter.Seq2[annotate.Annotated, error] {
	return func(yield func(annotate.Annotated, error) bool) {
		for _, d := range docs {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// archive packs alternating names and contents.
func archive(t testing.TB, pairs ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		entry, err := w.Create(pairs[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(entry, pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// secret is in the texts of bad inputs; no error may show it.
const secret = "Gwendolyn"

// badCase is an input that must be refused.
type badCase struct {
	name   string
	files  []File
	opts   Options
	code   string
	record string // must be part of the problem's record
	offset int64  // -1: none; anyOffset: not checked
}

const anyOffset = -9

func runBad(t *testing.T, cases []badCase) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := readAll(c.opts, c.files...)
			var p *Problem
			if !errors.As(err, &p) {
				t.Fatalf("got %v, want a problem", err)
			}
			checkProblem(t, c, *p)
			if slices.ContainsFunc(c.files, func(f File) bool { return f.Size > 1<<20 }) {
				return // one run is slow enough under the race detector
			}
			c.opts.SkipBad = true
			_, report, err := readAll(c.opts, c.files...)
			if err != nil {
				t.Fatalf("with bad records skipped: %v", err)
			}
			if report.Refused == 0 || !slices.ContainsFunc(report.Problems, func(q Problem) bool { return q == *p }) {
				t.Errorf("with bad records skipped, the report lists %d problems or different ones", report.Refused)
			}
		})
	}
}

func checkProblem(t *testing.T, c badCase, p Problem) {
	t.Helper()
	if p.Code != c.code && c.code != "" {
		t.Errorf("code is %q, want %q: %v", p.Code, c.code, &p)
	}
	if !strings.Contains(p.Record, c.record) {
		t.Errorf("record is %q, want %q", p.Record, c.record)
	}
	if c.offset != anyOffset && p.Offset != c.offset {
		t.Errorf("offset is %d, want %d", p.Offset, c.offset)
	}
	if p.File == "" {
		t.Error("the problem names no file")
	}
	if s := p.Error(); strings.Contains(s, secret) || strings.Contains(s, "\n") || len(s) > 600 {
		t.Errorf("the error reads %q", s)
	}
}

func TestDetection(t *testing.T) {
	conll := strings.Repeat("Rose B-PATIENT\nleft O\n\n", 6)
	record := `{"id":"1","text":"x"}` + "\n"
	cases := []struct{ name, content, want string }{
		{"a.txt", "Just a note.", "text"},
		{"a", "Just a note.", "text"},
		{"a.note", "Mr. B-PATIENT is here\nand left O\n", "text"},
		{"a.jsonl", record, "jsonl"},
		{"a.ndjson", record, "jsonl"},
		{"a.json", record, "jsonl"},
		{"a.txt", record, "jsonl"},
		{"a.txt", "{curly} but a note", "text"},
		{"a.csv", "id,text\n1,x\n", "csv"},
		{"a.TSV", "id\ttext\n1\tx\n", "csv"},
		{"a", "id,text\n1,x\n", "csv"},
		{"a.conll", conll, "conll"},
		{"a.bio", conll, "conll"},
		{"train.txt", conll, "conll"},
		{"eng.train", "-DOCSTART- -X- O O\n\nRose NNP I-NP I-PER\n", "conll"},
	}
	for _, c := range cases {
		t.Run(c.name+" "+c.want, func(t *testing.T) {
			_, report := mustRead(t, Options{}, file(c.name, c.content))
			if report.Format != c.want {
				t.Errorf("detected %q", report.Format)
			}
		})
	}
}

func TestSeveralFormatsAtOnce(t *testing.T) {
	docs, report := mustRead(t, Options{},
		file("a.txt", "A note."),
		file("b.jsonl", `{"id":"b","text":"B note."}`),
		file("c.zip", archive(t, "d.csv", "id,text\n1,C note.\n", "e/e.txt", "E note.")))
	if report.Format != "mixed" || report.Documents != 4 || len(docs) != 4 {
		t.Errorf("report is %+v", report)
	}
	var names []string
	for _, d := range docs {
		names = append(names, d.Name)
	}
	if want := []string{"a.txt", "b", "1", "e/e.txt"}; !slices.Equal(names, want) {
		t.Errorf("names are %q, want %q", names, want)
	}
}

func TestTextIsTakenByteForByte(t *testing.T) {
	texts := map[string]string{
		"CR LF":              "one\r\ntwo\r\n",
		"lone CR":            "one\rtwo\r",
		"trailing space":     "  one \t\n\n\n",
		"form feed":          "one\ftwo",
		"emoji and marks":    "👩🏽‍⚕️ Zoe\u0308 שלום \u200b",
		"C1 control":         "one\u0085two",
		"BOM inside":         "one\ufefftwo",
		"replacement itself": "one\ufffdtwo",
		"HTML and templates": `<script>alert(1)</script> <b hx-get="/x"> {{ . }} =cmd|' /C calc'!A1`,
		"no line feed":       "one",
		"line separators":    "one\u2028two\u2029",
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			want := annotate.Annotated{Document: annotate.Document{Name: "n", Text: text}, Spans: []annotate.Span{{Start: 0, End: 1, Label: "A"}}}
			if name == "emoji and marks" {
				want.Spans[0].End = 4
			}
			if name == "trailing space" {
				want.Spans[0] = annotate.Span{Start: 2, End: 5, Label: "A"}
			}
			docs, _ := mustRead(t, Options{Format: "text"}, file("n", text))
			if docs[0].Text != text {
				t.Errorf("text: got %q", docs[0].Text)
			}
			for _, back := range throughWriters(t, want) {
				if back.Text != text {
					t.Errorf("written and read: got %q", back.Text)
				}
			}
		})
	}
}

// throughWriters writes a document in every format and reads it again.
func throughWriters(t *testing.T, d annotate.Annotated) []annotate.Annotated {
	t.Helper()
	var jsonl, brat, table bytes.Buffer
	one := sequence([]annotate.Annotated{d})
	if err := errors.Join(WriteJSONL(&jsonl, one), WriteBratZip(&brat, one), WriteCSV(&table, nil, one)); err != nil {
		t.Fatal(err)
	}
	var back []annotate.Annotated
	for name, content := range map[string]string{"x.jsonl": jsonl.String(), "x.zip": brat.String(), "x.csv": table.String()} {
		docs, _ := mustRead(t, Options{}, file(name, content))
		back = append(back, docs...)
	}
	if len(back) != 3 {
		t.Fatalf("%d documents came back, want 3", len(back))
	}
	return back
}

func TestByteOrderMarkIsRemovedAndNoted(t *testing.T) {
	const bom = "\ufeff"
	files := map[string]string{
		"a.txt":   bom + "A note.",
		"a.jsonl": bom + `{"id":"1","text":"A note.","spans":[{"start":2,"end":6,"label":"X","text":"note"}]}`,
		"a.csv":   bom + "text\nA note.\n",
		"a.conll": bom + "A O\nnote. B-X\n",
	}
	for name, content := range files {
		t.Run(name, func(t *testing.T) {
			docs, report := mustRead(t, Options{}, file(name, content))
			if len(docs) != 1 || strings.TrimSpace(docs[0].Text) != "A note." {
				t.Errorf("got %q", docs[0].Text)
			}
			if name != "a.conll" && !slices.Contains(report.Notes, "1 file: byte order mark removed") {
				t.Errorf("notes are %q", report.Notes)
			}
		})
	}
}

func TestBadTexts(t *testing.T) {
	runBad(t, []badCase{
		{"UTF-16 without a mark", []File{file("a.txt", "G\x00w\x00e\x00n\x00")}, Options{}, "encoding", "", 1},
		{"Latin-1", []File{file("a.txt", secret+" Jos\xe9 was here")}, Options{}, "encoding", "", 13},
		{"Latin-1 after a mark", []File{file("a.txt", "\ufeff\xe9")}, Options{}, "encoding", "", 3},
		{"invalid at the very start", []File{file("a.txt", "\xe9")}, Options{}, "encoding", "", 0},
		{"cut off inside a character", []File{file("a.txt", "abc\xf0\x9f\x98")}, Options{}, "encoding", "", 3},
		{"encoded surrogate", []File{file("a.txt", "a\xed\xa0\x80")}, Options{}, "encoding", "", 1},
		{"NUL", []File{file("a.txt", "a fine note "+secret+"\x00")}, Options{}, "control-character", "", 21},
		{"escape character", []File{file("a.txt", "\x1b[31m"+secret)}, Options{}, "control-character", "", 0},
		{"vertical tab", []File{file("a.txt", "a\vb")}, Options{}, "control-character", "", 1},
		{"too large", []File{file("a.txt", strings.Repeat("x", MaxDocument+1))}, Options{}, "document-too-large", "", -1},
		{"old Word", []File{file("a.doc", "\xd0\xcf\x11\xe0")}, Options{}, "format", "", -1},
		{"zip by another name", []File{file("a.note", "PK\x03\x04")}, Options{}, "format", "", -1},
		{"name with a line break", []File{file("a\nb.txt", secret)}, Options{}, "id", "", -1},
		{"same name twice", []File{file("a.txt", "x"), file("a.txt", "y")}, Options{}, "duplicate-id", "", -1},
		{"same name but for case", []File{file("a.txt", "x"), file("A.txt", "y")}, Options{}, "duplicate-id", "", -1},
		{"same name but for its normal form", []File{file("\u00e9.txt", "x"), file("e\u0301.txt", "y")}, Options{}, "duplicate-id", "", -1},
		{"same name but for folding", []File{file("straße.txt", "x"), file("STRASSE.txt", "y")}, Options{}, "duplicate-id", "", -1},
	})
}

func TestLargestDocumentIsTaken(t *testing.T) {
	text := strings.Repeat("é é\n", MaxDocument/6)
	if docs, _ := mustRead(t, Options{}, file("a.txt", text)); docs[0].Text != text {
		t.Error("the text changed")
	}
	docs, _ := mustRead(t, Options{}, file("a.jsonl", `{"id":"a","text":"`+strings.Repeat(`\u00e9 \u00e9\n`, MaxDocument/6)+`"}`))
	if docs[0].Text != text {
		t.Error("the escaped text changed")
	}
}

func TestWithoutSkippingTheFirstProblemStopsEverything(t *testing.T) {
	content := `{"id":"1","text":"x"}` + "\n{}\n" + `{"id":"3","text":"x"}` + "\n"
	docs, report, err := readAll(Options{}, file("a.jsonl", content))
	if err == nil || len(docs) != 1 || report.Refused != 1 {
		t.Errorf("%d documents, %d refused, error %v", len(docs), report.Refused, err)
	}
	docs, report, err = readAll(Options{SkipBad: true}, file("a.jsonl", content))
	if err != nil || len(docs) != 2 || report.Documents != 2 || report.Refused != 1 || len(report.Problems) != 1 {
		t.Errorf("skipping: %d documents, report %+v, error %v", len(docs), report, err)
	}
}

func TestReportKeepsAThousandProblemsAndCountsAll(t *testing.T) {
	_, report, err := readAll(Options{SkipBad: true}, file("a.jsonl", strings.Repeat("{}\n", 1500)))
	if err != nil || report.Refused != 1500 || len(report.Problems) != maxProblems {
		t.Errorf("%d refused, %d kept, error %v", report.Refused, len(report.Problems), err)
	}
}

func TestSinkMayRefuseARecord(t *testing.T) {
	content := `{"id":"1","text":"x"}` + "\n" + `{"id":"2","text":"y"}` + "\n"
	sink := func(d annotate.Annotated) error {
		if d.Name == "1" {
			return fmt.Errorf("keep: %w", &Problem{Code: "duplicate-id", Reason: "in the project already"})
		}
		return nil
	}
	_, err := Read(context.Background(), []File{file("a.jsonl", content)}, Options{}, sink)
	if p := (*Problem)(nil); !errors.As(err, &p) || p.File != "a.jsonl" || p.Record != "line 1" || p.Code != "duplicate-id" {
		t.Errorf("got %v", err)
	}
	report, err := Read(context.Background(), []File{file("a.jsonl", content)}, Options{SkipBad: true}, sink)
	if err != nil || report.Documents != 1 || report.Refused != 1 {
		t.Errorf("skipping: %+v, %v", report, err)
	}
}

func TestErrorOfSinkAndContextStopReading(t *testing.T) {
	full := errors.New("disk full")
	_, err := Read(context.Background(), []File{file("a.txt", "x")}, Options{SkipBad: true}, func(annotate.Annotated) error { return full })
	if !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	_, err = Read(ctx, []File{file("a.jsonl", strings.Repeat(`{"text":"x"}`+"\n", 100))}, Options{SkipBad: true}, func(annotate.Annotated) error {
		if n++; n == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || n != 3 {
		t.Errorf("after %d documents: %v", n, err)
	}
}

func TestUnknownFormatIsRefused(t *testing.T) {
	if _, _, err := readAll(Options{Format: "xml"}, file("a", "x")); err == nil {
		t.Error("no error")
	}
}

// TestFilesThatCannotBeRead checks for each format that a disk error is a problem and never
// treated as the end of the file.
func TestFilesThatCannotBeRead(t *testing.T) {
	broken := errors.New("disk error")
	contents := map[string]string{"a.txt": "x", "a.jsonl": `{"id":"1","text":"x"}` + "\n", "a.csv": "text\nx\n", "a.conll": "a O\n", "a.zip": "PK"}
	for name, content := range contents {
		for _, fails := range []string{"open", "read"} {
			t.Run(name+" "+fails, func(t *testing.T) {
				f := File{Name: name, Open: func() (io.ReadCloser, error) {
					if fails == "open" {
						return nil, broken
					}
					return io.NopCloser(io.MultiReader(strings.NewReader(content), failing{broken})), nil
				}}
				_, _, err := readAll(Options{}, f)
				if p := (*Problem)(nil); !errors.As(err, &p) || p.Code != "read" {
					t.Errorf("got %v", err)
				}
				if _, report, err := readAll(Options{SkipBad: true}, f); err != nil || report.Refused == 0 {
					t.Errorf("skipping: %d refused, %v", report.Refused, err)
				}
			})
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestGeneratedHospitalRoundTrips(t *testing.T) {
	docs := slices.Collect(hospital.Generate(hospital.Options{Patients: 30, Seed: 1, Identities: true}))
	var jsonl bytes.Buffer
	if err := WriteJSONL(&jsonl, sequence(docs)); err != nil {
		t.Fatal(err)
	}
	back, err := LoadJSONL(&jsonl, "hospital.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(docs, back) {
		t.Error("the documents differ after writing and reading JSON lines")
	}
	var table bytes.Buffer
	columns := []string{"name", "mrn", "birth_date", "sex", "zip", "city", "state", "phone", "diagnosis", "note_type", "note_date", "institution"}
	if err := WriteCSV(&table, columns, sequence(docs)); err != nil {
		t.Fatal(err)
	}
	back, _ = mustRead(t, Options{}, file("hospital.csv", table.String()))
	for i := range back {
		if len(back[i].Identities) != 6 { // name, number, birth, code, city, telephone: what its columns tell
			t.Errorf("document %d has %d identities", i, len(back[i].Identities))
		}
		docs[i].Identities = back[i].Identities
		if !reflect.DeepEqual(back[i].Document, docs[i].Document) {
			t.Fatalf("document %d differs after writing and reading CSV", i)
		}
	}
}
