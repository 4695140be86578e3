// SPDX-License-Identifier: Apache-2.0

// Package rules finds sensitive spans with patterns and trigger words, before a model is
// trained.
//
//	found := rules.Find(text)                          // dates, telephone numbers, names ...
//	guide := rules.Learn(finished)                     // the project's label for each kind
//	suggestions := guide.Suggest(labels, found)        // under the project's labels
//
// A rule finds a [Kind] of text, such as a date, and knows no labels. [Learn] takes the
// label of each kind from finished notes: the most frequent label where the rule found
// something. A kind that is mostly wrong in a project is not suggested. Before a note is
// finished, common label names are used.
//
// The rules read tokens in one pass, in time linear in the text. They know months, titles
// and field names in English, Spanish, French and German, and the names and places of the
// built-in lists.
//
// # Caveats
//
// Rules miss names without a title, a field name or a list entry. Use them to help
// annotators, not to publish; [Guide.Recall] measures how much they find.
package rules

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
)

// rule tries to find something that starts at, or is announced by, token i.
type rule func(r *reader, i int) (Finding, bool)

// table has all rules, by the type of token that triggers them.
var table = struct{ atDigits, atLetters, atMarks []rule }{
	atDigits:  []rule{ipAddress, numericDate, dayMonth, phoneNumber, socialSecurity, usedNumber, numberedStreet, postalCode, ageBeforeWord},
	atLetters: []rule{webAddress, monthDay, weekday, titledName, listedName, listedPlace, fieldName, relation, signature, degreeName, announcedNumber, mixedNumber, announcedPhone, extension, hospital, street, addressField, ageAfterWord},
	atMarks:   []rule{mailAddress, phoneNumber},
}

// Find returns the findings in text order and without overlap. Of two overlapping findings
// it keeps the kind listed first, then the longer one.
func Find(text string) []Finding {
	r := newReader(text)
	var all []Finding
	for i := range r.tokens {
		for _, try := range r.rulesAt(i) {
			if f, ok := try(r, i); ok {
				all = append(all, f)
			}
		}
	}
	return withoutOverlaps(all, len(text))
}

func (r *reader) rulesAt(i int) []rule {
	switch c := r.word(i)[0]; {
	case c >= '0' && c <= '9':
		return table.atDigits
	case c == '@' || c == '(' || c == '+':
		return table.atMarks
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
		return table.atLetters
	}
	return nil
}

// withoutOverlaps drops findings that overlap a better one, and sorts the others by place.
func withoutOverlaps(all []Finding, size int) []Finding {
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(rank[a.Kind], rank[b.Kind]), cmp.Compare(b.End-b.Start, a.End-a.Start), cmp.Compare(a.Start, b.Start))
	})
	taken := make([]bool, size)
	kept := slices.DeleteFunc(all, func(f Finding) bool {
		place := taken[f.Start:f.End]
		if slices.Contains(place, true) {
			return true
		}
		for i := range place {
			place[i] = true
		}
		return false
	})
	slices.SortFunc(kept, func(a, b Finding) int { return cmp.Compare(a.Start, b.Start) })
	return kept
}

// rank is the position of a kind in the order of kinds.
var rank = func() map[Kind]int {
	r := map[Kind]int{}
	for i, k := range kinds {
		r[k] = i
	}
	return r
}()

// Kind is the type that a rule gives to a piece of text. Names are shown and stored: do not
// change them.
type Kind string

// The kinds; where two overlap, the first one is kept.
const (
	Email     Kind = "e-mail address"
	URL       Kind = "web address"
	IP        Kind = "network address"
	SSN       Kind = "social security number"
	Fax       Kind = "fax number"
	Phone     Kind = "telephone number"
	Date      Kind = "date"
	ShortDate Kind = "day and month" // in numbers, which may have another meaning
	Weekday   Kind = "day of the week"
	Record    Kind = "record number" // announced as the number of a patient's record
	Number    Kind = "other number"  // announced as another number of a person, or made of letters and digits
	Street    Kind = "street"
	ZIP       Kind = "postal code"
	Hospital  Kind = "hospital"
	Clinician Kind = "name after a clinician's title"
	Person    Kind = "name after a title or field"
	FullName  Kind = "first name from a list, and another"
	FirstName Kind = "first name from a list, alone"
	Country   Kind = "country from a list"
	State     Kind = "state from a list"
	Town      Kind = "town from a list"
	OldAge    Kind = "age over 89"
	Age       Kind = "age"
)

// kinds is every kind in the order above.
var kinds = []Kind{Email, URL, IP, SSN, Fax, Phone, Date, ShortDate, Weekday, Record, Number, Street, ZIP, Hospital, Clinician, Person, FullName, Country, State, Town, FirstName, OldAge, Age}

// usual lists common labels for each kind, the best first.
var usual = map[Kind][]annotate.Label{
	Email:     {"EMAIL", "EMAIL_ADDRESS", "MAIL", "CONTACT", "PHONE"},
	URL:       {"URL", "WEB", "CONTACT"},
	IP:        {"IPADDR", "IP_ADDRESS", "IP", "IPADDRESS"},
	SSN:       {"SSN", "US_SSN", "SOCIAL_SECURITY_NUMBER", "ID", "IDNUM"},
	Fax:       {"FAX", "FAX_NUMBER", "PHONE", "CONTACT"},
	Phone:     {"PHONE", "PHONE_NUMBER", "TELEPHONE", "CONTACT"},
	Date:      {"DATE", "DATE_TIME"},
	ShortDate: {"DATE", "DATE_TIME"},
	Weekday:   {"DATE", "DATE_TIME"},
	Record:    {"MEDICALRECORD", "MEDICAL_RECORD_NUMBER", "MRN", "ID", "IDNUM"},
	Number:    {"IDNUM", "ID"},
	Street:    {"STREET", "STREET_ADDRESS", "ADDRESS", "LOCATION"},
	ZIP:       {"ZIP", "ZIP_CODE", "ZIPCODE", "POSTCODE", "LOCATION"},
	Hospital:  {"HOSPITAL", "ORGANIZATION", "ORG", "LOCATION"},
	Clinician: {"DOCTOR", "PERSON", "NAME", "PER"},
	Person:    {"PATIENT", "PERSON", "NAME", "PER"},
	FullName:  {"PATIENT", "PERSON", "NAME", "PER"},
	FirstName: {"PATIENT", "PERSON", "NAME", "PER"},
	Country:   {"COUNTRY", "GPE", "LOCATION", "LOC"},
	State:     {"STATE", "GPE", "LOCATION", "LOC"},
	Town:      {"CITY", "GPE", "LOCATION", "LOC"},
	OldAge:    {"AGE"},
	Age:       {"AGE"},
}

// Finding is a piece of text and its kind.
type Finding struct {
	Start, End annotate.ByteOff
	Kind       Kind
}

// reader is a text cut into tokens, with the queries of the rules. Before the first and
// after the last token it answers as for an empty token.
type reader struct {
	text   string
	tokens []annotate.Token
	lower  []string
}

func newReader(text string) *reader {
	r := &reader{text: text, tokens: annotate.Tokenize(text)}
	r.lower = make([]string, len(r.tokens))
	for i, t := range r.tokens {
		r.lower[i] = strings.ToLower(text[t.Start:t.End])
	}
	return r
}

func (r *reader) has(i int) bool { return i >= 0 && i < len(r.tokens) }

func (r *reader) word(i int) string {
	if !r.has(i) {
		return ""
	}
	return r.text[r.tokens[i].Start:r.tokens[i].End]
}

// low is the word in lower case.
func (r *reader) low(i int) string {
	if !r.has(i) {
		return ""
	}
	return r.lower[i]
}

// glued reports whether token i directly follows the one before.
func (r *reader) glued(i int) bool {
	return r.has(i-1) && r.has(i) && r.tokens[i-1].End == r.tokens[i].Start
}

// closeBy reports whether token i is on the line of the one before, at most two characters
// away.
func (r *reader) closeBy(i int) bool {
	if !r.has(i-1) || !r.has(i) {
		return false
	}
	gap := r.text[r.tokens[i-1].End:r.tokens[i].Start]
	return len(gap) <= 2 && !strings.ContainsAny(gap, "\n\r")
}

// sameLine reports whether no line ends between token i and the one before.
func (r *reader) sameLine(i int) bool {
	return r.has(i-1) && r.has(i) && !strings.ContainsAny(r.text[r.tokens[i-1].End:r.tokens[i].Start], "\n\r")
}

// digits is the number of digits of token i if it has only digits, otherwise 0.
func (r *reader) digits(i int) int {
	w := r.word(i)
	for k := range len(w) {
		if w[k] < '0' || w[k] > '9' {
			return 0
		}
	}
	return len(w)
}

// number is the value of a token of at most four digits, otherwise -1.
func (r *reader) number(i int) int {
	if n := r.digits(i); n == 0 || n > 4 {
		return -1
	}
	v := 0
	for _, c := range r.word(i) {
		v = 10*v + int(c-'0')
	}
	return v
}

// capital reports whether token i begins with an upper-case letter.
func (r *reader) capital(i int) bool {
	first, _ := utf8.DecodeRuneInString(r.word(i))
	return unicode.IsUpper(first)
}

// letters reports whether token i has only letters.
func (r *reader) letters(i int) bool {
	w := r.word(i)
	return w != "" && !strings.ContainsFunc(w, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsMark(c) })
}

// finding covers tokens [from, to).
func (r *reader) finding(from, to int, kind Kind) (Finding, bool) {
	return Finding{r.tokens[from].Start, r.tokens[to-1].End, kind}, true
}

func nothing() (Finding, bool) { return Finding{}, false }
