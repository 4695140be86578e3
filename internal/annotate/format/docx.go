// SPDX-License-Identifier: Apache-2.0

package format

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"hide/internal/annotate"
)

// docxKind is the documents of Word, as text.
func docxKind() kind {
	return kind{
		Format: Format{
			Name: "docx", Title: "Word (DOCX)", Files: "one note per document; headings and lists as lines, the cells of a table separated by |", Endings: []string{".docx"},
			Holds:  Holds{},
			Remark: "Page headers, footers, footnotes, comments, pictures and deleted text are left out and counted.",
		},
		claims: func(p *probe) bool { return p.named(".docx") && p.begins("PK\x03\x04") },
		read:   (*reader).docx,
	}
}

// maxXML bounds the XML inside an office document, and how deep it is nested.
const (
	maxXML      = 64 << 20
	maxXMLDepth = 256
)

func (r *reader) docx(in input) error {
	r.used("docx", "")
	w := place{file: in.show, offset: -1}
	var total expansion
	archive, shut, p := openArchive(File{Name: in.show, Size: -1, Open: in.bytes}, &total)
	defer shut()
	if p != nil {
		return r.refuse(p.at(w))
	}
	var text string
	found := false
	for _, e := range archive.File {
		switch {
		case e.Name == "word/document.xml":
			found = true
			if text, p = r.wordText(e); p != nil {
				return r.refuse(p.at(w))
			}
		case leftOut(e.Name) != "":
			r.remarks.add(1, leftOut(e.Name), "left out of the text")
		}
	}
	if !found {
		return r.refuse((&Problem{Code: "docx", Reason: "there is no text in the document", Hint: "save it again as .docx, or as plain text"}).at(w))
	}
	return r.deliverText(annotate.Annotated{Document: annotate.Document{Name: in.name, Text: text}}, w)
}

// leftOut names the parts of a document that are no text of the note.
func leftOut(entry string) string {
	for _, part := range []struct{ prefix, what string }{
		{"word/header", "page header"}, {"word/footer", "page footer"}, {"word/footnotes", "list of footnotes"},
		{"word/endnotes", "list of endnotes"}, {"word/comments.xml", "list of comments"}, {"word/media/", "picture"}, {"word/embeddings/", "embedded file"},
	} {
		if strings.HasPrefix(entry, part.prefix) {
			return part.what
		}
	}
	return ""
}

func (r *reader) wordText(e *zip.File) (string, *Problem) {
	file, err := e.Open()
	if err != nil {
		return "", &Problem{Code: "zip", Offset: -1, Reason: "the entry is damaged", Hint: "save the document again"}
	}
	defer file.Close()
	words := &wordReader{xml: xml.NewDecoder(io.LimitReader(file, maxXML))}
	if err := words.all(); err != nil {
		if p := (*Problem)(nil); errors.As(err, &p) {
			return "", p
		}
		return "", &Problem{Code: "xml", Offset: -1, Reason: "the text of the document is not valid XML, or larger than 64 MiB", Hint: "save the document again"}
	}
	r.remarks.add(words.deleted, "deleted passage", "left out of the text")
	return words.text(), nil
}

// wordReader turns WordprocessingML into lines.
type wordReader struct {
	xml     *xml.Decoder
	depth   int
	deleted int
	lines   []string
	line    strings.Builder // the paragraph that is open
	prefix  string          // "- " for an item of a list
	heading bool
	rows    []*wordRow // of the tables that are open, outermost first
}

// wordRow is a row of a table in the making; paragraphs of a cell are joined by spaces.
type wordRow struct{ cells, cell []string }

func (d *wordReader) text() string {
	return strings.Trim(strings.Join(d.lines, "\n"), "\n") + "\n"
}

func (d *wordReader) all() error {
	for {
		t, err := d.xml.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.Directive:
			return doctype(d.xml.InputOffset())
		case xml.StartElement:
			if d.depth++; d.depth > maxXMLDepth {
				return tooDeep(d.xml.InputOffset())
			}
			if err := d.start(t); err != nil {
				return err
			}
		case xml.EndElement:
			d.depth--
			d.end(t.Name.Local)
		}
	}
}

func doctype(offset int64) *Problem {
	return &Problem{Code: "xml", Offset: offset, located: true, Reason: "DOCTYPE is not allowed", Hint: "remove it: it can make a file expand or open other files"}
}

func tooDeep(offset int64) *Problem {
	return &Problem{Code: "xml", Offset: offset, located: true, Reason: "elements are nested deeper than 256", Hint: "check the program that wrote the file"}
}

func (d *wordReader) start(t xml.StartElement) error {
	switch t.Name.Local {
	case "t":
		var s string
		d.depth--
		if err := d.xml.DecodeElement(&s, &t); err != nil {
			return err
		}
		d.line.WriteString(s)
	case "tab":
		if d.line.Len() > 0 { // those before the text are tab stops
			d.line.WriteByte('\t')
		}
	case "br", "cr":
		d.line.WriteByte('\n')
	case "noBreakHyphen":
		d.line.WriteByte('-')
	case "pStyle":
		style := strings.ToLower(attribute(t, "val"))
		d.heading = strings.HasPrefix(style, "heading") || style == "title"
	case "numPr":
		d.prefix = "- "
	case "del", "moveFrom":
		d.deleted++
		return d.skip()
	case "Fallback", "instrText", "pict", "drawing":
		return d.skip()
	case "tr":
		d.rows = append(d.rows, &wordRow{})
	}
	return nil
}

func (d *wordReader) skip() error {
	d.depth--
	return d.xml.Skip()
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (d *wordReader) end(name string) {
	switch name {
	case "p":
		d.paragraph()
	case "tc":
		if row := d.row(); row != nil {
			row.cells, row.cell = append(row.cells, strings.Join(row.cell, " ")), nil
		}
	case "tr":
		row := d.row()
		if row == nil {
			return
		}
		d.rows = d.rows[:len(d.rows)-1]
		d.put(strings.Join(row.cells, " | "))
	}
}

func (d *wordReader) row() *wordRow {
	if len(d.rows) == 0 {
		return nil
	}
	return d.rows[len(d.rows)-1]
}

// paragraph ends the open paragraph. A heading stands after an empty line.
func (d *wordReader) paragraph() {
	text := d.line.String()
	if text != "" {
		text = d.prefix + text
	}
	if d.heading && d.row() == nil && len(d.lines) > 0 {
		d.lines = append(d.lines, "")
	}
	d.line.Reset()
	d.prefix, d.heading = "", false
	d.put(text)
}

// put adds a line to the text, or a paragraph to the cell that is open.
func (d *wordReader) put(line string) {
	if row := d.row(); row != nil {
		if line != "" {
			row.cell = append(row.cell, strings.ReplaceAll(line, "\n", " "))
		}
		return
	}
	d.lines = append(d.lines, line)
}
