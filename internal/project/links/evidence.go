// SPDX-License-Identifier: Apache-2.0

package links

import (
	"cmp"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/publish/personname"
)

// evidence is what the notes of a record say of its patient.
type evidence struct {
	key    string
	docs   []annotate.DocumentID
	keyed  bool
	number uint64 // of the record
	like   uint64 // number of the equal record that it is compared as, 0 for none
	values [fieldCount][]*gathered
	index  map[fieldValue]*gathered // of fields with [manyValues] or more

	columns []columnValue // structured fields, until it is known what they are
	names   []nameMention // names in notes that may be the patient's
	cells   cells
}

// gathered is a value with where it was found.
type gathered struct {
	text, clean string
	from        Origin
	docs        []annotate.DocumentID // ascending, each once
	count       int
}

// fieldValue is a cleaned value of a field.
type fieldValue struct {
	field field
	clean string
}

// columnValue is a value of a structured field.
type columnValue struct {
	column string
	text   string
	doc    annotate.DocumentID
}

// nameMention is a name in a note.
type nameMention struct {
	personname.Mention
	from Origin
	doc  annotate.DocumentID
}

// origins lists them, the most certain first.
var origins = []Origin{FromFields, FromIdentity, FromPeople, FromModel, FromRules, FromKnown}

// rank orders origins, the most certain first.
var rank = map[Origin]int{FromFields: 0, FromIdentity: 0, FromPeople: 1, FromModel: 2, FromRules: 2, FromKnown: 3}

// mostValues is how many values of a field are compared.
const mostValues = 5

// manyValues is from how many values of a field on they are found by an index: a record of very
// many notes may have a number of each.
const manyValues = 32

// find is a value of a field, nil if the record does not have it.
func (e *evidence) find(f field, clean string) *gathered {
	all := e.values[f]
	if len(all) >= manyValues {
		return e.index[fieldValue{f, clean}]
	}
	if i := slices.IndexFunc(all, func(g *gathered) bool { return g.clean == clean }); i >= 0 {
		return all[i]
	}
	return nil
}

// enter adds a value that the field does not have.
func (e *evidence) enter(f field, g *gathered) {
	e.values[f] = append(e.values[f], g)
	fresh := e.values[f][len(e.values[f])-1:]
	switch n := len(e.values[f]); {
	case n < manyValues:
		return
	case n == manyValues:
		fresh = e.values[f]
	}
	if e.index == nil {
		e.index = map[fieldValue]*gathered{}
	}
	for _, g := range fresh {
		e.index[fieldValue{f, g.clean}] = g
	}
}

// add adds a value of a document. Missing values are left out.
func (e *evidence) add(f field, text string, from Origin, doc annotate.DocumentID) {
	text = strings.Join(strings.Fields(text), " ")
	clean := f.clean(text)
	if clean == "" {
		return
	}
	if f == born {
		text = writtenDate(clean)
	}
	g := e.find(f, clean)
	if g == nil {
		e.enter(f, &gathered{text: strings.Clone(text), clean: clean, from: from, docs: []annotate.DocumentID{doc}, count: 1})
		return
	}
	if rank[from] < rank[g.from] {
		g.from, g.text = from, strings.Clone(text)
	}
	if at, found := slices.BinarySearch(g.docs, doc); !found {
		g.count++
		g.docs = slices.Insert(g.docs, at, doc)
	}
}

// addName adds the parts of a full name.
func (e *evidence) addName(p personname.Person, from Origin, doc annotate.DocumentID) {
	e.add(given, p.Given, from, doc)
	e.add(middle, p.Middle, from, doc)
	e.add(surname, p.Family, from, doc)
}

// addStreet adds a street with or without its number.
func (e *evidence) addStreet(text string, from Origin, doc annotate.DocumentID) {
	name, number := splitStreet(text)
	e.add(street, name, from, doc)
	e.add(streetNumber, number, from, doc)
}

// finish chooses the values that are compared, the most frequent first.
//
// Of most fields only the values of the most certain origin count: a note names relatives,
// other towns and the telephone number of the ward. A number that identifies counts wherever
// people or the model found it. What is known of others fills fields that are empty.
func (e *evidence) finish() {
	for f := range fieldCount {
		all := slices.Clone(e.values[f])
		best := len(rank)
		for _, g := range all {
			best = min(best, rank[g.from])
		}
		if fieldTable[f].union && best < rank[FromKnown] {
			best = rank[FromKnown] - 1
		}
		all = slices.DeleteFunc(all, func(g *gathered) bool { return rank[g.from] > best || e.passing(f, g) })
		slices.SortStableFunc(all, func(a, b *gathered) int {
			return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(b.docs[len(b.docs)-1], a.docs[len(a.docs)-1]))
		})
		e.cells[f] = nil
		for _, g := range all[:min(len(all), mostValues)] {
			e.cells[f] = append(e.cells[f], Value{Text: g.text, From: g.from, Notes: lastDocs(g.docs), Count: g.count})
		}
	}
}

// certain reports whether structured data or people say the values of a field: the other
// origins may take them from a sentence about a relative.
func (e *evidence) certain(f field) bool {
	return len(e.cells[f]) > 0 && rank[e.cells[f][0].From] <= rank[FromPeople]
}

// fewNotes is how many notes a record has at least before a number of one note is taken for that
// of a visit.
const fewNotes = 3

// passing reports whether a number is likely that of a visit or a sample and not of the patient.
func (e *evidence) passing(f field, g *gathered) bool {
	return f == otherNumber && len(e.docs) >= fewNotes && g.count == 1
}

// lastDocs are the newest documents, ascending.
func lastDocs(docs []annotate.DocumentID) []annotate.DocumentID {
	docs = slices.Sorted(slices.Values(docs))
	return docs[max(0, len(docs)-MostNotes):]
}

// texts are the values of a cell.
func texts(values []Value) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = v.Text
	}
	return out
}
