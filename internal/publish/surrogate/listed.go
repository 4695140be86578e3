// SPDX-License-Identifier: Apache-2.0

package surrogate

import (
	"math/rand/v2"
	"strings"

	"hide/internal/annotate/dictionary"
)

// listed replaces a term by another one of a list.
func (p *Patient) listed(kind Kind, terms []string, text string, draw int) (string, error) {
	if !hasLetter(text) {
		return "", formless(kind, "it has no letters")
	}
	s, err := p.assign(wish{
		kind: kind, part: string(kind), canonical: squash(text), draw: draw, tries: 4 * nameTries,
		closed:    kind == State || kind == Country,
		candidate: func(r *rand.Rand, try int) string { return qualified(r, kind, p.maker.o.Locale, pick(r, terms), try) },
		usable:    func(s string) bool { return !shares(s, text) },
	})
	return likeCase(text, s), err
}

// qualifiers make more departments and occupations of those in the lists.
var qualifiers = map[Kind]map[Locale][]string{
	Department: {
		En: {"* Clinic", "* Service", "* Unit", "* Ward", "* Center", "Outpatient *", "Inpatient *"},
		Es: {"Servicio de *", "Unidad de *", "Consulta de *", "Planta de *"},
		Fr: {"Service de *", "Unité de *", "Consultation de *"},
		De: {"Abteilung für *", "Station für *", "Ambulanz für *"},
	},
	Profession: {
		En: {"senior *", "assistant *", "apprentice *", "freelance *", "seasonal *"},
		Es: {"ayudante de *", "aprendiz de *"},
	},
}

// qualified is a term, with a qualifier when many terms have been tried.
func qualified(r *rand.Rand, kind Kind, loc Locale, term string, try int) string {
	more := qualifiers[kind][loc]
	if try < nameTries || len(more) == 0 || strings.ToUpper(term) == term {
		return term
	}
	return strings.Replace(pick(r, more), "*", term, 1)
}

func (p *Patient) country(kind Kind, text string, draw int) (string, error) {
	if plain := strings.ReplaceAll(text, ".", ""); len(plain) <= 3 && strings.ToUpper(plain) == plain && hasLetter(plain) {
		s, err := p.listed(kind, books().lists["country-codes."+string(En)], plain, draw)
		return dotted(text, s), err
	}
	return p.listed(kind, list("countries", p.maker.o.Locale), text, draw)
}

// department replaces the numbers and letters of a ward, "4 East", the name in "Ward Miller",
// or a department as a whole.
func (p *Patient) department(kind Kind, text string, draw int) (string, error) {
	switch {
	case hasDigit(text):
		return p.institution(kind, text, draw)
	case isShort(strings.TrimSpace(text)):
		return p.listed(kind, list("department-codes", p.maker.o.Locale), text, draw)
	}
	return p.listed(kind, list("departments", p.maker.o.Locale), text, draw)
}

// states of work stay: "retired welder" becomes "retired plumber".
var workStates = []string{"retired ", "former ", "unemployed ", "part-time ", "self-employed ", "jubilado ", "jubilada ", "retraité ", "retraitée ", "ancien ", "ancienne "}

// profession replaces an occupation by one of the same gender, where the language shows it.
func (p *Patient) profession(kind Kind, text string, draw int) (string, error) {
	before := ""
	for _, w := range workStates {
		if len(text) > len(w) && strings.EqualFold(text[:len(w)], w) {
			before, text = text[:len(w)], text[len(w):]
			break
		}
	}
	loc := p.maker.o.Locale
	s, err := p.listed(kind, list("professions."+workGender(text, loc), loc), text, draw)
	return before + s, err
}

// workGender is f for the feminine form of an occupation, else m. English has one form.
func workGender(text string, loc Locale) string {
	first := text
	if fields := strings.Fields(dictionary.Fold(text)); len(fields) > 0 {
		first = fields[0]
	}
	feminine := map[Locale][]string{
		Es: {"a", "triz"}, De: {"in", "frau", "schwester"}, Fr: {"ere", "euse", "trice", "ienne", "ante"},
	}
	for _, end := range feminine[loc] {
		if strings.HasSuffix(first, end) && !strings.HasSuffix(first, "ista") {
			return "f"
		}
	}
	return "m"
}
