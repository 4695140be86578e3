// SPDX-License-Identifier: Apache-2.0

package format

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/hospital"
)

// pair is a text with annotations.
func pair(text, ann string) []File { return []File{file("d/n.ann", ann), file("d/n.txt", text)} }

func TestBrat(t *testing.T) {
	text := "Zoë 😀\nsaw Gwendolyn\r\nMay.\n"
	docs, report := mustRead(t, Options{}, pair(text,
		"T2\tNAME 10 19\tGwendolyn\n"+
			"T1\tPLACE-X 4 9\t😀 saw\r\n"+
			"A1\tNegation T1\nR1\tOf Arg1:T1 Arg2:T2\nE1\tX:T1\nN1\tReference T1 W:1\tx\n#1\tAnnotatorNotes T1\tGwendolyn\n*\tEquiv T1 T2\nM1\tX T1\n\n")...)
	want := annotate.Annotated{
		Document: annotate.Document{Name: "d/n", Text: text},
		Spans:    []annotate.Span{{Start: 5, End: 13, Label: "PLACE-X"}, {Start: 14, End: 23, Label: "NAME"}},
	}
	if len(docs) != 1 || !reflect.DeepEqual(docs[0], want) {
		t.Errorf("got %+v", docs[0].Spans)
	}
	for _, note := range []string{"2 brat attributes: ignored", "1 brat relation: ignored", "1 brat event: ignored", "1 brat note: ignored"} {
		if !slices.Contains(report.Notes, note) {
			t.Errorf("%q is not among %q", note, report.Notes)
		}
	}
}

func TestBratCountsCRLFOnceWhenOnlyThatFits(t *testing.T) {
	text := "one\r\ntwo\r\nthree"
	docs, report := mustRead(t, Options{}, pair(text, "T1\tA 4 7\ttwo\nT2\tA 8 13\tthree\n")...)
	if got := docs[0].Spans[0].Surface(text); got != "two" || docs[0].Text != text {
		t.Errorf("got %q", got)
	}
	if !strings.Contains(strings.Join(report.Notes, " "), "count CR LF as one character") {
		t.Errorf("notes are %q", report.Notes)
	}
	docs, _ = mustRead(t, Options{}, pair(text, "T1\tA 5 8\ttwo\n")...)
	if got := docs[0].Spans[0].Surface(text); got != "two" {
		t.Errorf("plain positions: got %q", got)
	}
}

func TestBratKeepsAByteOrderMarkThatItsPositionsCount(t *testing.T) {
	docs, _ := mustRead(t, Options{}, pair("\ufeffone two", "T1\tA 5 8\ttwo\n")...)
	if docs[0].Text != "\ufeffone two" || docs[0].Spans[0].Surface(docs[0].Text) != "two" {
		t.Errorf("got %q", docs[0].Text)
	}
	docs, report := mustRead(t, Options{}, pair("\ufeffone two", "T1\tA 4 7\ttwo\n")...)
	if docs[0].Text != "one two" || !slices.Contains(report.Notes, "1 file: byte order mark removed") {
		t.Errorf("got %q, notes %q", docs[0].Text, report.Notes)
	}
}

func TestTextBesideAnnFilesNeedsNone(t *testing.T) {
	docs, report := mustRead(t, Options{}, append(pair("one", "T1\tA 0 3\tone\n"), file("d/bare.txt", "two"), file("e/other.txt", "three"))...)
	var names []string
	for _, d := range docs {
		names = append(names, d.Name)
	}
	if !slices.Equal(names, []string{"d/n", "d/bare", "e/other.txt"}) || report.Format != "mixed" {
		t.Errorf("%q, %q", names, report.Format)
	}
}

func TestBadBrat(t *testing.T) {
	const text = "naïve 😀\nGwendolyn"
	ann := func(lines string) []File { return pair(text, lines) }
	tooMany := &strings.Builder{}
	for i := range MaxSpans + 1 {
		fmt.Fprintf(tooMany, "T%d\tA 0 1\tn\n", i)
	}
	runBad(t, []badCase{
		{"no text", []File{file("x.ann", "T1\tA 0 1\tG\n")}, Options{}, "pair", "", -1},
		{"not brat at all", []File{file("x.csv", "id,text\n")}, Options{Format: "brat"}, "pair", "", -1},
		{"discontinuous", ann("T1\tA 0 2;8 10\tna Gw\n"), Options{}, "discontinuous-span", "T1", 0},
		{"id twice", ann("T1\tA 0 5\tnaïve\nT1\tA 8 17\tGwendolyn\n"), Options{}, "duplicate-annotation", "T1", 16},
		{"other surface", ann("T1\tA 0 5\tnaïve\nT2\tA 8 16\tGwendolyn\n"), Options{}, "span-text", "T2", 16},
		{"positions in bytes", ann("T1\tA 12 21\tGwendolyn\n"), Options{}, "span-range", "T1", 0},
		{"positions in UTF-16", ann("T1\tA 9 18\tGwendolyn\n"), Options{}, "span-range", "T1", 0},
		{"overlap", ann("T1\tA 0 5\tnaïve\nT2\tA 3 7\tve 😀\n"), Options{}, "span-overlap", "", -1},
		{"no surface", ann("T1\tA 0 5\n"), Options{}, "ann-line", "line 1", 0},
		{"spaces for tabs", ann("T1 A 0 5 naïve\n"), Options{}, "ann-line", "line 1", 0},
		{"unknown line", ann("\nX1\tGwendolyn\n"), Options{}, "ann-line", "line 2", 1},
		{"float", ann("T1\tA 0.0 5\tnaïve\n"), Options{}, "ann-line", "line 1", 0},
		{"1e20", ann("T1\tA 0 100000000000000000000\tnaïve\n"), Options{}, "span-range", "T1", 0},
		{"backwards", ann("T1\tA 5 0\tnaïve\n"), Options{}, "span-range", "T1", 0},
		{"empty", ann("T1\tA 5 5\t\n"), Options{}, "span-range", "T1", 0},
		{"negative", ann("T1\tA -1 5\tnaïve\n"), Options{}, "span-range", "T1", 0},
		{"bad label", ann("T1\t__proto__ 0 5\tnaïve\n"), Options{}, "label", "T1", 0},
		{"NUL", ann("T1\tA 0 5\tna\x00ve\n"), Options{}, "control-character", "line 1", 11},
		{"Latin-1", ann("T1\tA 0 5\tna\xefve\n"), Options{}, "encoding", "line 1", 11},
		{"UTF-16", ann("\xff\xfeT"), Options{}, "encoding", "", 2},
		{"too many spans", ann(tooMany.String()), Options{}, "too-many-spans", "line 50001", anyOffset},
		{"bad text", pair("\xe9", ""), Options{}, "encoding", "", 0},
	})
}

// TestBratImportThenExportIsTheSame reads a folder of brat files and writes it again. Every
// .txt is the same byte for byte, and so are the spans.
func TestBratImportThenExportIsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	docs := slices.Collect(hospital.Generate(hospital.Options{Patients: 20, Seed: 3}))
	for i := range 100 {
		d := randomDocument(rng)
		d.Name, d.Patient, d.Attributes = fmt.Sprintf("sub/ödd %d.x", i), "", nil
		docs = append(docs, d)
	}
	var first bytes.Buffer
	if err := WriteBratZip(&first, sequence(docs)); err != nil {
		t.Fatal(err)
	}
	read, report := mustRead(t, Options{}, file("first.zip", first.String()))
	if report.Format != "brat" || len(read) != len(docs) {
		t.Fatalf("%s, %d documents", report.Format, len(read))
	}
	for i, d := range read {
		if d.Name != docs[i].Name || d.Text != docs[i].Text || !slices.Equal(d.Spans, docs[i].Spans) {
			t.Fatalf("document %d differs", i)
		}
	}
	var second bytes.Buffer
	if err := WriteBratZip(&second, sequence(read)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(unpack(t, first.Bytes()), unpack(t, second.Bytes())) {
		t.Error("the second export differs from the first")
	}
}

func unpack(t *testing.T, data []byte) map[string]string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range r.File {
		in, err := e.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name] = string(content)
	}
	return files
}

// TestExportedFilesHaveNamesForEverySystem exports notes whose names some system cannot use
// or takes for one, and unpacks the archive by the strictest rules.
func TestExportedFilesHaveNamesForEverySystem(t *testing.T) {
	var docs []annotate.Annotated
	for _, name := range []string{"CON.txt", "nul.txt", "aux", "com1.x", "x", "X.txt", "a:b", "a.txt/b", "a", "ends. ", "annotation.conf/c", "../d", strings.Repeat("é", 400)} {
		docs = append(docs, annotate.Annotated{Document: annotate.Document{Name: name, Text: "Text of " + name}})
	}
	var b bytes.Buffer
	if err := WriteBratZip(&b, sequence(docs)); err != nil {
		t.Fatal(err)
	}
	seen, device := map[string]bool{}, regexp.MustCompile(`(?i)(^|/)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|/|$)`)
	for name := range unpack(t, b.Bytes()) {
		if strings.ContainsAny(name, `<>:"\|?*`) || device.MatchString(name) || len(name) > 240 || unsafeName(name) || seen[SameName(name)] {
			t.Errorf("%q is not a name for every system", name)
		}
		for part := range strings.SplitSeq(name, "/") {
			if strings.TrimRight(part, ". ") != part {
				t.Errorf("%q ends in a dot or space", part)
			}
		}
		seen[SameName(name)] = true
	}
	for name := range seen {
		if dir := path.Dir(name); seen[dir] {
			t.Errorf("%q is a file and a folder", dir)
		}
	}
	back, _ := mustRead(t, Options{}, file("x.zip", b.String()))
	for i, d := range back {
		if d.Text != docs[i].Text {
			t.Errorf("note %d came back as another", i)
		}
	}
	if len(back) != len(docs) {
		t.Errorf("%d of %d notes came back", len(back), len(docs))
	}
}

func FuzzBrat(f *testing.F) {
	f.Add("Zoë saw\r\nMay", "T1\tNAME 0 3\tZoë\nA1\tX T1\n")
	f.Add("one\ntwo", "T1\tA 2 5\te t\r\nT2\tA 0 1;3 4\to t\n")
	f.Add("\ufeffone", "\ufeffT1\tA 1 4\tone\n#1\tAnnotatorNotes T1\tx")
	f.Fuzz(func(t *testing.T, text, ann string) {
		docs, report, err := readAll(Options{SkipBad: true}, pair(text, ann)...)
		if err != nil {
			t.Fatal(err)
		}
		if len(docs)+report.Refused != 1 {
			t.Fatalf("%d documents and %d refused", len(docs), report.Refused)
		}
		for _, d := range docs {
			if d.Text != text && "\ufeff"+d.Text != text {
				t.Fatal("the text changed")
			}
			if err := annotate.CheckSpans(d.Text, slices.Clone(d.Spans)); err != nil {
				t.Fatal(err)
			}
			if strings.Count(ann, "T") < len(d.Spans) {
				t.Fatal("more spans than T lines")
			}
		}
	})
}
