// SPDX-License-Identifier: Apache-2.0

package personname

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"hide/internal/annotate/dictionary"
)

//go:embed lists/female.txt
var femaleNames string

//go:embed lists/male.txt
var maleNames string

//go:embed lists/either.txt
var eitherNames string

//go:embed lists/spanish_given.txt
var spanishGivenNames string

//go:embed lists/french_given.txt
var frenchGivenNames string

//go:embed lists/nicknames.txt
var nicknameLines string

//go:embed lists/spanish.txt
var spanishNames string

// lexicon holds the lists that names are read with. All keys are folded.
type lexicon struct {
	given, surnames, titles, credentials, particles map[string]bool
	spanish                                         map[string]bool // Spanish family names
	spanishGiven                                    map[string]bool // given names of people with two family names
	frenchGiven                                     map[string]bool // given names of men behind "M."
	gender                                          map[string]Gender
	short                                           map[string][]string // a given name's short forms as written
	full                                            map[string][]string // the given names of a short form
}

var lists = sync.OnceValue(func() *lexicon {
	l := &lexicon{
		given: termSet("given"), surnames: termSet("surnames"), titles: termSet("titles"),
		credentials: termSet("credentials"), particles: termSet("particles"),
		spanish: map[string]bool{}, spanishGiven: map[string]bool{}, frenchGiven: map[string]bool{}, gender: map[string]Gender{}, short: map[string][]string{}, full: map[string][]string{},
	}
	for title := range titleGenders {
		l.titles[title] = true
	}
	l.addGendered(femaleNames, Female)
	l.addGendered(maleNames, Male)
	l.addGendered(eitherNames, Unknown)
	for _, name := range listed(spanishNames) {
		l.surnames[name], l.spanish[name] = true, true
	}
	for _, name := range listed(spanishGivenNames) {
		l.spanishGiven[name] = true
	}
	for _, name := range listed(frenchGivenNames) {
		l.given[name], l.frenchGiven[name] = true, true
	}
	l.addNicknames()
	return l
})

// addNicknames adds the given names with short forms, and their short forms.
func (l *lexicon) addNicknames() {
	for _, line := range listLines(nicknameLines) {
		name := foldWord(line[0])
		l.given[name] = true
		l.short[name] = line[1:]
		for _, s := range line[1:] {
			s = foldWord(s)
			l.full[s] = append(l.full[s], name)
			l.given[s] = true
		}
	}
}

func termSet(name string) map[string]bool {
	set := map[string]bool{}
	for _, term := range dictionary.Terms(name) {
		set[foldWord(term)] = true
	}
	return set
}

// listLines are the words of each line that is not a remark.
func listLines(text string) [][]string {
	var lines [][]string
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
			lines = append(lines, words)
		}
	}
	return lines
}

// listed are the folded names of a list.
func listed(text string) []string {
	var names []string
	for _, line := range listLines(text) {
		for _, name := range line {
			names = append(names, foldWord(name))
		}
	}
	return names
}

// addGendered adds the names of a list.
func (l *lexicon) addGendered(text string, g Gender) {
	for _, name := range listed(text) {
		l.given[name], l.gender[name] = true, g
	}
}

// Nicknames are the short and pet forms of a given name, the commonest first.
func Nicknames(given string) []string {
	return append([]string(nil), lists().short[foldWord(given)]...)
}

// ShortForms are the given names that have short and pet forms, each followed by its forms,
// sorted and without accents.
func ShortForms() [][]string {
	short := lists().short
	var all [][]string
	for _, name := range slices.Sorted(maps.Keys(short)) {
		forms := []string{name}
		for _, s := range short[name] {
			forms = append(forms, foldWord(s))
		}
		all = append(all, forms)
	}
	return all
}

// abbreviations are short forms that are written and never spoken. Those that are false are
// names too, and abbreviations only with a dot.
var abbreviations = map[string]bool{"wm": true, "chas": true, "jas": true, "fco": true, "ma": true, "geo": false, "jos": false, "thom": false}

// titleGenders has the titles that show a gender.
var titleGenders = map[string]Gender{
	"mrs": Female, "ms": Female, "miss": Female, "mme": Female, "mmes": Female, "mlle": Female, "mlles": Female,
	"madame": Female, "mademoiselle": Female, "madam": Female, "lady": Female, "sister": Female, "sra": Female,
	"srta": Female, "senora": Female, "senorita": Female, "dona": Female, "dna": Female, "da": Female, "frau": Female,
	"frl": Female, "fraulein": Female, "signora": Female, "signorina": Female, "doctora": Female, "dra": Female,
	"docteure": Female, "profesora": Female, "professeure": Female, "enfermera": Female, "infirmiere": Female,
	"schwester": Female, "soeur": Female, "senhora": Female, "mevrouw": Female, "oberarztin": Female, "chefarztin": Female,
	"m": Male, "d": Male, "mr": Male, "mister": Male, "sr": Male, "senor": Male, "don": Male, "monsieur": Male, "herr": Male, "herrn": Male,
	"hr": Male, "sir": Male, "lord": Male, "father": Male, "brother": Male, "fray": Male, "signor": Male, "senhor": Male,
	"meneer": Male, "dhr": Male, "pfleger": Male, "enfermero": Male, "infirmier": Male, "padre": Male,
}

// otherTitles has the title of the other gender for those that have one, in lower case.
var otherTitles = map[string]string{
	"m": "mme", "d": "dña", "mr": "ms", "mister": "miss", "mrs": "mr", "ms": "mr", "miss": "mr", "mme": "m", "mlle": "m", "madame": "monsieur",
	"mademoiselle": "monsieur", "madam": "sir", "sir": "madam", "monsieur": "madame", "lord": "lady", "lady": "lord",
	"sister": "brother", "brother": "sister", "sr": "sra", "sra": "sr", "srta": "sr", "señor": "señora", "senor": "senora",
	"señora": "señor", "senora": "senor", "señorita": "señor", "senorita": "senor", "don": "doña", "doña": "don", "dona": "don",
	"dña": "don", "dª": "d", "frau": "herr", "fräulein": "herr", "herr": "frau", "herrn": "frau", "hr": "fr", "signor": "signora",
	"signora": "signor", "senhor": "senhora", "senhora": "senhor", "doctora": "doctor", "dra": "dr", "docteure": "docteur",
	"profesora": "profesor", "profesor": "profesora", "enfermera": "enfermero", "enfermero": "enfermera",
	"infirmière": "infirmier", "infirmier": "infirmière", "schwester": "pfleger", "pfleger": "schwester",
	"oberärztin": "oberarzt", "chefärztin": "chefarzt", "mevrouw": "meneer", "meneer": "mevrouw",
}

// givenTitles stand in front of a given name, as other titles stand in front of a family name.
var givenTitles = map[string]bool{
	"don": true, "dona": true, "dna": true, "da": true, "sister": true, "brother": true, "fray": true, "sor": true,
	"father": true, "padre": true, "schwester": true, "soeur": true,
}

// articles stand in front of a title: "El Sr. García", "the patient Ann".
var articles = map[string]bool{"the": true, "el": true, "la": true, "los": true, "las": true, "le": true, "les": true, "l": true,
	"der": true, "die": true, "dem": true, "den": true, "des": true}

// roleWords are words for patients and doctors that stand in front of a name as titles do.
var roleWords = map[string]bool{"patient": true, "patiente": true, "patientin": true, "patienten": true, "paciente": true,
	"arzt": true, "arztin": true}

// titleParts follow a title: "Prof. Dr. med.".
var titleParts = map[string]bool{"med": true, "dent": true, "habil": true, "rer": true, "nat": true, "phil": true}

// kinGenders has the words for relatives and others beside a patient, and the gender that
// they show.
var kinGenders = map[string]Gender{
	"wife": Female, "mother": Female, "mom": Female, "mum": Female, "daughter": Female, "sister": Female, "aunt": Female,
	"niece": Female, "grandmother": Female, "granddaughter": Female, "girlfriend": Female, "madre": Female, "esposa": Female,
	"mujer": Female, "hija": Female, "hermana": Female, "tia": Female, "abuela": Female, "nieta": Female, "sobrina": Female,
	"mutter": Female, "ehefrau": Female, "tochter": Female, "schwester": Female, "tante": Female, "grossmutter": Female,
	"nichte": Female, "enkelin": Female, "mere": Female, "epouse": Female, "femme": Female, "fille": Female, "soeur": Female,
	"cousine": Female, "husband": Male, "father": Male, "dtr": Female, "dad": Male, "son": Male, "brother": Male,
	"uncle": Male, "nephew": Male, "grandfather": Male, "grandson": Male, "boyfriend": Male, "padre": Male, "esposo": Male,
	"marido": Male, "hijo": Male, "hermano": Male, "tio": Male, "abuelo": Male, "nieto": Male, "sobrino": Male, "vater": Male,
	"ehemann": Male, "sohn": Male, "bruder": Male, "onkel": Male, "grossvater": Male, "neffe": Male, "enkel": Male, "pere": Male,
	"lebensgefahrte": Male, "lebensgefahrtin": Female, "nachbar": Male, "nachbarin": Female, "suegra": Female, "suegro": Male,
	"cunada": Female, "cunado": Male, "prima": Female, "primo": Male, "stepmother": Female, "stepfather": Male, "nuera": Female, "yerno": Male,
	"spouse": Unknown, "partner": Unknown, "parent": Unknown, "sibling": Unknown, "cousin": Unknown, "friend": Unknown,
	"caregiver": Unknown, "guardian": Unknown, "kin": Unknown, "proxy": Unknown, "pareja": Unknown, "conyuge": Unknown,
	"conjoint": Unknown, "conjointe": Female, "neighbor": Unknown, "neighbour": Unknown, "roommate": Unknown, "fiance": Unknown, "fiancee": Female,
	"epoux": Male, "mari": Male, "fils": Male, "frere": Male, "oncle": Male,
}

// suffixes are generations.
var suffixes = map[string]bool{"jr": true, "jnr": true, "junior": true, "sr": true, "snr": true, "senior": true, "ii": true, "iii": true, "iv": true}

// sureCredentials are credentials even behind dots and a single name: "Smith, M.D.".
var sureCredentials = map[string]bool{"md": true, "phd": true, "rn": true, "np": true, "lpn": true, "pharmd": true, "mph": true}

// connectors end the first of two names: "John and Mary Smith", "Mary Smith née Jones".
var connectors = map[string]bool{"and": true, "und": true, "et": true, "with": true, "or": true, "his": true, "her": true, "wife": true, "husband": true,
	"nee": true, "geb": true, "geborene": true, "nacida": true}
