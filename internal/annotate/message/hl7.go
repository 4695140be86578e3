// SPDX-License-Identifier: Apache-2.0

package message

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"
)

// Limits that keep the memory of a message near its size.
const (
	maxSegments    = 1 << 17  // of one message, for a text of MaxText bytes in lines of 80 bytes
	maxPieces      = 1 << 18  // lines of the text of one message, whatever ends them
	maxRepetitions = 1 << 14  // in the fields of a segment, without the text
	maxHeader      = 64 << 10 // bytes of an MSH, FHS, BHS, BTS or FTS segment
)

// HL7 reads HL7 v2 messages: one, several, or a batch, with or without MLLP frames. The
// input is UTF-8. A message with text is an Item with one note; other messages, and the
// headers and trailers of a batch, are Items without notes. Segments end with \r, \n or
// \r\n. The separators are those of the message's MSH-1 and MSH-2.
//
// The text of a note are its OBX-5 of type TX, FT and ST and its NTE-3, in the order of the
// message. A text with several observations has a heading before each.
func HL7(r io.Reader) iter.Seq2[*Item, error] {
	return func(yield func(*Item, error) bool) {
		h := &hl7Reader{lines: hl7Lines{r: r}}
		for {
			item, err := h.next()
			if err == io.EOF {
				return
			}
			if err != nil {
				item = nil
			}
			if !yield(item, err) {
				return
			}
			if e, ok := err.(*Error); ok && e.Fatal {
				return
			}
		}
	}
}

// hl7Segment is one line of a message.
type hl7Segment struct {
	hl7Line
	name string // its first three characters
}

// hl7Message is one message as it was read, without blank lines.
type hl7Message struct {
	number   int // its place in the stream, from 1
	sep      hl7Separators
	segments []hl7Segment
	framed   bool // it was between 0x0B and 0x1C
}

func (m *hl7Message) record() string { return fmt.Sprintf("message %d", m.number) }

// hl7Reader cuts a stream into messages and the segments around them.
type hl7Reader struct {
	lines   hl7Lines
	ahead   *hl7Line // read, but not used yet
	number  int      // messages so far, good or bad
	inBatch int      // good messages of the open batch
	batches int      // batches of the open file
	open    []string // headers without a trailer: FHS, BHS
	sep     hl7Separators
}

// peek returns the next line without using it up.
func (h *hl7Reader) peek(limit int) (*hl7Line, error) {
	if h.ahead == nil {
		l, err := h.lines.next(limit)
		if err != nil {
			return nil, err
		}
		h.ahead = &l
	}
	return h.ahead, nil
}

// begins reports whether a line begins a message, a batch or a file, or ends one.
func (l *hl7Line) begins() bool {
	if l.opens {
		return true
	}
	switch l.name() {
	case "MSH", "FHS", "BHS", "BTS", "FTS":
		return true
	}
	return false
}

func (h *hl7Reader) next() (*Item, error) {
	for {
		l, err := h.peek(maxHeader)
		if err != nil {
			return nil, h.end(err)
		}
		if !l.blank() {
			break
		}
		h.ahead = nil
	}
	switch l := h.ahead; l.name() {
	case "MSH":
		return h.message()
	case "FHS", "BHS", "BTS", "FTS":
		h.ahead = nil
		return h.envelope(*l)
	default:
		err := &Error{
			Record: fmt.Sprintf("message %d, segment 1", h.number+1), Offset: l.offset, Code: "hl7",
			Reason: "the message does not begin with the segment MSH", Hint: "export whole messages, each with its MSH segment",
		}
		h.number++
		return nil, h.skip(err)
	}
}

// skip passes over the rest of a bad message and returns its error, or the error of reading.
func (h *hl7Reader) skip(bad error) error {
	h.ahead = nil
	for {
		l, err := h.peek(maxHeader)
		if err == io.EOF {
			return bad
		}
		if err != nil {
			return err
		}
		if l.begins() {
			return bad
		}
		h.ahead = nil
	}
}

// end reports a batch that has no trailer, once, and then err.
func (h *hl7Reader) end(err error) error {
	if err != io.EOF || len(h.open) == 0 {
		return err
	}
	header := h.open[len(h.open)-1]
	h.open = nil
	return &Error{
		Record: fmt.Sprintf("after message %d", h.number), Offset: h.lines.offset, Code: "truncated",
		Reason: "unexpected end: the segment " + header + " has no " + hl7Trailer[header],
		Hint:   "get the whole file from its source",
	}
}

var hl7Trailer = map[string]string{"FHS": "FTS", "BHS": "BTS"}

// message reads a message that begins at the line ahead.
func (h *hl7Reader) message() (*Item, error) {
	h.number++
	m := &hl7Message{number: h.number, framed: h.ahead.opens}
	closed := false
	room := MaxMessage
	for {
		l, err := h.peek(max(room, maxHeader))
		if err != nil && err != io.EOF {
			return nil, err
		}
		if err == io.EOF || len(m.segments) > 0 && l.begins() {
			break
		}
		if m.framed && l.close() {
			closed = true
		} else if closed && !l.blank() {
			break // it is behind the frame
		}
		h.ahead = nil
		if l.blank() {
			continue
		}
		room -= len(l.text) + 1
		if err := m.add(*l, room); err != nil {
			return nil, h.skip(err)
		}
	}
	if m.framed && !closed {
		return nil, m.error(len(m.segments)-1, h.lines.offset, "truncated",
			"unexpected end: the MLLP frame is not closed", "get the whole message from its source")
	}
	item, err := m.item()
	if err != nil {
		return nil, err
	}
	h.inBatch++
	if h.sep.field == 0 {
		h.sep = m.sep // for a trailer without its header
	}
	return item, nil
}

// add takes one more segment, or says why it cannot be one.
func (m *hl7Message) add(l hl7Line, room int) error {
	n := len(m.segments)
	if l.long || room < 0 || n >= maxSegments {
		return m.error(n, l.offset, "document-too-large",
			fmt.Sprintf("the message has more than %d MB or %d segments", MaxMessage>>20, maxSegments), "split the message, or leave out embedded files")
	}
	if !utf8.ValidString(l.text) {
		at := invalidUTF8(l.text)
		return m.error(n, l.offset+int64(at), "encoding", "the byte is not valid UTF-8", "choose the encoding of the file, or convert it to UTF-8")
	}
	if n == 0 {
		sep, reason := hl7Header(l.text)
		if reason != "" {
			return m.error(0, l.offset, "hl7", reason, `use separators such as "|^~\&", all different, no letters or digits`)
		}
		m.sep = sep
	}
	name := l.name()
	if !hl7Name(name) || len(l.text) > 3 && l.text[3] != m.sep.field {
		return m.error(n, l.offset, "hl7", "the line does not begin with the name of a segment and a separator",
			`write a line break inside a field as \.br\ or \X0A\`)
	}
	s := hl7Segment{l, name}
	if m.repetitions(s) > maxRepetitions {
		return m.error(n, l.offset, "document-too-large", fmt.Sprintf("the segment has more than %d repetitions", maxRepetitions), "split the message")
	}
	m.segments = append(m.segments, s)
	return nil
}

// error makes an error about a segment, counted from 0.
func (m *hl7Message) error(segment int, offset int64, code, reason, hint string) error {
	return &Error{
		Record: fmt.Sprintf("message %d, segment %d", m.number, segment+1), Offset: offset,
		Code: code, Reason: reason, Hint: hint,
	}
}

// item makes the Item of a whole message.
func (m *hl7Message) item() (*Item, error) {
	t, err := m.text()
	if err != nil {
		return nil, err
	}
	item := &Item{Record: m.record(), Offset: m.segments[0].offset, Skips: t.skips}
	for _, s := range m.segments {
		item.Bytes += len(s.text) + 1
	}
	item.redact = func(w io.Writer, marks [][]Mark, p Policy) (Lost, error) {
		return m.redact(w, t, marks, p)
	}
	if t.text.Len() > 0 {
		item.Notes = []Note{m.note(t)}
	}
	return item, nil
}

// envelope makes the Item of a header or trailer of a batch or file. It has its own place
// among the messages, so that a bad message takes nothing with it.
func (h *hl7Reader) envelope(l hl7Line) (*Item, error) {
	name := l.name()
	record := map[string]string{"FHS": "file header", "BHS": "batch header", "BTS": "batch trailer", "FTS": "file trailer"}[name]
	m := &hl7Message{number: h.number, sep: h.sep}
	bad := func(reason string) error {
		return &Error{Record: record, Offset: l.offset, Code: "hl7", Reason: reason, Hint: "correct or remove the segment " + name}
	}
	if l.long || !utf8.ValidString(l.text) {
		return nil, bad("the segment is too long or not UTF-8")
	}
	header := name == "FHS" || name == "BHS"
	if header {
		sep, reason := hl7Header(l.text)
		if reason != "" {
			return nil, bad(reason)
		}
		h.sep, m.sep = sep, sep
		h.open = append(h.open, name)
		h.inBatch = 0
	}
	if m.sep.field == 0 || len(l.text) > 3 && l.text[3] != m.sep.field {
		return nil, bad("the trailer has no header with its separators")
	}
	m.segments = []hl7Segment{{l, name}}
	count := 0
	if !header {
		count = h.close(name)
	}
	return &Item{Record: record, Offset: l.offset, Bytes: len(l.text) + 1, Frame: true, redact: func(w io.Writer, _ [][]Mark, p Policy) (Lost, error) {
		return m.redactEnvelope(w, count, p)
	}}, nil
}

// close ends a batch or file and returns how many good messages, or batches, it has.
func (h *hl7Reader) close(trailer string) int {
	for n := len(h.open); n > 0; n-- {
		if hl7Trailer[h.open[n-1]] == trailer {
			h.open = h.open[:n-1]
			break
		}
	}
	if trailer == "BTS" {
		h.batches++
		return h.inBatch
	}
	batches := h.batches
	h.batches = 0
	return batches
}

// hl7Name reports whether s can name a segment.
func hl7Name(s string) bool {
	if len(s) != 3 || s[0] < 'A' || s[0] > 'Z' {
		return false
	}
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}
