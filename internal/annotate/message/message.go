// SPDX-License-Identifier: Apache-2.0

// Package message reads the messages in which hospitals exchange notes, HL7 v2, C-CDA and
// FHIR, and writes them back with their notes and identities redacted.
//
//	for item, err := range message.HL7(file) {
//		...
//		for _, n := range item.Notes {
//			// n.Text is the text, n.Identities what the message says of the people in it
//		}
//		lost, err := item.WriteRedacted(out, marks, policy) // marks[i] are the places of Notes[i]
//	}
//
// A reader yields one message after the other and holds one at a time. The text of a note is
// joined from pieces of its message; each piece knows its place there, so a redaction of the
// text becomes a redaction of the message.
//
// Nothing rides along: a redacted message contains what a table of the package knows to be
// harmless, the redacted text, and placeholders for identities. All else is dropped and
// counted, unless [Policy.Keep] allows it by name.
package message

import (
	"fmt"
	"io"
	"regexp"

	"hide/internal/annotate"
)

// Limits on messages.
const (
	MaxText    = 10 << 20 // bytes of the text of one note
	MaxMessage = 16 << 20 // bytes of one message, with everything in it; reading one takes about four times as much memory
)

// Item is one message, document or resource of a stream.
type Item struct {
	Record string // its place in the stream, for people: "message 3", "line 7", "entry 2"
	Offset int64  // byte where it begins
	Bytes  int    // its size in the stream
	Notes  []Note // the texts in it; may be empty
	Skips  []Skip // texts in it that cannot be read
	Frame  bool   // it is no message, but the header or trailer of a batch, or what a Bundle has around its entries

	redact func(w io.Writer, marks [][]Mark, p Policy) (Lost, error)
}

// Note is a text in a message.
type Note struct {
	ID         string // of the message, document or resource; empty if it has none
	Patient    string // a key of the patient: the first record number; empty if unknown
	Text       string
	Identities []annotate.Identity
	Attributes map[string]string // type, date and title of the note; no identifier; may be nil
}

// Skip is a text that cannot be read: a PDF, an image, a link to another server.
type Skip struct {
	What string // "application/pdf", "text at another address"
	Path string // where it is: "OBX-5", "content[0].attachment"
}

// Mark is a place in the text of a note that is replaced, in bytes, end exclusive.
type Mark struct {
	Start, End annotate.ByteOff
	With       string // placeholder or surrogate
}

// Policy says what happens to the fields around the text.
type Policy struct {
	// Replace gives what stands for an identifier, such as "[PATIENT]". ok is false for one
	// that the policy leaves as it is.
	Replace func(annotate.Identity) (with string, ok bool)
	// Keep has the names of fields that are kept though no table knows them, such as "ZPI",
	// "OBX-22" or "extension".
	Keep map[string]bool
}

// Lost counts what a redacted message does not contain any more, or contains replaced.
type Lost struct {
	Identities int            // identifiers that were replaced
	Dropped    map[string]int // by the name of the field: "ZPI", "extension"; only fields that had a value
}

// WriteRedacted writes the message with each mark of its notes replaced, identities replaced
// by the policy, and unknown fields dropped. marks has one list per note, in order and
// without overlap.
func (i *Item) WriteRedacted(w io.Writer, marks [][]Mark, p Policy) (Lost, error) {
	if len(marks) != len(i.Notes) {
		return Lost{}, fmt.Errorf("marks for %d notes of a message with %d", len(marks), len(i.Notes))
	}
	lost, err := i.redact(w, marks, p)
	lost.Dropped = namesOnly(lost.Dropped)
	return lost, err
}

// unknownName stands for names of fields that no standard has: a broken sender may write
// anything there, and reports show these names.
const unknownName = "a field with an unusual name"

// usualName matches names of fields as HL7, C-CDA and FHIR have them: "OBX-22", "@sdtc:any",
// "note.text", "_birthDate".
var usualName = regexp.MustCompile(`^(?:[A-Z][A-Z0-9]{2}(?:-[0-9]{1,3})?|@?(?:[a-z][a-z0-9]{0,15}:)?[a-z_][A-Za-z0-9]{0,47}(?:\.[a-z_][A-Za-z0-9]{0,47})*|@ID|text outside the narrative|processing instruction)$`)

func namesOnly(dropped map[string]int) map[string]int {
	names := make(map[string]int, len(dropped))
	for name, n := range dropped {
		if !usualName.MatchString(name) {
			name = unknownName
		}
		names[name] += n
	}
	return names
}

// Error is a message that cannot be read. It never quotes content.
type Error struct {
	Record string // "message 3, segment 4"
	Offset int64  // byte in the stream
	Code   string // class: "hl7", "xml", "json", "encoding", "truncated", "document-too-large"
	Reason string
	Hint   string
	// Fatal says that nothing after it can be read. After other errors the reader goes on
	// with the next message.
	Fatal bool
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s, byte %d: %s (%s)", e.Record, e.Offset, e.Reason, e.Hint)
}
