// SPDX-License-Identifier: Apache-2.0

package message

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"hide/internal/annotate"
)

// FHIRWriter writes notes as new resources of FHIR R4, one on each line: a Patient, the
// other people and places, and a DocumentReference that refers to them and holds the text.
// [FHIR] reads the text, id, patient and identities back: the text byte for byte, the
// identities without where they came from. The id of the note is the master identifier of its
// document. The patient of the note becomes a record number and is read as an identity too.
type FHIRWriter struct {
	out   *bufio.Writer
	notes int
}

// NewFHIRWriter returns a writer to w.
func NewFHIRWriter(w io.Writer) *FHIRWriter { return &FHIRWriter{out: bufio.NewWriter(w)} }

// freshPeople are the resources of people and places: their types and the letters that
// their ids begin with.
var freshPeople = []struct {
	of             annotate.Whose
	kind, initial  string
	documentRefers string // the field of a document that refers to them
}{
	{annotate.OfPatient, "Patient", "p", "subject"},
	{annotate.OfRelative, "RelatedPerson", "r", "author"},
	{annotate.OfClinician, "Practitioner", "c", "author"},
	{annotate.OfPlace, "Organization", "o", "custodian"},
}

// Write writes the resources of a note.
func (w *FHIRWriter) Write(n Note) error {
	if e := checkFHIRNote(n); e != nil {
		return e
	}
	w.notes++
	document := []jsonField{{"resourceType", jsonString("DocumentReference")}, {"id", jsonString(fmt.Sprintf("d%d", w.notes))}}
	if n.ID != "" {
		document = append(document, jsonField{"masterIdentifier", object(jsonField{"value", jsonString(n.ID)})})
	}
	document = append(document, jsonField{"status", jsonString("current")}, jsonField{"type", concept("http://loinc.org", "34109-9")})
	document = append(document, w.people(n)...)
	attachment := object(jsonField{"contentType", jsonString("text/plain; charset=utf-8")},
		jsonField{"data", jsonString(base64.StdEncoding.EncodeToString([]byte(n.Text)))})
	w.line(append(document, jsonField{"content", list1(object(jsonField{"attachment", attachment}))}))
	return w.out.Flush()
}

// people writes the resources of people and places, and returns the fields of a document
// that refer to them.
func (w *FHIRWriter) people(n Note) (refer []jsonField) {
	authors := &jsonValue{kind: '['}
	var patient *jsonValue
	for _, p := range freshPeople {
		fields := freshPerson(n, p.of)
		if len(fields) == 0 {
			continue
		}
		id := fmt.Sprintf("%s%d", p.initial, w.notes)
		reference := object(jsonField{"reference", jsonString(p.kind + "/" + id)})
		switch p.of {
		case annotate.OfPatient:
			patient = reference
		case annotate.OfRelative:
			if patient != nil { // whose relative this is
				fields = append(fields, jsonField{"patient", patient})
			}
		}
		if p.documentRefers == "author" {
			authors.items = append(authors.items, reference)
		} else {
			refer = append(refer, jsonField{p.documentRefers, reference})
		}
		w.line(append([]jsonField{{"resourceType", jsonString(p.kind)}, {"id", jsonString(id)}}, fields...))
	}
	if len(authors.items) > 0 {
		refer = append(refer, jsonField{"author", authors})
	}
	return refer
}

// line writes a resource. Flush reports errors.
func (w *FHIRWriter) line(fields []jsonField) {
	object(fields...).write(w.out)
	_ = w.out.WriteByte('\n')
}

func checkFHIRNote(n Note) *Error {
	e := &Error{Record: "note", Code: "json"}
	if strings.TrimSpace(n.Text) == "" {
		e.Reason, e.Hint = "the note is empty", "leave it out"
		return e
	}
	values := []string{n.Text, n.ID, n.Patient}
	for _, i := range n.Identities {
		values = append(values, i.Value)
		if strings.TrimSpace(i.Value) == "" {
			e.Reason, e.Hint = "an identity of the note has no value", "correct the identities of the note"
			return e
		}
	}
	for _, v := range values {
		if !utf8.ValidString(v) {
			e.Reason, e.Hint = "the note is not valid UTF-8", "convert the note to UTF-8"
			return e
		}
	}
	return nil
}

// list1 is a list of one value.
func list1(v *jsonValue) *jsonValue { return &jsonValue{kind: '[', items: []*jsonValue{v}} }

// concept is a coded concept.
func concept(system, code string) *jsonValue {
	coding := object(jsonField{"system", jsonString(system)}, jsonField{"code", jsonString(code)})
	return object(jsonField{"coding", list1(coding)})
}

// freshPerson has the identifiers of a person or place. Those for which FHIR has no element
// become numbers whose type is their label.
func freshPerson(n Note, of annotate.Whose) []jsonField {
	lists := map[string][]*jsonValue{}
	birth := ""
	if of == annotate.OfPatient && n.Patient != "" {
		lists["identifier"] = append(lists["identifier"], freshNumber("MEDICALRECORD", n.Patient))
	}
	for _, i := range n.Identities {
		value := jsonString(i.Value)
		switch {
		case i.Of != of || of == annotate.OfPatient && i.Label == "MEDICALRECORD" && i.Value == n.Patient:
		case i.Label == fhirNameLabel(of) && of == annotate.OfPlace:
			lists["alias"] = append(lists["alias"], value)
		case i.Label == fhirNameLabel(of):
			lists["name"] = append(lists["name"], object(jsonField{"text", value}))
		case i.Label == "PHONE" || i.Label == "FAX" || i.Label == "EMAIL" || i.Label == "URL":
			lists["telecom"] = append(lists["telecom"], object(jsonField{"system", jsonString(strings.ToLower(string(i.Label)))}, jsonField{"value", value}))
		case freshAddress[i.Label] == "line":
			lists["address"] = append(lists["address"], object(jsonField{"line", list1(value)}))
		case freshAddress[i.Label] != "":
			lists["address"] = append(lists["address"], object(jsonField{freshAddress[i.Label], value}))
		case i.Label == "DATE" && birth == "" && of != annotate.OfPlace && wholeDay.MatchString(i.Value):
			birth = i.Value
		default:
			lists["identifier"] = append(lists["identifier"], freshNumber(i.Label, i.Value))
		}
	}
	var fields []jsonField
	if places := lists["alias"]; len(places) > 0 { // an organization has one name
		fields = append(fields, jsonField{"name", places[0]})
		lists["alias"] = places[1:]
	}
	for _, name := range []string{"identifier", "name", "alias", "telecom", "address"} {
		if len(lists[name]) > 0 {
			fields = append(fields, jsonField{name, &jsonValue{kind: '[', items: lists[name]}})
		}
	}
	if birth != "" {
		fields = append(fields, jsonField{"birthDate", jsonString(birth)})
	}
	return fields
}

var (
	wholeDay     = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)
	freshAddress = map[annotate.Label]string{"STREET": "line", "CITY": "city", "STATE": "state", "ZIP": "postalCode", "COUNTRY": "country", "LOCATION-OTHER": "district"}
)

func freshNumber(label annotate.Label, value string) *jsonValue {
	kind := concept(labelSystem, string(label))
	switch label {
	case "MEDICALRECORD":
		kind = concept(typesURL, "MR")
	case "SSN":
		kind = concept(typesURL, "SS")
	}
	return object(jsonField{"type", kind}, jsonField{"value", jsonString(value)})
}
