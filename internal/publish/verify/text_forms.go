// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// misfit says why a place does not hold what its action writes, "" if it does.
func (c *textChecker) misfit(r redaction, shown string) string {
	want := strings.Replace(c.claims.Placeholder, "LABEL", r.Label, 1)
	switch {
	case r.Action == "", r.Action == dropSentence && c.policy != nil:
		if shown != want {
			return "does not hold its placeholder"
		}
		return ""
	case c.policy == nil:
		return "has an action, but the release has no policy"
	case r.Action == numbered:
		before, after, _ := strings.Cut(c.claims.Placeholder, "LABEL")
		number, ok := strings.CutPrefix(shown, before+r.Label+" ")
		number, closed := strings.CutSuffix(number, after)
		if n, err := strconv.Atoi(number); !ok || !closed || err != nil || n < 1 || strconv.Itoa(n) != number {
			return "does not hold a numbered placeholder"
		}
		return ""
	case r.Action == generalize:
		if shown == want { // of a value that cannot be generalized, such as a date without a year
			return ""
		}
		return ungeneralized(c.as(r.Label), shown, c.policy.Basis)
	}
	return "has an action whose places are not listed"
}

// ungeneralized says why a text is not a generalized value of the label.
func ungeneralized(label, shown, basis string) string {
	switch {
	case label == "DATE" && basis == safeHarbor:
		if !years.MatchString(shown) {
			return "shows another date than a year, 45 CFR 164.514(b)(2)(i)(C)"
		}
	case label == "DATE":
		if !years.MatchString(shown) && !monthsOnly(shown) {
			return "shows another date than a year, quarter or month"
		}
	case label == "AGE":
		if showsOver89(shown) {
			return "shows an age over 89, 45 CFR 164.514(b)(2)(i)(C)"
		}
	case label == "ZIP":
		if !zip3.MatchString(shown) || shown != "000" && (slices.Contains(fewPeople, shown) || slices.Contains(nobody(), shown)) {
			return "shows another ZIP code than three digits of more than 20,000 people, 45 CFR 164.514(b)(2)(i)(B)"
		}
	case label == "CITY":
		if !slices.Contains(states, strings.ToLower(shown)) {
			return "does not hold a state"
		}
	default:
		return "is generalized, but values of its label cannot be"
	}
	return ""
}

// Forms of generalized values.
var (
	oneYear = regexp.MustCompile(`^(?:1[89]|2[01])[0-9]{2}s?$`)
	years   = regexp.MustCompile(`^(?:1[89]|2[01])[0-9]{2}s?(?:[^\pL0-9]{1,3}(?:1[89]|2[01])[0-9]{2}s?)*$`)
	quarter = regexp.MustCompile(`^[qt][1-4]$`)
	zip3    = regexp.MustCompile(`^[0-9]{3}$`)
	word    = regexp.MustCompile(`[\pL0-9]+`)
)

// between are words that join months and years, or name a quarter.
var between = strings.Fields("to and or of a al y o de del à au et ou bis und oder quarter quartal trimestre trim")

// monthsOnly reports whether a text holds years with months or quarters, and no days: as many
// numbers from 1 to 12 as years at most, and none beside the name of a month.
func monthsOnly(shown string) bool {
	years, numbers, names := 0, 0, 0
	for _, w := range word.FindAllString(strings.ToLower(shown), -1) {
		n, err := strconv.Atoi(w)
		switch {
		case oneYear.MatchString(w):
			years++
		case err == nil && 1 <= n && n <= 12:
			numbers++
		case isMonth(w):
			names++
		case !quarter.MatchString(w) && !slices.Contains(between, w):
			return false
		}
	}
	return years > 0 && numbers <= years && (numbers == 0 || names == 0)
}

// monthNames are those of English, Spanish, French and German.
var monthNames = strings.Fields("january february march april may june july august september october november december " +
	"enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre " +
	"janvier février fevrier mars avril mai juin juillet août aout septembre octobre novembre décembre decembre " +
	"januar jänner februar märz maerz juni juli oktober dezember")

// isMonth reports whether a word in small letters is a month, or an abbreviation of at least
// three letters.
func isMonth(w string) bool {
	return len(w) >= 3 && slices.ContainsFunc(monthNames, func(name string) bool { return strings.HasPrefix(name, w) })
}

// ageNumber is a number with what follows it.
var ageNumber = regexp.MustCompile(`([0-9]+)(?:[.,][0-9]+)?\s*(\+)?[\s-]*(\pL*)`)

// unitsOfYear are how many of a unit make a year, by the first letters of the unit.
var unitsOfYear = []struct {
	words  []string
	toYear int
}{
	{[]string{"mo", "mes", "mois"}, 12},
	{[]string{"w", "sem", "woche"}, 52},
	{[]string{"d", "tag", "jour", "día"}, 365},
	{[]string{"h", "std", "stund"}, 365 * 24},
}

// over89 are words for ages over 89, as parts of words.
var over89 = []string{
	"ninety", "nineties", "nonagen", "centenar", "hundred", "noventa", "noventón", "nonagén", "cien ", "ciento",
	"neunzig", "hundert", "nonante", "vingt-dix", "vingt dix", "vingt-onze", "vingt-douze", "vingt-treize", "vingt-quatorze", "vingt-quinze", "vingt-seize",
}

// showsOver89 reports whether a text shows an age over 89, other than as "90+".
func showsOver89(shown string) bool {
	low := strings.ToLower(shown)
	if slices.ContainsFunc(over89, func(w string) bool { return strings.Contains(low+" ", w) }) {
		return true
	}
	for _, m := range ageNumber.FindAllStringSubmatch(low, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil || n > 89*perYear(m[3]) && !(n == 90 && m[2] == "+") {
			return true
		}
	}
	return false
}

// perYear is how many of a unit make a year, 1 for years and for other words.
func perYear(unit string) int {
	for _, u := range unitsOfYear {
		if unit != "" && slices.ContainsFunc(u.words, func(w string) bool { return strings.HasPrefix(unit, w) }) {
			return u.toYear
		}
	}
	return 1
}

// fewPeople are the three-digit ZIP codes in which at most 20,000 people lived in 2020.
var fewPeople = strings.Fields("036 059 102 202 203 204 205 369 556 692 753 772 821 823 878 879 884 893")

// nobody lists three-digit ZIP codes that belong to no place: armed forces, or not in use.
func nobody() []string {
	return strings.Fields("001 002 003 004 090 091 092 093 094 095 096 097 098 099 213 269 340 343 345 348 353 419 428 429 517 518 519 529 533 536 552 568 578 579 589 621 632 642 643 659 663 682 694 695 696 697 698 699 702 709 715 732 742 817 818 819 839 848 849 854 858 861 862 866 867 868 869 876 886 887 888 892 896 899 909 929 962 963 964 965 966 987")
}

// states are the states of the United States with their codes, and the communities of Spain.
var states = func() (out []string) {
	const us = "Alabama AL|Alaska AK|Arizona AZ|Arkansas AR|California CA|Colorado CO|Connecticut CT|Delaware DE|District of Columbia DC|Florida FL|Georgia GA|Hawaii HI|Idaho ID|Illinois IL|Indiana IN|Iowa IA|Kansas KS|Kentucky KY|Louisiana LA|Maine ME|Maryland MD|Massachusetts MA|Michigan MI|Minnesota MN|Mississippi MS|Missouri MO|Montana MT|Nebraska NE|Nevada NV|New Hampshire NH|New Jersey NJ|New Mexico NM|New York NY|North Carolina NC|North Dakota ND|Ohio OH|Oklahoma OK|Oregon OR|Pennsylvania PA|Puerto Rico PR|Rhode Island RI|South Carolina SC|South Dakota SD|Tennessee TN|Texas TX|Utah UT|Vermont VT|Virginia VA|Washington WA|West Virginia WV|Wisconsin WI|Wyoming WY|Guam GU|American Samoa AS|Virgin Islands VI|U.S. Virgin Islands VI|Northern Mariana Islands MP"
	for _, one := range strings.Split(strings.ToLower(us), "|") {
		code := one[strings.LastIndex(one, " ")+1:]
		out = append(out, strings.TrimSuffix(one, " "+code), code)
	}
	const spain = "Andalucía|Aragón|Asturias|Principado de Asturias|Baleares|Islas Baleares|Illes Balears|Canarias|Islas Canarias|Cantabria|Castilla y León|Castilla-La Mancha|Castilla La Mancha|Cataluña|Catalunya|Comunidad Valenciana|Comunitat Valenciana|Extremadura|Galicia|La Rioja|Madrid|Comunidad de Madrid|Murcia|Región de Murcia|Navarra|Comunidad Foral de Navarra|País Vasco|Euskadi|Ceuta|Melilla"
	return append(out, strings.Split(strings.ToLower(spain), "|")...)
}()
