// SPDX-License-Identifier: Apache-2.0

package idview

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/publish/table"
)

// People collects the values of each patient. It is not safe for concurrent use while
// notes are added.
type People struct {
	rows  []*person          // in the order of their first notes
	index map[string]*person // by annotate.Document.Group
	alone int
}

// person is an unfinished row.
type person struct {
	key           string // key of the person
	notes, marked int
	values        map[Key][]string // in the order of the notes, and of their text
}

// NewPeople makes an empty collection.
func NewPeople() *People { return &People{index: map[string]*person{}} }

// Add adds a note and, if people have finished it (marked), its spans. Rows are in the
// order of their first notes.
func (p *People) Add(doc annotate.Document, spans []annotate.Span, marked bool) {
	one := p.index[doc.Group()]
	if one == nil {
		one = &person{key: keyOf(doc), values: map[Key][]string{}}
		p.index[doc.Group()] = one
		p.rows = append(p.rows, one)
		if doc.Patient == "" {
			p.alone++
		}
	}
	one.notes++
	for name, value := range doc.Attributes {
		one.add(Key{Field, name}, value)
	}
	if !marked {
		return
	}
	one.marked++
	for _, s := range spans {
		one.add(Key{Label, string(s.Label)}, doc.Text[s.Start:s.End])
	}
}

// keyOf is the patient's key. For a note without a patient it is a key of its own, the
// same wherever the note is imported.
func keyOf(doc annotate.Document) string {
	if key := strings.Join(strings.Fields(doc.Patient), " "); key != "" {
		return key
	}
	sum := sha256.Sum256([]byte(doc.Text))
	return nameless + hex.EncodeToString(sum[:])
}

// nameless begins the keys of notes without a patient. No patient's key begins like this,
// because blanks in keys are single.
const nameless = "note  "

// Named reports whether a key is a patient's.
func Named(key string) bool { return !strings.HasPrefix(key, nameless) }

// Keys returns the keys of the rows in their order. They are identifiers.
func (p *People) Keys() []string {
	out := make([]string, len(p.rows))
	for i, one := range p.rows {
		out[i] = one.key
	}
	return out
}

func (one *person) add(k Key, value string) {
	if value = strings.Join(strings.Fields(value), " "); value != "" {
		one.values[k] = append(one.values[k], strings.Clone(value)) // of a whole note
	}
}

// Rows is the number of people.
func (p *People) Rows() int { return len(p.rows) }

// Alone counts the notes without a patient among them.
func (p *People) Alone() int { return p.alone }

// Unmarked counts the people without a finished note.
func (p *People) Unmarked() int {
	n := 0
	for _, one := range p.rows {
		if one.marked == 0 {
			n++
		}
	}
	return n
}

// Notes returns each row's number of notes.
func (p *People) Notes() []int {
	n := make([]int, len(p.rows))
	for i, one := range p.rows {
		n[i] = one.notes
	}
	return n
}

// Values returns each row's values of a field or label in the order of adding, with
// single blanks.
func (p *People) Values(k Key) [][]string {
	out := make([][]string, len(p.rows))
	for i, one := range p.rows {
		out[i] = slices.Clone(one.values[k])
	}
	return out
}

// Value is a value as read, and how many people have it.
type Value struct {
	Text   string
	People int
}

// Distinct lists the values of an attribute as read, whatever its role, most frequent
// first.
func (p *People) Distinct(a Attribute) []Value {
	if a.Source == Count {
		return nil
	}
	a.Role = table.Insensitive // values of left-out attributes are not read
	read, spelling, holders := a.reader(), p.spelling(a), map[string]int{}
	for _, one := range p.rows {
		own := map[string]bool{}
		for _, value := range one.values[a.Key] {
			if text, ok := read(value); ok && !own[Fold(text)] {
				own[Fold(text)] = true
				holders[spelling[Fold(text)]]++
			}
		}
	}
	out := make([]Value, 0, len(holders))
	for text, n := range holders {
		out = append(out, Value{text, n})
	}
	slices.SortFunc(out, func(x, y Value) int { return cmp.Or(cmp.Compare(y.People, x.People), cmp.Compare(x.Text, y.Text)) })
	return out
}

// Found is a found attribute with its counts.
type Found struct {
	Key
	People   int // people with a value
	Several  int // people with more than one value, ignoring case
	Distinct int // distinct values of all people
}

// Found lists the found attributes, fields first, by name. The number of notes is one of
// them if anybody has more than one.
func (p *People) Found() []Found {
	all := map[Key]*Found{}
	distinct := map[Key]map[string]bool{}
	for _, one := range p.rows {
		for k, values := range one.values {
			if all[k] == nil {
				all[k], distinct[k] = &Found{Key: k}, map[string]bool{}
			}
			own := map[string]bool{}
			for _, value := range values {
				own[Fold(value)] = true
				distinct[k][Fold(value)] = true
			}
			all[k].People++
			if len(own) > 1 {
				all[k].Several++
			}
		}
	}
	out := make([]Found, 0, len(all)+1)
	for k, f := range all {
		f.Distinct = len(distinct[k])
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b Found) int { return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Name, b.Name)) })
	counts := map[int]bool{}
	for _, one := range p.rows {
		counts[one.notes] = true
	}
	if len(counts) > 1 {
		out = append(out, Found{Key: NotesKey, People: len(p.rows), Distinct: len(counts)})
	}
	return out
}
