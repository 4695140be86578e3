// SPDX-License-Identifier: Apache-2.0

package value

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// ageUnits are the units by their words, folded.
var ageUnits = sync.OnceValue(func() map[string]Unit {
	all := map[string]Unit{}
	for unit, list := range []string{
		YearUnit:  `year years yr yrs y yo yow yom yof ano anos a an ans annee annees jahr jahre jahren j jahrig jahrige jahriger jahriges jahrigen jahrigem aged`,
		MonthUnit: `month months mo mos mth mths m mes meses mois monat monate monaten monatig`,
		WeekUnit:  `week weeks wk wks w semana semanas sem semaine semaines woche wochen wochig`,
		DayUnit:   `day days d dia dias jour jours tag tage tagen tagig dol`,
		HourUnit:  `hour hours hr hrs h hora horas heure heures stunde stunden`,
	} {
		for w := range strings.FieldsSeq(list) {
			all[w] = Unit(unit)
		}
	}
	return all
})

// ageGlue are the words that may stand around an age.
var ageGlue = setOf(`old o of age aged at the a an in is was her his their years year approximately about around almost nearly some
	mid early late mid- male female man woman boy girl gentleman lady m f s and to between from or x hes she he
	de edad con y e a los las la el unos casi cerca tiene entre hasta medio media mas menos hombre mujer varon nino nina un una paciente anos
	age agee d l et ou environ presque les la le entre quelque ages homme femme une garcon fille
	ein eine einer eines einem einen mann frau junge madchen patient patientin seinen ihren den alt alte alter altes alten im von etwa fast rund und bis zwischen mitte ende anfang jahre jahren
	over under above below than older younger greater more less mayor menor mayores plus moins uber unter
	primer segundo tercer cuarto quinto sexto century life`)

// atLeast are the words and marks that leave an age open above.
var atLeast = setOf("over above older greater mayor mayores plus uber > + ≥ mas")

var ageMarks = setOf(`- – — , . / ( ) ' ’ : ; ~ < > + ≥ ≤ = "`)

var ordinals = map[string]float64{"primer": 1, "segundo": 2, "tercer": 3, "cuarto": 4, "quinto": 5, "sexto": 6, "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6}

// splitUnits cuts German words such as "neunzigjährige" into the number and the unit.
func splitUnits(text string, tokens []token) []token {
	var out []token
	for _, t := range tokens {
		unit := strings.Index(t.text, "jahrig")
		_, isNumber := numberWords()[t.text[:max(unit, 0)]]
		at := strings.LastIndexAny(text[t.start:t.end], "jJ")
		if t.kind != word || unit <= 0 || !isNumber || at <= 0 {
			out = append(out, t)
			continue
		}
		n, u := t, t
		n.end, n.text = t.start+at, t.text[:unit]
		u.start, u.text, u.blank = t.start+at, t.text[unit:], false
		out = append(out, n, u)
	}
	return out
}

// ageReader reads one text.
type ageReader struct {
	text   string
	tokens []token
	ages   []Age // as they stand in the text
	open   bool  // "over 90"
	whole  bool  // number and unit are one word
}

func (r *ageReader) read() error {
	for i := 0; i < len(r.tokens); {
		next := r.stage(i)
		if next == i {
			next = r.decade(i)
		}
		if next == i {
			next = r.amount(i)
		}
		if next == i && (ageGlue[r.tokens[i].text] || ageMarks[r.tokens[i].text] || r.unitOnly(i)) {
			r.open = r.open || atLeast[r.tokens[i].text]
			next++
		}
		if next == i {
			return fmt.Errorf("%w: a word or number of another type, at byte %d", ErrNotAge, r.tokens[i].start)
		}
		i = next
	}
	if len(r.ages) == 0 {
		return fmt.Errorf("%w: nothing in it is an age", ErrNotAge)
	}
	return nil
}

// unitOnly reports whether token i is a unit that belongs to an age before it, as in "mes".
func (r *ageReader) unitOnly(i int) bool {
	_, ok := ageUnits()[r.tokens[i].text]
	return ok && r.tokens[i].kind == word
}

// stage reads the name of a range: "nonagenarian", "recién nacida", "nineties".
func (r *ageReader) stage(i int) int {
	name, next := r.tokens[i].text, i+1
	if at := next; at < len(r.tokens) {
		if isWord(r.tokens, at, "-") && at+1 < len(r.tokens) {
			at++
		}
		if _, two := stages()[name+" "+r.tokens[at].text]; two {
			name, next = name+" "+r.tokens[at].text, at+1
		}
	}
	s, ok := stages()[name]
	if !ok {
		return i
	}
	r.ages = append(r.ages, Age{Years: s.low, High: s.high})
	r.whole = true
	return next
}

// decade reads 90s, 90's and 90er.
func (r *ageReader) decade(i int) int {
	t := r.tokens[i]
	next := i + 1
	if isWord(r.tokens, next, "'", "’") {
		next++
	}
	if t.size() < 2 || t.size() > 3 || t.value()%10 != 0 || !isWord(r.tokens, next, "s", "er", "ern") {
		return i
	}
	a := Age{Years: float64(t.value()), High: float64(t.value() + 9)}
	for back := i - 1; back >= 0 && back >= i-2; back-- {
		if third, ok := thirds[r.tokens[back].text]; ok {
			a.Years, a.High = a.Years+third.low, a.Years+third.high
		}
	}
	r.ages = append(r.ages, a)
	r.whole = true
	return next + 1
}

// articles are numbers only before a unit.
var articles = setOf("a an un una une ein eine einem einen einer eines")

// thirds are the parts of a decade: "mid-90s".
var thirds = map[string]stage{"early": {0, 3}, "mid": {4, 6}, "late": {7, 9}, "anfang": {0, 3}, "mitte": {4, 6}, "ende": {7, 9}}

// amount reads a number and its unit: "89", "2 1/2 yo", "89-year-old", "neuf ans", "un mes".
func (r *ageReader) amount(i int) int {
	n, next := r.number(i)
	if next == i {
		return i
	}
	a := Age{start: r.tokens[i].start, end: r.tokens[next-1].end}
	unit, at := r.unit(next)
	if r.tokens[i].kind == word && at == next {
		if articles[r.tokens[i].text] && next == i+1 {
			return i // of "a man"
		}
	}
	a.Unit, a.Years = unit, n*inYears[unit]
	if at > next {
		r.open = r.open || isWord(r.tokens, next, "+")
		a.unitAt, a.unitEnd = r.tokens[at-1].start, r.tokens[at-1].end
		a.tail = a.unitEnd
		if (isWord(r.tokens, at, "y") || isWord(r.tokens, at, "et")) && isWord(r.tokens, at+1, "medio", "media", "demi") {
			a.Years += inYears[unit] / 2
			at += 2
			a.tail = r.tokens[at-1].end
		}
	}
	a.High = a.Years
	r.ages = append(r.ages, a)
	return at
}

// unit is the unit at token i and the token behind it. A hyphen or a plus sign may stand
// before. Without a unit the age is in years.
func (r *ageReader) unit(i int) (Unit, int) {
	at := i
	if isWord(r.tokens, at, "-", "+") {
		at++
	}
	if at < len(r.tokens) && r.tokens[at].kind == word {
		w := r.tokens[at].text
		if u, ok := ageUnits()[w]; ok && w != "aged" && !r.sex(at) {
			return u, at + 1
		}
	}
	return YearUnit, i
}

// sex reports whether a letter behind a number is a sex and not a unit: "92M", "92 m".
func (r *ageReader) sex(i int) bool {
	return r.tokens[i].text == "m" && i == len(r.tokens)-1 && strings.HasSuffix(r.text[:r.tokens[i].end], "M")
}

// number reads a number in digits, with a decimal or a fraction, or in words.
func (r *ageReader) number(i int) (float64, int) {
	t := r.tokens[i]
	if t.kind == word {
		if v, ok := ordinals[t.text]; ok {
			return v, i + 1
		}
		n, next := numberWord(r.tokens, i)
		return float64(n), next
	}
	if t.kind != number || t.size() > 4 {
		return 0, i
	}
	n := float64(t.value())
	next := i + 1
	switch {
	case isWord(r.tokens, next, ".", ",") && next+1 < len(r.tokens) && r.tokens[next+1].kind == number && !r.tokens[next+1].blank:
		decimal, err := strconv.ParseFloat("0."+r.tokens[next+1].text, 64)
		if err != nil {
			return 0, i
		}
		return n + decimal, next + 2
	case next+2 < len(r.tokens) && r.tokens[next].kind == number && r.tokens[next+1].text == "/" && r.tokens[next+2].value() > 0:
		return n + float64(r.tokens[next].value())/float64(r.tokens[next+2].value()), next + 3
	case next < len(r.tokens) && halves[r.tokens[next].text] > 0:
		return n + halves[r.tokens[next].text], next + 1
	}
	return n, next
}

var halves = map[string]float64{"½": .5, "¼": .25, "¾": .75}

// result puts the ages of the text together: parts of one age ("2 años y 3 meses"), then a range.
func (r *ageReader) result() (Age, error) {
	whole := r.ages[:1]
	for _, a := range r.ages[1:] {
		last := &whole[len(whole)-1]
		switch {
		case a.Unit > last.Unit && last.unitAt > 0: // a smaller unit goes on with the age
			last.Years, last.High = last.Years+a.Years, last.High+a.Years
			last.tail = max(a.tail, a.end)
			continue
		case a.unitAt > 0 && last.unitAt == 0 && a.Unit != last.Unit && last.Years < a.Years/inYears[a.Unit]: // "3 to 5 weeks"
			last.Years, last.High, last.Unit = last.Years*inYears[a.Unit], last.High*inYears[a.Unit], a.Unit
		}
		whole = append(whole, a)
	}
	first := whole[0]
	for _, a := range whole[1:] {
		first.Years, first.High = min(first.Years, a.Years), max(first.High, a.High)
		r.whole = true
	}
	if first.High > oldest {
		return Age{}, fmt.Errorf("%w: more than %v years", ErrImpossible, oldest)
	}
	if r.open && first.High >= capAge-1 {
		first.High = unbounded
		r.whole = true
	}
	if r.whole || first.unitAt > 0 && !r.inYears(first) { // "1100 months" cannot keep its unit
		first.start, first.end, first.unitAt, first.unitEnd, first.tail = 0, 0, 0, 0, 0
	}
	return first, nil
}

// inYears reports whether the unit that Cap keeps is the year.
func (r *ageReader) inYears(a Age) bool {
	for _, t := range r.tokens {
		if t.start == a.unitAt {
			return ageUnits()[t.text] == YearUnit
		}
	}
	return false
}
