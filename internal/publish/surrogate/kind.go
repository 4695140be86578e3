// SPDX-License-Identifier: Apache-2.0

package surrogate

import "hide/internal/annotate"

// Kind is what a value is. Persons have a method of their own, and dates and ages are of
// package value. These are the rules for values that could be assigned to somebody:
//
//	Phone, Fax     +1   area code of the same state, 555-01xx: reserved for fiction; for numbers that
//	               have 555 themselves 958 or 959, which companies use for tests
//	               +34  landline 99, mobile 77 to 79: not assigned by the numbering plan
//	               +33  the numbers that Arcep reserves for fiction
//	               +49  the numbers that the Bundesnetzagentur reserves for fiction, else a subscriber
//	                    number that begins with 0
//	               +44  the numbers that Ofcom reserves for drama
//	               other countries: the number begins with 0 behind the country's code
//	               extensions and pagers are numbers inside of an institution: any digits
//	Email, URL     hosts example.org, example.com, example.net, and names under .example (RFC 2606)
//	IP             192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24 (RFC 5737), 2001:db8::/32 (RFC 3849),
//	               hardware addresses 00-00-5E-00-53-xx (RFC 7042)
//	SSN            9xx with group 01 to 49: no social security number begins with 9, and no
//	               taxpayer number has these groups
//	ZIP            of the same state, ending in 00 or with a prefix that is not in use; es 53 to 59,
//	               fr 96, de 05, 43 and 62, which are no areas
//	other numbers  the check fails for each scheme of that form: Luhn, IBAN, NHS, NPI, DEA, DNI, NIE,
//	               number of the Spanish social security, NIR, German tax number, VIN
//
// The names are stored: do not change them.
type Kind string

// The kinds.
const (
	City         Kind = "city"
	State        Kind = "state"
	Country      Kind = "country"
	Street       Kind = "street"
	ZIP          Kind = "zip"
	Hospital     Kind = "hospital"
	Department   Kind = "department"
	Room         Kind = "room"
	Organization Kind = "organization"
	Place        Kind = "place" // any other place
	Phone        Kind = "phone"
	Fax          Kind = "fax"
	Email        Kind = "email"
	URL          Kind = "url"
	IP           Kind = "ip"
	SSN          Kind = "ssn"
	RecordNumber Kind = "record-number"
	HealthPlan   Kind = "health-plan"
	Account      Kind = "account"
	License      Kind = "license"
	Vehicle      Kind = "vehicle"
	Device       Kind = "device"
	BioID        Kind = "bio-id"
	ID           Kind = "id"
	Username     Kind = "username"
	Profession   Kind = "profession"
	Other        Kind = "other"
)

var kinds = map[annotate.Label]Kind{
	"CITY": City, "STATE": State, "COUNTRY": Country, "STREET": Street, "ZIP": ZIP, "HOSPITAL": Hospital,
	"DEPARTMENT": Department, "ROOM": Room, "ORGANIZATION": Organization, "LOCATION-OTHER": Place,
	"PHONE": Phone, "FAX": Fax, "EMAIL": Email, "URL": URL, "IPADDR": IP, "SSN": SSN, "MEDICALRECORD": RecordNumber,
	"HEALTHPLAN": HealthPlan, "ACCOUNT": Account, "LICENSE": License, "VEHICLE": Vehicle, "DEVICE": Device,
	"BIOID": BioID, "IDNUM": ID, "USERNAME": Username, "PROFESSION": Profession, "OTHER": Other,
}

// KindOf is the kind of values of a label of the default set. ok is false for names of people,
// dates and ages, and for labels that are not in the set.
func KindOf(label annotate.Label) (k Kind, ok bool) {
	k, ok = kinds[label]
	return k, ok
}
