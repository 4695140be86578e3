// SPDX-License-Identifier: Apache-2.0

package message

import (
	"regexp"
	"strings"

	"hide/internal/annotate"
)

// fhirKind says what is done with an element of a resource.
type fhirKind int

const (
	fhirUnknown fhirKind = iota // dropped
	fhirPlain                   // a code, number, coded concept, quantity, reference, or an element of elements
	fhirDate                    // a time, or a period of them
	fhirIdentifier
	fhirName
	fhirTelecom
	fhirAddress
	fhirAttachment
	fhirText      // free text of the note; or an element of elements
	fhirTitle     // free text that heads what follows it
	fhirNarrative // XHTML with a status
	fhirData      // the file of a Binary
	fhirFileType  // of the file of a Binary
	fhirNested    // a resource
	fhirLink      // the full address of a resource
)

// fhirCodeNames are elements, of any resource and at any depth, that may be a code in a
// string, or coded otherwise.
const fhirCodeNames = `
status intent priority gender use mode language docStatus lifecycleStatus criticality clinicalStatus verificationStatus
category code type severity orderedBy durationUnit periodUnit dayOfWeek daysOfWeek comparator operationalStatus method
confidentiality class taken valueCode resourceType system notDone availability
`

// fhirPlainNames are elements, of any resource and at any depth, that are harmless if they
// are no strings: numbers, coded concepts, quantities, references, or elements of these.
const fhirPlainNames = `
achievementStatus subType subtype stage evidence bodySite interpretation
dataAbsentReason valueCodeableConcept valueBoolean valueInteger valueCoding valueQuantity valueRange valueRatio
valueSampledData route site statusReason reasonCode reason vaccineCode medicationCodeableConcept
medicationReference substance reaction manifestation exposureRoute relationship role function speciality specialty
serviceType serviceCategory appointmentType practiceSetting facilityType securityLabel format event
laterality asNeededBoolean asNeededCodeableConcept bodyStructure component referenceRange low high appliesTo
active deceasedBoolean communication preferred qualification contact content context related relatesTo
section entry emptyReason attester detail subject patient encounter episodeOfCare author authenticator custodian
performer asserter recorder requester sender recipient informationSource actor individual participant
managingOrganization serviceProvider generalPractitioner organization practitioner location partOf basedOn result
specimen device hasMember derivedFrom imagingStudy media link target focus addresses goal condition diagnosis
hospitalization admitSource dischargeDisposition reAdmission dietPreference origin destination party onBehalfOf agent
prescription dosage dosageInstruction doseAndRate dose doseQuantity doseRange rateQuantity rateRatio rateRange timing
repeat frequency frequencyMax duration periodMax dispenseRequest quantity
expectedSupplyDuration numberOfRepeatsAllowed substitution allowed allowedBoolean primarySource notGiven doseStatus
usage medication isBrand ingredient amount numerator denominator member team careTeam activity outcomeCodeableConcept
outcome complication followUp usedCode used focalDevice reportOrigin valueReference onsetAge onsetRange abatementAge
onsetQuantity payload item answer valueDecimal search score request response total
list onset wasNotGiven physicalType hoursOfOperation length collection finding investigation problem
availableTime allDay rank sequence series modality numberOfSeries numberOfInstances instance number bodyPart
suspectEntity causality seriousness probabilityDecimal qualitativeRisk prediction basis what who parameter
`

// fhirOther has the elements of other kinds. "Observation.comment" is of one resource at any
// depth, "note.text" of one element, "QuestionnaireResponse.item.text" of both.
var fhirOther = map[string]fhirKind{
	"identifier": fhirIdentifier, "masterIdentifier": fhirIdentifier, "accessionIdentifier": fhirIdentifier,
	"requisition": fhirIdentifier, "groupIdentifier": fhirIdentifier, "setId": fhirIdentifier,
	"name": fhirName, "alias": fhirName, "authorString": fhirName, "telecom": fhirTelecom, "address": fhirAddress,

	"date": fhirDate, "birthDate": fhirDate, "issued": fhirDate, "created": fhirDate, "indexed": fhirDate, "authored": fhirDate,
	"authoredOn": fhirDate, "recorded": fhirDate, "recordedOn": fhirDate, "dateAsserted": fhirDate, "dateRecorded": fhirDate,
	"dateWritten": fhirDate, "sent": fhirDate, "received": fhirDate, "time": fhirDate, "start": fhirDate, "end": fhirDate,
	"started": fhirDate, "timestamp": fhirDate, "lastOccurrence": fhirDate, "whenPrepared": fhirDate,
	"whenHandedOver": fhirDate, "period": fhirDate, "onsetPeriod": fhirDate, "creation": fhirDate, "dateTime": fhirDate,

	"attachment": fhirAttachment, "presentedForm": fhirAttachment, "contentAttachment": fhirAttachment,
	"sourceAttachment": fhirAttachment, "valueAttachment": fhirAttachment, "Media.content": fhirAttachment,
	"Binary.data": fhirData, "Binary.content": fhirData, "Binary.contentType": fhirFileType, "text": fhirNarrative,
	"resource": fhirNested, "fullUrl": fhirLink,

	"note": fhirText, "note.text": fhirText, "conclusion": fhirText, "Observation.comment": fhirText, "Appointment.comment": fhirText, "AppointmentResponse.comment": fhirText,
	"Observation.valueString": fhirText,
	"contentString":           fhirText, "Composition.title": fhirTitle, "section.title": fhirTitle, "QuestionnaireResponse.item.text": fhirTitle,
	"answer.valueString": fhirText, "patientInstruction": fhirText, "dosage.text": fhirText,
	"dosageInstruction.text": fhirText, "ClinicalImpression.summary": fhirText, "ClinicalImpression.description": fhirText,
	"Appointment.description": fhirText, "CarePlan.description": fhirText, "CarePlan.detail.description": fhirText,
	"reaction.description": fhirText, "AdverseEvent.description": fhirText, "ImagingStudy.description": fhirText,
	"ServiceRequest.description": fhirText, "ReferralRequest.description": fhirText, "Task.description": fhirText,
	"DetectedIssue.detail": fhirText, "RiskAssessment.mitigation": fhirText,
}

var fhirCodes, fhirPlains = nameSet(fhirCodeNames), nameSet(fhirPlainNames)

func nameSet(names string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(names) {
		set[name] = true
	}
	return set
}

// fhirKindOf is the kind of an element in a resource and element.
func fhirKindOf(resource, parent, name string) fhirKind {
	for _, key := range []string{resource + "." + parent + "." + name, resource + "." + name, parent + "." + name, name} {
		if kind, ok := fhirOther[key]; ok {
			return kind
		}
	}
	switch {
	case fhirPlains[name], fhirCodes[name]:
		return fhirPlain
	case strings.HasSuffix(name, "DateTime"), strings.HasSuffix(name, "Date"), strings.HasSuffix(name, "Instant"), strings.HasSuffix(name, "Period"):
		return fhirDate
	case strings.HasSuffix(name, "Reference"), strings.HasSuffix(name, "Quantity"), strings.HasSuffix(name, "CodeableConcept"):
		return fhirPlain
	}
	return fhirUnknown
}

// fhirPeople says whose the identifiers of a resource are.
var fhirPeople = map[string]annotate.Whose{
	"Patient": annotate.OfPatient, "Person": annotate.OfPatient, "RelatedPerson": annotate.OfRelative,
	"Practitioner": annotate.OfClinician, "PractitionerRole": annotate.OfClinician,
	"Organization": annotate.OfPlace, "Location": annotate.OfPlace, "HealthcareService": annotate.OfPlace,
	"FamilyMemberHistory": annotate.OfRelative,
}

// fhirRoles says who an element refers to if its reference does not.
var fhirRoles = map[string]annotate.Whose{
	"subject": annotate.OfPatient, "patient": annotate.OfPatient,
	"author": annotate.OfClinician, "performer": annotate.OfClinician, "practitioner": annotate.OfClinician,
	"asserter": annotate.OfClinician, "recorder": annotate.OfClinician, "requester": annotate.OfClinician,
	"individual": annotate.OfClinician, "actor": annotate.OfClinician, "authenticator": annotate.OfClinician,
	"agent": annotate.OfClinician, "generalPractitioner": annotate.OfClinician, "authorReference": annotate.OfClinician,
	"member": annotate.OfClinician, "sender": annotate.OfClinician, "recipient": annotate.OfClinician,
	"organization": annotate.OfPlace, "custodian": annotate.OfPlace, "managingOrganization": annotate.OfPlace,
	"serviceProvider": annotate.OfPlace, "location": annotate.OfPlace, "assigner": annotate.OfPlace,
	"origin": annotate.OfPlace, "destination": annotate.OfPlace,
}

// fhirNumbers has labels of identifiers by the code of their type.
var fhirNumbers = map[string]annotate.Label{
	"MR": "MEDICALRECORD", "SS": "SSN", "SB": "SSN", "DL": "LICENSE", "MD": "LICENSE", "LN": "LICENSE", "AN": "ACCOUNT", "VN": "IDNUM",
	"MB": "HEALTHPLAN", "SN": "HEALTHPLAN", "HC": "HEALTHPLAN", "NH": "HEALTHPLAN",
}

const (
	ssnURL      = "http://hl7.org/fhir/sid/us-ssn"
	typesURL    = "http://terminology.hl7.org/CodeSystem/v2-0203"
	absentURL   = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"
	labelSystem = "urn:hide:label" // of the types of identifiers in fresh resources
)

// publicURL reports whether a code system is published by a standards body.
func publicURL(system string) bool {
	if oid, ok := strings.CutPrefix(system, "urn:oid:"); ok {
		return publicSystem(oid)
	}
	for _, start := range []string{
		"http://loinc.org", "http://snomed.info/", "http://hl7.org/fhir/", "http://terminology.hl7.org/", "http://unitsofmeasure.org",
		"http://www.nlm.nih.gov/research/umls/", "http://www.ama-assn.org/go/cpt", "http://nucc.org/", "http://fdasis.nlm.nih.gov",
		"http://dicom.nema.org/", "http://ihe.net/", "http://www.whocc.no/atc", "urn:iso:std:iso:", "urn:ietf:bcp:",
	} {
		if strings.HasPrefix(system, start) {
			return true
		}
	}
	return false
}

var (
	fhirCodeValue = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,40}$`)
	fhirUnitValue = regexp.MustCompile(`^[A-Za-z0-9%/.*\[\]{}()^'µ°<>= +-]{1,24}$`)
	fhirDateValue = regexp.MustCompile(`^[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?$`)
	fhirPathValue = regexp.MustCompile(`(?:^|/)([A-Z][A-Za-z]{1,40})/([A-Za-z0-9.-]{1,64})(?:/_history/[A-Za-z0-9.-]{1,64})?$`)
	fhirUUIDValue = regexp.MustCompile(`^urn:(?:uuid|oid):[A-Za-z0-9.-]{1,128}$`)
)
