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
	"hide/internal/annotate/message"
)

// hl7Kind is HL7 v2, single messages and batches.
func hl7Kind() kind {
	return kind{
		Format: Format{
			Name: "hl7", Title: "HL7 v2", Files: "messages with notes in OBX and NTE, single or in a batch", Endings: []string{".hl7"}, Ending: ".hl7",
			Holds:  Holds{Name: true, Text: true, Patient: true, Identities: true},
			Remark: "Written messages are new ones; hide redact --format hl7 writes the messages themselves back.",
		},
		claims: claimsHL7,
		read:   func(r *reader, in input) error { return r.messages(in, "hl7", message.HL7) },
		write: oneFile("", func(out *bufio.Writer, _ int, d annotate.Annotated) error {
			return message.WriteHL7(out, asMessage(d))
		}, ""),
		lost: lostInHL7,
	}
}

func claimsHL7(p *probe) bool {
	head := bytes.TrimLeft(p.head, "\x0b\r\n \t")
	for _, segment := range []string{"MSH", "FHS", "BHS"} {
		if rest, found := bytes.CutPrefix(head, []byte(segment)); found && len(rest) > 4 && rest[0] > ' ' && rest[0] < 0x7f && !alphanumeric(rest[0]) {
			return true
		}
	}
	return p.named(".hl7")
}

func alphanumeric(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }

// ccdaKind is the clinical documents of HL7, with a narrative.
func ccdaKind() kind {
	return kind{
		Format: Format{
			Name: "ccda", Title: "C-CDA", Files: "one note per document, of the narrative of its sections", Endings: []string{".xml", ".ccda", ".cda"}, Ending: ".zip",
			Holds:  Holds{Name: true, Text: true, Patient: true, Identities: true},
			Remark: "Written documents are new ones; hide redact --format ccda writes the documents themselves back.",
		},
		claims: func(p *probe) bool { return p.root() == "ClinicalDocument" },
		read:   func(r *reader, in input) error { return r.messages(in, "ccda", message.CDA) },
		write: fileEach(".xml", func(out *bufio.Writer, d annotate.Annotated) error {
			return message.WriteCDA(out, forCDA(asMessage(d)))
		}),
		lost: lostInCDA,
	}
}

// fhirKind is FHIR R4 and STU3: resources, Bundles, and NDJSON with a resource per line.
func fhirKind() kind {
	return kind{
		Format: Format{
			Name: "fhir", Title: "FHIR", Files: "resources with notes (DocumentReference, DiagnosticReport, Composition, Observation, Binary) as NDJSON, Bundles or single ones", Endings: []string{".ndjson", ".json"}, Ending: ".ndjson",
			Holds:  Holds{Name: true, Text: true, Patient: true, Identities: true},
			Remark: "Patients and others may be in other files of the same import. Written resources are new ones; hide redact --format fhir writes the resources themselves back.",
		},
		claims: func(p *probe) bool { return p.record.has("resourceType") },
		read: func(r *reader, in input) error {
			return r.messages(in, "fhir", func(file io.Reader) iter.Seq2[*message.Item, error] { return message.FHIR(file, r.people) })
		},
		write: writeFHIR,
		lost:  lostInPeople,
	}
}

func writeFHIR(w io.Writer, docs documents) error {
	out := message.NewFHIRWriter(w)
	return each(docs, func(d annotate.Annotated) error { return out.Write(asMessage(d)) })
}

// collectPeople reads the people of all files of resources, so that a note in one file knows
// the patient in another. What cannot be read is refused later, with its place.
func (r *reader) collectPeople(jobs []job) error {
	for _, j := range jobs {
		if j.problem != nil || j.kind.Name != "fhir" {
			continue
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if r.people == nil {
			r.people = &message.People{}
		}
		if file, err := j.input.open(); err == nil {
			_ = r.people.Collect(afterMark(file))
			file.Close()
		}
	}
	return nil
}

// asMessage is a document as a note of a message.
func asMessage(d annotate.Annotated) message.Note {
	return message.Note{ID: d.Name, Patient: d.Patient, Text: d.Text, Identities: d.Identities, Attributes: d.Attributes}
}

// lostInMessage says how a note changes on its way through a message.
func lostInMessage(d annotate.Annotated) string {
	known := slices.ContainsFunc(d.Identities, func(i annotate.Identity) bool {
		return i.Of == annotate.OfPatient && i.Value == d.Patient
	})
	return sentences("the attributes may become those of the message", when(d.Patient != "" && !known, "the key of the patient is added to the identities"))
}

// lostInHL7 knows that a message without text has no note.
func lostInHL7(d annotate.Annotated) string {
	return sentences(lostInMessage(d), when(d.Text == "", "the note is left out, as it has no text"))
}

// lostInCDA is also about what XML cannot hold.
func lostInCDA(d annotate.Annotated) string { return sentences(lostInPeople(d), lostInXML(d)) }

// lostInPeople knows that a document or resource gives each patient a key.
func lostInPeople(d annotate.Annotated) string {
	keyed := d.Patient == "" && slices.ContainsFunc(d.Identities, func(i annotate.Identity) bool { return i.Of == annotate.OfPatient })
	return sentences(lostInMessage(d), when(keyed, "the patient may get a key of the file"))
}

// forCDA replaces the characters that XML cannot hold.
func forCDA(n message.Note) message.Note {
	n.ID, n.Patient, n.Text = forXML(n.ID), forXML(n.Patient), forXML(n.Text)
	n.Identities = slices.Clone(n.Identities)
	for i := range n.Identities {
		n.Identities[i].Value = forXML(n.Identities[i].Value)
	}
	return n
}

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
	if m.notes == 0 && m.refused == 0 && m.items > 0 && format == "fhir" {
		r.remarks.add(1, "file", "of resources without text: only the people in it are used")
		return nil
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
	if m.items == 1 {
		return "its message contains no text"
	}
	return fmt.Sprintf("none of its %d messages contains a text", m.items)
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
		m.remarks.add(1, "embedded part", "left out, of a kind that cannot be read: "+s.What)
	}
	if len(i.Notes) == 0 {
		m.remarks.add(1, "message", "without text, left out")
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
	m.remarks.add(1, "note", "named after the file, because the message has no id or one that is taken")
	stem := strings.TrimSuffix(m.in.name, path.Ext(m.in.name))
	if m.notes == 1 {
		return stem
	}
	return fmt.Sprintf("%s-%d", stem, m.notes)
}
