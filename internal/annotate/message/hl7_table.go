// SPDX-License-Identifier: Apache-2.0

package message

import (
	"fmt"
	"strconv"
	"strings"

	"hide/internal/annotate"
)

// hl7Action is what happens to a field of a redacted message.
type hl7Action int

const (
	hl7Drop      hl7Action = iota
	hl7Replace             // its identifiers are replaced
	hl7Number              // kept if it is a number or a range of small numbers
	hl7Code                // kept: codes, and texts of codes from a named system
	hl7Observed            // kept: the code and name of an observation or service
	hl7Redact              // text of the note
	hl7Control             // the message's number instead
	hl7Count               // the number of messages or batches instead
	hl7Charset             // the encoding of the output instead
	hl7Type                // kept: the type of a message
	hl7ValueType           // kept: the type of an OBX-5
)

// hl7Rule says what a field is.
type hl7Rule struct {
	action hl7Action
	form   hl7Form
	of     annotate.Whose
	label  annotate.Label
}

func hl7Identifier(form hl7Form, of annotate.Whose, label annotate.Label) hl7Rule {
	return hl7Rule{hl7Replace, form, of, label}
}

// hl7Rules are the rules by the names that hl7Segments uses.
var hl7Rules = map[string]hl7Rule{
	"number":     {action: hl7Number},
	"code":       {action: hl7Code},
	"service":    {action: hl7Observed},
	"text":       {action: hl7Redact},
	"control":    {action: hl7Control},
	"count":      {action: hl7Count},
	"charset":    {action: hl7Charset},
	"type":       {action: hl7Type},
	"value-type": {action: hl7ValueType},

	"date":     hl7Identifier(hl7Time, annotate.OfPatient, "DATE"),
	"patient":  hl7Identifier(hl7XPN, annotate.OfPatient, "PATIENT"),
	"record":   hl7Identifier(hl7CX, annotate.OfPatient, "MEDICALRECORD"),
	"account":  hl7Identifier(hl7CX, annotate.OfPatient, "ACCOUNT"),
	"ssn":      hl7Identifier(hl7CX, annotate.OfPatient, "SSN"),
	"license":  hl7Identifier(hl7EI, annotate.OfPatient, "LICENSE"),
	"plan":     hl7Identifier(hl7CX, annotate.OfPatient, "HEALTHPLAN"),
	"visit":    hl7Identifier(hl7CX, annotate.OfPatient, "IDNUM"),
	"order":    hl7Identifier(hl7EI, annotate.OfPatient, "IDNUM"),
	"orders":   hl7Identifier(hl7EIP, annotate.OfPatient, "IDNUM"),
	"device":   hl7Identifier(hl7EI, annotate.OfPatient, "DEVICE"),
	"home":     hl7Identifier(hl7XAD, annotate.OfPatient, ""),
	"phone":    hl7Identifier(hl7XTN, annotate.OfPatient, ""),
	"place":    hl7Identifier(hl7ST, annotate.OfPatient, "LOCATION-OTHER"),
	"personal": hl7Identifier(hl7ST, annotate.OfPatient, "PATIENT"),

	"relative":        hl7Identifier(hl7XPN, annotate.OfRelative, "PATIENT"),
	"relative-date":   hl7Identifier(hl7Time, annotate.OfRelative, "DATE"),
	"relative-number": hl7Identifier(hl7CX, annotate.OfRelative, "IDNUM"),
	"relative-record": hl7Identifier(hl7CX, annotate.OfRelative, "MEDICALRECORD"),
	"relative-ssn":    hl7Identifier(hl7CX, annotate.OfRelative, "SSN"),
	"relative-home":   hl7Identifier(hl7XAD, annotate.OfRelative, ""),
	"relative-phone":  hl7Identifier(hl7XTN, annotate.OfRelative, ""),
	"relative-job":    hl7Identifier(hl7ST, annotate.OfRelative, "PROFESSION"),
	"relative-place":  hl7Identifier(hl7ST, annotate.OfRelative, "LOCATION-OTHER"),

	"doctor":         hl7Identifier(hl7XCN, annotate.OfClinician, "DOCTOR"),
	"doctor-name":    hl7Identifier(hl7XPN, annotate.OfClinician, "DOCTOR"),
	"doctor-number":  hl7Identifier(hl7EI, annotate.OfClinician, "IDNUM"),
	"doctor-address": hl7Identifier(hl7XAD, annotate.OfClinician, ""),
	"doctor-phone":   hl7Identifier(hl7XTN, annotate.OfClinician, ""),

	"hospital":        hl7Identifier(hl7XON, annotate.OfPlace, "HOSPITAL"),
	"hospital-name":   hl7Identifier(hl7ST, annotate.OfPlace, "HOSPITAL"),
	"facility":        hl7Identifier(hl7HD, annotate.OfPlace, "HOSPITAL"),
	"organization":    hl7Identifier(hl7XON, annotate.OfPlace, "ORGANIZATION"),
	"organization-id": hl7Identifier(hl7EI, annotate.OfPlace, "IDNUM"),
	"department":      hl7Identifier(hl7ST, annotate.OfPlace, "DEPARTMENT"),
	"ward":            hl7Identifier(hl7PL, annotate.OfPlace, ""),
	"place-address":   hl7Identifier(hl7XAD, annotate.OfPlace, ""),
	"place-phone":     hl7Identifier(hl7XTN, annotate.OfPlace, ""),

	"own-patient":   hl7Identifier(hl7Own, annotate.OfPatient, ""),
	"own-relative":  hl7Identifier(hl7Own, annotate.OfRelative, ""),
	"own-clinician": hl7Identifier(hl7Own, annotate.OfClinician, ""),
	"own-place":     hl7Identifier(hl7Own, annotate.OfPlace, ""),
}

// hl7Segments lists the fields that are known: a segment, and the rules with the fields
// that they hold for. Fields and segments that are not here are dropped. Of what describes
// the patient, sex is kept; race, religion, language, marital status, citizenship and
// military status are dropped, as they single out people in a small population. Free text
// outside the note, such as the description of a diagnosis, is dropped too. Codes are kept
// if they look like codes: a single word that somebody typed into such a field stays, and so
// does the name of an observation or service.
const hl7Segments = `
FHS facility=4,6 date=7
BHS facility=4,6 date=7
BTS count=1
FTS count=1
MSH facility=4,6 date=7 type=9 control=10 code=11,12,15-17,19 number=13 charset=18 hospital=22,23
MSA code=1 order=2
EVN code=1,4 date=2,3,6 doctor=5 facility=7

PID number=1 record=2-4 patient=5,9 relative=6 date=7,29,33 code=8,30,31 home=11 place=12,23 phone=13,14,40 account=18 ssn=19 license=20 relative-record=21 facility=34
PD1 hospital=3 doctor=4 date=13,17,18 organization=14
NK1 number=1 relative=2,26,30 code=3,7,15 relative-home=4,32 relative-phone=5,6,31,40,41 date=8,9 relative-job=10 relative-number=12,33 organization=13 relative-date=16 relative-ssn=37 relative-place=38
MRG record=1,2,4 account=3 visit=5,6 patient=7
PDA ward=2 date=4,7 doctor=5,8

PV1 number=1 code=2,4,10,12-15,18,36,40,41 ward=3,6,11,42,43 visit=5,19,50,54 doctor=7-9,17,52 date=25,30,34,44,45 hospital-name=37,39
PV2 ward=1 code=2-4,7,18,19,24,25,27,30,38 date=8,9,14,17,26,28,29,33,46-48 number=10,11 doctor=13 hospital=23
ROL order=1 code=2,3,9,10 doctor=4 date=5,6 doctor-address=11 doctor-phone=12 ward=13 hospital=14
PRT order=1 code=2,4,6,7 doctor=5 hospital=8 ward=9 device=10,16,20-22 date=11,12,17,18 doctor-address=14 doctor-phone=15
ACC date=1 code=2,4-6,10 place=3 doctor=7 personal=9 home=11
DB1 number=1 code=2,4 visit=3 date=5-8

IN1 number=1 code=2,15,17,20-23,43,47 organization-id=3 organization=4,9,11 place-address=5,44 relative=6,16 place-phone=7 plan=8,28,36 relative-number=10,49 date=12,13,24,26,29 relative-date=18 relative-home=19 doctor=30
IN2 relative-number=1 relative-ssn=2 organization=3,69 plan=6,8,10,25,26,61 relative=7,9,40,49,52 relative-phone=50,53,58,63,64
IN3 number=1 plan=2 doctor=3,8,14,25 date=6,7,9,10,13,17 doctor-phone=19
GT1 number=1 relative-number=2,19,29 relative=3,4,16,42,45 relative-home=5,17 relative-phone=6,7,18,46 relative-date=8 code=9-11 relative-ssn=12 date=13,14 organization=21,51 relative-job=49
CTD code=1,6 relative=2 relative-home=3 ward=4 relative-phone=5 relative-number=7
PRD code=1,6 doctor-name=2 doctor-address=3 ward=4 doctor-phone=5 doctor-number=7 date=8,9
AUT code=1,2 organization-id=3 date=4,5 order=6
RF1 code=1-5,10 order=6,11 date=7-9
CON number=1 code=2,11 order=4 date=12-15

ORC code=1,5,6,16,25,26,28,29 orders=2-4,8 date=9,15,27 doctor=10-12,19 ward=13 place-phone=14,23 hospital-name=17 device=18 hospital=21 place-address=22 doctor-address=24
OBR number=1,37 orders=2,3,18-21,29 service=4 code=5,11,15,24,25,30,31,38,44-49 date=6-8,14,22,36 doctor=10,16,28,32-35 place-phone=17
OBX number=1,4,7,9 value-type=2 code=6,8,10,11,17,20 service=3 date=12,14,19 hospital-name=15 doctor=16,25 device=18 order=21 hospital=23 place-address=24
NTE number=1 code=2,4 text=3 doctor=5 date=6-8
TXA number=1 code=2,3,17-20 date=4,6-8 doctor=5,9-11,22,23 order=12-15
TQ1 number=1 date=7,8 code=9,12
SPM number=1 orders=2,3 code=4-11,13,20,21,24,27 date=17,18
SAC orders=1-4 date=7
RXA number=1,2,6 date=3,4,16,22 service=5 code=7,8,17-21 doctor=10 ward=11
RXO service=1 number=2,3,11,13 code=4,5,9,10,12 ward=8 doctor=14,15
RXE service=2 number=3,4,10,12,16,17 code=5,6,9,11 ward=8 doctor=13,14 order=15 date=18
RXD number=1,4 service=2 date=3 code=5,6 order=7 doctor=10
RXR code=1-6
RXC code=1,4 service=2 number=3

AL1 number=1 code=2-4 date=6
IAM number=1 code=2-4,6,9 date=11,13,20
DG1 number=1,15 code=2,3,6,17,18 date=5,19 doctor=16 order=20
DRG code=1 date=2
PR1 number=1,7,10,14 code=2,3,6,9,13,15 date=5 doctor=8,11,12 order=19
PRB code=1,3,10-14 date=2,7-9,15,16 order=4
FT1 number=1,10 order=2,3,23 date=4,5 code=6,17-19,25,26 service=7 department=13 ward=16 doctor=20,21,24
SCH orders=1,2 number=3,9 order=4,23,24,26,27 code=5-8,10,25 doctor=12,16,20 doctor-phone=13,17,21 doctor-address=14,18 ward=15,19,22
RGS number=1 code=2,3
AIS number=1,5,7 code=2,6,8-10 service=3 date=4
AIG number=1,6 code=2,4,5 doctor=3 date=8
AIL number=1,7 code=2,4,5 ward=3 date=6
AIP number=1,7,9 code=2,4,5 doctor=3 date=6

ZHI own-patient=1 own-relative=2 own-clinician=3 own-place=4
`

// hl7ValueRules are the rules of OBX-5 by its type in OBX-2.
var hl7ValueRules = map[string]hl7Rule{
	"TX": hl7Rules["text"], "FT": hl7Rules["text"], "ST": hl7Rules["text"],
	"NM": hl7Rules["number"], "SN": hl7Rules["number"], "TM": hl7Rules["number"],
	"CE": hl7Rules["code"], "CWE": hl7Rules["code"], "CNE": hl7Rules["code"], "CF": hl7Rules["code"], "ID": hl7Rules["code"], "IS": hl7Rules["code"],
	"DT": hl7Rules["date"], "TS": hl7Rules["date"], "DTM": hl7Rules["date"],
}

// hl7Known is hl7Segments by segment and field.
var hl7Known = hl7ReadTable(hl7Segments)

func hl7ReadTable(table string) map[string]map[int]hl7Rule {
	known := map[string]map[int]hl7Rule{}
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		fields := map[int]hl7Rule{}
		known[words[0]] = fields
		for _, word := range words[1:] {
			name, list, _ := strings.Cut(word, "=")
			rule, ok := hl7Rules[name]
			if !ok {
				panic("message: no rule " + name)
			}
			for _, number := range hl7ReadRanges(list) {
				if _, twice := fields[number]; twice {
					panic(fmt.Sprintf("message: %s-%d has two rules", words[0], number))
				}
				fields[number] = rule
			}
		}
	}
	return known
}

// hl7ReadRanges reads "2-4,7".
func hl7ReadRanges(list string) (numbers []int) {
	for item := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(item, "-")
		if !isRange {
			to = from
		}
		first, err1 := strconv.Atoi(from)
		last, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || first < 1 || last < first {
			panic("message: " + list + " are not fields")
		}
		for n := first; n <= last; n++ {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// rule returns the rule of a field.
func (m *hl7Message) rule(s hl7Segment, number int) hl7Rule {
	if s.name == "OBX" && number >= 5 && number <= 10 {
		kind := m.valueType(s)
		switch {
		case number == 5:
			return hl7ValueRules[kind]
		case kind == "TX" || kind == "FT":
			return hl7Rule{} // a text has no unit or range: this is its rest behind a separator that nobody escaped
		}
	}
	return hl7Known[s.name][number]
}
