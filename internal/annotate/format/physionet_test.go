// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"hide/internal/annotate"
)

const (
	deidRecords = "\nSTART_OF_RECORD=1||||2||||\nSeen by Dr. May 😀,\nRose left.\n||||END_OF_RECORD\n\nSTART_OF_RECORD=3||||1||||\nNone\n||||END_OF_RECORD\n"
	deidPhrases = "1 2 12 15 HCPName May\n1 2 19 23 PTName Rose\n"
)

func TestPhysionet(t *testing.T) {
	want := "1-2|1|Seen by Dr. May 😀,\nRose left.|HCPName:May;PTName:Rose; 3-1|3|None|"
	anonymous := strings.NewReplacer("HCPName", "PHI", "PTName", "PHI").Replace(want)
	for _, c := range []struct{ name, content, phrases, want string }{
		{"id-phi.phrase", deidRecords, deidPhrases, want},
		{"id.phrase", deidRecords, "1 2 13 16 HCPName May\n1 2 20 24 PTName Rose\n", want},
		{"id.phi", deidRecords, "Patient 1\tNote 2\n12\t12\t15\n19\t19\t23\nPatient 3\tNote 1\n", anonymous},
		{"id.phi", deidRecords, "Patient 1\tNote 2\n13\t13\t16\n20\t20\t24\n", anonymous},
		{"id.phi", strings.ReplaceAll(deidRecords, "\n", "\r\n"), "Patient 1\tNote 2\r\n12\t12\t15\r\n20\t20\t24\r\n", strings.Replace(anonymous, "\n", "\r\n", 1)},
		{"id.phi", strings.ReplaceAll(deidRecords, "left.\n", "left."), "Patient 1\tNote 2\n12\t12\t15\n19\t19\t23\n", anonymous},
	} {
		docs, report := mustRead(t, Options{}, file(c.name, c.phrases), file("id.text", c.content))
		var got []string
		for _, d := range docs {
			got = append(got, shown(d))
		}
		if report.Format != "physionet" || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, %q", c.name, report.Format, got)
		}
	}
	docs, report := mustRead(t, Options{}, file("id.text", deidRecords), file("id.phi", "9 9 0 1 A x\n"))
	if len(docs) != 2 || !strings.Contains(strings.Join(report.Notes, " "), "1 span: of a record that is not in the file") {
		t.Errorf("%q", report.Notes)
	}
}

func TestBadPhysionet(t *testing.T) {
	with := func(phrases string) []File { return []File{file("a.text", deidRecords), file("a.phi", phrases)} }
	one := func(content string) []File { return []File{file("a.text", content)} }
	long := "START_OF_RECORD=1||||1||||\n" + strings.Repeat(strings.Repeat(secret, 1000)+"\n", 1200) + "||||END_OF_RECORD\n"
	runBad(t, []badCase{
		{"cut", one(deidRecords[:60]), Options{}, "truncated", "record 1", 60},
		{"a record inside a record", one("START_OF_RECORD=1||||1||||\nx\nSTART_OF_RECORD=1||||2||||\n" + secret), Options{}, "truncated", "record 1", anyOffset},
		{"text outside", one("START_OF_RECORD=1||||1||||\nx\n||||END_OF_RECORD\n" + secret), Options{}, "record", "line 4", 47},
		{"no number", one("START_OF_RECORD=" + secret + "\nx\n||||END_OF_RECORD\n"), Options{}, "record", "line 1", 0},
		{"twice", one(strings.Replace(deidRecords, "3||||1", "1||||2", 1)), Options{}, "duplicate-id", "record 2", 80},
		{"NUL", one(strings.Replace(deidRecords, "None", secret+"\x00", 1)), Options{}, "control-character", "record 2", 80},
		{"too large", one(long), Options{}, "document-too-large", "record 1", 0},
		{"other words", with("1 2 0 4 A Rose\n"), Options{}, "span-text", "line 1", 0},
		{"after the end", with("1 2 12 99 A May\n"), Options{}, "span-range", "line 1", 0},
		{"negative", with("1 2 -1 3 A May\n"), Options{}, "span-range", "line 1", 0},
		{"float", with("1 2 0.5 3 A May\n"), Options{}, "span-range", "line 1", 0},
		{"1e20", with("1 2 1e20 3 A May\n"), Options{}, "span-range", "line 1", 0},
		{"zero length", with("Patient 1\tNote 2\n3\t3\t3\n"), Options{}, "span-range", "line 2", 17},
		{"overlap", with("Patient 1\tNote 2\n0\t0\t3\n2\t2\t5\n"), Options{}, "span-overlap", "record 1", 1},
		{"__proto__", with("1 2 12 15 __proto__ May\n"), Options{}, "label", "line 1", 0},
		{"10 KB", with("1 2 12 15 " + strings.Repeat(secret, 1000) + " May\n"), Options{}, "label", "line 1", 0},
		{"another line", with(secret + "\n"), Options{}, "phrase", "line 1", 0},
		{"positions without a note", with("12\t12\t15\n"), Options{}, "phrase", "line 1", 0},
		{"Latin-1", with("1 2 12 15 A M\xe9\n"), Options{}, "encoding", "line 1", 13},
		{"phrases alone", []File{file("a-phi.phrase", deidPhrases)}, Options{}, "pair", "", -1},
		{"phrases beside another text", []File{file("a.txt", "A note."), file("a.phi", deidPhrases)}, Options{}, "pair", "", -1},
	})
}

// A record that is refused does not lose the next, and text between records is refused once.
func TestARefusedPhysionetRecordDoesNotLoseTheNext(t *testing.T) {
	content := "START_OF_RECORD=1||||1||||\n\x00\n||||END_OF_RECORD\nx\ny\nSTART_OF_RECORD=1||||2||||\nz\n||||END_OF_RECORD\n"
	docs, report, err := readAll(Options{SkipBad: true}, file("a.text", content))
	if err != nil || len(docs) != 1 || docs[0].Text != "z" || report.Refused != 2 {
		t.Errorf("%d documents, %d refused, %v", len(docs), report.Refused, err)
	}
}

// Many spans are written to several files, so that the memory of the writer is bounded.
func TestPhysionetFilesAreCut(t *testing.T) {
	word := strings.Repeat("Rose", 20)
	text := strings.Repeat(word+" ", 7000)
	var docs []annotate.Annotated
	for n := range 3 {
		d := annotate.Annotated{Document: annotate.Document{Name: fmt.Sprintf("7-%d", n+1), Patient: "7", Text: text}}
		for i := range 7000 {
			d.Spans = append(d.Spans, annotate.Span{Start: annotate.ByteOff(81 * i), End: annotate.ByteOff(81*i + 80), Label: "NAME"})
		}
		docs = append(docs, d)
	}
	var out bytes.Buffer
	if err := Write(&out, "physionet", sequence(docs)); err != nil {
		t.Fatal(err)
	}
	if files := unpack(t, out.Bytes()); len(files) < 4 {
		t.Errorf("%d files", len(files))
	}
	back, _ := mustRead(t, Options{}, file("x.zip", out.String()))
	for i, d := range back {
		if len(differences(docs[i], d)) > 0 {
			t.Errorf("note %d differs", i)
		}
	}
}

func FuzzPhysionet(f *testing.F) {
	f.Add(deidRecords)
	f.Add("\nSTART_OF_RECORD=1||||0||||0😀\n||||END_OF_RECORD\n")
	f.Add("START_OF_RECORD=1||||2||||x\r\ny||||END_OF_RECORD\r\n")
	fuzzKind(f, "physionet", "a.text")
}

func FuzzPhrases(f *testing.F) {
	f.Add(deidPhrases)
	f.Add("Patient 1\tNote 2\n12\t12\t15\n19\t19\t23\n")
	f.Fuzz(func(t *testing.T, phrases string) {
		docs, _, err := readAll(Options{SkipBad: true}, file("a.text", deidRecords), file("a.phi", phrases))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range docs {
			if annotate.CheckSpans(d.Text, d.Spans) != nil {
				t.Fatal("a span is outside the text")
			}
		}
	})
}
