// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"strings"
	"sync"

	"hide/internal/annotate/dictionary"
)

// own is one of the built-in lists in lower case, with the way each term is written there:
// "May" is a month with a capital only, "mayo" without one.
func own(list string) map[string]writing {
	set := map[string]writing{}
	for _, term := range dictionary.Terms(list) {
		low := strings.ToLower(term)
		if w := set[low]; term == low || w == small {
			set[low] = small
		} else {
			set[low] = capitalised
		}
	}
	return set
}

// writing is the way a word is written.
type writing int

const (
	never writing = iota
	small
	capitalised
)

// lists are the terms that the rules use from the built-in lists. They are made on first
// use.
type lists struct {
	months, weekdays, given, kin map[string]writing
	places                       map[string][]place // by first word
}

// place is a name of one or more words.
type place struct {
	words []string // lower case
	kind  Kind
}

var theLists = sync.OnceValue(func() *lists {
	l := &lists{months: own("months"), weekdays: own("weekdays"), given: own("given"), kin: own("kin"), places: map[string][]place{}}
	for _, of := range []struct {
		list string
		kind Kind
	}{{"countries", Country}, {"states", State}, {"cities", Town}} {
		for _, term := range dictionary.Terms(of.list) {
			r := newReader(term)
			l.places[r.low(0)] = append(l.places[r.low(0)], place{r.lower, of.kind})
		}
	}
	return l
})

// words makes a set of space-separated words.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// Words missing from the built-in lists, lower case. Where another word is written the same
// way, the rule that uses the list requires more than the word.
var (
	dateJoins = words("de del of , . -")

	clinicianTitles = words("dr dra drs prof profesor profesora professor doctor doctora docteur doctoresse doktor oberarzt oberärztin nurse enfermera infirmière")
	civilTitles     = words("mr mrs ms miss mister sr sra srta señor señora señorita don doña dña mme mlle monsieur madame mademoiselle herr herrn frau")
	degrees         = words("md m.d do d.o rn r.n phd ph.d np pa facc facs")

	// particles may stand inside a name, between capitalised words.
	particles = words("de del de la las los y e van von der den da do dos du le al el bin ibn zu zum")

	personFields = words(`
		name patient surname lastname firstname nombre apellido apellidos paciente nom prénom prenom patiente nachname vorname patientin
		cc attention attn re`)
	clinicianFields = words(`
		physician provider attending surgeon doctor clinician radiologist resident dictator pcp author signed
		médico medico facultativo remitente responsable firmado fdo médecin medecin praticien arzt behandelnder por clínico clinique`)
	signers = words("signed dictated")

	phoneFields = words("tel telephone phone ph cell mobile pager beeper call telf telfs tels tlf tlfno tlfs tfno tfnos teléfono telefono móvil movil tél téléphone portable telefon handy extension ext x contact")
	faxFields   = words("fax telefax téléfax")

	recordFields = words("mrn mr nhc unit chart record historia expediente dossier ipp krankenakte fallnummer patientennummer medical")
	numberFields = words(`
		id ids acct account accession acc policy license licence dea npi ssn nif nie dni nass nss cuenta póliza colegiado col núm nº
		passport pasaporte passeport personalausweis versichertennummer sécu insurance member case encounter visit serial device order specimen sp`)
	numberJoins = words("no num number nr nº n° # : . - is of id patient num. núm número numero numéro nummer record the")

	ageAfter  = words("yo year years yr yrs ans año años jahre jahren jährige jähriger jährigen yrold")
	ageBefore = words("age aged edad âge alter alters")

	zipFields = words("zip cp plz postal postcode")

	hospitalWords = words("hospital clinic clínica clinica hôpital hopital klinik klinikum krankenhaus infirmary sanatorium hospice clinique spital universitätsklinikum")
	hospitalStops = words("course day stay visit admission discharge number no record medicine")
	hospitalPairs = words("medical health surgical cancer")
	hospitalEnds  = words("center centre")
	streetEnds    = words("street st avenue ave road rd lane ln drive boulevard blvd court ct place terrace parkway highway hwy square circle")
	streetBegins  = words("calle c avenida avda av plaza pza paseo pº camino carretera ctra ronda travesía rue avenue boulevard bd quai chemin allée")
	addressFields = words("domicilio dirección direccion address adresse anschrift wohnort")
	streetMiddles = words("de del la las los des du le les y")

	states = words(`al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok or pa ri sc sd tn tx ut vt va wa wv wi wy dc pr`)
)

// longestName is the largest number of words of a name.
const longestName = 6

// name is the end of the name that begins at i: capitalised words, initials, and particles
// between them. It is i when there is no name.
func (r *reader) name(i int) int {
	end := i // after the last capitalised word
	for at, n := i, 0; r.has(at) && n < longestName && (at == i || r.sameLine(at)); at++ {
		switch w := r.low(at); {
		case r.capital(at) && r.letters(at) && !stops[w]:
			end, n = at+1, n+1
		case at == i:
			return i
		case w == "." && len([]rune(r.word(at-1))) == 1 && r.glued(at):
		case (w == "-" || w == "'" || w == "’") && r.glued(at) && r.glued(at+1):
		case particles[w]:
		default:
			return end
		}
	}
	return end
}

// stops are capitalised words that do not begin a name.
var stops = words(`
	the a an and or of in on at for to with by from date mrn dob age sex gender phone tel fax unit room ward service admission discharge
	history impression diagnosis note report he she his her patient pt hospital clinic department nombre apellidos edad sexo fecha nhc
	nass domicilio médico país localidad hospital servicio le la les el los monsieur madame mr mrs ms dr dra die der das`)

// titledName is a name after a title: the name alone.
func titledName(r *reader, i int) (Finding, bool) {
	kind := Person
	switch w := r.low(i); {
	case clinicianTitles[w]:
		kind = Clinician
	case !civilTitles[w]:
		return nothing()
	}
	at := i + 1
	for at < i+6 && (r.word(at) == "." || clinicianTitles[r.low(at)] || civilTitles[r.low(at)]) {
		at++
	}
	if !r.sameLine(at) {
		return nothing()
	}
	end := r.name(at)
	if end == at && r.word(at-1) == "." && !r.capital(i) {
		end = r.small(at)
	}
	if end == at {
		return nothing()
	}
	return r.finding(at, end, kind)
}

// small is the end of a name written without capitals: one word.
func (r *reader) small(i int) int {
	if !r.letters(i) || stops[r.low(i)] {
		return i
	}
	if r.word(i+1) == "-" && r.joined(i+1) && r.letters(i+2) {
		return i + 3
	}
	return i + 1
}

// relation is a name after "his wife" and similar words.
func relation(r *reader, i int) (Finding, bool) {
	if theLists().kin[r.low(i)] == never && !named[r.low(i)] {
		return nothing()
	}
	at := i + 1
	if r.word(at) == "," || r.word(at) == ":" || r.low(at) == "is" || r.low(at) == "es" {
		at++
	}
	end := r.name(at)
	if end == at || !r.sameLine(at) {
		return nothing()
	}
	return r.finding(at, end, Person)
}

// named are words before a name, besides those of relatives.
var named = words("named called proxy dtr")

// listedName is a first name from the list, alone or with the names after it.
func listedName(r *reader, i int) (Finding, bool) {
	if theLists().given[r.low(i)] == never || !r.capital(i) || stops[r.low(i)] || len(r.word(i)) < 3 {
		return nothing()
	}
	end := r.name(i)
	switch {
	case end == i || r.glued(i) && r.word(i-1) != "(":
		return nothing()
	case end > i+1:
		return r.finding(i, end, FullName)
	case !r.sameLine(i) || strings.Contains(".!?", r.word(i-1)):
		return nothing() // every sentence begins with a capital
	}
	return r.finding(i, end, FirstName)
}

// signature is a name after "signed by".
func signature(r *reader, i int) (Finding, bool) {
	if !signers[r.low(i)] || r.low(i+1) != "by" {
		return nothing()
	}
	at := i + 2
	if r.word(at) == ":" {
		at++
	}
	end := r.name(at)
	if end == at || !r.sameLine(at) {
		return nothing()
	}
	return r.finding(at, end, Clinician)
}

// fieldName is a name after a field's name and a colon.
func fieldName(r *reader, i int) (Finding, bool) {
	kind := Person
	switch w := r.low(i); {
	case clinicianFields[w]:
		kind = Clinician
	case !personFields[w]:
		return nothing()
	}
	if r.word(i+1) != ":" || !r.sameLine(i+2) {
		return nothing()
	}
	end := r.listed(i + 2)
	if end == i+2 {
		return nothing()
	}
	return r.finding(i+2, end, kind)
}

// listed is the end of a name that may have the surname first, followed by a comma.
func (r *reader) listed(i int) int {
	end := r.name(i)
	if end > i && r.word(end) == "," && r.sameLine(end+1) {
		if after := r.name(end + 1); after > end+1 {
			return after
		}
	}
	return end
}

// degreeName is a name before a degree: Gordon Vorce, M.D.
func degreeName(r *reader, i int) (Finding, bool) {
	if !r.capital(i) || r.capital(i-1) && r.sameLine(i) || r.word(i-1) == "." && len(r.word(i-2)) == 1 && r.sameLine(i) {
		return nothing()
	}
	end := r.name(i)
	if end < i+2 || r.word(end) != "," || !r.sameLine(end+1) {
		return nothing()
	}
	degree := r.low(end + 1)
	if r.word(end+2) == "." && r.glued(end+3) {
		degree += "." + r.low(end+3)
	}
	if !degrees[degree] {
		return nothing()
	}
	return r.finding(i, end, Clinician)
}
