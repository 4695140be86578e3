// SPDX-License-Identifier: Apache-2.0

package message

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"hide/internal/annotate"
)

// WriteHL7 writes a message ORU^R01 of version 2.5.1 for each note, from which [HL7] reads
// its text, id, patient and identities as they were. Identities that no field of PID, NK1 or
// PV1 holds exactly are in the segment ZHI: fields for patient, relative, clinician and
// place, each with repetitions label^value. Of the attributes only "service" is written. The
// patient becomes a number in PID-3, which HL7 also reads as an identity. A note without
// text cannot be read back: an empty text is a message without one.
func WriteHL7(w io.Writer, notes ...Note) error {
	b := bufio.NewWriter(w)
	for _, n := range notes {
		writeHL7Note(b, n)
	}
	return b.Flush()
}

func writeHL7Note(b *bufio.Writer, n Note) {
	sep := hl7Default
	b.WriteString(`MSH|^~\&|hide||||||ORU^R01^ORU_R01|` + sep.encode(n.ID) + "|P|2.5.1||||||UNICODE UTF-8\r")
	f := hl7Fields{}
	f.patient(n)
	for _, i := range n.Identities {
		f.identity(i)
	}
	b.WriteString(f.segment("PID", 13, "1") + f.segment("NK1", 2, "1") + f.segment("PV1", 7, "1", "U") + f.segment("ZHI", 4))
	service := "NOTE^Note"
	if name := n.Attributes["service"]; name != "" {
		service = "NOTE^" + sep.encodeExact(name)
	}
	b.WriteString("OBR|1|||" + service + "\r")
	if n.Text == "" {
		return
	}
	number := 0
	for line := range strings.SplitSeq(n.Text, "\n") {
		number++
		b.WriteString("OBX|" + strconv.Itoa(number) + "|TX|" + service + "||" + sep.encodeText(line) + "||||||F\r")
	}
}

// hl7Fields are repetitions of fields by the name of the field, such as "PID-3".
type hl7Fields map[string][]string

// patient writes the key of the patient as the first repetition of PID-3, with the type of
// the identity that has this value. Without a key the first repetition is empty, so that no
// other number becomes the key.
func (f hl7Fields) patient(n Note) {
	key := ""
	if n.Patient != "" {
		key = hl7Default.encodeExact(n.Patient)
		for _, i := range n.Identities {
			if code := hl7NumberCodes[i.Label]; i.Of == annotate.OfPatient && i.Value == n.Patient && code != "" {
				key += "^^^^" + code
				break
			}
		}
	}
	f["PID-3"] = []string{key}
}

// hl7NumberCodes are the types of table 0203 that stand for labels.
var hl7NumberCodes = map[annotate.Label]string{
	"MEDICALRECORD": "MR", "SSN": "SS", "ACCOUNT": "AN", "LICENSE": "DL", "HEALTHPLAN": "HC", "IDNUM": "NI", "DEVICE": "DI", "VEHICLE": "VIN", "BIOID": "BIO",
}

// hl7AddressPlaces are the components of XAD for labels.
var hl7AddressPlaces = map[annotate.Label]int{"STREET": 0, "CITY": 2, "STATE": 3, "ZIP": 4, "COUNTRY": 5, "LOCATION-OTHER": 8}

// identity writes an identity into the field that holds it exactly, or else into ZHI.
func (f hl7Fields) identity(i annotate.Identity) {
	segment, number, repetition := hl7Home(i)
	name := segment + "-" + strconv.Itoa(number)
	if segment == "" || name == "PID-7" && f[name] != nil || !hl7Holds(segment, number, repetition, i) {
		own := map[annotate.Whose]string{annotate.OfPatient: "1", annotate.OfRelative: "2", annotate.OfClinician: "3", annotate.OfPlace: "4"}[i.Of]
		f["ZHI-"+own] = append(f["ZHI-"+own], string(i.Label)+"^"+hl7Default.encode(i.Value))
		return
	}
	if name == "PID-11" && f.fill(name, hl7AddressPlaces[i.Label], repetition) {
		return
	}
	f[name] = append(f[name], repetition)
}

// fill puts a component into the last repetition of a field if it is free there.
func (f hl7Fields) fill(name string, component int, repetition string) bool {
	if len(f[name]) == 0 {
		return false
	}
	last := &f[name][len(f[name])-1]
	c := strings.Split(*last, "^")
	for len(c) <= component {
		c = append(c, "")
	}
	if c[component] != "" {
		return false
	}
	c[component] = strings.Split(repetition, "^")[component]
	*last = strings.Join(c, "^")
	return true
}

// hl7Home finds the field for an identity; the segment is empty if there is none.
func hl7Home(i annotate.Identity) (segment string, number int, repetition string) {
	value := hl7Default.encodeExact(i.Value)
	switch {
	case i.Of == annotate.OfRelative && i.Label == "PATIENT":
		return "NK1", 2, hl7Name3(i.Value)
	case i.Of == annotate.OfClinician && i.Label == "DOCTOR":
		return "PV1", 7, "^" + hl7Name3(i.Value)
	case i.Of != annotate.OfPatient:
		return "", 0, ""
	case i.Label == "PATIENT":
		return "PID", 5, hl7Name3(i.Value)
	case i.Label == "DATE":
		return "PID", 7, hl7Date(i.Value)
	case i.Label == "PHONE":
		return "PID", 13, value
	case i.Label == "FAX":
		return "PID", 13, value + "^^FX"
	case i.Label == "EMAIL":
		return "PID", 13, "^NET^Internet^" + value
	}
	if code := hl7NumberCodes[i.Label]; code != "" {
		return "PID", 3, value + "^^^^" + code
	}
	if component, ok := hl7AddressPlaces[i.Label]; ok {
		return "PID", 11, strings.Repeat("^", component) + value
	}
	return "", 0, ""
}

// hl7Name3 cuts a name into family^given^middle.
func hl7Name3(name string) string {
	words := strings.Split(name, " ")
	last := len(words) - 1
	if last == 0 {
		return hl7Default.encodeExact(name)
	}
	middle := strings.Join(words[1:last], " ")
	return hl7Join([]string{hl7Default.encodeExact(words[last]), hl7Default.encodeExact(words[0]), hl7Default.encodeExact(middle)}, '^')
}

// hl7Holds reports whether a repetition is read as this identity and nothing else.
func hl7Holds(segment string, number int, repetition string, i annotate.Identity) bool {
	rule := hl7Known[segment][number]
	parts := rule.form.parts(hl7Default.components(repetition), rule.label)
	return len(parts) == 1 && parts[0].label == i.Label && parts[0].value == i.Value && hl7Telling(i.Value)
}

// segment writes a segment up to its last field that can have a value. first are the values
// of its first fields. Nothing is written for a segment without others.
func (f hl7Fields) segment(name string, last int, first ...string) string {
	fields := []string{name}
	found := false
	for n := 1; n <= last; n++ {
		value := strings.Join(f[name+"-"+strconv.Itoa(n)], "~")
		found = found || value != ""
		if n <= len(first) {
			value = first[n-1]
		}
		fields = append(fields, value)
	}
	if !found {
		return ""
	}
	return strings.TrimRight(strings.Join(fields, "|"), "|") + "\r"
}
