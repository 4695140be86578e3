// SPDX-License-Identifier: Apache-2.0

package message

import (
	"regexp"
	"strings"

	"hide/internal/annotate"
)

// cdaKind says what is done with an element of the header or body.
type cdaKind int

const (
	cdaUnknown cdaKind = iota // dropped
	cdaBranch                 // has elements, is kept
	cdaCode                   // coded value of a code system
	cdaFixed                  // says which rules the document follows
	cdaID
	cdaTime
	cdaName
	cdaTelecom
	cdaAddr
	cdaTitle // free text
	cdaText  // narrative, or a file
)

// cdaElement is what the package knows of an element by its name.
type cdaElement struct {
	kind  cdaKind
	of    annotate.Whose // whose identifiers are in it; empty if those of the element around it
	label annotate.Label // of the name of an organization or place, if it is not HOSPITAL
	role  bool           // identities name it as the place where they were
}

// cdaElements are the elements that a redacted document may contain. Elements that it lacks
// are dropped, among them race, religion, marital status, devices and signatures.
var cdaElements = map[string]cdaElement{
	// People and organizations.
	"recordTarget":                     {kind: cdaBranch, of: annotate.OfPatient, role: true},
	"patientRole":                      {kind: cdaBranch},
	"patient":                          {kind: cdaBranch},
	"guardian":                         {kind: cdaBranch, of: annotate.OfRelative, role: true},
	"guardianPerson":                   {kind: cdaBranch},
	"guardianOrganization":             {kind: cdaBranch, of: annotate.OfPlace, label: "ORGANIZATION"},
	"birthplace":                       {kind: cdaBranch, label: "LOCATION-OTHER", role: true},
	"place":                            {kind: cdaBranch},
	"languageCommunication":            {kind: cdaBranch},
	"providerOrganization":             {kind: cdaBranch, of: annotate.OfPlace, role: true},
	"author":                           {kind: cdaBranch, of: annotate.OfClinician, role: true},
	"assignedAuthor":                   {kind: cdaBranch},
	"assignedPerson":                   {kind: cdaBranch},
	"assignedAuthoringDevice":          {kind: cdaBranch},
	"representedOrganization":          {kind: cdaBranch, of: annotate.OfPlace, role: true},
	"dataEnterer":                      {kind: cdaBranch, of: annotate.OfClinician, role: true},
	"assignedEntity":                   {kind: cdaBranch, of: annotate.OfClinician},
	"informant":                        {kind: cdaBranch, of: annotate.OfClinician, role: true},
	"relatedEntity":                    {kind: cdaBranch, of: annotate.OfRelative},
	"relatedPerson":                    {kind: cdaBranch},
	"informationRecipient":             {kind: cdaBranch, of: annotate.OfClinician, role: true},
	"intendedRecipient":                {kind: cdaBranch},
	"receivedOrganization":             {kind: cdaBranch, of: annotate.OfPlace, role: true},
	"custodian":                        {kind: cdaBranch, of: annotate.OfPlace, role: true},
	"assignedCustodian":                {kind: cdaBranch},
	"representedCustodianOrganization": {kind: cdaBranch},
	"authenticator":                    {kind: cdaBranch, of: annotate.OfClinician, role: true},
	"legalAuthenticator":               {kind: cdaBranch, of: annotate.OfClinician, role: true},
	"participant":                      {kind: cdaBranch, of: annotate.OfRelative, role: true},
	"associatedEntity":                 {kind: cdaBranch},
	"associatedPerson":                 {kind: cdaBranch},
	"scopingOrganization":              {kind: cdaBranch, of: annotate.OfPlace, label: "ORGANIZATION"},
	"asOrganizationPartOf":             {kind: cdaBranch},
	"wholeOrganization":                {kind: cdaBranch},
	"subject":                          {kind: cdaBranch, of: annotate.OfRelative, role: true},
	"relatedSubject":                   {kind: cdaBranch},
	// Events and other documents.
	"documentationOf":             {kind: cdaBranch, of: annotate.OfPatient, role: true},
	"serviceEvent":                {kind: cdaBranch},
	"performer":                   {kind: cdaBranch, of: annotate.OfClinician, role: true},
	"componentOf":                 {kind: cdaBranch, of: annotate.OfPatient, role: true},
	"encompassingEncounter":       {kind: cdaBranch},
	"responsibleParty":            {kind: cdaBranch, of: annotate.OfClinician, role: true},
	"encounterParticipant":        {kind: cdaBranch, of: annotate.OfClinician, role: true},
	"location":                    {kind: cdaBranch, of: annotate.OfPlace, role: true},
	"healthCareFacility":          {kind: cdaBranch},
	"serviceProviderOrganization": {kind: cdaBranch},
	"relatedDocument":             {kind: cdaBranch, of: annotate.OfPatient, role: true},
	"parentDocument":              {kind: cdaBranch},
	"inFulfillmentOf":             {kind: cdaBranch, of: annotate.OfPatient, role: true},
	"order":                       {kind: cdaBranch},
	"authorization":               {kind: cdaBranch, of: annotate.OfPatient, role: true},
	"consent":                     {kind: cdaBranch},
	// Body.
	"component":      {kind: cdaBranch},
	"structuredBody": {kind: cdaBranch},
	"nonXMLBody":     {kind: cdaBranch},
	"section":        {kind: cdaBranch},
	"title":          {kind: cdaTitle},
	"text":           {kind: cdaText},
	// Values.
	"realmCode":                   {kind: cdaCode},
	"code":                        {kind: cdaCode},
	"translation":                 {kind: cdaCode},
	"confidentialityCode":         {kind: cdaCode},
	"languageCode":                {kind: cdaCode},
	"modeCode":                    {kind: cdaCode},
	"proficiencyLevelCode":        {kind: cdaCode},
	"administrativeGenderCode":    {kind: cdaCode},
	"signatureCode":               {kind: cdaCode},
	"functionCode":                {kind: cdaCode},
	"statusCode":                  {kind: cdaCode},
	"priorityCode":                {kind: cdaCode},
	"completionCode":              {kind: cdaCode},
	"dischargeDispositionCode":    {kind: cdaCode},
	"admissionReferralSourceCode": {kind: cdaCode},
	"standardIndustryClassCode":   {kind: cdaCode},
	"typeId":                      {kind: cdaFixed},
	"templateId":                  {kind: cdaFixed},
	"versionNumber":               {kind: cdaFixed},
	"preferenceInd":               {kind: cdaFixed},
	// Identifiers.
	"id":            {kind: cdaID},
	"setId":         {kind: cdaID},
	"time":          {kind: cdaTime},
	"effectiveTime": {kind: cdaTime},
	"birthTime":     {kind: cdaTime},
	"copyTime":      {kind: cdaTime},
	"low":           {kind: cdaTime},
	"high":          {kind: cdaTime},
	"center":        {kind: cdaTime},
	"name":          {kind: cdaName},
	"telecom":       {kind: cdaTelecom},
	"addr":          {kind: cdaAddr},
}

// cdaAddress has the labels of the parts of an address.
var cdaAddress = map[string]annotate.Label{
	"streetAddressLine": "STREET", "streetName": "STREET", "streetNameBase": "STREET", "streetNameType": "STREET",
	"houseNumber": "STREET", "houseNumberNumeric": "STREET", "buildingNumberSuffix": "STREET", "direction": "STREET",
	"deliveryAddressLine": "STREET", "deliveryInstallationArea": "STREET", "deliveryInstallationType": "STREET",
	"deliveryInstallationQualifier": "STREET", "deliveryMode": "STREET", "deliveryModeIdentifier": "STREET",
	"postBox": "STREET", "unitID": "STREET", "unitType": "STREET", "additionalLocator": "STREET",
	"city": "CITY", "state": "STATE", "postalCode": "ZIP", "country": "COUNTRY",
	"county": "LOCATION-OTHER", "precinct": "LOCATION-OTHER", "censusTract": "LOCATION-OTHER", "careOf": "LOCATION-OTHER",
}

// clinicalParticipants are the classes of an associatedEntity that is a clinician. Others
// are relatives, contacts, guarantors and insured persons.
var clinicalParticipants = map[string]bool{"PROV": true, "ASSIGNED": true, "AGNT": true, "SDLOC": true, "QUAL": true, "LIC": true}

// Attributes by what they may contain.
var (
	tokenAttrs = map[string]bool{ // short codes of the standard
		"nullFlavor": true, "classCode": true, "moodCode": true, "typeCode": true, "use": true, "determinerCode": true,
		"contextControlCode": true, "contextConductionInd": true, "independentInd": true, "inversionInd": true,
		"negationInd": true, "qualifier": true, "xsi:type": true, "operator": true, "inclusive": true,
	}
	codeAttrs = map[string]bool{"code": true, "codeSystem": true, "codeSystemName": true, "codeSystemVersion": true, "displayName": true}
	// narrativeAttrs format a text. ID, IDREF, href and name are not among them: they point
	// to coded data, which is dropped, or to other servers.
	narrativeAttrs = map[string]bool{
		"styleCode": true, "listType": true, "border": true, "width": true, "align": true, "valign": true, "char": true,
		"charoff": true, "colspan": true, "rowspan": true, "cellpadding": true, "cellspacing": true, "frame": true,
		"rules": true, "scope": true, "span": true, "mediaType": true,
	}
	tokenValue  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_. :-]{0,31}$|^(?:true|false)$`)
	codeValue   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.:^/-]{0,31}$`)
	formatValue = regexp.MustCompile(`^[A-Za-z0-9%.*+/ _-]{0,64}$`)
	fixedValue  = regexp.MustCompile(`^(?:[0-9.]{1,128}|[0-9]{4}-[0-9]{2}-[0-9]{2}|POCD_HD000040|true|false)$`)
)

// cleanType returns a media type, which a report may name. It is one of few, as a broken
// sender may write anything there.
func cleanType(mediaType string) string {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	if !mediaTypes[mediaType] {
		return "a file of unknown type"
	}
	return mediaType
}

// mediaTypes are the types of files that clinical messages have.
var mediaTypes = nameSet(`
text/plain text/html text/xml text/rtf text/richtext text/csv text/sgml text/x-hl7-ft text/x-hl7-text+xml text/markdown
application/pdf application/rtf application/xml application/json application/xhtml+xml application/zip application/gzip
application/dicom application/hl7-v2 application/hl7-v2+xml application/fhir+json application/fhir+xml application/json+fhir
application/xml+fhir application/octet-stream application/msword application/x-hl7-cda-level-one+xml application/hl7-cda+xml
application/vnd.openxmlformats-officedocument.wordprocessingml.document application/vnd.oasis.opendocument.text
image/png image/jpeg image/jpg image/gif image/tiff image/tif image/bmp image/svg+xml image/webp image/g3fax image/dicom
audio/mpeg audio/mp4 audio/wav audio/basic audio/ogg audio/k32adpcm video/mpeg video/mp4 video/quicktime video/x-avi model/vrml multipart/related
`)

// publicSystem reports whether an OID is a code system that HL7 publishes. Codes of other
// systems may name a ward or a person.
func publicSystem(oid string) bool {
	for _, branch := range []string{"2.16.840.1.113883.5.", "2.16.840.1.113883.6.", "2.16.840.1.113883.11.", "2.16.840.1.113883.12.", "2.16.840.1.113883.1.11."} {
		if strings.HasPrefix(oid, branch) {
			return true
		}
	}
	return false
}
