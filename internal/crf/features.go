// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
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
	Classes
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
	own     func(x *extractor, w *word)                   // to x.attrs: features of a word by itself
	near    func(x *extractor, w *word, heads []string)   // to x.attrs: its features for a token beside it, under these heads
	heads   heads                                         // of the names, by offset
	reach   int                                           // the largest offset of near
	prepare func(x *extractor)                            // once per document, whatever the model
	token   func(x *extractor, t int, to []int32) []int32 // appends its features that are not a function of one word
}

// FamilyTable lists the feature families in the order in which they are applied.
func FamilyTable() []Family {
	return []Family{
		{Term, "term", "the word itself", "4.4", extraction{own: ownTerm}},
		{Regex, "regex", "the regular expressions of Table 4.3 that match the word", "4.4.1", extraction{own: ownExpressions}},
		{Affix, "affix", "prefixes and suffixes of one to three characters", "4.4.2", extraction{own: ownAffixes}},
		{Dictionary, "dictionary", "the longest phrase of each dictionary that covers the token", "4.4.3", extraction{}},
		{Context, "context", "four words on each side; how often the word occurs in the document, relative to its length", "4.4.4",
			extraction{near: nearContext, heads: headsOf(contextHeads), reach: reach, prepare: (*extractor).prepareShares, token: (*extractor).occurrences}},
		{Fold, "fold", "the word and its four neighbours on each side, in lower case; whether a word is within three", "",
			extraction{own: ownFold, near: nearFold, heads: headsOf(foldHeads), reach: reach}},
		{Shape, "shape", "the order of capitals, small letters and digits, alone and with two neighbours on each side; length", "",
			extraction{own: ownShape, near: nearShape, heads: headsOf(headAt("s")), reach: 2, token: (*extractor).shapes}},
		{LongAffix, "long-affix", "affixes of two to five characters in lower case that leave at least two more", "", extraction{own: ownLongAffixes}},
		{Class, "class", "the kinds of characters in the word and in two neighbours on each side", "",
			extraction{own: ownClass, near: nearClass, heads: headsOf(headAt("k")), reach: 2}},
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
			extraction{own: ownMember, near: nearMember, heads: headsOf(headAt("m")), reach: 2, token: (*extractor).members}},
		{Classes, "classes", "classes of words that are used alike, of the word and two neighbours on each side: coarse, fine and finest", "",
			extraction{own: ownClasses, near: nearClasses, heads: headsOf(headAt("c")), reach: 2}},
		{Elsewhere, "elsewhere", "how the word occurs elsewhere in the document: capitals, after titles and headers, beside names", "",
			extraction{prepare: (*extractor).prepareElsewhere, token: (*extractor).elsewhere}},
		{Run, "run", "the words before and after a run of capitalised words, or of tokens without a space that has a digit; words before a number", "",
			extraction{prepare: (*extractor).prepareRuns, token: (*extractor).runs}},
		{Consistency, "consistency", "probabilities by a first model for the same word elsewhere in the document and in the patient's other documents (second pass)", "", extraction{token: (*extractor).consistency}},
		{Known, "known", "identifiers from structured fields, whole and in parts; identities of the people in the note in any form, and their labels", "",
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

// restTokens is the number of tokens between two checks for cancellation.
const restTokens = 1 << 10

func (x *extractor) stops() bool { return x.stopped != nil && x.stopped() }

// extract calls yield with each token's bundles in order. The slice is reused.
func (x *extractor) extract(d sequence, yield func(t int, bundles []int32)) {
	x.read(d)
	x.list(d)
	x.grow()
	var bundles []int32
	for t := range d.words {
		if t%restTokens == 0 && x.stops() {
			return
		}
		bundles = x.token(t, bundles[:0])
		yield(t, bundles)
	}
}

// read makes d the reader's document and sees what the families need.
func (x *extractor) read(d sequence) {
	if !x.recall(d) {
		x.begin(d, x.stops)
	}
	for _, f := range x.active {
		if f.prepare != nil && x.doc.done&f.Families == 0 && !x.stops() {
			f.prepare(x)
			x.doc.done |= f.Families
		}
	}
}

// list lists the features of each token, unless another extractor has done it. Those of
// a first pass depend on the model.
func (x *extractor) list(d sequence) {
	s := x.doc
	if s.heard = d.firstPass; s.listed == x.families && !x.has(Consistency) {
		return
	}
	s.listed = 0
	x.fresh.begin(x.families, x.keys.Len())
	x.listing = x.knower != nil
	defer func() { x.listing = false }()
	s.features.start, s.features.items = append(s.features.start[:0], 0), s.features.items[:0]
	for t := range d.words {
		if t%restTokens == 0 && x.stops() {
			return
		}
		s.features.items = x.features(t, s.features.items)
		s.features.end()
	}
	s.listed = x.families
}

// features appends the features of a token that are not a function of one word.
func (x *extractor) features(t int, to []int32) []int32 {
	if x.gazette != nil {
		to = keep(to, x.matched(t))
	}
	for _, f := range x.tokens {
		to = f(x, t, to)
	}
	return to
}

// wordAt is the word of token t, which may be outside the document.
func (r *reader) wordAt(t int) int32 {
	if t < 0 || t >= len(r.doc.ids) {
		return edgeWord
	}
	return r.doc.ids[t]
}

// infoAt is the information about the word of token t, which may be outside.
func (r *reader) infoAt(t int) *word { return &r.infos[r.wordAt(t)] }

func (x *extractor) token(t int, to []int32) []int32 {
	ids := x.doc.ids
	to = keep(to, x.slot(ids[t], 0))
	for offset := -x.reach; offset <= x.reach; offset++ {
		at, word := t+offset, int32(edgeWord)
		switch {
		case offset == 0:
			continue
		case at >= 0 && at < len(ids):
			word = ids[at]
		case offset != -1 && offset != 1:
			continue
		}
		to = keep(to, x.slot(word, offset))
	}
	for _, feature := range x.doc.features.row(t) {
		bundle := x.bundles[feature]
		if bundle == unset {
			x.complete(t, feature)
			bundle = x.bundles[feature]
		}
		to = keep(to, bundle)
	}
	return to
}

func keep(to []int32, bundle int32) []int32 {
	if bundle < 0 {
		return to
	}
	return append(to, bundle)
}

// prepareShares counts how often each word occurs.
func (x *extractor) prepareShares() {
	s := x.doc
	for len(x.tally) < len(x.infos) {
		x.tally = append(x.tally, 0)
	}
	for _, id := range s.ids {
		x.tally[id]++
	}
	s.counts = s.counts[:0]
	for _, id := range s.ids {
		s.counts = append(s.counts, x.tally[id])
	}
	for _, id := range s.ids {
		x.tally[id] = 0
	}
}

// occurrences is the word's share of the document.
func (x *extractor) occurrences(t int, to []int32) []int32 {
	count, size := x.doc.counts[t], len(x.doc.ids)
	return keep(to, x.keyed(bundleKey{countBundle, count, int32(size), 0}, func(a *attributes) {
		a.addValue(float64(count)/float64(size), "TERMOCCNUM")
	}))
}

// shapes is the word's shape with those of its neighbours.
func (x *extractor) shapes(t int, to []int32) []int32 {
	before, own, after := x.infoAt(t-1), x.infoAt(t), x.infoAt(t+1)
	return keep(to, x.keyed(bundleKey{shapesBundle, before.shapeID, own.shapeID, after.shapeID}, func(a *attributes) {
		a.add("s-0=", before.shape, "|", own.shape)
		a.add("s0+=", own.shape, "|", after.shape)
		a.add("s-0+=", before.shape, "|", own.shape, "|", after.shape)
	}))
}

func ownTerm(x *extractor, w *word) { x.attrs.add("TERM_", w.text) }

func ownExpressions(x *extractor, w *word) {
	for _, name := range expressions(w.text) {
		x.attrs.add(name)
	}
}

func ownAffixes(x *extractor, w *word) { affixes(&x.attrs, "PRE", "SUF", w.text, 1, 3) }

func ownFold(x *extractor, w *word) { x.attrs.add("l=", w.lower) }

func ownShape(x *extractor, w *word) {
	x.attrs.add("s=", w.shape)
	x.attrs.add("ss=", collapse(w.shape))
	x.attrs.add("n=", bucket(len([]rune(w.text)), 1, 2, 3, 4, 6, 8, 12, 20))
}

// ownLongAffixes leaves at least two letters of the word: an affix that is nearly the
// whole word adds nothing to the word.
func ownLongAffixes(x *extractor, w *word) {
	affixes(&x.attrs, "p", "q", w.lower, 2, min(5, utf8.RuneCountInString(w.lower)-2))
}

func signed(offset int) string {
	if offset > 0 {
		return "+" + strconv.Itoa(offset)
	}
	return strconv.Itoa(offset)
}

// bucket names the range of n: the largest bound not above it.
func bucket(n int, bounds ...int) string {
	name := 0
	for _, b := range bounds {
		if n >= b {
			name = b
		}
	}
	return strconv.Itoa(name)
}
