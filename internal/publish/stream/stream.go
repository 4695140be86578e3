// SPDX-License-Identifier: Apache-2.0

// Package stream redacts notes and messages as they come, from standard input or from files.
//
//	counts, err := stream.Redact(ctx, bundle, pieces, out, stream.Options{Format: stream.JSONL})
//
// The output depends on the bytes of the pieces and on the options alone, whatever the number
// of workers. With random pseudonyms, which FHIR has without [Options.Key], it does not.
package stream

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/message"
	"hide/internal/hint"
	"hide/internal/ndjson"
	"hide/internal/outfile"
	"hide/internal/parallel"
	"hide/internal/publish"
)

// Formats of the input, which are also those of the output. The output of Text is that of
// JSONL.
const (
	JSONL = "jsonl" // a note a line
	Text  = "text"  // a note a piece
	HL7   = "hl7"
	CCDA  = "ccda"
	FHIR  = "fhir"
)

// Formats are all of them.
func Formats() []string { return []string{JSONL, Text, HL7, CCDA, FHIR} }

// StandardInput is the name of the piece that is standard input. Lines of this piece have
// numbers; lines of files are named by their byte, which is known without reading the file
// from its start.
const StandardInput = "standard input"

// Piece is a file or a range of its bytes.
type Piece struct {
	Name string // for people
	ID   string // of the note, if the piece is a note as text
	From int64  // byte of the file where the piece begins
	Open func() (io.ReadCloser, error)
}

// Options say how [Redact] works.
type Options struct {
	Format string
	// Encoding is the encoding of text and messages: utf-8, windows-1252 and others; "" means
	// utf-8.
	Encoding string
	// Keep has names of fields of messages to keep though no table knows them.
	Keep []string
	// People are the people that FHIR resources refer to. With nil they are those of earlier
	// resources of the same piece.
	People *message.People
	// Key decides the pseudonyms of FHIR if People is nil. Without a key they are random.
	Key []byte

	Workers int // notes or messages at a time; 0 means one for each processor

	// Skip leaves out what cannot be read. Without it the first such record ends the work.
	Skip bool
	// Errors gets a line of JSON for each record that cannot be read. It may be nil.
	Errors io.Writer
	// LeftOut is told of each record that is left out if Errors is nil.
	LeftOut func(Refusal)
}

// Names are the names in a list with commas, sorted, for [Options.Keep].
func Names(list string) (names []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Counts sum up what was redacted.
type Counts struct {
	Notes      int
	Refused    int                    // records that cannot be read
	Redactions map[annotate.Label]int // placeholders in texts, by label

	Messages *publish.MessageCounts // nil for JSONL and Text
}

// Refusal says why a record cannot be read. It quotes nothing of the record.
type Refusal struct {
	File string `json:"file,omitempty"` // "" for standard input
	ndjson.Refusal
	place string // the record and where it begins
}

func (r *Refusal) Error() string { return r.place + ": " + r.Reason }

// Redact redacts the pieces one after the other and writes the result to w.
func Redact(ctx context.Context, b *publish.Bundle, pieces []Piece, w io.Writer, o Options) (Counts, error) {
	r := &redaction{Options: o, bundle: b, pieces: pieces}
	if !slices.Contains(Formats(), o.Format) {
		return r.counts, fmt.Errorf("unknown format %.20q", o.Format)
	}
	var err error
	if o.Format == JSONL || o.Format == Text {
		err = r.lines(ctx, w)
	} else {
		err = r.messages(ctx, w)
	}
	return r.counts, err
}

// redaction is one run of [Redact].
type redaction struct {
	Options
	bundle *publish.Bundle
	pieces []Piece
	counts Counts
}

func (r *redaction) bound() parallel.Bound { return parallel.Bound{Workers: r.Workers} }

// refuse leaves a record out, or returns the error that ends the work.
func (r *redaction) refuse(bad Refusal, fatal bool) error {
	r.counts.Refused++
	if r.Errors != nil {
		enc := json.NewEncoder(r.Errors)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(bad); err != nil {
			return fmt.Errorf("write errors: %w", outfile.Cause(err))
		}
	}
	if !r.Skip || fatal {
		return hint.Add(&bad, bad.Hint)
	}
	if r.Errors == nil && r.LeftOut != nil {
		r.LeftOut(bad)
	}
	return nil
}

// file is the file in a refusal.
func (p Piece) file() string {
	if p.Name == StandardInput {
		return ""
	}
	return p.Name
}
