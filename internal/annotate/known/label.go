// SPDX-License-Identifier: Apache-2.0

package known

import (
	"slices"
	"strings"

	"hide/internal/annotate"
)

// usual lists the names that sets of labels have for those of i2b2-2014, the best first.
var usual = map[annotate.Label][]annotate.Label{
	"PATIENT":       {"NAME", "PERSON", "PER", "PATIENT_NAME", "NAME_PATIENT", "PTNAME"},
	"DOCTOR":        {"CLINICIAN", "PHYSICIAN", "STAFF", "NAME", "PERSON", "PER", "HCPNAME"},
	"USERNAME":      {"USER", "ID", "IDNUM"},
	"PROFESSION":    {"OCCUPATION", "JOB", "DEM"},
	"HOSPITAL":      {"ORGANIZATION", "ORG", "FACILITY", "LOCATION", "LOC"},
	"DEPARTMENT":    {"WARD", "HOSPITAL", "ORGANIZATION", "ORG", "LOCATION", "LOC"},
	"ROOM":          {"HOSPITAL", "LOCATION", "LOC"},
	"ORGANIZATION":  {"ORG", "EMPLOYER", "LOCATION", "LOC"},
	"STREET":        {"STREET_ADDRESS", "ADDRESS", "LOCATION", "LOC"},
	"CITY":          {"TOWN", "GPE", "ADDRESS", "LOCATION", "LOC"},
	"STATE":         {"GPE", "ADDRESS", "LOCATION", "LOC"},
	"COUNTRY":       {"GPE", "LOCATION", "LOC"},
	"ZIP":           {"ZIP_CODE", "ZIPCODE", "POSTCODE", "POSTAL_CODE", "ADDRESS", "LOCATION", "LOC"},
	"DATE":          {"DATE_TIME", "DATETIME", "BIRTHDATE"},
	"PHONE":         {"PHONE_NUMBER", "TELEPHONE", "CONTACT"},
	"FAX":           {"FAX_NUMBER", "PHONE", "PHONE_NUMBER", "CONTACT"},
	"EMAIL":         {"EMAIL_ADDRESS", "MAIL", "CONTACT"},
	"URL":           {"WEB", "CONTACT"},
	"IPADDR":        {"IP_ADDRESS", "IP"},
	"SSN":           {"US_SSN", "SOCIAL_SECURITY_NUMBER", "ID", "IDNUM"},
	"MEDICALRECORD": {"MRN", "MEDICAL_RECORD_NUMBER", "ID", "IDNUM"},
	"HEALTHPLAN":    {"INSURANCE", "ID", "IDNUM"},
	"ACCOUNT":       {"ACCOUNT_NUMBER", "ID", "IDNUM"},
	"LICENSE":       {"LICENCE", "ID", "IDNUM"},
	"IDNUM":         {"ID", "OTHER"},
}

// LabelIn is the label of a set for a label of i2b2-2014: the same, or one of the names that
// other sets have for it, in any case. ok is false if the set has none.
func LabelIn(set []annotate.Label, l annotate.Label) (_ annotate.Label, ok bool) {
	for _, name := range append([]annotate.Label{l}, usual[l]...) {
		if i := slices.IndexFunc(set, func(other annotate.Label) bool { return sameName(other, name) }); i >= 0 {
			return set[i], true
		}
	}
	return "", false
}

func sameName(a, b annotate.Label) bool {
	bare := strings.NewReplacer("-", "", "_", "", ".", "")
	return strings.EqualFold(bare.Replace(string(a)), bare.Replace(string(b)))
}
