// SPDX-License-Identifier: Apache-2.0

package columns

import (
	"slices"
	"strings"
	"unicode"

	"hide/internal/annotate/dictionary"
	"hide/internal/publish/link/compare"
)

// meaning is what the name of a column says.
type meaning struct {
	use      Use          // Compared, unless the name says that the column must not be compared
	kind     compare.Kind // "" if the name says none
	why      string       // of a use other than Compared
	name     bool         // "name", "nombre", "nom": a surname, a given name or both
	date     bool         // "date", "fecha", "datum"
	fixed    bool         // the configuration says it, and not the name
	weak     bool         // the word is in many names: "address", "number"
	dayFirst bool         // the name is in a language that writes the day before the month
}

func (m meaning) reason() string {
	if m.use != Compared {
		return "the name says " + m.why
	}
	return "the name says " + string(m.kind)
}

// entries are the meanings of names of columns. A name is written as one word.
var entries = func() map[string]meaning {
	all := map[string]meaning{}
	add := func(m meaning, words string) {
		for _, w := range strings.Fields(words) {
			all[w] = m
		}
	}
	for _, row := range kindNames {
		m := meaning{use: Compared, kind: row.kind}
		add(m, row.english)
		m.dayFirst = true
		add(m, row.others)
	}
	for _, row := range useNames {
		add(meaning{use: row.use, why: row.why}, row.words)
	}
	for w, m := range weakNames {
		add(m, w)
	}
	return all
}()

var kindNames = []struct {
	kind            compare.Kind
	english, others string
}{
	{compare.Given, "firstname givenname forename fname given givennames forenames namefirst first christianname gname preferredname nickname",
		"vorname vornamen nombrepila nombredepila primernombre prenom prenoms rufname"},
	{compare.Middle, "middlename middleinitial mname middle midname minit mi middlenames secondname namemiddle", "segundonombre zweitername deuxiemeprenom"},
	{compare.Surname, "surname lastname familyname lname sname last family namelast maidenname maiden birthname surnames",
		"nachname familienname zuname geburtsname apellido apellidos primerapellido segundoapellido apellido1 apellido2 nomfamille nomdefamille nomnaissance nomusuel"},
	{compare.FullName, "fullname completename displayname patientname personname wholename namefull firstandsurname firstandlastname firstlast nameandsurname",
		"nombrecompleto nombreapellidos nombreyapellidos apellidosynombre nomcomplet nometprenom nomprenom vollername"},
	{compare.BirthDate, "dob birthdate dateofbirth datebirth birthday bdate birthdt dobdate born birth",
		"fechanacimiento fechadenacimiento fnacimiento fnac fecnac nacimiento datenaissance datedenaissance ddn naissance geburtsdatum gebdatum gebdat geburtstag"},
	{compare.Sex, "sex gender sexcode gendercode", "sexo genero sexe genre geschlecht geschl"},
	{compare.Identifier, `ssn socsecid socialsecurity socialsecuritynumber socsec ssnumber nhs nhsnumber nhsno nino mrn medicalrecordnumber medicalrecord
		patientid personid patientnumber patientno pid memberid subscriberid hospitalnumber medicare medicarenumber medicaid insurancenumber insuranceid policynumber
		nationalid passport passportnumber driverlicense driverslicense drivers licensenumber taxid accountnumber idnumber identifier mpi empi`,
		`dni nie nif cif nss nhc nuss cip sip numerohistoria historiaclinica numerohistoriaclinica tarjetasanitaria numerosegsocial pasaporte cedula curp rfc
		nir numsecu numerosecuritesociale securitesociale numerosecu ipp numeropatient versichertennummer versicherungsnummer krankenversicherungsnummer patientennummer patientenid
		ausweisnummer steuerid sozialversicherungsnummer svnr kvnr`},
	{compare.Phone, "phone telephone tel mobile cell cellphone cellular phonenumber telephonenumber mobilephone mobilenumber homephone workphone landline fax faxnumber telno",
		"telefono movil telefonomovil celular fijo telefon telefonnummer telefonnr handy mobil mobiltelefon handynummer festnetz portable telportable telfixe numerotelephone"},
	{compare.Email, "email mail emailaddress mailaddress", "correo correoelectronico courriel emailadresse mailadresse"},
	{compare.StreetNumber, "streetnumber streetno housenumber houseno housenum stno streetnum apartment apartmentnumber aptnumber unitnumber flatnumber",
		"hausnummer hausnr numerocalle numerodecalle numerovia numerorue piso puerta"},
	{compare.Street, "street streetname stname streetaddress addressline road address1 address2 address3 addressline1 addressline2 addressline3 addr1 addr2 residence",
		"calle direccion domicilio nombrevia rue voie strasse strassenname anschrift wohnadresse"},
	{compare.Place, "city town suburb locality village municipality placebirth birthplace placeofbirth county place cityname borough citytown",
		"ciudad localidad municipio poblacion pueblo lugarnacimiento ville commune lieunaissance localite ort stadt wohnort gemeinde geburtsort ortsname"},
	{compare.Postcode, "zip zipcode postcode postalcode pcode postal zip5 zipcode5", "plz postleitzahl cp codigopostal codpostal codepostal"},
	{compare.State, "state province region statecode statename", "provincia estado comunidad comunidadautonoma departement bundesland kanton"},
	{compare.Number, "age ageyears height lat lon latitude longitude", "edad alter"},
	{compare.BirthYear, "birthyear yearofbirth yearbirth yob by byear", "geburtsjahr gebjahr anonacimiento anodenacimiento anneenaissance anneedenaissance"},
	{compare.BirthMonth, "birthmonth monthofbirth monthbirth mob bm bmonth", "geburtsmonat gebmonat mesnacimiento mesdenacimiento moisnaissance moisdenaissance"},
	{compare.BirthDay, "dayofbirth daybirth bd bday", "gebtag dianacimiento diadenacimiento journaissance jourdenaissance"},
	{compare.Text, `race ethnicity ethnicgroup ethnic maritalstatus marital language religion country nationality citizenship occupation profession employer
		bloodtype bloodgroup namesuffix suffix generation alias aliases countrycode countryofbirth birthcountry`,
		"raza etnia estadocivil idioma pais nacionalidad ocupacion profesion langue pays nationalite sprache land nationalitat staatsangehorigkeit beruf familienstand religionszugehorigkeit gruposanguineo"},
}

var useNames = []struct {
	use   Use
	why   string
	words string
}{
	{RecordID, "record id", "recid recordid rowid rowno rownumber rownum row index idx uniqueid uuid guid recordnumber recordno recno noteid notekey notenumber documentid unnamed sourceid lineno seqno sequence registro numeroregistro datensatz zeile ligne"},
	{Truth, "truth", "cluster clusterid entid truth trueid truthid truecluster trueclusterid entity entityid groundtruth gold goldid matchid duplicateof"},
	{Ignored, "the origin of a record", "source sourcedataset dataset sourcefile file filename system sourcesystem origin fuente quelle"},
	{Ignored, "a date of an event", `created createdat createddate updated updatedat lastupdated modified modifiedat timestamp entrydate visitdate
		admissiondate dateadmission admitdate dischargedate datedischarge admitted admission discharged discharge deathdate dateofdeath datedeath dod encounterdate servicedate servicedt registrationdate collectiondate
		fechaingreso fechaalta fechadefuncion fechavisita aufnahmedatum entlassungsdatum sterbedatum datedeces dateadmissionhopital`},
	{Ignored, "a number for blocking", "blockingnumber block blockid"},
	{Ignored, "a title", "title salutation prefix nameprefix honorific titulo tratamiento civilite anrede titel"},
	{Ignored, "text that differs between records of one person", "note notes text comment comments remarks remark description diagnosis diagnoses diagnostico observaciones notas texto bemerkung bemerkungen kommentar commentaire reason complaint medication medications procedure"},
}

// weakNames are words that stand beside others that say more.
var weakNames = map[string]meaning{
	"name names nm pname": {use: Compared, name: true, weak: true},
	"nombre nom nombres":  {use: Compared, name: true, weak: true, dayFirst: true},
	"address addr":        {use: Compared, kind: compare.Street, weak: true},
	"adresse dir":         {use: Compared, kind: compare.Street, weak: true, dayFirst: true},
	"id key code number":  {use: Compared, weak: true},
	"date datum fecha dt": {use: Compared, date: true, weak: true},
}

// fillers are words that say nothing of what a column is.
var fillers = wordSet(`patient patients pat pt client person people member current primary main home legal the of de del la el du des der die das value
	field col column str txt paciente persona kunde clean cleaned std raw full official recorded permanent residential contact`)

// alone are words that say a kind only if no other word stands beside them: "first", but not
// "first visit".
var alone = wordSet("first last middle family born birth")

// relatives are words for other people whose data are of use: a child has one mother.
var relatives = wordSet(`mother mothers father fathers spouse spouses husband wife partner parent guardian kin nok nextofkin emergency relative
	madre padre conyuge tutor mere pere conjoint mutter vater ehepartner ehegatte`)

// staff are words for people and places that treat the patient.
var staff = wordSet(`doctor physician provider attending gp practitioner practice pcp nurse referring referrer surgeon clinician ward department facility clinic insurer
	medico medica enfermera servicio medecin arzt hausarzt station abteilung krankenkasse`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// readNames reads the names of all columns. A kind of the configuration takes the place of a name.
func readNames(header []string, kinds map[string]compare.Kind, profiles []*values) []meaning {
	names := make([]meaning, len(header))
	for i, name := range header {
		names[i] = readName(name)
		if kind, given := kinds[name]; given {
			names[i] = meaning{use: Compared, kind: kind, fixed: true, dayFirst: names[i].dayFirst}
		}
	}
	resolved := make([]meaning, len(header))
	for i, m := range names {
		resolved[i] = resolve(m, names, profiles[i])
	}
	return resolved
}

// readName reads the name of a column.
func readName(name string) meaning {
	words := nameWords(name)
	if m, ok := lookUp(words); ok {
		return m
	}
	for _, w := range words {
		switch {
		case staff[w]:
			return meaning{use: Ignored, why: "someone or something other than the patient"}
		case relatives[w]:
			return meaning{use: Compared, kind: compare.Text}
		}
	}
	kept := words[:0:0]
	for _, w := range words {
		if w = strings.TrimRight(w, "0123456789"); w != "" && !fillers[w] {
			kept = append(kept, w)
		}
	}
	if m, ok := lookUp(kept); ok {
		return m
	}
	m := longestRun(kept)
	isDate := func(w string) bool { return entries[w].date }
	if slices.ContainsFunc(kept, isDate) && slices.ContainsFunc(kept, isBirth) {
		m = entries["birthdate"]
		m.dayFirst = !slices.ContainsFunc(kept, isEnglishBirth)
	}
	if len(kept) > 1 && m.kind != compare.BirthDate && slices.ContainsFunc(kept, isDate) {
		return meaning{use: Ignored, why: "a date of an event"}
	}
	return m
}

// isBirth reports whether a word is about birth, or an abbreviation of one that is.
func isBirth(word string) bool {
	return isEnglishBirth(word) || strings.HasPrefix(word, "nac") || strings.HasPrefix(word, "nais") || strings.HasPrefix(word, "geb")
}

func isEnglishBirth(word string) bool {
	return strings.HasPrefix(word, "birth") || strings.HasPrefix(word, "born")
}

func lookUp(words []string) (meaning, bool) {
	m, ok := entries[strings.Join(words, "")]
	return m, ok
}

// longestRun is the kind that the longest run of words says. A weak word counts only if no
// other does.
func longestRun(words []string) meaning {
	best, length := meaning{use: Compared}, 0
	for i := range words {
		for j := i + 1; j <= len(words); j++ {
			m, ok := lookUp(words[i:j])
			n := len(strings.Join(words[i:j], ""))
			if m.weak {
				n = 1
			}
			if ok && m.use == Compared && n > length && (m.weak || n > 2 && (j > i+1 || !alone[words[i]])) {
				best, length = m, n
			}
		}
	}
	return best
}

// nameWords are the folded words of a name: "DateOfBirth", "date_of_birth" and "date of birth"
// are three words each.
func nameWords(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	words := strings.Fields(b.String())
	for i, w := range words {
		words[i] = dictionary.Fold(w)
	}
	return words
}

// resolve decides what "name" means by the names of the other columns: beside "vorname" it is a
// surname, beside "apellidos" a given name. Beside both it is the full name if its values have
// several words.
func resolve(m meaning, all []meaning, v *values) meaning {
	if !m.name {
		return m
	}
	has := func(k compare.Kind) bool {
		return slices.ContainsFunc(all, func(other meaning) bool { return other.kind == k })
	}
	given, surname := has(compare.Given), has(compare.Surname)
	switch {
	case given && surname && v.share(isWords).atLeast(50):
		m.kind = compare.FullName
	case given:
		m.kind = compare.Surname
	case surname:
		m.kind = compare.Given
	}
	return m
}
