// SPDX-License-Identifier: Apache-2.0

package format

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"hide/internal/annotate"
)

// identityColumn is a column of a table whose values identify somebody.
type identityColumn struct {
	index int
	identityKind
}

// identityKind is what a value says of whom.
type identityKind struct {
	of    annotate.Whose
	label annotate.Label
}

// identityNames are names of columns, in lower case and without marks, and what they say. A
// column that may be something else, such as state or age, is not among them.
var identityNames = map[string]identityKind{}

func init() {
	for _, group := range []struct {
		of    annotate.Whose
		label annotate.Label
		names string
	}{
		{annotate.OfPatient, "PATIENT", "name patientname fullname firstname givenname lastname familyname surname middlename maidenname"},
		{annotate.OfPatient, "MEDICALRECORD", "mrn medicalrecordnumber medicalrecord recordnumber"},
		{annotate.OfPatient, "SSN", "ssn socialsecuritynumber socialsecurity"},
		{annotate.OfPatient, "DATE", "dob dateofbirth birthdate birthday dod dateofdeath deathdate"},
		{annotate.OfPatient, "PHONE", "phone telephone phonenumber mobile mobilephone homephone"},
		{annotate.OfPatient, "FAX", "fax faxnumber"},
		{annotate.OfPatient, "EMAIL", "email emailaddress"},
		{annotate.OfPatient, "STREET", "street streetaddress addressline address"},
		{annotate.OfPatient, "CITY", "city town"},
		{annotate.OfPatient, "ZIP", "zip zipcode postalcode postcode"},
		{annotate.OfPatient, "HEALTHPLAN", "healthplannumber insurancenumber memberid policynumber"},
		{annotate.OfPatient, "ACCOUNT", "accountnumber"},
		{annotate.OfPatient, "LICENSE", "licensenumber driverslicense"},
		{annotate.OfRelative, "PATIENT", "nextofkin relative guardian emergencycontact mothersname"},
		{annotate.OfClinician, "DOCTOR", "physician physicianname doctor attending attendingphysician provider providername clinician author signedby"},
		{annotate.OfPlace, "HOSPITAL", "hospital hospitalname facility facilityname clinic"},
		{annotate.OfPlace, "DEPARTMENT", "department"},
	} {
		for name := range strings.FieldsSeq(group.names) {
			identityNames[name] = identityKind{group.of, group.label}
		}
	}
}

var columnMarks = strings.NewReplacer("_", "", "-", "", " ", "", ".", "", "'", "")

// identityColumns finds the attributes that identify somebody, by the names of their columns.
func (c chosen) identityColumns(header []string) (all []identityColumn) {
	if c.structured.identities >= 0 {
		return nil // the table says itself what its identities are
	}
	for _, i := range c.attributes {
		if known, found := identityNames[columnMarks.Replace(strings.ToLower(strings.TrimSpace(header[i])))]; found {
			all = append(all, identityColumn{i, known})
		}
	}
	return all
}

// identify adds the identities of a row to its note. They stay attributes, too, for tables.
func identify(d *annotate.Annotated, header, row []string, columns []identityColumn) {
	for _, c := range columns {
		value := strings.TrimSpace(row[c.index])
		if value == "" {
			continue
		}
		values := []string{value}
		if c.label == "DATE" {
			values = isoDates(value)
		}
		for _, v := range values {
			d.Identities = append(d.Identities, annotate.Identity{Of: c.of, Label: c.label, Value: v, From: fmt.Sprintf("column %.60s", header[c.index])})
		}
	}
}

var writtenDate = regexp.MustCompile(`^(\d{1,4})([-/.])(\d{1,2})[-/.](\d{1,4})(?:\D|$)`)

// isoDates are the dates that a value may mean, as 1961-05-14: two where day and month can be
// swapped; the value itself if it is no date.
func isoDates(value string) []string {
	m := writtenDate.FindStringSubmatch(value)
	if m == nil {
		return []string{value}
	}
	layouts := []string{"1/2/2006", "2/1/2006"}
	switch {
	case len(m[1]) == 4:
		layouts = []string{"2006/1/2"}
	case m[2] == ".":
		layouts = []string{"2/1/2006"}
	}
	var out []string
	for _, layout := range layouts {
		if t, err := time.Parse(layout, m[1]+"/"+m[3]+"/"+m[4]); err == nil && !slices.Contains(out, t.Format(time.DateOnly)) {
			out = append(out, t.Format(time.DateOnly))
		}
	}
	if out == nil {
		return []string{value}
	}
	return out
}
