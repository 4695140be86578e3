// SPDX-License-Identifier: Apache-2.0

// Package known finds the identities that structured data gives of people in the text of
// their notes: names, numbers, dates and addresses in the forms in which people write them.
//
//	for _, m := range known.Find(note.Text, note.Identities) {
//		fmt.Println(m.Span, m.How, note.Identities[m.Identity].From)
//	}
//
// A name is found whole in any order, with initials, and each part of three letters or more
// by itself, also with one wrong letter if the part has six or more. A number is found in any
// punctuation and without leading zeros, a telephone number also without its area. A date is
// found in any form that gives at least a month, and if day and month could be exchanged, in
// both. A street is found with its words abbreviated or not, and without its number or its
// apartment. Everything else is found as it is written, ignoring case, accents and
// punctuation.
//
// [New] makes an index of identities once, and [Index.Find] reads a text in time linear in
// its length, whatever the number of identities.
//
// # Caveats
//
// A common word, such as May or Brown, is found only where it begins with a capital letter.
// So is a name with a wrong letter. Initials alone, years alone, numbers of less than four
// characters and four-digit numbers that look like years are not found.
package known

import (
	"cmp"
	"slices"

	"hide/internal/annotate"
)

// How says in which form an identity was found.
type How string

// The forms, the most certain first.
const (
	Exact  How = "exact"     // the whole value, ignoring case, accents and punctuation
	Date   How = "date"      // the same day in some form
	Number How = "number"    // the same characters in some punctuation
	Part   How = "name part" // a part of a name or address, or with initials
	Typo   How = "typo"      // with one letter wrong, missing, added or exchanged
)

var rank = map[How]int{Exact: 0, Date: 1, Number: 2, Part: 3, Typo: 4}

// Match is a place where an identity was found. Its span begins and ends with whole words
// and has the label of the identity.
type Match struct {
	Span     annotate.Span
	Identity int // its index
	How      How
}

// Index holds identities for [Index.Find]. It never changes and can be shared.
type Index struct {
	labels  []annotate.Label // by identity
	words   vocabulary
	phrases trie
	numbers numbers
	dates   map[day]int32 // identity
	months  map[int32]int // by word
}

// New makes an index of identities. It ignores those that no text can be compared with, such
// as empty values.
func New(identities []annotate.Identity) *Index {
	x := &Index{words: newVocabulary(), phrases: newTrie(), numbers: newNumbers(), dates: map[day]int32{}}
	for i, one := range identities {
		x.labels = append(x.labels, one.Label)
		x.add(int32(i), one)
	}
	x.addMonths()
	x.words.prepareTypos()
	return x
}

// kind is how the values of a label are compared.
type kind byte

const (
	phrase kind = iota
	name
	number
	phone
	postal
	date
	street
	literal // an address of a computer or account, in any case
)

var kinds = map[annotate.Label]kind{
	"PATIENT": name, "DOCTOR": name,
	"DATE": date, "STREET": street, "PHONE": phone, "FAX": phone, "ZIP": postal,
	"SSN": number, "MEDICALRECORD": number, "HEALTHPLAN": number, "ACCOUNT": number, "LICENSE": number,
	"VEHICLE": number, "DEVICE": number, "BIOID": number, "IDNUM": number,
	"EMAIL": literal, "URL": literal, "IPADDR": literal, "USERNAME": literal, "PROFESSION": literal,
}

func (x *Index) add(i int32, one annotate.Identity) {
	switch k := kinds[one.Label]; k {
	case name:
		x.addName(i, one.Value)
	case street:
		x.addStreet(i, one.Value)
	case date:
		x.addDate(i, one.Value)
	case number, phone, postal:
		if !x.addNumber(i, one.Value, k) {
			x.addPhrase(i, one.Value, false)
		}
	default:
		x.addPhrase(i, one.Value, k == literal)
	}
}

// Find finds identities in a text. See [Index.Find].
func Find(text string, identities []annotate.Identity) []Match {
	if len(identities) == 0 {
		return nil
	}
	return New(identities).Find(text)
}

// Find returns the places where identities stand in text, in order and without overlap. Of
// overlapping forms it returns the longest, and of the others what no longer one covers:
// every word that some form covers is in a match.
func (x *Index) Find(text string) []Match { return x.FindIn(text, annotate.Tokenize(text)) }

// FindIn is [Index.Find] in a text that is cut into tokens already.
func (x *Index) FindIn(text string, tokens []annotate.Token) []Match {
	if len(x.labels) == 0 {
		return nil
	}
	r := x.read(text, tokens)
	for at := range r.words {
		r.phrasesAt(at)
		r.numbersAt(at)
		r.datesAt(at)
	}
	return r.resolve()
}

// found is a form that was found in words [from, to).
type found struct {
	from, to int
	identity int32
	how      How
}

// resolve makes matches of what was found, without overlap.
func (r *reader) resolve() []Match {
	slices.SortFunc(r.all, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.to-b.from, a.to-a.from), cmp.Compare(rank[a.how], rank[b.how]), cmp.Compare(a.from, b.from), cmp.Compare(a.identity, b.identity))
	})
	taken := make([]bool, len(r.words))
	var out []Match
	var rest []found
	for _, f := range r.all {
		if slices.Contains(taken[f.from:f.to], true) {
			rest = append(rest, f)
			continue
		}
		out = append(out, r.take(taken, f.from, f.to, f))
	}
	for _, f := range rest {
		for at := f.from; at < f.to; at++ {
			from := at
			for at < f.to && !taken[at] {
				at++
			}
			if at > from {
				out = append(out, r.take(taken, from, at, f))
			}
		}
	}
	slices.SortFunc(out, func(a, b Match) int { return annotate.CompareSpans(a.Span, b.Span) })
	return out
}

// take makes words [from, to) a match.
func (r *reader) take(taken []bool, from, to int, f found) Match {
	for at := from; at < to; at++ {
		taken[at] = true
	}
	span := annotate.Span{Start: r.words[from].start, End: r.words[to-1].end, Label: r.index.labels[f.identity]}
	return Match{span, int(f.identity), f.how}
}
