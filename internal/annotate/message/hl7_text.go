// SPDX-License-Identifier: Apache-2.0

package message

import (
	"fmt"
	"strings"
)

// hl7Text is the text of a message and where its pieces are in it.
type hl7Text struct {
	joined
	places   []hl7Place // in the order of the text
	headings []hl7Heading
	skips    []Skip
	unread   map[int]bool // OBX segments of a type for text with something else in them
}

// hl7Place is the place of a piece: bytes of a segment.
type hl7Place struct {
	segment, piece int32
	start, end     int32
}

// hl7Heading is a heading of the text. It is the name of an observation, so that a name in
// it is redacted in the message too.
type hl7Heading struct {
	observation string // the value of OBX-3 or OBR-4 as it is written back
	piece       int
}

// hl7Value is a field with text.
type hl7Value struct {
	segment     int
	start, end  int    // bytes of the segment
	observation string // see hl7Heading; empty if the text belongs to none
}

// text joins the text of a message.
func (m *hl7Message) text() (*hl7Text, error) {
	t := &hl7Text{unread: map[int]bool{}}
	values := m.values(t)
	several := false
	for _, v := range values {
		several = several || v.observation != values[0].observation
	}
	for i, v := range values {
		switch {
		case i > 0 && v.observation == values[i-1].observation:
			t.fill("\n")
		case i > 0:
			t.fill("\n\n")
		}
		if several && (i == 0 || v.observation != values[i-1].observation) {
			t.heading(v.observation, m.sep)
		}
		t.value(v, m.segments[v.segment].text, m.sep)
		if t.text.Len() > MaxText || len(t.places) > maxPieces {
			return nil, m.error(v.segment, m.segments[v.segment].offset, "document-too-large",
				fmt.Sprintf("the text has more than %d MB or %d lines", MaxText>>20, maxPieces), "split the message")
		}
	}
	return t, nil
}

// hl7Context is what a field with text belongs to while segments are read in order.
type hl7Context struct {
	order, observation string // names of the OBR and the OBX or OBR that came last
	embedded           bool   // the last OBX began a file that may go on in the next
}

// values finds the fields with text in a message, and lists what cannot be read.
func (m *hl7Message) values(t *hl7Text) (values []hl7Value) {
	var at hl7Context
	for i, s := range m.segments {
		switch s.name {
		case "PID", "ORC":
			at = hl7Context{}
		case "OBR":
			order := hl7Service(m.field(s, 4), m.sep)
			at = hl7Context{order: order, observation: order}
		case "ADD":
			t.skip(i, "continuation of a segment", "ADD")
		case "NTE":
			if start, end := m.bounds(s, 3); end >= 0 {
				values = append(values, hl7Value{i, start, end, at.observation})
			}
		case "OBX":
			if m.observe(i, &at, t) {
				start, end := m.bounds(s, 5)
				if end < 0 {
					start, end = len(s.text), len(s.text)
				}
				values = append(values, hl7Value{i, start, end, at.observation})
			}
		}
	}
	return values
}

func (t *hl7Text) skip(segment int, what, path string) {
	t.skips = append(t.skips, Skip{What: what, Path: fmt.Sprintf("%s of segment %d", path, segment+1)})
}

// observe takes an OBX into the context and reports whether its value is text of the note.
func (m *hl7Message) observe(i int, at *hl7Context, t *hl7Text) bool {
	s := m.segments[i]
	observation := hl7Service(m.field(s, 3), m.sep)
	if observation == "" {
		observation = at.order
	}
	goesOn := at.embedded && observation == at.observation
	at.observation, at.embedded = observation, false
	what, textual := m.observed(s)
	switch {
	case what != "":
		t.skip(i, what, "OBX-5")
		at.embedded = textual
	case textual && goesOn:
		at.embedded = true
	default:
		return textual
	}
	if textual {
		t.unread[i] = true
	}
	return false
}

// observed says of an OBX whether its value is of a type for text, and what it is if it
// cannot be read as text.
func (m *hl7Message) observed(s hl7Segment) (what string, textual bool) {
	value := m.field(s, 5)
	switch m.valueType(s) {
	case "TX", "FT", "ST":
		return m.sep.embedded(value), true
	case "ED":
		c := strings.SplitN(value, string(rune(m.sep.component)), 4)
		what = "embedded document"
		if len(c) == 4 && mediaTypes[strings.ToLower(c[1]+"/"+c[2])] {
			what = strings.ToLower(c[1] + "/" + c[2])
		}
	case "RP":
		what = "document at another address"
	case "":
		what = "value without a type in OBX-2"
	}
	if value == "" {
		what = ""
	}
	return what, false
}

// embedded names the type of a file that a sender has put where text belongs.
func (sep hl7Separators) embedded(value string) string {
	escape := string(rune(sep.escape))
	switch {
	case strings.HasPrefix(value, "{"+escape+"rtf"), strings.HasPrefix(value, "{"+escape+"E"+escape+"rtf"):
		return "application/rtf"
	case strings.HasPrefix(value, "JVBERi0"), strings.HasPrefix(value, "%PDF-"):
		return "application/pdf"
	}
	return ""
}

// heading writes the name of an observation on a line of its own.
func (t *hl7Text) heading(observation string, sep hl7Separators) {
	_, start, end := hl7ServiceName(observation, sep)
	name := sep.decode(observation[start:end])
	if name == "" {
		return
	}
	t.headings = append(t.headings, hl7Heading{observation, t.add(name)})
	t.fill("\n")
}

// value adds a field with text, repetition by repetition, each on a line.
func (t *hl7Text) value(v hl7Value, segment string, sep hl7Separators) {
	raw := segment[:v.end]
	start := v.start   // of the piece that is open
	var piece []byte   // its text, where it differs from raw
	decoded := v.start // end of what piece has
	closePiece := func(end int) {
		text := raw[start:end]
		if piece != nil {
			text = string(append(piece, raw[decoded:end]...))
		}
		t.places = append(t.places, hl7Place{int32(v.segment), int32(t.add(text)), int32(start), int32(end)})
		piece = nil
	}
	for i := v.start; i < v.end && len(t.places) <= maxPieces; {
		e := hl7Escape{}
		switch raw[i] {
		case sep.repetition:
			e = hl7Escape{text: "\n", layout: true, length: 1}
		case sep.escape:
			e = sep.unescape(raw[i:])
		}
		if e.length == 0 {
			i++
			continue
		}
		if e.layout {
			closePiece(i)
			t.fill(e.text)
			start = i + e.length
		} else {
			if piece == nil {
				piece, decoded = make([]byte, 0, i-start+len(e.text)), start
			}
			piece = append(append(piece, raw[decoded:i]...), e.text...)
		}
		i += e.length
		decoded = i
	}
	closePiece(v.end)
}
