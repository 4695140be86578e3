// SPDX-License-Identifier: Apache-2.0

package message

import "strings"

// note makes the note of a message with text.
func (m *hl7Message) note(t *hl7Text) Note {
	n := Note{Text: t.text.String(), Attributes: map[string]string{}}
	n.ID = m.sep.decode(m.field(m.segments[0], 10))
	n.Identities = m.identities()
	describe := func(key, value string) {
		if value != "" && n.Attributes[key] == "" {
			n.Attributes[key] = value
		}
	}
	describe("type", m.kind())
	dates := map[string]string{}
	for _, s := range m.segments {
		switch s.name {
		case "PID":
			if n.Patient == "" {
				n.Patient = m.component(s, 3)
			}
		case "TXA":
			describe("document", m.describe(s, 2))
			dates["TXA"] = hl7ISODate(m.component(s, 4))
		case "OBR":
			describe("service", m.describe(s, 4))
			dates["OBR"] = hl7ISODate(m.component(s, 7))
		case "EVN":
			dates["EVN"] = hl7ISODate(m.component(s, 2))
		}
	}
	for _, of := range []string{"TXA", "OBR", "EVN"} {
		describe("date", dates[of])
	}
	return n
}

// kind is the type of a message, such as "ORU^R01".
func (m *hl7Message) kind() string {
	c := strings.Split(m.field(m.segments[0], 9), string(rune(m.sep.component)))
	if len(c) < 2 || !hl7IsCode(c[0]) || !hl7IsCode(c[1]) {
		return ""
	}
	return c[0] + "^" + c[1]
}

// valueType is the type of an OBX-5, from OBX-2: a code without components.
func (m *hl7Message) valueType(s hl7Segment) string {
	value := m.field(s, 2)
	if n := strings.IndexAny(value, string([]byte{m.sep.component, m.sep.repetition, m.sep.sub, m.sep.escape})); n >= 0 {
		value = value[:n]
	}
	if !hl7IsCode(value) {
		return ""
	}
	return value
}

// repetitions counts the repetitions of a segment without those of a field with text.
func (m *hl7Message) repetitions(s hl7Segment) int {
	separator := string(rune(m.sep.repetition))
	n := strings.Count(s.text, separator)
	if field := map[string]int{"OBX": 5, "NTE": 3}[s.name]; n > 0 && field > 0 {
		n -= strings.Count(m.field(s, field), separator)
	}
	return n
}

// describe is the text of a coded field, or its code.
func (m *hl7Message) describe(s hl7Segment, field int) string {
	value := hl7Service(m.field(s, field), m.sep)
	_, start, end := hl7ServiceName(value, m.sep)
	return m.sep.decode(strings.TrimSpace(value[start:end]))
}

// component is the first component of a field.
func (m *hl7Message) component(s hl7Segment, field int) string {
	value, _, _ := strings.Cut(m.field(s, field), string(rune(m.sep.repetition)))
	value, _, _ = strings.Cut(value, string(rune(m.sep.component)))
	return m.sep.decode(strings.TrimSpace(value))
}

// field returns a field as it is in the segment, "" if it is missing.
func (m *hl7Message) field(s hl7Segment, number int) string {
	start, end := m.bounds(s, number)
	return s.text[start:max(start, end)]
}

// bounds returns the bytes of a field in its segment; end is -1 if it is missing.
func (m *hl7Message) bounds(s hl7Segment, number int) (start, end int) {
	if hl7IsHeader(s.name) {
		number-- // field 1 is the separator behind the name
	}
	at := 0
	for ; number > 0; number-- {
		n := strings.IndexByte(s.text[at:], m.sep.field)
		if n < 0 {
			return 0, -1
		}
		at += n + 1
	}
	if n := strings.IndexByte(s.text[at:], m.sep.field); n >= 0 {
		return at, at + n
	}
	return at, len(s.text)
}

// eachField calls fn with the bytes of every field behind the name of a segment.
func (m *hl7Message) eachField(s hl7Segment, fn func(number, start, end int)) {
	at, number := len(s.name), 0
	if hl7IsHeader(s.name) {
		number = 1
	}
	for at < len(s.text) {
		at++ // the separator
		number++
		end := len(s.text)
		if n := strings.IndexByte(s.text[at:], m.sep.field); n >= 0 {
			end = at + n
		}
		fn(number, at, end)
		at = end
	}
}

func hl7IsHeader(name string) bool { return name == "MSH" || name == "BHS" || name == "FHS" }
