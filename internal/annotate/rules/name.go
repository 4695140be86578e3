// SPDX-License-Identifier: Apache-2.0

package rules

import "strings"

// longestName is how many words a name may have.
const longestName = 6

// name is where the name ends that begins at i: capitalised words, initials, and
// what stands between them in names. It is i when there is none.
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

// stops are capitalised words that begin something else than a name.
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

// small is where a name ends that is written without capitals: one word.
func (r *reader) small(i int) int {
	if !r.letters(i) || stops[r.low(i)] {
		return i
	}
	if r.word(i+1) == "-" && r.joined(i+1) && r.letters(i+2) {
		return i + 3
	}
	return i + 1
}

// relation is a name after "his wife" and the like.
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

// named are words after which a name comes, besides those of relatives.
var named = words("named called proxy dtr")

// listedName is a first name from the list, with the names after it, or alone.
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
		return nothing() // a sentence begins with a capital whatever the word
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

// listed is where a name ends that may be written with the surname first and a
// comma after it.
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
