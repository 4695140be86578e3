// SPDX-License-Identifier: Apache-2.0

package rules

import "hide/internal/annotate"

// Kind is what a rule takes a piece of text for. Names are shown and stored: do
// not change them.
type Kind string

// The kinds, those whose word counts most where two overlap first.
const (
	Email     Kind = "e-mail address"
	URL       Kind = "web address"
	IP        Kind = "network address"
	SSN       Kind = "social security number"
	Fax       Kind = "fax number"
	Phone     Kind = "telephone number"
	Date      Kind = "date"
	ShortDate Kind = "day and month" // in numbers, which may be something else
	Weekday   Kind = "day of the week"
	Record    Kind = "record number" // announced as that of a patient's record
	Number    Kind = "other number"  // announced as some other number of a person, or of letters and digits
	Street    Kind = "street"
	ZIP       Kind = "postal code"
	Hospital  Kind = "hospital"
	Clinician Kind = "name after a clinician's title"
	Person    Kind = "name after a title or field"
	FullName  Kind = "first name from a list, and another"
	FirstName Kind = "first name from a list, alone"
	Country   Kind = "country from a list"
	State     Kind = "state from a list"
	Town      Kind = "town from a list"
	OldAge    Kind = "age over 89"
	Age       Kind = "age"
)

// kinds is every kind in the order above.
var kinds = []Kind{Email, URL, IP, SSN, Fax, Phone, Date, ShortDate, Weekday, Record, Number, Street, ZIP, Hospital, Clinician, Person, FullName, Country, State, Town, FirstName, OldAge, Age}

// usual lists, for each kind, labels that projects call it by, the best first.
var usual = map[Kind][]annotate.Label{
	Email:     {"EMAIL", "EMAIL_ADDRESS", "MAIL", "CONTACT", "PHONE"},
	URL:       {"URL", "WEB", "CONTACT"},
	IP:        {"IPADDR", "IP_ADDRESS", "IP", "IPADDRESS"},
	SSN:       {"SSN", "US_SSN", "SOCIAL_SECURITY_NUMBER", "ID", "IDNUM"},
	Fax:       {"FAX", "FAX_NUMBER", "PHONE", "CONTACT"},
	Phone:     {"PHONE", "PHONE_NUMBER", "TELEPHONE", "CONTACT"},
	Date:      {"DATE", "DATE_TIME"},
	ShortDate: {"DATE", "DATE_TIME"},
	Weekday:   {"DATE", "DATE_TIME"},
	Record:    {"MEDICALRECORD", "MEDICAL_RECORD_NUMBER", "MRN", "ID", "IDNUM"},
	Number:    {"IDNUM", "ID"},
	Street:    {"STREET", "STREET_ADDRESS", "ADDRESS", "LOCATION"},
	ZIP:       {"ZIP", "ZIP_CODE", "ZIPCODE", "POSTCODE", "LOCATION"},
	Hospital:  {"HOSPITAL", "ORGANIZATION", "ORG", "LOCATION"},
	Clinician: {"DOCTOR", "PERSON", "NAME", "PER"},
	Person:    {"PATIENT", "PERSON", "NAME", "PER"},
	FullName:  {"PATIENT", "PERSON", "NAME", "PER"},
	FirstName: {"PATIENT", "PERSON", "NAME", "PER"},
	Country:   {"COUNTRY", "GPE", "LOCATION", "LOC"},
	State:     {"STATE", "GPE", "LOCATION", "LOC"},
	Town:      {"CITY", "GPE", "LOCATION", "LOC"},
	OldAge:    {"AGE"},
	Age:       {"AGE"},
}

// Finding is a piece of text and what a rule takes it for.
type Finding struct {
	Start, End annotate.ByteOff
	Kind       Kind
}
