// SPDX-License-Identifier: Apache-2.0

// Package format reads and writes notes in the file formats people have: plain
// text, hide's own JSON lines, tables, the formats of annotation programs and of
// trainers, clinical messages, documents, and zip archives of these. [Formats]
// lists them.
//
//	files, done, err := format.FromPaths([]string{"notes/"})
//	...
//	defer done()
//	report, err := format.Read(ctx, files, format.Options{}, func(d annotate.Annotated) error {
//		return keep(d)
//	})
//
// The sink receives the documents one by one, so memory is bounded by the largest document
// and not by the import. [Read] stops at the first bad record and returns it as a
// [*Problem]; the caller's transaction makes the import all or nothing. With
// [Options.SkipBad] bad records are listed in the [Report] and the good ones are imported.
//
// # Guarantees
//
// A text is imported byte for byte or refused, never repaired: no newline is normalised, no
// white space trimmed, no invalid byte replaced. Only a byte order mark at the start of a
// file is removed, and the report says so. CoNLL files do not record the white space
// between tokens: there, tokens are joined by one space, and each sentence ends with a
// line break.
//
// Positions in files are Unicode code points, end exclusive. If a file has the text of a
// span, it is compared, and a difference is refused.
//
// Errors and reports give the file, record, byte offset and a stable code, and say what to
// do next. They never quote a document.
//
// # Limits
//
// See [MaxDocument], [MaxSpans] and the limits on archives in zip.go. Overlapping spans are
// refused, identical ones merged. Two documents whose names differ only in case or in
// Unicode normal form count as duplicates.
package format

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"

	"hide/internal/annotate"
)

// File is one file to read. It is opened only when it is read.
type File struct {
	Name string // base name or relative path; shown in reports
	Size int64  // bytes, -1 when unknown
	Open func() (io.ReadCloser, error)

	// Query runs a query whose rows are the notes, in place of Open; nil for a file.
	Query func(context.Context) (Cursor, error)
}

// Cursor gives the rows of a query, one after the other. Values are text; a missing one is empty.
type Cursor interface {
	Columns() []string
	Next() ([]string, error) // io.EOF after the last row; the caller owns the slice
	Close() error
}

// Options say how to read files.
type Options struct {
	Format   string  // a name of [Formats]; "" detects by name and content; zips are always opened
	Encoding string  // one of [Encodings]; "" is UTF-8, or what a byte order mark or an XML file says
	SkipBad  bool    // import the good records and list the bad; otherwise the first bad one stops everything
	Columns  Columns // for CSV
}

// Columns choose the columns of a CSV file by header name. Empty fields are guessed.
type Columns struct {
	ID, Text, Patient string
	Attributes        []string // nil means all others
}

// Report is the result of an import.
type Report struct {
	Format    string    `json:"format"`    // detected or requested; "mixed" for several
	Detail    string    `json:"detail"`    // "CoNLL, IOB2 detected"
	Documents int       `json:"documents"` // imported
	Spans     int       `json:"spans"`
	Bytes     int64     `json:"bytes"`
	Problems  []Problem `json:"problems"` // refused records, at most 1,000 kept
	Refused   int       `json:"refused"`  // all refused records, counted
	Notes     []string  `json:"notes"`    // remarks that are not problems: "byte order mark removed from 3 files"
}

// Write prints the remarks and the refused records, a line each.
func (r Report) Write(w io.Writer) {
	for _, n := range r.Notes {
		fmt.Fprintln(w, "note:", n)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(w, "refused: %v\n", &p)
	}
	if r.Refused > len(r.Problems) {
		fmt.Fprintf(w, "and %d more refused\n", r.Refused-len(r.Problems))
	}
}

// Problem is one refused record. It never quotes content.
type Problem struct {
	File   string `json:"file"`
	Record string `json:"record"` // "line 3", "row 12", "T4"; "" for the whole file
	Offset int64  `json:"offset"` // byte offset in the file, -1 for none
	Code   string `json:"code"`   // class, stable: "encoding", "span-range", "duplicate-id", ...
	Reason string `json:"reason"` // one line
	Hint   string `json:"hint"`   // what to do next

	located bool // Offset is final
	source  bool // Offset counts in the file, not in its converted text
}

// Sink receives the documents one by one, in order. Its error stops the reading and is
// returned unchanged, unless it is a [*Problem], which counts as a refused record.
type Sink func(annotate.Annotated) error

// visible escapes a file name, so that it cannot break a line or colour a terminal.
func visible(r rune) rune {
	if unicode.IsControl(r) {
		return unicode.ReplacementChar
	}
	return r
}

// Error gives the position, the reason and the hint, on one line.
func (p *Problem) Error() string {
	var place []string
	for _, part := range []string{p.File, p.Record} {
		if part != "" {
			place = append(place, strings.Map(visible, part))
		}
	}
	if p.Offset >= 0 {
		place = append(place, fmt.Sprintf("byte %d", p.Offset))
	}
	out := p.Reason
	if len(place) > 0 {
		out = strings.Join(place, ", ") + ": " + out
	}
	if p.Hint != "" {
		out += " (" + p.Hint + ")"
	}
	return out
}
