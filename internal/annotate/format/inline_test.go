// SPDX-License-Identifier: Apache-2.0

package format

import (
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"hide/internal/annotate"
)

const (
	records2006 = `<?xml version="1.0" encoding="UTF-8"?>
<ROOT>
<RECORD ID="1">
<TEXT>
Dr. <PHI TYPE="DOCTOR">Zoë May</PHI> saw &lt;him&gt; , age &lt; 90
</TEXT>
</RECORD>
<RECORD ID="2"><TEXT>a &amp; b<![CDATA[ <c> &amp; ]]></TEXT></RECORD>
</ROOT>
`
	reports = `<reports>
<report><pid>7</pid><rid>r9</rid><title> note 1 </title><content>Seen by <name>J &amp; Doe</name> on
<date>May 2</date>.</content></report>
<report><title>note 2</title><content>none</content></report></reports>`
	tagged2 = "Mr. <NAME>May</NAME> was seen, temp <37.\nOn <DATE kind=\"x\">2 May</DATE>.\n"
)

func TestInlineTags(t *testing.T) {
	span := func(start, end annotate.ByteOff, label annotate.Label) annotate.Span {
		return annotate.Span{Start: start, End: end, Label: label}
	}
	cases := []struct {
		file   File
		format string
		want   []annotate.Annotated
	}{
		{file("train.xml", records2006), "i2b2-2006", []annotate.Annotated{
			{Document: annotate.Document{Name: "1", Text: "\nDr. Zoë May saw <him> , age < 90\n"}, Spans: []annotate.Span{span(5, 13, "DOCTOR")}},
			{Document: annotate.Document{Name: "2", Text: "a & b <c> &amp; "}},
		}},
		{file("a.xml", reports), "hide-xml", []annotate.Annotated{
			{Document: annotate.Document{Name: "note 1", Patient: "7", Text: "Seen by J & Doe on\nMay 2.", Attributes: map[string]string{"rid": "r9"}}, Spans: []annotate.Span{span(8, 15, "name"), span(19, 24, "date")}},
			{Document: annotate.Document{Name: "note 2", Text: "none"}},
		}},
		{file("a.txt", tagged2), "inline", []annotate.Annotated{
			{Document: annotate.Document{Name: "a.txt", Text: "Mr. May was seen, temp <37.\nOn 2 May.\n"}, Spans: []annotate.Span{span(4, 7, "NAME"), span(31, 36, "DATE")}},
		}},
	}
	for _, c := range cases {
		docs, report := mustRead(t, Options{}, c.file)
		if report.Format != c.format || !reflect.DeepEqual(docs, clearSpans(c.want)) {
			t.Errorf("%s: %+v", report.Format, docs)
			for _, d := range docs {
				t.Errorf("%q %q %v %v", d.Name, d.Text, d.Spans, d.Attributes)
			}
		}
	}
}

// clearSpans gives documents without spans an empty list, as readers do.
func clearSpans(docs []annotate.Annotated) []annotate.Annotated {
	for i := range docs {
		docs[i].Spans = append([]annotate.Span(nil), docs[i].Spans...)
	}
	return docs
}

// Markup that no parser takes is read, and each kind of mistake is counted with its first
// place.
func TestInlineTagsAreReadTolerantly(t *testing.T) {
	cases := []struct{ name, content, text, spans, remark string }{
		{"a < and an &", "<A>x</A> < y & z &nbsp; <z>", "x < y & z &nbsp; <z>", "A:x", "kept as text; first in a.sgml at byte"},
		{"not closed", "1 <A>x</A> <A>y z", "1 x y z", "A:x A:y z", "1 tag: is not closed, and ends before the next or with the text; first in a.sgml at byte 11"},
		{"not closed before another", "<A>x <B>y</B> <A>z</A>", "x y z", "A:x  B:y A:z", "is not closed"},
		{"closed by another name", "<A>x</B> <B>y</B> <A>z</A>", "x y z", "A:x B:y A:z", "closes a tag of another name"},
		{"closes nothing", "x</A> <A>y</A>", "x y", "A:y", "1 tag: closes nothing, left out; first in a.sgml at byte 1"},
		{"without text", "<A></A>x <A/>", "x ", "", "2 tags: without text, left out; first in a.sgml at byte 0"},
		{"closed nowhere", "<A>x</A> <B>y<A>z</A>", "x <B>yz", "A:x A:z", "not known; kept as text"},
		{"PHI with a type", `<PHI TYPE="B">x</PHI>`, "x", "B:x", ""},
		{"CR LF stays", "<A>x\r\ny</A>\r", "x\r\ny\r", "A:x\r\ny", ""},
		{"a surrogate half", "<A>x</A>&#xD800;&#0;", "x&#xD800;&#0;", "A:x", "2 &s: without an entity, kept as text"},
	}
	for _, c := range cases {
		docs, report := mustRead(t, Options{}, file("a.sgml", c.content))
		var spans []string
		for _, s := range docs[0].Spans {
			spans = append(spans, string(s.Label)+":"+s.Surface(docs[0].Text))
		}
		if docs[0].Text != c.text || strings.Join(spans, " ") != c.spans || !strings.Contains(strings.Join(report.Notes, "\n"), c.remark) {
			t.Errorf("%s: %q, %q, %q", c.name, docs[0].Text, spans, report.Notes)
		}
	}
	docs, _ := mustRead(t, Options{}, file("a.xml", `<ROOT><RECORD ID="1"><TEXT>a <PHI TYPE="X">b</RECORD><RECORD ID="2"><TEXT><x> c</TEXT></RECORD></ROOT>`))
	if len(docs) != 2 || docs[0].Text != "a b" || len(docs[0].Spans) != 1 || docs[1].Text != "<x> c" {
		t.Errorf("%v", docs)
	}
}

// The scanner gives the whole file, however its buffer cuts it.
func TestLongTextsBetweenTagsAreKept(t *testing.T) {
	draw := rand.New(rand.NewPCG(2, 6))
	var text, content strings.Builder
	for text.Len() < 3*markupBuffer {
		for _, piece := range [][2]string{{"é", "é"}, {"&", "&amp;"}, {"😀", "&#x1F600;"}, {"x", "x"}, {"& ", "& "}} {
			n := draw.IntN(2000)
			text.WriteString(strings.Repeat(piece[0], n))
			content.WriteString(strings.Repeat(piece[1], n))
		}
	}
	docs, _ := mustRead(t, Options{}, file("a.sgml", content.String()))
	if docs[0].Text != text.String() {
		t.Error("the text changed")
	}
}

func TestBadInline(t *testing.T) {
	record := func(text string) []File {
		return []File{file("a.xml", `<ROOT><RECORD ID="1"><TEXT>`+text+`</TEXT></RECORD></ROOT>`)}
	}
	inline := func(text string) []File { return []File{file("a.sgml", text)} }
	deep := strings.Repeat("<A>"+secret, 300) + strings.Repeat("</A>", 300)
	runBad(t, []badCase{
		{"DOCTYPE", []File{file("a.xml", `<!DOCTYPE x [<!ENTITY a "`+secret+`">]><ROOT><RECORD ID="1"><TEXT>&a;</TEXT></RECORD></ROOT>`)}, Options{}, "xml", "", 0},
		{"cut", []File{file("a.xml", records2006[:120])}, Options{}, "truncated", "", 120},
		{"cut in a comment", []File{file("a.xml", `<ROOT><RECORD ID="1"><TEXT>x<!-- `+secret)}, Options{}, "truncated", "", anyOffset},
		{"no text", []File{file("a.xml", `<ROOT><RECORD ID="1"/><RECORD ID="2"><TEXT>`)}, Options{}, "xml", "note 1", 6},
		{"no note", []File{file("a.xml", "<reports>"+secret+"</reports>")}, Options{Format: "hide-xml"}, "empty-file", "", -1},
		{"twice", []File{file("a.xml", `<ROOT><RECORD ID="1"><TEXT>a</TEXT></RECORD><RECORD ID="1"><TEXT>b</TEXT></RECORD></ROOT>`)}, Options{}, "duplicate-id", "note 2", 44},
		{"label __proto__", record(`<PHI TYPE="__proto__">` + secret + `</PHI>`), Options{}, "label", "note 1", 27},
		{"label of 10 KB", record(`<PHI TYPE="` + strings.Repeat("x", 1500) + `">` + secret + `</PHI>`), Options{}, "label", "note 1", 27},
		{"nested", inline("<A>" + secret + " <B>x</B></A>"), Options{}, "span-overlap", "", -1},
		{"deep", inline(deep), Options{}, "xml", "", anyOffset},
		{"too many", inline(strings.Repeat("<A>x</A>", MaxSpans+1)), Options{}, "too-many-spans", "", -1},
		{"NUL", inline("<A>" + secret + "\x00</A>"), Options{}, "control-character", "", -1},
		{"Latin-1", inline("<A>" + secret + "\xe9</A>"), Options{}, "encoding", "", -1},
		{"UTF-16 without a mark", inline("<\x00A\x00>\x00"), Options{}, "encoding", "", -1},
		{"too large", inline(strings.Repeat("walk ", MaxDocument/4)), Options{}, "document-too-large", "", -1},
	})
}

func TestARefusedRecordDoesNotLoseTheOthers(t *testing.T) {
	content := `<ROOT><RECORD ID="1"><TEXT>a<PHI TYPE="__proto__">b</PHI></TEXT></RECORD><RECORD ID="2"><TEXT>c</TEXT></RECORD></ROOT>`
	docs, report, err := readAll(Options{SkipBad: true}, file("a.xml", content))
	if err != nil || len(docs) != 1 || docs[0].Name != "2" || report.Refused != 1 {
		t.Errorf("%v, %v, %d refused", docs, err, report.Refused)
	}
}

func TestTagsInTextsMakeInlineFiles(t *testing.T) {
	for content, want := range map[string]bool{
		"<NAME>x</NAME> y":             true,
		"<NAME>x y":                    false,
		"x < 5, y > 3":                 false,
		"<P>x</P>":                     false,
		"<NAME>x</NAME> <b>y</b>":      false,
		"<name>x</name>":               false,
		"<PHI TYPE=\"DATE\">x</PHI> y": true,
	} {
		p, err := newProbe(input{name: "a.txt", open: file("a.txt", content).Open})
		if err != nil || claimsInline(p) != want {
			t.Errorf("%q: %v, want %v", content, !want, want)
		}
	}
}

func FuzzI2B2Records(f *testing.F) {
	f.Add(records2006)
	f.Add(`<ROOT><RECORD ID="1"><TEXT>a <PHI TYPE="X">b</RECORD><RECORD ID="2"><TEXT><x> c</PHI></TEXT></RECORD></ROOT>`)
	fuzzKind(f, "i2b2-2006", "a.xml")
}

func FuzzHIDEReports(f *testing.F) {
	f.Add(reports)
	f.Add(`<report><title>&#32;x</title><content><content>a</content> <report>b</report></content></report>`)
	fuzzKind(f, "hide-xml", "a.xml")
}

func FuzzInline(f *testing.F) {
	f.Add(tagged2)
	f.Add("\ufeff<A>x</B> <B>y</B> <A>z &#xFEFF;&lt;")
	f.Add(`["`)
	fuzzKind(f, "inline", "a.sgml")
}

func TestEntitiesAreDecodedAsXMLHasThem(t *testing.T) {
	for _, c := range [][2]string{{"&amp;lt;", "&lt;"}, {"&#233;&#xE9;&#Xe9;", "ééé"}, {"&", "&"}, {"&&lt;", "&<"}, {"&copy;", "&copy;"}, {"&#x110000;", "&#x110000;"}} {
		if got, _ := decodeEntities(c[0]); got != c[1] {
			t.Errorf("%q is %q", c[0], got)
		}
	}
}

// readingsOf counts how often a file is read from.
type readingsOf struct {
	io.Reader
	n *int
}

func (r readingsOf) Read(b []byte) (int, error) { *r.n++; return r.Reader.Read(b) }

func (readingsOf) Close() error { return nil }

// Each reading moves up to 64 KiB, so a reading for each tag takes minutes.
func TestManyTagsAreFewReadings(t *testing.T) {
	text, n := strings.Repeat("<NAME>x ", 100_000), 0
	f := File{Name: "a.sgml", Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return readingsOf{strings.NewReader(text), &n}, nil }}
	mustRead(t, Options{Format: "inline"}, f)
	if n > 100 {
		t.Errorf("%d readings for %d bytes", n, len(text))
	}
}
