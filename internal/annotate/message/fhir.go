// SPDX-License-Identifier: Apache-2.0

package message

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"hide/internal/annotate"
)

// FHIR reads resources of FHIR R4 and STU3 in JSON: one of them, a Bundle, or one on each
// line. The entries of a Bundle are read one by one, if its type comes before them, so that
// only one of them is in memory. Each resource, or entry, is one item; so is what a Bundle has
// before and after its entries, so that the items written one after the other are the stream
// again.
//
// Attachments and Binaries of plain text or XHTML are one note each. Other free text of a
// resource is one note together: titles and texts of a Composition, conclusions, comments,
// notes, payloads and answers. The narrative of a resource, which repeats its data, is
// dropped, unless its status is "additional" and the resource is about a patient; then it is
// text of the note.
//
// The identities of a note are those in its resource and those that people knows of the
// resources it refers to. With nil, people are those of earlier resources of the stream.
//
// A redacted resource has the elements that a table knows to be harmless, codes of published
// code systems, numbers, and placeholders for identifiers. The ids and addresses of resources
// become pseudonyms, the same ones wherever people is the same. Times are replaced if
// [Policy.Replace] gives one such as 1961-05-14, else they are marked as masked. Extensions,
// contained resources, metadata, photos and all unknown elements are dropped.
// [Policy.Keep] can name what [Lost.Dropped] names, such as "extension" or "code.text"; "id"
// keeps ids and addresses.
func FHIR(r io.Reader, people *People) iter.Seq2[*Item, error] {
	return fhirStreamItems(r, func() fhirReader {
		if people == nil {
			return fhirReader{people: &People{}, collects: true}
		}
		return fhirReader{people: people}
	})
}

// FHIRKeyed is [FHIR] with the people of earlier resources of the stream, and with pseudonyms
// that follow from a secret: streams that are read with the same secret agree.
func FHIRKeyed(r io.Reader, secret []byte) iter.Seq2[*Item, error] {
	return fhirStreamItems(r, func() fhirReader { return fhirReader{people: NewPeople(secret), collects: true} })
}

func fhirStreamItems(r io.Reader, start func() fhirReader) iter.Seq2[*Item, error] {
	return func(yield func(*Item, error) bool) {
		f := start()
		stopped := false
		err := newFHIRStream(r).each(func(p fhirPart, bad *Error) bool {
			var item *Item
			if bad == nil {
				item, bad = f.item(p)
			}
			if bad != nil {
				bad.Record = p.record + bad.Record
				stopped = !yield(nil, bad)
			} else {
				stopped = !yield(item, nil)
			}
			return !stopped
		})
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// fhirReader makes items of the parts of a stream.
type fhirReader struct {
	people   *People
	collects bool
	bundle   *openBundle
}

// openBundle is shared by the items of a Bundle, which write the commas between them.
type openBundle struct{ entries int }

func (f *fhirReader) item(p fhirPart) (*Item, *Error) {
	v, bad := parseJSON(p.raw, p.offset)
	if bad != nil {
		return nil, bad
	}
	if bad := checkResource(p, v); bad != nil {
		bad.Offset = p.offset
		return nil, bad
	}
	if f.collects && p.kind != bundleHead && p.kind != bundleTail {
		f.people.collect(v)
	}
	if p.kind == bundleHead {
		f.bundle = &openBundle{}
	}
	d := &fhirDocument{part: p.kind, value: v, people: f.people, bundle: f.bundle}
	w := d.walk(Policy{}, nil)
	d.texts = w.texts
	item := &Item{Record: p.record, Offset: p.offset, Bytes: len(p.raw), Frame: p.kind == bundleHead || p.kind == bundleTail, redact: d.redact}
	if w.tooLarge || slices.ContainsFunc(w.texts, func(t *narrator) bool { return t.text.Len() > MaxText }) {
		return nil, &Error{Offset: p.offset, Code: "document-too-large", Reason: "a text is larger than 10 MB", Hint: "split the document"}
	}
	for _, r := range w.resources {
		d.identities = append(d.identities, r.identities...)
		for i, t := range r.texts {
			if note, ok := r.note(i, t); ok {
				item.Notes = append(item.Notes, note)
				d.noted = append(d.noted, t.number)
			}
		}
		item.Skips = append(item.Skips, r.skips...)
	}
	return item, nil
}

// checkResource refuses JSON that is not of FHIR.
func checkResource(p fhirPart, v *jsonValue) *Error {
	switch {
	case p.kind == bundleTail:
		if v.field("entry") != nil || v.field("resourceType") != nil {
			return badJSON("the Bundle has two fields with the same name")
		}
		return nil
	case p.kind == bundleEntry && v.kind == '{':
		return nil
	case p.kind == bundleEntry:
		return badJSON("the entry is not an object")
	case !resourceName.MatchString(v.field("resourceType").str()):
		return &Error{Code: "json", Reason: "the object has no resourceType, so it is not a FHIR resource", Hint: "choose the format of the file; this reader takes FHIR resources"}
	}
	return nil
}

// note is the i-th note of a resource; false if its text is blank.
func (r *fhirResource) note(i int, t *narrator) (Note, bool) {
	text := t.text.String()
	if strings.TrimSpace(text) == "" {
		return Note{}, false
	}
	n := Note{ID: r.id, Text: text, Identities: r.identities, Patient: cmp.Or(r.patient, r.subject), Attributes: r.attributes}
	if r.kind == "Patient" {
		n.Patient = patientNumber(r.identities, "MEDICALRECORD")
	}
	if first := r.first(); i > first && n.ID != "" {
		n.ID = fmt.Sprintf("%s#%d", n.ID, i-first+1)
	}
	return n, true
}

// first is the number of the first text that is not blank.
func (r *fhirResource) first() int {
	for i, t := range r.texts {
		if strings.TrimSpace(t.text.String()) != "" {
			return i
		}
	}
	return 0
}

// fhirDocument is a part of a stream that has been read.
type fhirDocument struct {
	part   fhirPartKind
	value  *jsonValue
	people *People
	bundle *openBundle
	texts  []*narrator
	noted  []int // numbers of the texts that are notes

	identities []annotate.Identity // of all resources of the part
}

// walk goes through the part, and keeps the redacted form in out.
func (d *fhirDocument) walk(p Policy, values [][]string) *fhirWalk {
	w := &fhirWalk{people: d.people, policy: p, values: values, lost: Lost{Dropped: map[string]int{}}}
	if p.Replace == nil {
		w.policy.Replace = func(id annotate.Identity) (string, bool) { return "[" + string(id.Label) + "]", true }
	}
	w.words = wordsOf(d.identities, w.policy)
	if d.part == wholeResource {
		w.out = w.resource(d.value)
		return w
	}
	w.res = newFHIRResource("Bundle")
	w.resources = append(w.resources, w.res)
	w.res.main = w.newText()
	if d.part == bundleEntry {
		w.out = object(w.fields(d.value, "entry", "")...)
		return w
	}
	w.out = object(w.fields(d.value, "", "")...)
	return w
}

func (d *fhirDocument) redact(out io.Writer, marks [][]Mark, p Policy) (Lost, error) {
	values := make([][]string, len(d.texts))
	of := map[int][]Mark{}
	for i, number := range d.noted {
		of[number] = marks[i]
	}
	for i, t := range d.texts {
		var err error
		if values[i], err = t.redacted(of[i]); err != nil {
			return Lost{}, err
		}
	}
	w := d.walk(p, values)
	b := bufio.NewWriter(out)
	d.write(b, w.out)
	return w.lost, b.Flush()
}

// write writes a resource with a line break, or the part of a Bundle.
func (d *fhirDocument) write(b *bufio.Writer, v *jsonValue) {
	switch d.part {
	case wholeResource:
		v.write(b)
		_ = b.WriteByte('\n') // Flush reports errors
	case bundleHead:
		d.bundle.entries = 0
		_ = b.WriteByte('{')
		writeFields(b, v.fields)
		_, _ = b.WriteString(`,"entry":[`)
	case bundleEntry:
		if d.bundle.entries > 0 {
			_, _ = b.WriteString(",\n")
		}
		d.bundle.entries++
		v.write(b)
	case bundleTail:
		_ = b.WriteByte(']')
		if len(v.fields) > 0 {
			_ = b.WriteByte(',')
			writeFields(b, v.fields)
		}
		_, _ = b.WriteString("}\n")
	}
}
