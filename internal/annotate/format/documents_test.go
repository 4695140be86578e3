// SPDX-License-Identifier: Apache-2.0

package format

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func word(t testing.TB, body string, more ...string) File {
	t.Helper()
	document := `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="w" xmlns:mc="mc"><w:body>` + body + `</w:body></w:document>`
	return file("a.docx", archive(t, append([]string{"[Content_Types].xml", "<Types/>", "word/document.xml", document}, more...)...))
}

// para is a paragraph of Word with one run.
func para(style, text string) string {
	if style != "" {
		style = `<w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>`
	}
	return `<w:p>` + style + `<w:r><w:t xml:space="preserve">` + text + `</w:t></w:r></w:p>`
}

func TestWordDocumentsBecomeLines(t *testing.T) {
	cell := func(s string) string { return `<w:tc>` + para("", s) + `</w:tc>` }
	body := para("Heading1", "Report") + para("", "Seen &lt;today&gt; by ") +
		`<w:p><w:r><w:t>one</w:t><w:tab/><w:t>two</w:t><w:br/><w:t>three</w:t></w:r></w:p>` +
		`<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>aspirin</w:t></w:r></w:p>` +
		para("Heading2", "Values") +
		`<w:tbl><w:tr>` + cell("Na") + cell("140") + `</w:tr><w:tr>` + cell("K") + `<w:tc>` + para("", "4") + para("", "high") + `</w:tc></w:tr></w:tbl>` +
		`<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>` +
		`<w:p><mc:AlternateContent><mc:Choice><w:r><w:t>once</w:t></w:r></mc:Choice><mc:Fallback><w:r><w:t>once</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>`
	docs, report := mustRead(t, Options{}, word(t, body, "word/header1.xml", "<w:hdr/>", "word/media/a.png", "x"))
	want := "Report\nSeen <today> by \none\ttwo\nthree\n- aspirin\n\nValues\nNa | 140\nK | 4 high\nnew\nonce\n"
	if docs[0].Text != want {
		t.Errorf("the text is %q", docs[0].Text)
	}
	notes := strings.Join(report.Notes, "\n")
	for _, said := range []string{"1 page header", "1 picture", "1 deleted passage"} {
		if !strings.Contains(notes, said) {
			t.Errorf("the report does not say %q", said)
		}
	}
}

func TestRTFBecomesText(t *testing.T) {
	for _, c := range []struct{ rtf, want string }{
		{`{\rtf1\ansi Ann walks.}`, "Ann walks.\n"},
		{`{\rtf1\ansi{\fonttbl{\f0 Times;}}{\*\generator X;}{\info{\author Gwen}}\b Report\b0\par Pe\'f1a \u8364? 20\line {\i x}\tab y}`, "Report\nPeña € 20\nx\ty\n"},
		{`{\rtf1\uc2 \u-10179??\u-8704??.}`, "😀.\n"},
		{`{\rtf1\trowd Na\cell 140\cell\row K\cell 4\cell\row after\par}`, "Na | 140\nK | 4\nafter\n"},
		{`{\rtf1 a\{b\}c\\d\~e\_f {\v hidden}g}`, "a{b}c\\d\u00a0e-f g\n"},
		{`{\rtf1\ansicpg1251 \'cf\'f0}`, "Пр\n"},
		{"{\\rtf1 one\r\ntwo\\\nthree {\\pict\\bin3 }}}} x}", "onetwo\nthree  x\n"},
		{`{\rtf1 {\field{\*\fldinst HYPERLINK}{\fldrslt link}} end}`, "link end\n"},
	} {
		docs, _ := mustRead(t, Options{}, file("a.rtf", c.rtf))
		if docs[0].Text != c.want {
			t.Errorf("%s gives %q, want %q", c.rtf, docs[0].Text, c.want)
		}
	}
}

func TestBadDocuments(t *testing.T) {
	deep := strings.Repeat("<w:p>", 300)
	t.Setenv("PATH", t.TempDir()) // without pdftotext
	runBad(t, []badCase{
		{"RTF that is cut", []File{file("a.rtf", `{\rtf1 `+secret)}, Options{}, "truncated", "", 15 + 1},
		{"RTF with too many ends", []File{file("a.rtf", `{\rtf1 x`+strings.Repeat("{", 300))}, Options{}, "rtf", "", anyOffset},
		{"RTF in a code page", []File{file("a.rtf", `{\rtf1\ansicpg932 x}`)}, Options{}, "encoding", "", 17 + 1},
		{"RTF without text", []File{file("a.rtf", `{\rtf1}`)}, Options{}, "empty-document", "", -1},
		{"Word without text", []File{file("a.docx", archive(t, "word/other.xml", "x"))}, Options{}, "docx", "", -1},
		{"Word with DOCTYPE", []File{file("a.docx", archive(t, "word/document.xml", `<!DOCTYPE x><x/>`))}, Options{}, "xml", "", anyOffset},
		{"Word that is deep", []File{word(t, deep)}, Options{}, "xml", "", anyOffset},
		{"Word that is cut", []File{file("a.docx", "PK\x03\x04x")}, Options{}, "zip", "", -1},
		{"PDF without its program", []File{file("a.pdf", "%PDF-1.7")}, Options{}, "pdf", "", -1},
	})
}

func TestPDFIsReadThroughPipes(t *testing.T) {
	program := func(script string) {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "pdftotext"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", folder)
	}
	program("while read -r line; do :; done; printf 'Ann walks.\\n\\f\\n'")
	docs, _ := mustRead(t, Options{}, file("a.pdf", "%PDF-1.7\n"))
	if docs[0].Text != "Ann walks.\n" {
		t.Errorf("the text is %q", docs[0].Text)
	}
	for script, code := range map[string]string{"exit 1": "pdf", "printf '\\f'": "pdf", "while :; do printf '%01000d' 7; done": "document-too-large"} {
		program(script)
		runBad(t, []badCase{{script, []File{file("a.pdf", "%PDF-1.7\n")}, Options{}, code, "", -1}})
	}
}

func FuzzRTF(f *testing.F) {
	for _, seed := range []string{`{\rtf1 a\par b}`, `{\rtf1\uc0\u-10179\u-8704 }`, `{\rtf1\'e9{\pict\bin9 }}`, `{\rtf1\trowd a\cell\row}`, "{\\rtf1\\"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		text, _, err := rtfText(raw)
		if err == nil && (!utf8.ValidString(text) || len(text) > 8*len(raw)+8) {
			t.Errorf("%d bytes give %d bytes of text", len(raw), len(text))
		}
	})
}

func FuzzWord(f *testing.F) {
	f.Add(para("Title", "x") + "<w:tbl><w:tr><w:tc>" + para("", "y") + "</w:tc></w:tr></w:tbl>")
	f.Add("<w:tr></w:tr></w:tc><w:del>")
	f.Fuzz(func(t *testing.T, body string) {
		_, _, _ = readAll(Options{}, word(t, body)) // it must not panic, or hang
	})
}
