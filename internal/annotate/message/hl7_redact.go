// SPDX-License-Identifier: Apache-2.0

package message

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// hl7Redactor writes one message.
type hl7Redactor struct {
	*hl7Message
	text     *hl7Text
	values   []string          // new values of the pieces of the text
	observed map[string]string // new names of observations, by the old
	place    int               // the next place of the text
	count    int               // for a trailer
	policy   Policy
	lost     Lost
	words    whoWords // made on first use
}

// redact writes the message. Line ends and the frame are as they were read.
func (m *hl7Message) redact(w io.Writer, t *hl7Text, marks [][]Mark, p Policy) (Lost, error) {
	var list []Mark
	if len(marks) > 0 {
		list = marks[0]
	}
	values, err := t.redacted(list)
	if err != nil {
		return Lost{}, err
	}
	x := &hl7Redactor{hl7Message: m, text: t, values: values, policy: p}
	x.renameObservations()
	return x.write(w)
}

// redactEnvelope writes the header or trailer of a batch. count is its number of messages.
func (m *hl7Message) redactEnvelope(w io.Writer, count int, p Policy) (Lost, error) {
	x := &hl7Redactor{hl7Message: m, text: &hl7Text{}, policy: p, count: count}
	return x.write(w)
}

func (x *hl7Redactor) write(w io.Writer) (Lost, error) {
	x.lost.Dropped = map[string]int{}
	b := bufio.NewWriter(w)
	if x.framed {
		b.WriteByte(mllpOpen)
	}
	end := x.segments[0].end
	if end == "" {
		end = "\r"
	}
	for i, s := range x.segments {
		if hl7Known[s.name] == nil && !x.policy.Keep[s.name] {
			x.lost.Dropped[s.name]++
			continue
		}
		x.segment(b, i, s)
		b.WriteString(end)
		x.passMissing(i)
	}
	if x.framed {
		b.Write([]byte{mllpClose, '\r'})
	}
	if x.place < len(x.text.places) {
		return x.lost, fmt.Errorf("%s: a part of the text has not been written", x.record())
	}
	return x.lost, b.Flush()
}

// passMissing passes over the places of fields that are missing because their segment ends
// before them. They have no text.
func (x *hl7Redactor) passMissing(segment int) {
	for x.place < len(x.text.places) {
		p := x.text.places[x.place]
		if int(p.segment) > segment || p.start < p.end {
			return
		}
		x.place++
	}
}

// renameObservations takes marks on headings over to the observations that they name.
func (x *hl7Redactor) renameObservations() {
	x.observed = map[string]string{}
	for _, h := range x.text.headings {
		if name := x.values[h.piece]; name != x.text.original(h.piece) {
			_, start, end := hl7ServiceName(h.observation, x.sep)
			x.observed[h.observation] = h.observation[:start] + x.sep.encode(name) + h.observation[end:]
		}
	}
}

// original is the text of a piece before redaction.
func (t *hl7Text) original(piece int) string {
	p := t.pieces[piece]
	return t.text.String()[p.start:p.end]
}

// segment writes a segment field by field.
func (x *hl7Redactor) segment(b *bufio.Writer, i int, s hl7Segment) {
	b.WriteString(s.name)
	if hl7Known[s.name] == nil {
		b.WriteString(s.text[len(s.name):])
		return
	}
	x.eachField(s, func(number, start, end int) {
		b.WriteByte(x.sep.field)
		if hl7IsHeader(s.name) && number == 2 {
			b.WriteString(s.text[start:end])
		} else {
			b.WriteString(x.field(i, s, number, start, end))
		}
	})
}

// field returns what is written for a field, which is at bytes of its segment.
func (x *hl7Redactor) field(i int, s hl7Segment, number, start, end int) string {
	raw := s.text[start:end]
	if x.place < len(x.text.places) {
		if p := x.text.places[x.place]; int(p.segment) == i && int(p.start) >= start && int(p.end) <= end {
			return x.redactText(i, s, start, end)
		}
	}
	if raw == "" || raw == `""` {
		return raw
	}
	name := s.name + "-" + strconv.Itoa(number)
	if written, ok := x.ruled(i, s, name, raw, x.rule(s, number)); ok {
		return written
	}
	return x.drop(name, raw)
}

// ruled writes a field by its rule. ok is false if the field has to be dropped.
func (x *hl7Redactor) ruled(i int, s hl7Segment, name, raw string, rule hl7Rule) (written string, ok bool) {
	switch rule.action {
	case hl7Replace:
		return x.repetitions(raw, func(r string) string { return x.replace(name, r, rule) }), true
	case hl7Number:
		return raw, hl7IsNumber(raw, x.sep)
	case hl7Code:
		return x.repetitions(raw, func(r string) string { return x.codes(name, r) }), true
	case hl7Observed:
		return x.observation(name, raw), true
	case hl7Control:
		return x.control(raw), true
	case hl7Count:
		return strconv.Itoa(x.count), true
	case hl7Charset:
		return "UNICODE UTF-8", true
	case hl7ValueType:
		if x.text.unread[i] && !x.keeps("OBX-5") {
			return "", true // a reader must not take the empty OBX-5 as a blank line
		}
		return x.valueType(s), true
	case hl7Type:
		return raw, x.isMessageType(raw)
	}
	return "", false
}

// drop removes a value, unless the policy keeps fields of this name.
func (x *hl7Redactor) drop(name, raw string) string {
	if x.keeps(name) {
		return raw
	}
	x.lost.Dropped[name]++
	return ""
}

func (x *hl7Redactor) keeps(name string) bool {
	segment, _, _ := strings.Cut(name, "-")
	return x.policy.Keep[name] || x.policy.Keep[segment]
}

// redactText returns a field with text. Layout, and pieces that do not change, stay as they
// were written.
func (x *hl7Redactor) redactText(i int, s hl7Segment, start, end int) string {
	var b strings.Builder
	at := start
	for ; x.place < len(x.text.places); x.place++ {
		p := x.text.places[x.place]
		if int(p.segment) != i || int(p.start) > end {
			break
		}
		if value := x.values[p.piece]; value != x.text.original(int(p.piece)) {
			b.WriteString(s.text[at:p.start] + x.sep.encodeText(value))
			at = int(p.end)
		}
	}
	if at == start {
		return s.text[start:end]
	}
	return b.String() + s.text[at:end]
}

// repetitions writes each repetition of a field.
func (x *hl7Redactor) repetitions(raw string, write func(string) string) string {
	if strings.IndexByte(raw, x.sep.repetition) < 0 {
		return write(raw)
	}
	var b strings.Builder
	first := true
	for r := range strings.SplitSeq(raw, string(rune(x.sep.repetition))) {
		if !first {
			b.WriteByte(x.sep.repetition)
		}
		first = false
		if r != "" {
			b.WriteString(write(r))
		}
	}
	return b.String()
}
