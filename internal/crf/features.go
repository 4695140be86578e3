// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"fmt"
	"slices"
	"strings"
)

// Families is a set of feature families. Its bits are stored in models: do not
// reorder them.
type Families uint32

// The feature families; [FamilyTable] describes each. The first four are HIDE's
// (dissertation, section 4.4).
const (
	Regex Families = 1 << iota
	Affix
	Dictionary
	Context
	Fold
	Shape
	LongAffix
	Layout
	Pattern
	Term
	Class
	PHI
	Section
	Title
	List
	Member
	Elsewhere
	Known
	Run
	Consistency
	endOfFamilies
)

// The presets.
const (
	HIDE = Term | Regex | Affix | Dictionary | Context
	// Default leaves out families that a stronger one covers.
	Default = allFamilies &^ (Affix | Context | Consistency)
	// Thorough trains five models instead of one, and tags in two passes.
	Thorough = Default | Consistency
)

const allFamilies = endOfFamilies - 1

// presets are the presets by name, the default first.
var presets = []struct {
	name     string
	families Families
}{{"default", Default}, {"thorough", Thorough}, {"hide", HIDE}}

// Presets lists the names of the presets, the default first.
func Presets() []string {
	var names []string
	for _, p := range presets {
		names = append(names, p.name)
	}
	return names
}

// Preset returns the families of a preset; known is false for an unknown name.
func Preset(name string) (f Families, known bool) {
	for _, p := range presets {
		if p.name == name {
			return p.families, true
		}
	}
	return 0, false
}

// Family is one row of the table of feature families; all descriptions of families come
// from here.
type Family struct {
	Families          // its bit
	Name       string // on the command line, in results and on model cards
	About      string // description in one line
	Section    string // of the dissertation, "" for what it does not have
	extraction        // the implementation
}

// extraction is what a family adds to a token. Each part may be nil.
type extraction struct {
	own     func(x *extractor, w *word)                        // to x.attrs: features of a word by itself
	near    func(x *extractor, w *word, offset int)            // to x.attrs: its features for the token offset places before it
	reach   int                                                // the largest offset of near
	prepare func(x *extractor)                                 // once per document, after the words are known
	token   func(x *extractor, t int, bundles []int32) []int32 // bundles that are not a function of one word
}

// FamilyTable lists the feature families in the order in which they are applied.
func FamilyTable() []Family {
	return []Family{
		{Term, "term", "the word itself", "4.4", extraction{own: ownTerm}},
		{Regex, "regex", "the regular expressions of Table 4.3 that match the word", "4.4.1", extraction{own: ownExpressions}},
		{Affix, "affix", "prefixes and suffixes of one to three characters", "4.4.2", extraction{own: ownAffixes}},
		{Dictionary, "dictionary", "the longest phrase of each dictionary that covers the token", "4.4.3", extraction{}},
		{Context, "context", "four words on each side; how often the word occurs in the document, relative to its length", "4.4.4",
			extraction{near: nearContext, reach: reach, token: (*extractor).occurrences}},
		{Fold, "fold", "the word and its four neighbours on each side, in lower case; whether a word is within three", "",
			extraction{own: ownFold, near: nearFold, reach: reach}},
		{Shape, "shape", "the order of capitals, small letters and digits, alone and with two neighbours on each side; length", "",
			extraction{own: ownShape, near: nearShape, reach: 2, token: (*extractor).shapes}},
		{LongAffix, "long-affix", "affixes of two to five characters in lower case that leave at least two more", "", extraction{own: ownLongAffixes}},
		{Class, "class", "the kinds of characters in the word and in two neighbours on each side", "",
			extraction{own: ownClass, near: nearClass, reach: 2}},
		{Layout, "layout", "place in the line, and the words before the last colon", "",
			extraction{prepare: (*extractor).prepareLayout, token: (*extractor).place}},
		{Section, "section", "the nearest header line above, and place of the line in the document", "",
			extraction{prepare: (*extractor).prepareSections, token: (*extractor).section}},
		{Pattern, "pattern", "the run of tokens without a space: its shape, e-mail, URL, address, numeric date; digits of runs of numbers", "",
			extraction{prepare: (*extractor).preparePatterns, token: (*extractor).patterns}},
		{PHI, "phi", "dates with and without month names, times, ages and ages over 89, telephone, record and postal numbers", "",
			extraction{prepare: (*extractor).prepareIdentifiers, token: (*extractor).identifiers}},
		{Title, "title", "distance to a title before and to a credential after", "",
			extraction{prepare: (*extractor).prepareTitles, token: (*extractor).titles}},
		{List, "list", "the dictionaries of the program: names, places, titles, months, professions, everyday words and others in four languages", "", extraction{}},
		{Member, "member", "dictionaries that have the word as a whole phrase, with its capitals; those of the neighbours, and combinations", "",
			extraction{own: ownMember, near: nearMember, reach: 2, token: (*extractor).members}},
		{Elsewhere, "elsewhere", "how the word occurs elsewhere in the document: capitals, after titles and headers, beside names", "",
			extraction{prepare: (*extractor).prepareElsewhere, token: (*extractor).elsewhere}},
		{Run, "run", "the words before and after a run of capitalised words, or of tokens without a space that has a digit; words before a number", "",
			extraction{prepare: (*extractor).prepareRuns, token: (*extractor).runs}},
		{Consistency, "consistency", "probabilities by a first model for the same word elsewhere in the document and in the patient's other documents (second pass)", "", extraction{token: (*extractor).consistency}},
		{Known, "known", "identifiers of the patient from structured fields, whole and in parts", "",
			extraction{prepare: (*extractor).prepareKnown, token: (*extractor).known}},
	}
}

// Names lists the names of the families in f, in the table's order.
func (f Families) Names() []string {
	var names []string
	for _, row := range FamilyTable() {
		if f&row.Families != 0 {
			names = append(names, row.Name)
		}
	}
	return names
}

// String joins the names with commas.
func (f Families) String() string { return strings.Join(f.Names(), ",") }

// ParseFamilies reads comma-separated names of families.
func ParseFamilies(names string) (Families, error) {
	var f Families
	table := FamilyTable()
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(table, func(row Family) bool { return row.Name == strings.TrimSpace(name) })
		if i < 0 {
			return 0, fmt.Errorf("unknown feature family %q; families are %s", name, allFamilies)
		}
		f |= table[i].Families
	}
	return f, nil
}
