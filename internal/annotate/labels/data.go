// SPDX-License-Identifier: Apache-2.0

package labels

import (
	"maps"

	"hide/internal/annotate"
)

type pairs = map[annotate.Label]annotate.Label

// out maps labels of the default set to another set. A label that is missing keeps its name;
// "" drops its spans.
var out = map[string]pairs{
	"i2b2-2006": {
		"USERNAME": "ID", "PROFESSION": "", "DEPARTMENT": "LOCATION", "ROOM": "LOCATION", "ORGANIZATION": "LOCATION",
		"STREET": "LOCATION", "CITY": "LOCATION", "STATE": "LOCATION", "COUNTRY": "LOCATION", "ZIP": "LOCATION", "LOCATION-OTHER": "LOCATION",
		"FAX": "PHONE", "EMAIL": "ID", "URL": "ID", "IPADDR": "ID", "SSN": "ID", "MEDICALRECORD": "ID", "HEALTHPLAN": "ID", "ACCOUNT": "ID",
		"LICENSE": "ID", "VEHICLE": "ID", "DEVICE": "ID", "BIOID": "ID", "IDNUM": "ID", "OTHER": "ID",
	},
	"hipaa-18": {
		"PATIENT": "NAME", "DOCTOR": "NAME", "USERNAME": "IDNUM", "PROFESSION": "IDNUM", "HOSPITAL": "LOCATION", "DEPARTMENT": "LOCATION", "ROOM": "LOCATION", "ORGANIZATION": "LOCATION",
		"STREET": "LOCATION", "CITY": "LOCATION", "STATE": "LOCATION", "COUNTRY": "LOCATION", "ZIP": "LOCATION", "LOCATION-OTHER": "LOCATION",
		"AGE": "DATE", "OTHER": "IDNUM",
	},
	"names": dropping(pairs{"PATIENT": "NAME", "DOCTOR": "NAME"}),
	"tab": {
		"PATIENT": "PERSON", "DOCTOR": "PERSON", "USERNAME": "CODE", "PROFESSION": "DEM", "HOSPITAL": "ORG", "DEPARTMENT": "ORG", "ROOM": "LOC", "ORGANIZATION": "ORG",
		"STREET": "LOC", "CITY": "LOC", "STATE": "LOC", "COUNTRY": "LOC", "ZIP": "LOC", "LOCATION-OTHER": "LOC", "AGE": "DEM", "DATE": "DATETIME",
		"PHONE": "CODE", "FAX": "CODE", "EMAIL": "CODE", "URL": "CODE", "IPADDR": "CODE", "SSN": "CODE", "MEDICALRECORD": "CODE", "HEALTHPLAN": "CODE", "ACCOUNT": "CODE",
		"LICENSE": "CODE", "VEHICLE": "CODE", "DEVICE": "CODE", "BIOID": "CODE", "IDNUM": "CODE", "OTHER": "MISC",
	},
	"direct-quasi": {
		"PATIENT": "DIRECT", "DOCTOR": "QUASI", "USERNAME": "DIRECT", "PROFESSION": "QUASI", "HOSPITAL": "QUASI", "DEPARTMENT": "QUASI", "ROOM": "QUASI", "ORGANIZATION": "QUASI",
		"STREET": "DIRECT", "CITY": "QUASI", "STATE": "QUASI", "COUNTRY": "QUASI", "ZIP": "QUASI", "LOCATION-OTHER": "QUASI", "AGE": "QUASI", "DATE": "QUASI",
		"PHONE": "DIRECT", "FAX": "DIRECT", "EMAIL": "DIRECT", "URL": "DIRECT", "IPADDR": "DIRECT", "SSN": "DIRECT", "MEDICALRECORD": "DIRECT", "HEALTHPLAN": "DIRECT", "ACCOUNT": "DIRECT",
		"LICENSE": "DIRECT", "VEHICLE": "DIRECT", "DEVICE": "DIRECT", "BIOID": "DIRECT", "IDNUM": "DIRECT", "OTHER": "QUASI",
	},
}

// dropping maps the other labels of the default set to nothing.
func dropping(kept pairs) pairs {
	all := pairs{}
	for _, l := range annotate.I2B2().Labels() {
		all[l] = ""
	}
	maps.Copy(all, kept)
	return all
}

// in maps labels of other sets, corpora and programs to the default set. A label that is
// missing keeps its name. A coarse label gets the most general label that fits.
var in = map[string]pairs{
	"i2b2-2006":    {"LOCATION": "LOCATION-OTHER", "ID": "IDNUM"},
	"hipaa-18":     {"NAME": "PATIENT", "LOCATION": "LOCATION-OTHER", "PHOTO": "BIOID"},
	"names":        {"NAME": "PATIENT"},
	"tab":          {"PERSON": "PATIENT", "CODE": "IDNUM", "LOC": "LOCATION-OTHER", "ORG": "ORGANIZATION", "DEM": "OTHER", "DATETIME": "DATE", "QUANTITY": "OTHER", "MISC": "OTHER"},
	"direct-quasi": {"DIRECT": "IDNUM", "QUASI": "OTHER"},
	"conll":        {"PER": "PATIENT", "LOC": "LOCATION-OTHER", "ORG": "ORGANIZATION", "MISC": "OTHER"},
	"meddocan": {
		"NOMBRE_SUJETO_ASISTENCIA": "PATIENT", "EDAD_SUJETO_ASISTENCIA": "AGE", "SEXO_SUJETO_ASISTENCIA": "OTHER", "FAMILIARES_SUJETO_ASISTENCIA": "PATIENT",
		"NOMBRE_PERSONAL_SANITARIO": "DOCTOR", "FECHAS": "DATE", "PROFESION": "PROFESSION", "HOSPITAL": "HOSPITAL", "CENTRO_SALUD": "HOSPITAL", "INSTITUCION": "ORGANIZATION",
		"CALLE": "STREET", "TERRITORIO": "CITY", "PAIS": "COUNTRY", "NUMERO_TELEFONO": "PHONE", "NUMERO_FAX": "FAX", "CORREO_ELECTRONICO": "EMAIL",
		"ID_SUJETO_ASISTENCIA": "MEDICALRECORD", "ID_CONTACTO_ASISTENCIAL": "IDNUM", "ID_ASEGURAMIENTO": "HEALTHPLAN", "NUMERO_BENEF_PLAN_SALUD": "HEALTHPLAN",
		"ID_TITULACION_PERSONAL_SANITARIO": "LICENSE", "ID_EMPLEO_PERSONAL_SANITARIO": "IDNUM", "IDENTIF_VEHICULOS_NRSERIE_PLACAS": "VEHICLE",
		"IDENTIF_DISPOSITIVOS_NRSERIE": "DEVICE", "DIREC_PROT_INTERNET": "IPADDR", "URL_WEB": "URL", "IDENTIF_BIOMETRICOS": "BIOID",
		"OTRO_NUMERO_IDENTIF": "IDNUM", "OTROS_SUJETO_ASISTENCIA": "OTHER",
	},
	"presidio": {
		"PERSON": "PATIENT", "LOCATION": "LOCATION-OTHER", "ORGANIZATION": "ORGANIZATION", "DATE_TIME": "DATE", "AGE": "AGE", "NRP": "OTHER", "PHONE_NUMBER": "PHONE", "EMAIL_ADDRESS": "EMAIL",
		"URL": "URL", "IP_ADDRESS": "IPADDR", "MAC_ADDRESS": "DEVICE", "US_SSN": "SSN", "US_ITIN": "IDNUM", "US_PASSPORT": "IDNUM", "US_DRIVER_LICENSE": "LICENSE", "MEDICAL_LICENSE": "LICENSE",
		"CREDIT_CARD": "ACCOUNT", "IBAN_CODE": "ACCOUNT", "US_BANK_NUMBER": "ACCOUNT", "CRYPTO": "ACCOUNT", "UK_NHS": "HEALTHPLAN", "ID": "IDNUM",
	},
}

// synonyms are other names of labels of the default set, as other programs and people write
// them. They are compared by [plain].
var synonyms = map[annotate.Label][]string{
	"PATIENT":        {"name", "patient name", "person name", "per", "person", "relative", "family member", "nombre", "nom", "patienten name", "first name", "last name", "surname", "full name", "private person"},
	"DOCTOR":         {"physician", "clinician", "doctor name", "provider", "staff", "nurse", "hcp", "hc professional", "medico", "arzt", "medecin", "caregiver"},
	"USERNAME":       {"user", "login", "user name", "account name"},
	"PROFESSION":     {"occupation", "job", "job title", "profesion", "beruf"},
	"HOSPITAL":       {"clinic", "hospital name", "facility", "health centre", "health center", "vendor", "krankenhaus", "hopital"},
	"DEPARTMENT":     {"ward", "unit", "station", "departamento", "abteilung", "service"},
	"ROOM":           {"bed", "room number"},
	"ORGANIZATION":   {"organisation", "org", "company", "employer", "institution", "school"},
	"STREET":         {"street address", "address", "address line", "strasse", "rue", "direccion", "private address"},
	"CITY":           {"town", "ciudad", "stadt", "ville", "municipality"},
	"STATE":          {"province", "region", "county"},
	"COUNTRY":        {"nation", "land", "pays"},
	"ZIP":            {"zip code", "zipcode", "postal code", "postcode", "post code", "plz"},
	"LOCATION-OTHER": {"location", "loc", "place", "gpe", "geo", "location other", "address other", "lugar", "ort", "lieu", "geographic location", "geographic", "geographical location"},
	"AGE":            {"age over 89", "age over 90", "edad", "alter"},
	"DATE":           {"dates", "datetime", "date time", "time", "dob", "birth date", "date of birth", "birthdate", "fecha", "datum", "private date", "date year", "holiday"},
	"PHONE":          {"telephone", "phone number", "tel", "pager", "mobile", "contact", "phone pager", "telefono", "telefon", "private phone"},
	"FAX":            {"fax number"},
	"EMAIL":          {"e mail", "mail", "email address", "private email", "person email"},
	"URL":            {"web", "website", "url address", "private url", "internet", "domain", "domain name"},
	"IPADDR":         {"ip", "ip address", "ipaddress"},
	"SSN":            {"social security number", "social security", "us ssn", "national id"},
	"MEDICALRECORD":  {"mrn", "medical record", "medical record number", "record number", "patient id", "pid"},
	"HEALTHPLAN":     {"health plan", "health plan number", "insurance", "insurance number", "health insurance", "beneficiary number", "health plan beneficiary number", "member id"},
	"ACCOUNT":        {"account number", "credit card", "bank account", "iban", "account"},
	"LICENSE":        {"licence", "license number", "licence number", "certificate", "npi", "dea"},
	"VEHICLE":        {"vehicle id", "license plate", "licence plate", "plate"},
	"DEVICE":         {"device id", "device number", "serial number"},
	"BIOID":          {"biometric", "biometric id", "photo"},
	"IDNUM":          {"id", "id number", "identifier", "number", "code", "unique id", "unique identifier", "id num", "ssn other", "other id", "case number", "accession", "accession number"},
	"OTHER":          {"misc", "phi", "other phi", "miscellaneous", "dem", "norp", "nrp", "nationality", "sensitive"},
}
