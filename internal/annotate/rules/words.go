// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"hide/internal/annotate/dictionary"
	"strings"
	"sync"
)

// own is one of the program's lists, lower case, with how often it is written so
// there: "May" is a month with a capital only, "mayo" without one.
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

// writing is how a word is written.
type writing int

const (
	never writing = iota
	small
	capitalised
)

// lists are what the rules take from the program's own lists. They are made on
// first use.
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

// words makes a set of what stands between spaces.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// Words that the program's lists do not have, lower case. Where a language writes a
// word of another meaning alike, the rule that uses the list asks for more than the
// word.
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
