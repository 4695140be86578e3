// SPDX-License-Identifier: Apache-2.0

package format

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/message"
)

// source reads the messages of a stream, one after the other.
type source func(io.Reader) iter.Seq2[*message.Item, error]

// messages reads a file of messages: each text in them is a note. A note is named by the id
// of its message. A message whose id is missing or taken is named after the file, with its
// number if there are several.
func (r *reader) messages(in input, format string, from source) error {
	r.used(format, "")
	w := place{file: in.show, offset: -1}
	file, err := in.open()
	if err != nil {
		return r.refuse(unreadable(err, w))
	}
	defer file.Close()
	m := &messageReader{reader: r, in: in}
	for item, err := range from(afterMark(file)) {
		if err == nil {
			err = m.item(item)
		} else {
			err = m.bad(err)
		}
		if errors.Is(err, errEnough) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	if m.notes == 0 && m.refused == 0 {
		return r.refuse((&Problem{Code: "empty-file", Reason: m.emptyReason(), Hint: "leave it out"}).at(w))
	}
	return nil
}

// errEnough ends a file that cannot be read further.
var errEnough = errors.New("the rest cannot be read")

// messageReader is the state of reading one file of messages.
type messageReader struct {
	*reader
	in      input
	items   int
	notes   int // texts found, taken or refused
	refused int // messages
}

func (m *messageReader) emptyReason() string {
	if m.items == 0 {
		return "the file contains no message"
	}
	return fmt.Sprintf("none of %d messages contains a text", m.items)
}

// bad refuses a message that cannot be read.
func (m *messageReader) bad(err error) error {
	m.refused++
	e, known := errors.AsType[*message.Error](err)
	if !known {
		return errors.Join(m.refuse(unreadable(err, place{file: m.in.show, offset: -1})), errEnough)
	}
	p := &Problem{File: m.in.show, Record: e.Record, Offset: e.Offset, located: true, Code: e.Code, Reason: e.Reason, Hint: e.Hint}
	if refused := m.refuse(p); refused != nil || !e.Fatal {
		return refused
	}
	return errEnough
}

func (m *messageReader) item(i *message.Item) error {
	m.items++
	for _, s := range i.Skips {
		m.remarks.add(1, "embedded text or file", "left out, because it cannot be read: "+s.What)
	}
	if len(i.Notes) == 0 {
		m.remarks.add(1, "message or resource", "without text, left out")
	}
	for k, n := range i.Notes {
		m.notes++
		d := annotate.Document{Name: m.name(n.ID, k), Text: n.Text, Patient: n.Patient, Attributes: n.Attributes, Identities: n.Identities}
		if err := m.deliver(annotate.Annotated{Document: d}, place{m.in.show, i.Record, i.Offset}); err != nil {
			return err
		}
	}
	return nil
}

// name is the name of text k of a message.
func (m *messageReader) name(id string, k int) string {
	if k > 0 && id != "" {
		id = fmt.Sprintf("%s-%d", id, k+1)
	}
	if id != "" && checkName(id) == nil && !m.names.has(id) {
		return id
	}
	m.remarks.add(1, "note", "named after its file, because the id of its message is missing or taken")
	stem := strings.TrimSuffix(m.in.name, path.Ext(m.in.name))
	if m.notes == 1 {
		return stem
	}
	return fmt.Sprintf("%s-%d", stem, m.notes)
}
