// SPDX-License-Identifier: Apache-2.0

package links

import (
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/publish/link"
	"hide/internal/publish/link/compare"
)

// field is a number in fieldTable.
type field int

const (
	given field = iota
	middle
	surname
	born
	sex
	recordNumber
	socialSecurity
	planNumber
	otherNumber
	phone
	email
	streetNumber
	street
	place
	postcode
	state
	fieldCount
)

// fieldTable says what each field of a record is. Names are stored: do not change them. label
// is the one of i2b2-2014 under which notes have the value, "" for values that are found as part
// of another or not at all.
var fieldTable = [fieldCount]struct {
	name   string
	kind   compare.Kind
	label  annotate.Label
	equal  float64 // expected share of equal values among records of one person; 0 is usual for the kind
	single bool    // a person has one value: two of them contradict each other
	union  bool    // values of all origins count, because each identifies by itself
}{
	given:          {name: "given name", kind: compare.Given, single: true},
	middle:         {name: "middle name", kind: compare.Middle},
	surname:        {name: "surname", kind: compare.Surname, single: true},
	born:           {name: "birth date", kind: compare.BirthDate, label: "DATE", single: true},
	sex:            {name: "sex", kind: compare.Sex, single: true},
	recordNumber:   {name: "medical record number", kind: compare.Identifier, label: "MEDICALRECORD", equal: .3, union: true},
	socialSecurity: {name: "social security number", kind: compare.Identifier, label: "SSN", single: true, union: true},
	planNumber:     {name: "health plan number", kind: compare.Identifier, label: "HEALTHPLAN", union: true},
	otherNumber:    {name: "other number", kind: compare.Identifier, label: "IDNUM", equal: .2, union: true},
	phone:          {name: "phone", kind: compare.Phone, label: "PHONE"},
	email:          {name: "email", kind: compare.Email, label: "EMAIL", union: true},
	streetNumber:   {name: "street number", kind: compare.StreetNumber},
	street:         {name: "street", kind: compare.Street, label: "STREET"},
	place:          {name: "place", kind: compare.Place, label: "CITY"},
	postcode:       {name: "postcode", kind: compare.Postcode, label: "ZIP"},
	state:          {name: "state", kind: compare.State},
}

// ofLabel is the field of values that notes have under a label of i2b2-2014.
var ofLabel = map[annotate.Label]field{
	"MEDICALRECORD": recordNumber, "SSN": socialSecurity, "HEALTHPLAN": planNumber, "ACCOUNT": otherNumber, "IDNUM": otherNumber,
	"PHONE": phone, "EMAIL": email, "STREET": street, "CITY": place, "ZIP": postcode, "STATE": state,
}

// ofKind is the field of a column of structured data. Identifiers are told apart by their name.
func ofKind(kind compare.Kind, column string) (field, bool) {
	if kind == compare.Identifier {
		return numberNamed(column), true
	}
	for f, row := range fieldTable {
		if row.kind == kind {
			return field(f), true
		}
	}
	return 0, false
}

// numberWords are words in names of columns of numbers.
var numberWords = []struct {
	field field
	words []string
}{
	{socialSecurity, []string{"ssn", "social", "socsec", "secu", "dni", "nie", "nif", "nino", "nhs", "nir", "svnr", "curp", "sozialversicherung"}},
	{planNumber, []string{"plan", "insur", "member", "subscriber", "medicare", "medicaid", "policy", "versicher", "seguro", "sip", "tarjeta", "kvnr"}},
	{recordNumber, []string{"mrn", "record", "patient", "hospital", "historia", "chart", "ipp", "mpi", "paciente"}},
}

func numberNamed(column string) field {
	folded := dictionary.Fold(column)
	for _, row := range numberWords {
		if slices.ContainsFunc(row.words, func(w string) bool { return strings.Contains(folded, w) }) {
			return row.field
		}
	}
	return otherNumber
}

// linkFields are the fields in the form of the engine.
func linkFields() []link.Field {
	all := make([]link.Field, fieldCount)
	for f, row := range fieldTable {
		all[f] = link.Field{Name: row.name, Kind: row.kind, Equal: row.equal}
	}
	return all
}

// clean is the comparable form of a value of the field.
func (f field) clean(text string) string { return fieldTable[f].kind.Clean(text) }

// splitStreet takes the number from the start or the end of a street.
func splitStreet(text string) (name, number string) {
	words := strings.Fields(text)
	if len(words) < 2 {
		return text, ""
	}
	last := len(words) - 1
	switch {
	case hasDigit(words[0]):
		return strings.Join(words[1:], " "), strings.Trim(words[0], ",")
	case hasDigit(words[last]):
		return strings.Trim(strings.Join(words[:last], " "), ","), words[last]
	}
	return text, ""
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// writtenDate is a cleaned birth date, YYYYMMDD with 00 for missing parts, as pages show it.
func writtenDate(clean string) string {
	if len(clean) != 8 {
		return clean
	}
	switch {
	case clean[4:6] == "00":
		return clean[:4]
	case clean[6:] == "00":
		return clean[:4] + "-" + clean[4:6]
	}
	return clean[:4] + "-" + clean[4:6] + "-" + clean[6:]
}
