// SPDX-License-Identifier: Apache-2.0

package format

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"hide/internal/annotate"
)

// i2b2File is a file as the task of 2014 has it.
func i2b2File(text, tags string) string {
	return `<?xml version="1.0" encoding="UTF-8" ?>` + "\n<deIdi2b2>\n<TEXT><![CDATA[" + text + "]]></TEXT>\n<TAGS>\n" + tags + "\n</TAGS>\n</deIdi2b2>\n"
}

func TestI2B2(t *testing.T) {
	text := "\n\n\nRecord date: 2069-04-07\n\nMr. Villegas & 😀 Zoë\n"
	content := i2b2File(text, `<DATE id="P0" start="16" end="26" text="2069-04-07" TYPE="DATE" comment="" />
<NAME id="P1" start="32" end="40" text="Villegas" TYPE="PATIENT" comment=""/><AGE id="P2" start="45" end="48" text="Zo&#235;"/>`)
	docs, report := mustRead(t, Options{}, file("train/220-03.xml", content))
	want := annotate.Annotated{
		Document: annotate.Document{Name: "train/220-03", Text: text, Patient: "220"},
		Spans:    []annotate.Span{{Start: 16, End: 26, Label: "DATE"}, {Start: 32, End: 40, Label: "PATIENT"}, {Start: 48, End: 52, Label: "AGE"}},
	}
	if report.Format != "i2b2-2014" || !reflect.DeepEqual(docs[0], want) {
		t.Errorf("%s, %v", report.Format, docs[0].Spans)
	}
	utf16 := i2b2File(text, `<NAME start="32" end="40" text="Villegas" TYPE="PATIENT"/><NAME start="46" end="49" text="Zoë" TYPE="DOCTOR"/>`)
	docs, report = mustRead(t, Options{}, file("a.xml", utf16))
	if docs[0].Spans[1].Surface(text) != "Zoë" || !strings.Contains(strings.Join(report.Notes, " "), "UTF-16") {
		t.Errorf("positions in UTF-16: %v, %q", docs[0].Spans, report.Notes)
	}
}

// A parser of XML makes LF of CR LF; the positions in the files count so.
func TestI2B2LineBreaksAreThoseOfXML(t *testing.T) {
	docs, _ := mustRead(t, Options{}, file("a.xml", i2b2File("one\r\ntwo", `<NAME start="4" end="7" text="two" TYPE="PATIENT"/>`)))
	if docs[0].Text != "one\ntwo" {
		t.Errorf("%q", docs[0].Text)
	}
}

func TestBadI2B2(t *testing.T) {
	text := secret + " 😀 walks."
	tag := func(attributes string) []File { return []File{file("a.xml", i2b2File(text, "<NAME "+attributes+"/>"))} }
	many := strings.Repeat(`<NAME start="0" end="1" TYPE="A"/>`, MaxSpans+1)
	doctype := `<!DOCTYPE lolz [<!ENTITY lol "` + secret + `"><!ENTITY lol2 "&lol;&lol;">]>`
	runBad(t, []badCase{
		{"DOCTYPE", []File{file("a.xml", doctype+i2b2File(text, ""))}, Options{}, "xml", "", 0},
		{"DOCTYPE of a file", []File{file("a.xml", `<!DOCTYPE a SYSTEM "file:///etc/passwd">`+i2b2File(text, ""))}, Options{}, "xml", "", 0},
		{"an entity that nobody defines", []File{file("a.xml", "<deIdi2b2><TEXT>&"+secret+";</TEXT></deIdi2b2>")}, Options{}, "xml", "", anyOffset},
		{"depth", []File{file("a.xml", "<deIdi2b2>"+strings.Repeat("<a>", 300))}, Options{}, "xml", "", anyOffset},
		{"cut", []File{file("a.xml", i2b2File(text, "")[:80])}, Options{}, "truncated", "", anyOffset},
		{"cut in a tag", []File{file("a.xml", i2b2File(text, "<NAME")[:120])}, Options{}, "xml", "", anyOffset},
		{"crossed", []File{file("a.xml", "<deIdi2b2><TEXT>x</TAGS></deIdi2b2>")}, Options{}, "xml", "", anyOffset},
		{"no text", []File{file("a.xml", "<deIdi2b2><TAGS/></deIdi2b2>")}, Options{}, "xml", "", -1},
		{"two texts", []File{file("a.xml", "<deIdi2b2><TEXT>a</TEXT><TEXT>b</TEXT></deIdi2b2>")}, Options{}, "xml", "", 24},
		{"tags in the text", []File{file("a.xml", "<deIdi2b2><TEXT>a<NAME>b</NAME></TEXT></deIdi2b2>")}, Options{}, "xml", "", 17},
		{"Latin-1", []File{file("a.xml", i2b2File("\xe9", ""))}, Options{}, "encoding", "", anyOffset},
		{"an encoding that nobody knows", []File{file("a.xml", `<?xml version="1.0" encoding="ebcdic"?><deIdi2b2/>`)}, Options{}, "encoding", "", 30},
		{"other words", tag(`start="0" end="9" text="Rosamunde" TYPE="A"`), Options{}, "span-text", "tag 1", anyOffset},
		{"after the end", tag(`start="0" end="99" TYPE="A"`), Options{}, "span-range", "tag 1", anyOffset},
		{"negative", tag(`start="-1" end="9" TYPE="A"`), Options{}, "span-range", "tag 1", anyOffset},
		{"backwards", tag(`start="9" end="0" TYPE="A"`), Options{}, "span-range", "tag 1", anyOffset},
		{"zero length", tag(`start="3" end="3" TYPE="A"`), Options{}, "span-range", "tag 1", anyOffset},
		{"float", tag(`start="0.5" end="9" TYPE="A"`), Options{}, "span-range", "tag 1", anyOffset},
		{"1e20", tag(`start="1e20" end="9" TYPE="A"`), Options{}, "span-range", "tag 1", anyOffset},
		{"words for a number", tag(`start="` + secret + `" end="9" TYPE="A"`), Options{}, "span-range", "tag 1", anyOffset},
		{"overlap", []File{file("a.xml", i2b2File(text, `<A start="0" end="9"/><A start="5" end="11"/>`))}, Options{}, "span-overlap", "", -1},
		{"label __proto__", tag(`start="0" end="9" TYPE="__proto__"`), Options{}, "label", "tag 1", anyOffset},
		{"label of 10 KB", tag(`start="0" end="9" TYPE="` + strings.Repeat(secret, 1000) + `"`), Options{}, "label", "tag 1", anyOffset},
		{"too many spans", []File{file("a.xml", i2b2File(text, many))}, Options{}, "too-many-spans", "", anyOffset},
		{"twice", []File{file("a.xml", i2b2File(text, "")), file("A.XML", i2b2File(text, ""))}, Options{}, "duplicate-id", "", -1},
		{"too large", []File{file("a.xml", i2b2File(strings.Repeat("walk ", MaxDocument/4), ""))}, Options{}, "document-too-large", "", anyOffset},
	})
}

func FuzzI2B2(f *testing.F) {
	f.Add(i2b2File("\n😀 Rose", `<NAME start="3" end="7" text="Rose" TYPE="PATIENT"/>`))
	f.Add(i2b2File("a]]]]><![CDATA[>&#13;", `<DATE start="0" end="1"/>`))
	f.Add("\ufeff<deIdi2b2><TEXT>a&#13;\r\n&#xFFFD;</TEXT><TAGS><A start='0' end='1' text='&#10;'/></TAGS></deIdi2b2>")
	fuzzKind(f, "i2b2-2014", "a.xml")
}

// fuzzKind reads any content by a format. What is read must be written and read again
// without a difference that is not named.
func fuzzKind(f *testing.F, format, name string) {
	k, _ := findKind(format)
	f.Fuzz(func(t *testing.T, content string) {
		for i, d := range checkFuzzed(t, name, Options{Format: format}, content) {
			if k.write == nil || i > 3 {
				return
			}
			checkLaw(t, k, d, k.losesOf(d), format)
		}
	})
}

func TestPositionsInUTF16AreConverted(t *testing.T) {
	text := "a😀é😀"
	for units, want := range map[annotate.RuneOff]annotate.RuneOff{0: 0, 1: 1, 3: 2, 4: 3, 6: 4, 2: -1, 5: -1, 7: -1, -1: -1} {
		got, found := fromUTF16(text, []annotate.RuneOff{units, units, 0})[units]
		if found != (want >= 0) || found && got != want {
			t.Errorf("%d units are %d, want %d", units, got, want)
		}
	}
	if fmt.Sprint(fromUTF16("", []annotate.RuneOff{0})) != "map[0:0]" {
		t.Error("an empty text has one position")
	}
}
