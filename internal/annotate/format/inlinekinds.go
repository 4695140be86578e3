// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"regexp"
	"strings"

	"hide/internal/annotate"
)

// i2b2RecordsKind is the format of the de-identification task of 2006.
func i2b2RecordsKind() kind {
	return kind{
		Format: Format{
			Name: "i2b2-2006", Title: "i2b2 2006 XML", Files: "RECORD elements with an ID, and PHI tags in their TEXT", Endings: []string{".xml"}, Ending: ".xml",
			Holds:  Holds{Name: true, Text: true, Spans: true},
			Remark: "Tags that are not well-formed are read as far as possible, and counted.",
		},
		claims: claimsRecords,
		read:   i2b2Records.read,
		write: oneFile("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ROOT>\n", func(out *bufio.Writer, _ int, d annotate.Annotated) error {
			out.WriteString(`<RECORD ID="` + attributeEscaper.Replace(forXML(d.Name)) + "\">\n<TEXT>")
			writeTagged(out, d, xmlText, func(l annotate.Label) (string, string) { return `<PHI TYPE="` + string(l) + `">`, "</PHI>" })
			_, err := out.WriteString("</TEXT>\n</RECORD>\n")
			return err
		}, "</ROOT>\n"),
		lost: lostInXML,
	}
}

// hideReportsKind is the format of the first HIDE.
func hideReportsKind() kind {
	return kind{
		Format: Format{
			Name: "hide-xml", Title: "HIDE XML", Files: "report elements with pid, rid and title, and a tag for each label in their content", Endings: []string{".xml", ".sgml"}, Ending: ".xml",
			Holds:  Holds{Name: true, Text: true, Spans: true, Patient: true},
			Remark: "Tags that are not well-formed are read as far as possible, and counted.",
		},
		claims: claimsReports,
		read:   hideReports.read,
		write: oneFile("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<reports>\n", func(out *bufio.Writer, _ int, d annotate.Annotated) error {
			out.WriteString("<report>\n")
			if d.Patient != "" {
				out.WriteString("<pid>" + xmlField(d.Patient) + "</pid>\n<rid>" + xmlField(d.Name) + "</rid>\n")
			}
			out.WriteString("<title>" + xmlField(d.Name) + "</title>\n<content>")
			writeTagged(out, d, xmlText, labelTags)
			_, err := out.WriteString("</content>\n</report>\n")
			return err
		}, "</reports>\n"),
		lost: func(d annotate.Annotated) string {
			return sentences(lostInXML(d), when(!xmlHolds(d.Patient), "characters of the patient that XML cannot hold are replaced"))
		},
	}
}

// inlineKind is text with tags, as MIST has it.
func inlineKind() kind {
	return kind{
		Format: Format{
			Name: "inline", Title: "text with inline tags", Files: "one note per file, with tags such as <NAME>..</NAME>", Endings: []string{".sgml", ".txt"}, Ending: ".zip",
			Holds:  Holds{Name: true, Text: true, Spans: true},
			Remark: "Files with another ending than .sgml are recognised by tags in upper case. Tags that are not well-formed are read as far as possible, and counted.",
		},
		claims: claimsInline,
		read:   inlineTags.read,
		write: fileEach(".sgml", func(out *bufio.Writer, d annotate.Annotated) error {
			writeTagged(out, d, plainEscaper.Replace, labelTags)
			return nil
		}),
		lost: func(d annotate.Annotated) string { return when(!fileNamed(d, ".sgml"), lostID) },
	}
}

func claimsRecords(p *probe) bool {
	return (p.root() == "ROOT" || p.root() == "RECORD") && p.contains("<RECORD") && p.contains("<TEXT")
}

func claimsReports(p *probe) bool {
	return (p.root() == "reports" || p.root() == "report") && p.contains("<content")
}

func lostInXML(d annotate.Annotated) string {
	return sentences(when(!xmlHolds(d.Name), lostIDChars), when(!xmlHolds(d.Text), lostText))
}

func labelTags(l annotate.Label) (start, end string) {
	return "<" + string(l) + ">", "</" + string(l) + ">"
}

func xmlText(s string) string { return escaper.Replace(forXML(s)) }

// xmlField is a short text between two tags. White space at its ends is written as numbers,
// because readers trim it.
func xmlField(s string) string {
	trimmed := strings.Trim(s, " ")
	start := strings.Index(s, trimmed)
	return strings.Repeat("&#32;", start) + xmlText(trimmed) + strings.Repeat("&#32;", len(s)-start-len(trimmed))
}

// plainEscaper writes a text between tags that no XML parser reads. A byte order mark would
// be taken for that of the file.
var plainEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\ufeff", "&#xFEFF;")

// writeTagged writes a text with a tag around each span. An error stays in out.
func writeTagged(out *bufio.Writer, d annotate.Annotated, escape func(string) string, tags func(annotate.Label) (start, end string)) {
	at := annotate.ByteOff(0)
	for _, s := range d.Spans {
		start, end := tags(s.Label)
		out.WriteString(escape(d.Text[at:s.Start]) + start + escape(s.Surface(d.Text)) + end)
		at = s.End
	}
	out.WriteString(escape(d.Text[at:]))
}

// claimsInline takes files named for it, and texts with pairs of tags in upper case and no
// other tags.
func claimsInline(p *probe) bool {
	switch {
	case claimsRecords(p), claimsReports(p), p.root() == "deIdi2b2":
		return false
	case p.named(".sgml", ".sgm"):
		return true
	case p.record != nil, !p.named("", ".txt", ".text", ".note", ".inline"), p.begins(physionetStart), looksLikeColumns(p.head), p.ending == "" && looksLikeTable(p.head):
		return false
	}
	pairs := false
	for _, tag := range tagged.FindAll(p.head, -1) {
		m := upperTag.FindSubmatch(tag)
		if m == nil || htmlTags[string(m[1])] {
			return false
		}
		pairs = pairs || p.contains("<"+string(m[1])) && p.contains("</"+string(m[1])+">")
	}
	return pairs
}

var upperTag = regexp.MustCompile(`^</?([A-Z][A-Z0-9_.-]{0,63})(?:>|\s[^<>]*=)`)

// htmlTags are no labels.
var htmlTags = map[string]bool{}

func init() {
	for tag := range strings.FieldsSeq("HTML HEAD BODY TITLE META LINK STYLE SCRIPT P B I U A BR HR H1 H2 H3 H4 TABLE TR TD TH TBODY THEAD DIV SPAN PRE FONT UL OL LI DL DT DD IMG CENTER STRONG EM SUP SUB") {
		htmlTags[tag] = true
	}
}
