// SPDX-License-Identifier: Apache-2.0

package format

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"hide/internal/annotate"
)

// Format describes a file format for people and programs.
type Format struct {
	Name    string   `json:"format"`  // the value of [Options].Format
	Title   string   `json:"title"`   // "HL7 v2"
	Files   string   `json:"files"`   // what its files are: "one note per .txt file"
	Endings []string `json:"endings"` // usual endings of file names: ".jsonl"
	Read    bool     `json:"read"`
	Write   bool     `json:"write"`
	Ending  string   `json:"ending,omitempty"` // of a written file: ".zip"
	Holds   Holds    `json:"holds"`
	Remark  string   `json:"remark,omitempty"` // what else a reader should know, a sentence
}

// Holds says which parts of a note survive writing and reading.
type Holds struct {
	Name       bool `json:"id"`
	Text       bool `json:"text"` // byte for byte
	Spans      bool `json:"spans"`
	Patient    bool `json:"patient"`
	Attributes bool `json:"attributes"`
	Identities bool `json:"identities"`
}

// kind is a format with its reader and writer.
type kind struct {
	Format
	claims func(*probe) bool                                           // whether a file is of this format, by name and content; nil for a format that is never detected
	read   func(*reader, input) error                                  // nil if it cannot be read
	write  func(io.Writer, iter.Seq2[annotate.Annotated, error]) error // nil if it cannot be written
	lost   func(annotate.Annotated) string                             // what else of a note a written file does not hold, in words; "" for nothing; may be nil
}

// kinds lists the formats in the order that people see them. A new format is one file, and
// one line here.
func kinds() []kind {
	return []kind{
		textKind(), jsonlKind(), workKind(), csvKind(), bratKind(), conllKind(),
		i2b2Kind(), i2b2RecordsKind(), hideReportsKind(), inlineKind(),
		doccanoKind(), labelStudioKind(), prodigyKind(), spacyKind(), hfKind(), bioesKind(), uimaKind(), physionetKind(),
		hl7Kind(), ccdaKind(), fhirKind(),
		rtfKind(), docxKind(), pdfKind(),
	}
}

// Formats describes all formats.
func Formats() []Format {
	var all []Format
	for _, k := range kinds() {
		k.Read, k.Write = k.read != nil, k.write != nil
		all = append(all, k.Format)
	}
	return all
}

// Writable lists the names of the formats that can be written.
func Writable() []string {
	var names []string
	for _, f := range Formats() {
		if f.Write {
			names = append(names, f.Name)
		}
	}
	return names
}

// findKind is the format with a name.
func findKind(name string) (kind, bool) {
	all := kinds()
	i := slices.IndexFunc(all, func(k kind) bool { return k.Name == name })
	if i < 0 {
		return kind{}, false
	}
	return all[i], true
}

// namesOf lists the formats that pass, for messages.
func namesOf(pass func(kind) bool) string {
	var names []string
	for _, k := range kinds() {
		if pass(k) {
			names = append(names, k.Name)
		}
	}
	return strings.Join(names, ", ")
}

func isReadable(k kind) bool { return k.read != nil }

func isWritable(k kind) bool { return k.write != nil }

// unknownFormat refuses a name that no reader, or no writer, has.
func unknownFormat(name string, pass func(kind) bool) *Problem {
	return &Problem{Code: "format", Offset: -1, Reason: fmt.Sprintf("unknown format %.20q", name), Hint: "formats are " + namesOf(pass)}
}

// Write writes the documents in a format. It stops at the first error of the sequence. An
// unknown format is a [*Problem].
func Write(w io.Writer, format string, docs iter.Seq2[annotate.Annotated, error]) error {
	k, found := findKind(format)
	if !found || k.write == nil {
		return unknownFormat(format, isWritable)
	}
	return k.write(w, docs)
}

// Losses says, before anything is written, what a file of the format would not hold of the
// documents: "4 notes: the patient is left out". An empty list means that reading the file
// gives the same documents.
func Losses(format string, docs iter.Seq2[annotate.Annotated, error]) ([]string, error) {
	k, found := findKind(format)
	if !found || k.write == nil {
		return nil, unknownFormat(format, isWritable)
	}
	lost := tally{}
	for d, err := range docs {
		if err != nil {
			return nil, err
		}
		for _, what := range k.losesOf(d) {
			lost.add(1, "note", what)
		}
	}
	return lost.lines(), nil
}

// losesOf lists what a file of the format does not hold of one document.
func (k kind) losesOf(d annotate.Annotated) []string {
	var all []string
	for _, part := range []struct {
		held, there bool
		words       string
	}{
		{k.Holds.Name, d.Name != "", "the id is replaced"},
		{k.Holds.Text, d.Text != "", "white space of the text may change"},
		{k.Holds.Spans, len(d.Spans) > 0, "the spans are left out"},
		{k.Holds.Patient, d.Patient != "", "the patient is left out"},
		{k.Holds.Attributes, len(d.Attributes) > 0, "the attributes are left out"},
		{k.Holds.Identities, len(d.Identities) > 0, "the identities are left out"},
	} {
		if part.there && !part.held {
			all = append(all, part.words)
		}
	}
	if k.lost != nil {
		if words := k.lost(d); words != "" {
			all = append(all, words)
		}
	}
	return all
}
