// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"encoding/csv"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
)

func TestCSV(t *testing.T) {
	note := annotate.Document{Name: "7", Text: "line one\r\nsaid \"hi\", left\n", Patient: "p1", Attributes: map[string]string{"ward": "3", "sex": "F"}}
	named := note
	named.Name = "notes-1"
	quoted := `"line one` + "\r\n" + `said ""hi"", left` + "\n" + `"`
	cases := []struct {
		name, content string
		columns       Columns
		want          annotate.Document
	}{
		{"commas", "id,patient_id,text,ward,sex\n7,p1," + quoted + ",3,F\n", Columns{}, note},
		{"semicolons", "id;patient_id;text;ward;sex\n7;p1;" + quoted + ";3;F\n", Columns{}, note},
		{"tabs", "id\tpatient_id\ttext\tward\tsex\n7\tp1\t" + quoted + "\t3\tF\n", Columns{}, note},
		{"CR LF rows", "id,patient,text,ward,sex\r\n7,p1," + quoted + ",3,F\r\n", Columns{}, note},
		{"no last line feed", "id,patient,ward,sex,text\n7,p1,3,F," + quoted, Columns{}, note},
		{"names of MIMIC", "note_id,subject_id,ward,sex,TEXT\n7,p1,3,F," + quoted, Columns{}, note},
		{"quoted header with the delimiter", "\"id\",patient,text,\"ward\",sex\n7,p1," + quoted + ",3,F\n", Columns{}, note},
		{"columns chosen", "a,b,c,ward,sex\n7," + quoted + ",p1,3,F\n", Columns{ID: "a", Text: "b", Patient: "c"}, note},
		{"no id", "patient,text,ward,sex\np1," + quoted + ",3,F\n", Columns{}, named},
		{"empty lines between", "\nid,patient,text,ward,sex\n\n7,p1," + quoted + ",3,F\n\n", Columns{}, note},
		{"some attributes", "id,patient,text,ward,sex,x\n7,p1," + quoted + ",3,F,y\n", Columns{Attributes: []string{"sex", "ward"}}, note},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			docs, _ := mustRead(t, Options{Columns: c.columns}, file("notes.csv", c.content))
			if len(docs) != 1 || !reflect.DeepEqual(docs[0].Document, c.want) {
				t.Errorf("got %q %q %q %v", docs[0].Name, docs[0].Patient, docs[0].Text, docs[0].Attributes)
			}
		})
	}
}

func TestCSVSaysHowItWasRead(t *testing.T) {
	_, report := mustRead(t, Options{}, file("a.csv", "id;ward;text\n1;2;x\n"))
	if want := "CSV with semicolons, text in column 3 of 3, id in column 1"; report.Detail != want {
		t.Errorf("detail is %q, want %q", report.Detail, want)
	}
}

func TestFormulaCellsAreTextLikeAnyOther(t *testing.T) {
	for _, text := range []string{`=cmd|' /C calc'!A0`, "@SUM(1)", "\tx", "+1", "-1"} {
		docs, _ := mustRead(t, Options{}, file("a.csv", "id,text\n1,\""+text+"\"\n"))
		if docs[0].Text != text {
			t.Errorf("got %q, want %q", docs[0].Text, text)
		}
	}
}

func TestBadCSV(t *testing.T) {
	csv := func(content string) []File { return []File{file("a.csv", content)} }
	many := strings.Repeat("x,", maxColumns) + "text\n"
	runBad(t, []badCase{
		{"empty", csv(""), Options{}, "empty-file", "", -1},
		{"header only", csv("id,text\n"), Options{}, "empty-file", "", -1},
		{"too few fields", csv("id,text\n1,x\n2\n"), Options{}, "csv-columns", "row 2, line 3", 12},
		{"too many fields", csv("id,text\n1,x,Gwendolyn\n"), Options{}, "csv-columns", "row 1, line 2", 8},
		{"quote inside a field", csv("id,text\n1,ab\"Gwendolyn\n"), Options{}, "csv-quote", "line 2, column 5", 12},
		{"text after a quote", csv("id,text\n1,\"ab\"Gwendolyn\n"), Options{}, "csv-quote", "line 2, column 7", 14},
		{"quote never closed", csv("id,text\n1,\"Gwendolyn\n2,x\n"), Options{}, "csv-quote", "line 2, column 3", 10},
		{"quote never closed in a large file", csv("id,text\n1,\"" + strings.Repeat("x\n", maxRow)), Options{}, "document-too-large", "line 2, column 3", 10},
		{"text too large", csv("id,text\n1," + strings.Repeat("x", MaxDocument+1) + "\n"), Options{}, "document-too-large", "row 1", 8},
		{"same column twice but for case", csv("id,text,ID\n1,x,Gwendolyn\n"), Options{}, "column", "line 1", 0},
		{"attribute above 64 KiB", csv("id,text,a\n1,x," + strings.Repeat("x", maxAttribute+1) + "\n"), Options{}, "attributes", "row 1, line 2", 10},
		{"too many columns", csv(many), Options{}, "csv", "line 1", anyOffset},
		{"no text column", csv("a,b\n1,Gwendolyn\n"), Options{}, "column", "line 1", 0},
		{"text column that is not there", csv("id,text\n1,x\n"), Options{Columns: Columns{Text: "Text"}}, "column", "line 1", 0},
		{"attribute that is not there", csv("id,text\n1,x\n"), Options{Columns: Columns{Attributes: []string{"sex"}}}, "column", "line 1", 0},
		{"two columns of one name", csv("id,text,text\n1,x,y\n"), Options{}, "column", "line 1", 0},
		{"NUL", csv("id,text\n1,Gwendolyn\x00\n"), Options{}, "control-character", "row 1", 8},
		{"NUL in the header", csv("id,te\x00xt\n1,Gwendolyn\n"), Options{}, "control-character", "", anyOffset},
		{"Latin-1", csv("id,text\n1,Gwendolyn\xe9\n"), Options{}, "encoding", "row 1", 8},
		{"Latin-1 attribute", csv("id,text,sex\n1,x,\xe9\n"), Options{}, "attributes", "row 1", 12},
		{"empty id", csv("id,text\n,Gwendolyn\n"), Options{}, "id", "row 1", 8},
		{"id twice", csv("id,text\n1,x\n1,Gwendolyn\n"), Options{}, "duplicate-id", "row 2, line 3", 12},
	})
}

func TestRaggedRowsDoNotLoseTheOthers(t *testing.T) {
	docs, report, err := readAll(Options{SkipBad: true}, file("a.csv", "id,text\n1\n2,y\n3,z,z\n4,w\n"))
	if err != nil || len(docs) != 2 || docs[1].Name != "4" || report.Refused != 2 {
		t.Errorf("%d documents, %d refused, %v", len(docs), report.Refused, err)
	}
}

// TestUnclosedQuoteDoesNotFillMemory has a file of which encoding/csv would hold all the
// rest.
func TestUnclosedQuoteDoesNotFillMemory(t *testing.T) {
	f := File{Name: "a.csv", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader("id,text\n1,\""), io.LimitReader(letters{}, 64<<20))), nil
	}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := readAll(Options{}, f); err == nil {
		t.Error("no error")
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 150<<20 {
		t.Errorf("%d MiB were allocated", used>>20)
	}
}

// letters is an endless reader of x.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestColumnsAreGuessedByTheirNames(t *testing.T) {
	for header, want := range map[string]chosen{
		"Subject_ID,note,WARD,row_id": {id: 3, text: 1, patient: 0, attributes: []int{2}, structured: structured{-1, -1, -1}},
		"id,text,spans":               {id: 0, text: 1, patient: -1, structured: structured{2, -1, -1}},
		"text,id":                     {id: 1, text: 0, patient: -1, structured: structured{-1, -1, -1}},
	} {
		table, err := openTable(strings.NewReader(header + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got, p := choose(table.header, Columns{}); p != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: chosen %+v, %v; want %+v", header, got, p, want)
		}
	}
	if _, p := choose([]string{"a", "b"}, Columns{}); p == nil {
		t.Error("a header without a text column gives no problem")
	}
	if _, err := openTable(strings.NewReader("")); err == nil {
		t.Error("no error for an empty file")
	}
}

// TestScannerMatchesEncodingCSV compares with the standard library on random files for
// which both agree by definition: no bare CR, no CR LF inside quotes.
func TestScannerMatchesEncodingCSV(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	pieces := []string{"a", "bc", ",", ",", "\n", "\"", "\"\"", " ", "é", "\"x\"", "\"y,\n\""}
	for range 5000 {
		var b strings.Builder
		for range rng.IntN(12) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		reference := csv.NewReader(strings.NewReader(b.String()))
		reference.FieldsPerRecord = -1
		want, wantErr := reference.ReadAll()
		s := newCSVScanner(bufio.NewReader(strings.NewReader(b.String())), ',', 0)
		var got [][]string
		var err error
		for err == nil {
			var row []string
			if row, err = s.read(); err == nil {
				got = append(got, row)
			}
		}
		if (err != io.EOF) != (wantErr != nil) {
			t.Fatalf("%q: error %v, want %v", b.String(), err, wantErr)
		}
		if wantErr == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %q, want %q", b.String(), got, want)
		}
	}
}

func TestSpansInAColumn(t *testing.T) {
	docs, report := mustRead(t, Options{}, file("a.csv", "id,spans,text\n1,\"[{\"\"start\"\":0,\"\"end\"\":4,\"\"label\"\":\"\"NAME\"\"}]\",Rose\n2,,May\n"))
	if shown(docs[0]) != "1||Rose|NAME:Rose;" || shown(docs[1]) != "2||May|" || !strings.Contains(report.Detail, "spans in column 2") {
		t.Errorf("%q, %q", shown(docs[0]), report.Detail)
	}
	docs, _ = mustRead(t, Options{Columns: Columns{Attributes: []string{"spans"}}}, file("a.csv", "id,spans,text\n1,3,Rose\n"))
	if shown(docs[0]) != "1||Rose||spans=3" {
		t.Errorf("%q", shown(docs[0]))
	}
	row := func(spans string) []File {
		return []File{file("a.csv", "id,spans,text\n1,"+spans+","+secret+"\n")}
	}
	runBad(t, []badCase{
		{"a number", row("3"), Options{}, "json", "row 1", 14},
		{"not JSON", row(secret), Options{}, "json", "row 1", 14},
		{"after the end", row(`"[{""start"":0,""end"":99,""label"":""A""}]"`), Options{}, "span-range", "row 1", 14},
		{"label", row(`"[{""start"":0,""end"":9,""label"":""__proto__""}]"`), Options{}, "label", "row 1", 14},
		{"identities of nobody", []File{file("a.csv", strings.Join(ownColumns, ",")+"\n1,,x,,,[{}]\n")}, Options{}, "identities", "row 1", anyOffset},
		{"attributes that are a list", []File{file("a.csv", strings.Join(ownColumns, ",")+"\n1,,x,,[],\n")}, Options{}, "json", "row 1", anyOffset},
	})
}

func FuzzCSV(f *testing.F) {
	f.Add("id,text,ward\n1,\"a \"\"quoted\"\"\r\nnote\",3\n2,plain,4\n")
	f.Add("text;patient\n\"x\";y\n;\n")
	f.Add("\ufefftext\tid\n\"unclosed")
	f.Fuzz(func(t *testing.T, content string) {
		for _, d := range checkFuzzed(t, "a.csv", Options{}, content) {
			quoted := strings.ReplaceAll(d.Text, `"`, `""`)
			if !strings.Contains(content, d.Text) && !strings.Contains(content, quoted) {
				t.Fatal("a text is not in the file")
			}
		}
	})
}

func TestWrittenCSVIsStandard(t *testing.T) {
	doc := annotate.Document{Name: "1", Text: "a \"b\", c\nd", Attributes: map[string]string{"k": "=1"}}
	var b strings.Builder
	if err := WriteCSV(&b, slices.Sorted(maps.Keys(doc.Attributes)), sequence([]annotate.Annotated{{Document: doc}})); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || !reflect.DeepEqual(rows, [][]string{{"id", "patient", "text", "k"}, {"1", "", doc.Text, "=1"}}) {
		t.Errorf("rows %q, %v", rows, err)
	}
}
