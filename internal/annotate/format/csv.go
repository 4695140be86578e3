// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/tabular"
)

// csvKind is a table with a header, one note per row.
func csvKind() kind {
	return kind{
		Format: Format{
			Name: "csv", Title: "CSV", Files: "one note per row, with columns that are chosen or guessed", Endings: []string{".csv", ".tsv"}, Ending: ".csv",
			Holds:  everything,
			Remark: "A column named spans holds JSON as in hide JSONL; written files have it, and columns for attributes and identities.",
		},
		claims: func(p *probe) bool { return p.named(".csv", ".tsv") || p.ending == "" && looksLikeTable(p.head) },
		read:   (*reader).csv,
		write:  writeCSVSpans,
	}
}

// csv reads a table with a header row, one document a row.
func (r *reader) csv(in input) error {
	w := place{file: in.show, offset: -1}
	file, err := in.open()
	if err != nil {
		return r.refuse(unreadable(err, w))
	}
	defer file.Close()
	t, err := openTable(file)
	if err != nil {
		r.used("csv", "")
		return r.refuse(unreadable(err, w))
	}
	r.marked(t.bom)
	if r.header == nil {
		r.header = t.header
	}
	columns, p := choose(t.header, r.opts.Columns)
	if p != nil {
		return r.refuse(p.at(place{in.show, "line 1", 0}))
	}
	r.used("csv", columns.describe(t))
	return r.rows(in, t, columns)
}

// table is an open CSV file whose header has been read.
type table struct {
	scan   *csvScanner
	header []string
	bom    bool
}

func openTable(file io.Reader) (*table, error) {
	buffered := bufio.NewReaderSize(file, 64<<10)
	bom, err := skipBOM(buffered)
	if err != nil {
		return nil, err
	}
	head, err := buffered.Peek(64 << 10)
	if err != nil && err != io.EOF {
		return nil, err
	}
	t := &table{scan: newCSVScanner(buffered, tabular.Delimiter(head), bomSize(bom)), bom: bom}
	t.header, err = t.scan.read()
	if err == io.EOF {
		return nil, &Problem{Code: "empty-file", Reason: "the file contains no document", Offset: -1, Hint: "leave it out"}
	}
	if err != nil {
		return nil, err
	}
	for _, name := range t.header {
		if p := checkText(name); p != nil {
			return nil, p.inFile(bomSize(bom))
		}
	}
	return t, nil
}

// chosen has the indices of the columns; -1 marks a missing column.
type chosen struct {
	id, text, patient int
	attributes        []int
	identifying       []identityColumn // of the attributes
	structured
}

// choose finds the requested columns and guesses the others by their names.
func choose(header []string, want Columns) (chosen, *Problem) {
	if p := distinct(header); p != nil {
		return chosen{}, p
	}
	var c chosen
	var problems [3]*Problem
	c.text, problems[0] = column(header, want.Text, "text", "note_text", "notetext", "note", "report_text", "report", "document", "content", "body")
	c.id, problems[1] = column(header, want.ID, "id", "note_id", "noteid", "document_id", "doc_id", "row_id", "key", "name", "file", "filename")
	c.patient, problems[2] = column(header, want.Patient, "patient", "patient_id", "patientid", "subject_id", "person_id", "subject")
	for _, p := range problems {
		if p != nil {
			return c, p
		}
	}
	if c.text < 0 && len(header) == 1 {
		c.text = 0
	}
	if c.text < 0 {
		return c, &Problem{Code: "column", Reason: fmt.Sprintf("it is unclear which of the %d columns contains the text", len(header)), Hint: "name the column that contains the text"}
	}
	p := c.rest(header, want.Attributes)
	c.identifying = c.identityColumns(header)
	return c, p
}

// rest selects the attributes: the requested columns, or all without another use.
func (c *chosen) rest(header, want []string) *Problem {
	c.structured = structuredColumns(header, want)
	for _, name := range want {
		i := slices.Index(header, name)
		if i < 0 {
			return missingColumn()
		}
		c.attributes = append(c.attributes, i)
	}
	if want != nil {
		return nil
	}
	for i := range header {
		if i != c.id && i != c.text && i != c.patient && !c.structured.has(i) {
			c.attributes = append(c.attributes, i)
		}
	}
	return nil
}

func column(header []string, want string, guesses ...string) (int, *Problem) {
	if want != "" {
		i := slices.Index(header, want)
		if i < 0 {
			return -1, missingColumn()
		}
		return i, nil
	}
	for _, guess := range guesses {
		if i := slices.IndexFunc(header, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), guess) }); i >= 0 {
			return i, nil
		}
	}
	return -1, nil
}

func missingColumn() *Problem {
	return &Problem{Code: "column", Reason: "a requested column is not in the header", Hint: "give the name exactly as the header has it"}
}

// distinct refuses columns of the same name. Names that differ only in case count as the
// same: programs that read the table would take either for the other.
func distinct(header []string) *Problem {
	if first, second, found := tabular.Twins(header); found {
		return &Problem{Code: "column", Reason: fmt.Sprintf("columns %d and %d have the same name, or differ only in upper and lower case", first, second), Hint: "rename one of them"}
	}
	return nil
}

// describe says how the file was read. It shows names of columns, which are not part of a
// document.
func (c chosen) describe(t *table) string {
	words := map[byte]string{',': "commas", ';': "semicolons", '\t': "tabs"}
	out := fmt.Sprintf("CSV with %s, text in column %d of %d", words[t.scan.delimiter], c.text+1, len(t.header))
	if c.id >= 0 {
		out += fmt.Sprintf(", id in column %d", c.id+1)
	}
	if c.patient >= 0 {
		out += fmt.Sprintf(", patient in column %d", c.patient+1)
	}
	if c.spans >= 0 {
		out += fmt.Sprintf(", spans in column %d", c.spans+1)
	}
	return out
}

func (r *reader) rows(in input, t *table, c chosen) error {
	for n := 1; ; n++ {
		row, err := t.scan.read()
		if err == io.EOF {
			return r.noneIn(in, n-1)
		}
		w := place{in.show, fmt.Sprintf("row %d, line %d", n, t.scan.startLine), t.scan.start}
		if err != nil {
			return r.refuse(unreadable(err, w))
		}
		if err := r.row(in, t.header, c, row, n, w); err != nil {
			return err
		}
	}
}

func (r *reader) row(in input, header []string, c chosen, row []string, n int, w place) error {
	if len(row) != len(header) {
		return r.refuse((&Problem{
			Code:   "csv-columns",
			Reason: fmt.Sprintf("the row has %d fields and the header %d", len(row), len(header)),
			Hint:   "check for a missing quote",
		}).at(w))
	}
	d := annotate.Annotated{Document: annotate.Document{Text: row[c.text]}}
	if c.patient >= 0 {
		d.Patient = row[c.patient]
	}
	if c.id >= 0 {
		d.Name = row[c.id]
	} else {
		d.Name = fmt.Sprintf("%s-%d", strings.TrimSuffix(in.name, path.Ext(in.name)), n)
		r.remarks.add(1, "document", "without an id, named after its row")
	}
	for _, i := range c.attributes {
		if d.Attributes == nil {
			d.Attributes = map[string]string{}
		}
		d.Attributes[header[i]] = row[i]
	}
	if p := c.structured.read(r, row, &d); p != nil {
		return r.refuse(p.at(w))
	}
	identify(&d, header, row, c.identifying)
	return r.deliver(d, w)
}

// looksLikeTable reports whether the first line of head could be the header of a CSV file
// with a known text column.
func looksLikeTable(head []byte) bool {
	header, err := newCSVScanner(bufio.NewReader(bytes.NewReader(head)), tabular.Delimiter(head), 0).read()
	if err != nil || len(header) < 2 {
		return false
	}
	c, p := choose(header, Columns{})
	return p == nil && c.text >= 0 && !errors.Is(err, io.EOF)
}

// Rows reads any CSV file, byte for byte inside its quotes. It calls header once with the
// names of the columns, then row for each row, numbered from 1. Fields are valid UTF-8
// without control characters except white space; the caller owns the slices. An error of
// either function stops the reading and is returned with its position. A file that cannot be
// read gives a [*Problem] that calls it name.
func Rows(in io.Reader, name string, header func([]string) error, row func(n int, fields []string) error) error {
	t, err := openTable(in)
	if err != nil {
		return unreadable(err, place{file: name, offset: -1})
	}
	if p := distinct(t.header); p != nil {
		return p.at(place{name, "line 1", 0})
	}
	if err := header(t.header); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for n := 1; ; n++ {
		fields, err := t.scan.read()
		if err == io.EOF {
			return nil
		}
		w := place{name, fmt.Sprintf("row %d, line %d", n, t.scan.startLine), t.scan.start}
		if err != nil {
			return unreadable(err, w)
		}
		if p := checkFields(fields, len(t.header)); p != nil {
			return p.at(w)
		}
		if err := row(n, fields); err != nil {
			return fmt.Errorf("%s, %s, byte %d: %w", name, w.record, w.offset, err)
		}
	}
}

func checkFields(fields []string, columns int) *Problem {
	if len(fields) != columns {
		return &Problem{
			Code: "csv-columns", Reason: fmt.Sprintf("the row has %d fields and the header %d", len(fields), columns), Offset: -1,
			Hint: "check for a missing quote",
		}
	}
	for i, field := range fields {
		if p := checkText(field); p != nil {
			return &Problem{Code: p.Code, Reason: fmt.Sprintf("column %d: %s", i+1, p.Reason), Hint: p.Hint, Offset: -1}
		}
	}
	return nil
}

// WriteCSV writes a table with the columns id, patient, text and the given attributes, one
// document a row, by RFC 4180 with every field quoted. It does not write spans. [Read]
// restores the documents byte for byte.
func WriteCSV(w io.Writer, attributes []string, docs iter.Seq2[annotate.Annotated, error]) error {
	buffered := bufio.NewWriter(w)
	writeRow(buffered, append([]string{"id", "patient", "text"}, attributes...))
	n := 0
	for d, err := range docs {
		n++
		if err != nil {
			return fmt.Errorf("document %d: %w", n, err)
		}
		row := []string{d.Name, d.Patient, d.Text}
		for _, a := range attributes {
			row = append(row, d.Attributes[a])
		}
		if err := writeRow(buffered, row); err != nil {
			return fmt.Errorf("write document %d: %w", n, err)
		}
	}
	return buffered.Flush()
}

func writeRow(w *bufio.Writer, fields []string) error {
	for i, f := range fields {
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteString(`"` + strings.ReplaceAll(f, `"`, `""`) + `"`)
	}
	_, err := w.WriteString("\r\n")
	return err
}
