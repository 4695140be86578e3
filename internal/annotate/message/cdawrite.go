// SPDX-License-Identifier: Apache-2.0

package message

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"hide/internal/annotate"
)

// freshSystem is the OID of numbers in documents that this package makes, of the branch
// that HL7 reserves for examples.
const freshSystem = "2.16.840.1.113883.19.5"

// WriteCDA writes a new document with the text, id and identities of a note, from which
// [CDA] reads them back: the text byte for byte, the identities in the order of the document
// and without where they came from. It has no titles, as a reader would see them as text.
// The patient of the note becomes a record number and is read as an identity too.
//
// The document has one section. Its text is one content with the style xVerbatim, which
// keeps white space, and a br for each line break. Identifiers for which a header has no
// element become numbers whose assigningAuthorityName is their label.
func WriteCDA(w io.Writer, n Note) error {
	if e := checkXMLText(n.Text); e != nil {
		return e
	}
	for _, i := range n.Identities {
		if i.Value == "" || strings.ContainsFunc(i.Value, func(r rune) bool { return !inXML(r) }) || !utf8.ValidString(i.Value) {
			return &Error{Record: "note", Code: "xml", Reason: "XML cannot hold the value of an identity", Hint: "choose another format, or correct the identities of the note"}
		}
	}
	d := freshCDA{newXMLWriter(w), n}
	d.header()
	d.raw("<component><structuredBody><component><section><text>")
	d.start("content", []xmlAttr{{"styleCode", verbatim}})
	for i, line := range strings.Split(n.Text, "\n") {
		if i > 0 {
			d.raw("<br/>")
		}
		d.escape(line, false)
	}
	d.raw("</content></text></section></component></structuredBody></component></ClinicalDocument>\n")
	return d.out.Flush()
}

// checkXMLText refuses what a document cannot hold.
func checkXMLText(text string) *Error {
	e := &Error{Record: "note", Code: "xml"}
	if strings.TrimSpace(text) == "" {
		e.Reason, e.Hint = "the note is empty", "leave it out"
		return e
	}
	if at := invalidUTF8(text); at >= 0 {
		e.Offset, e.Reason, e.Hint = int64(at), "the byte is not valid UTF-8", "convert the note to UTF-8"
		return e
	}
	for at, r := range text {
		if !inXML(r) {
			e.Offset, e.Reason, e.Hint = int64(at), "XML cannot hold the control character at this byte", "choose another format, or remove the character"
			return e
		}
	}
	return nil
}

// freshCDA writes a new document. Elements are in the order of the schema.
type freshCDA struct {
	xmlWriter
	note Note
}

func (d freshCDA) header() {
	d.raw(xmlDeclaration + `<ClinicalDocument xmlns="` + cdaSpace + `" xmlns:xsi="` + xsiSpace + `">` +
		`<typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/>`)
	if d.note.ID != "" {
		d.id("", d.note.ID)
	} else {
		d.raw(`<id nullFlavor="NI"/>`)
	}
	d.raw(`<code code="34109-9" codeSystem="2.16.840.1.113883.6.1" displayName="Note"/><effectiveTime nullFlavor="NI"/>` +
		`<confidentialityCode code="N" codeSystem="2.16.840.1.113883.5.25"/>`)
	d.patient()
	d.raw(`<author><time nullFlavor="NI"/><assignedAuthor>`)
	d.contact(annotate.OfClinician)
	d.raw("<assignedPerson>")
	d.names(annotate.OfClinician)
	d.raw("</assignedPerson></assignedAuthor></author>")
	d.raw(`<custodian><assignedCustodian><representedCustodianOrganization><id nullFlavor="NI"/></representedCustodianOrganization></assignedCustodian></custodian>`)
	if d.has(annotate.OfRelative) {
		d.raw(`<participant typeCode="IND"><associatedEntity classCode="PRS">`)
		d.contact(annotate.OfRelative)
		d.raw("<associatedPerson>")
		d.names(annotate.OfRelative)
		d.raw("</associatedPerson></associatedEntity></participant>")
	}
	dates := d.dates()
	for _, date := range dates[min(1, len(dates)):] {
		d.raw(`<documentationOf><serviceEvent classCode="ACT">`)
		d.empty("effectiveTime", []xmlAttr{{"value", date}})
		d.raw("</serviceEvent></documentationOf>")
	}
}

func (d freshCDA) patient() {
	d.raw("<recordTarget><patientRole>")
	if d.note.Patient != "" {
		d.id("", d.note.Patient)
	}
	d.contact(annotate.OfPatient)
	d.raw("<patient>")
	d.names(annotate.OfPatient)
	if dates := d.dates(); len(dates) > 0 {
		d.empty("birthTime", []xmlAttr{{"value", dates[0]}})
	}
	d.raw("</patient>")
	if d.has(annotate.OfPlace) {
		d.raw("<providerOrganization>")
		d.ids(annotate.OfPlace)
		d.names(annotate.OfPlace)
		d.telecoms(annotate.OfPlace)
		d.addresses(annotate.OfPlace)
		d.raw("</providerOrganization>")
	}
	d.raw("</patientRole></recordTarget>")
}

func (d freshCDA) has(of annotate.Whose) bool {
	return slices.ContainsFunc(d.note.Identities, func(i annotate.Identity) bool { return i.Of == of })
}

// contact writes the numbers and addresses of people.
func (d freshCDA) contact(of annotate.Whose) {
	d.ids(of)
	d.addresses(of)
	d.telecoms(of)
}

// freshKind is the element that holds an identity so that it is read back as it is.
func freshKind(i annotate.Identity) cdaKind {
	if _, label := cdaScheme(i); label == i.Label {
		return cdaTelecom
	}
	plain := strings.Join(strings.FieldsFunc(i.Value, isXMLSpace), " ") == i.Value
	name := map[annotate.Whose]annotate.Label{annotate.OfClinician: "DOCTOR", annotate.OfPlace: "HOSPITAL"}[i.Of]
	switch {
	case plain && (i.Label == name || name == "" && i.Label == "PATIENT"):
		return cdaName
	case plain && freshPart(i.Label) != "":
		return cdaAddr
	case i.Of == annotate.OfPatient && i.Label == "DATE" && cdaDate(i.Value) != "":
		return cdaTime
	}
	return cdaID
}

// freshPart is the element of an address for a label.
func freshPart(l annotate.Label) string {
	return map[annotate.Label]string{"STREET": "streetAddressLine", "CITY": "city", "STATE": "state", "ZIP": "postalCode", "COUNTRY": "country"}[l]
}

// cdaScheme is an identity as an address of telecommunication, and the label with which
// that would be read back; empty if another value would be read.
func cdaScheme(i annotate.Identity) (string, annotate.Label) {
	url := map[annotate.Label]string{"PHONE": "tel:", "FAX": "fax:", "EMAIL": "mailto:"}[i.Label] + i.Value
	if label, value := telecomValue(url); value == i.Value {
		return url, label
	}
	return url, ""
}

// each calls write for the identities of someone that an element of a kind holds.
func (d freshCDA) each(of annotate.Whose, kind cdaKind, write func(annotate.Identity)) (found bool) {
	for _, i := range d.note.Identities {
		if i.Of == of && freshKind(i) == kind {
			write(i)
			found = true
		}
	}
	return found
}

// ids writes at least one id, as the schema demands.
func (d freshCDA) ids(of annotate.Whose) {
	found := d.each(of, cdaID, func(i annotate.Identity) {
		if of != annotate.OfPatient || i.Label != "MEDICALRECORD" || i.Value != d.note.Patient {
			d.id(i.Label, i.Value)
		}
	})
	if !found && (of != annotate.OfPatient || d.note.Patient == "") {
		d.raw(`<id nullFlavor="NI"/>`)
	}
}

func (d freshCDA) id(label annotate.Label, value string) {
	attrs := []xmlAttr{{"root", freshSystem}, {"extension", value}}
	if label != "" {
		attrs = append(attrs, xmlAttr{"assigningAuthorityName", string(label)})
	}
	d.empty("id", attrs)
}

// names writes the names of people and organizations, a person's last word as the family
// name.
func (d freshCDA) names(of annotate.Whose) {
	d.each(of, cdaName, func(i annotate.Identity) {
		last := strings.LastIndex(i.Value, " ")
		if of == annotate.OfPlace || last < 0 {
			d.leaf("name", nil, i.Value)
			return
		}
		d.raw("<name>")
		d.leaf("given", nil, i.Value[:last])
		d.leaf("family", nil, i.Value[last+1:])
		d.raw("</name>")
	})
}

func (d freshCDA) telecoms(of annotate.Whose) {
	d.each(of, cdaTelecom, func(i annotate.Identity) {
		url, _ := cdaScheme(i)
		d.empty("telecom", []xmlAttr{{"value", url}})
	})
}

func (d freshCDA) addresses(of annotate.Whose) {
	d.each(of, cdaAddr, func(i annotate.Identity) {
		d.raw("<addr>")
		d.leaf(freshPart(i.Label), nil, i.Value)
		d.raw("</addr>")
	})
}

// dates are the patient's. The first one is written as the day of birth, as structured data
// gives it first; the others as days of services.
func (d freshCDA) dates() (all []string) {
	d.each(annotate.OfPatient, cdaTime, func(i annotate.Identity) { all = append(all, cdaDate(i.Value)) })
	return all
}
