// SPDX-License-Identifier: Apache-2.0

// Package compare cleans and compares the values of records that may describe one person.
//
//	a := compare.Given.Clean("Mr. Robert")       // "robert"
//	b := compare.Given.Clean("BOB")              // "bob"
//	c := compare.Given.NewComparer()
//	level := c.Level(a, b)                       // 1
//	compare.Given.Levels()[level]                // "nickname"
//
// A Kind says what the values of a field are. Its levels of agreement are those of
// probabilistic record linkage: Fellegi and Sunter, A theory for record linkage, 1969, section
// 2; Winkler, String comparator metrics, 1990. The weights of levels are estimated elsewhere.
package compare

import "slices"

// Kind is what the values of a field are.
type Kind string

// Kinds. A configuration file has them as written here.
const (
	Given        Kind = "given name"
	Middle       Kind = "middle name"
	Surname      Kind = "surname"
	FullName     Kind = "full name"
	BirthDate    Kind = "birth date"
	BirthYear    Kind = "birth year" // beside BirthMonth and BirthDay, or alone
	BirthMonth   Kind = "birth month"
	BirthDay     Kind = "birth day"
	Sex          Kind = "sex"
	Identifier   Kind = "identifier" // a social security, insurance or record number
	Phone        Kind = "phone"
	Email        Kind = "email"
	StreetNumber Kind = "street number"
	Street       Kind = "street" // with or without its number
	Place        Kind = "place"
	Postcode     Kind = "postcode"
	State        Kind = "state"
	Code         Kind = "code" // a short number or code
	Text         Kind = "text"
	Number       Kind = "number"
)

// Comparer compares values of one kind. It holds buffers: each goroutine has its own.
type Comparer interface {
	// Level is the index in Levels of the best level that two values reach. The values are
	// cleaned and not missing. Level is symmetric and does not allocate.
	Level(a, b string) int
}

// kind is all that differs between kinds.
type kind struct {
	name     Kind
	levels   []string
	frequent bool // see TermFrequency
	clean    func(raw string, r Reading) string
	comparer func() Comparer
}

// Names of levels that several kinds have.
const (
	equal     = "equal"
	oneEdit   = "one edit"
	twoEdits  = "two edits"
	partly    = "part or initial"
	otherForm = "other order or part"
	close92   = "Jaro-Winkler at least 0.92"
	close80   = "Jaro-Winkler at least 0.8"
	different = "else"
)

var (
	givenLevels = []string{equal, "nickname", partly, close92, close80, different}
	codeLevels  = []string{equal, oneEdit, different}
)

var kinds = []kind{
	{Given, givenLevels, true, cleanName, func() Comparer { return newGivenComparer() }},
	{Middle, givenLevels, true, cleanName, func() Comparer { return newGivenComparer() }},
	{Surname, []string{equal, partly, close92, close80, different}, true, cleanName, func() Comparer { return &wordsComparer{} }},
	{FullName, fullNameLevels, true, cleanFullName, func() Comparer { return newFullNameComparer() }},
	{BirthDate, dateLevels, true, cleanDate, func() Comparer { return dateComparer{} }},
	{BirthYear, codeLevels, true, cleanCode, newCodeComparer},
	{BirthMonth, codeLevels, true, cleanCode, newCodeComparer},
	{BirthDay, codeLevels, true, cleanCode, newCodeComparer},
	{Sex, []string{equal, different}, false, cleanSex, func() Comparer { return equalComparer{} }},
	{Identifier, []string{equal, oneEdit, twoEdits, different}, true, cleanIdentifier, func() Comparer { return &identifierComparer{} }},
	{Phone, []string{equal, "other prefix", oneEdit, different}, true, cleanPhone, func() Comparer { return &phoneComparer{} }},
	{Email, emailLevels, true, cleanEmail, func() Comparer { return &emailComparer{} }},
	{StreetNumber, codeLevels, false, cleanStreetNumber, newCodeComparer},
	{Street, []string{equal, otherForm, close92, close80, different}, true, cleanStreet, func() Comparer { return &wordsComparer{} }},
	{Place, []string{equal, otherForm, close92, close80, different}, true, cleanPlace, func() Comparer { return &wordsComparer{} }},
	{Postcode, []string{equal, oneEdit, "same first half", different}, true, cleanPostcode, func() Comparer { return &postcodeComparer{} }},
	{State, codeLevels, true, cleanState, newCodeComparer},
	{Code, codeLevels, true, cleanCode, newCodeComparer},
	{Text, []string{equal, otherForm, close92, close80, different}, true, cleanText, func() Comparer { return &wordsComparer{} }},
	{Number, []string{equal, "within 1", "within 10 %", different}, false, cleanNumber, func() Comparer { return numberComparer{} }},
}

// of is the entry of a kind. Values of an unknown kind are texts.
func (k Kind) of() kind {
	i := slices.IndexFunc(kinds, func(e kind) bool { return e.name == k })
	if i < 0 {
		return Text.of()
	}
	return kinds[i]
}

// Kinds lists the kinds.
func Kinds() []Kind {
	names := make([]Kind, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// Known reports whether there is such a kind. An unknown one behaves as Text.
func (k Kind) Known() bool { return k.of().name == k }

// Clean is the comparable form of a value: without case, accents, punctuation, titles and
// spellings that mean the same. A missing value is "", as are "unknown", "n/a" and what stands
// for them in a kind: 9999-12-31 of dates, 000-00-0000 of identifiers.
func (k Kind) Clean(raw string) string { return k.CleanAs(raw, Reading{}) }

// CleanAs is Clean with what a column shows of the way that it writes its values.
func (k Kind) CleanAs(raw string, r Reading) string { return k.of().clean(raw, r) }

// Levels are the names of the levels of agreement, best first. The last is "else". Values are
// equal exactly at the first level, except birth dates without a day or month.
func (k Kind) Levels() []string { return slices.Clone(k.of().levels) }

// NewComparer makes a comparer for one goroutine.
func (k Kind) NewComparer() Comparer { return k.of().comparer() }

// TermFrequency reports whether agreement on a rare value says more than agreement on a common
// one. In most kinds it does: Zyblikiewicz against Smith, or a number that a clinic writes for
// everyone without a telephone.
func (k Kind) TermFrequency() bool { return k.of().frequent }
