// SPDX-License-Identifier: Apache-2.0

package idview

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/publish/hierarchy"
	"hide/internal/publish/table"
)

// People collects the values of each patient. It is not safe for concurrent use while
// notes are added.
type People struct {
	rows  []*person          // in the order of their first notes
	index map[string]*person // by annotate.Document.Group
	of    map[string]bool    // records, by annotate.Document.Record
	alone int
}

// person is an unfinished row.
type person struct {
	key           string   // key of the person
	records       []string // keys of the records that are linked to be the person
	notes, marked int
	values        map[Key][]string // in the order of the notes, and of their text
}

// NewPeople makes an empty collection.
func NewPeople() *People { return &People{index: map[string]*person{}, of: map[string]bool{}} }

// Add adds a note and, if people have finished it (marked), its spans. Rows are in the
// order of their first notes.
func (p *People) Add(doc annotate.Document, spans []annotate.Span, marked bool) {
	one := p.index[doc.Group()]
	if one == nil {
		one = &person{key: keyOf(doc), values: map[Key][]string{}}
		p.index[doc.Group()] = one
		p.rows = append(p.rows, one)
		if !doc.Keyed() {
			p.alone++
		}
	}
	p.of[doc.Record()] = true
	if key := recordOf(doc); !slices.Contains(one.records, key) {
		one.records = append(one.records, key)
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
	if key := strings.Join(strings.Fields(doc.Person()), " "); doc.Keyed() && key != "" {
		return key
	}
	return namelessKey(cmp.Or(doc.Linked, doc.Text))
}

// recordOf is the key that the note's record has where nothing is linked.
func recordOf(doc annotate.Document) string {
	doc.Linked = ""
	return keyOf(doc)
}

func namelessKey(of string) string {
	sum := sha256.Sum256([]byte(of))
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

// Groups returns the place of each row by [annotate.Document.Group].
func (p *People) Groups() map[string]int {
	place := make(map[*person]int, len(p.rows))
	for i, one := range p.rows {
		place[one] = i
	}
	out := make(map[string]int, len(p.rows))
	for group, one := range p.index {
		out[group] = place[one]
	}
	return out
}

// Records returns the keys of each row's records, of which linked ones share a row. A privacy
// budget knows people by all of them: links are of one project, and records may be linked after
// something was spent.
func (p *People) Records() [][]string {
	out := make([][]string, len(p.rows))
	for i, one := range p.rows {
		out[i] = one.records
	}
	return out
}

func (one *person) add(k Key, value string) {
	if value = strings.Join(strings.Fields(value), " "); value != "" {
		one.values[k] = append(one.values[k], strings.Clone(value)) // of a whole note
	}
}

// Counted is the number of records, of which linked ones share a row.
func (p *People) Counted() int { return len(p.of) }

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

// Source is the origin of an attribute's values. Names are stored: do not change them.
type Source string

// The sources.
const (
	Field Source = "field" // a structured field of the notes
	Label Source = "label" // annotations
	Count Source = "count" // the number of notes of the patient
)

// Key identifies an attribute: a source and its field or label.
type Key struct {
	Source Source `json:"source"`
	Name   string `json:"name"`
}

// NotesKey is the only attribute of the source Count.
var NotesKey = Key{Count, "notes"}

// Take says how several values of one patient become one. Names are stored: do not change
// them.
type Take string

// The ways. All keeps the set of values as one value; sets have no order and no
// hierarchy.
const (
	All      Take = "all"
	Most     Take = "most" // the most frequent value; of equally frequent ones the first
	First    Take = "first"
	Least    Take = "least"
	Greatest Take = "greatest"
)

var takes = []Take{All, Most, First, Least, Greatest}

// Attribute is a column of the view with its decisions.
type Attribute struct {
	Key
	Role  table.Role `json:"role"`
	Kind  table.Kind `json:"kind,omitempty"` // "" means nominal
	Take  Take       `json:"take,omitempty"` // "" means Most
	Order []string   `json:"order,omitempty"`
	// Form is the format of dates, as in strftime: %d.%m.%Y. If it is "", or a value does
	// not match, the usual formats are tried, with the month before the day in dates with
	// slashes.
	Form string `json:"form,omitempty"`
	// Hierarchy is a hierarchy in the format of ARX, "" for none.
	Hierarchy string `json:"hierarchy,omitempty"`
}

// Check refuses invalid attributes.
func (a Attribute) Check() error {
	_, err := a.column(a.Name)
	switch {
	case err != nil:
		return err
	case a.Take != "" && !slices.Contains(takes, a.Take):
		return fmt.Errorf("attribute %q: unknown way to combine the values of a patient", a.Name)
	case a.Take == All && a.Kind != table.Nominal && a.Kind != "" && a.Kind != table.Code:
		return fmt.Errorf("attribute %q cannot keep all values of a patient: sets have no order", a.Name)
	case a.Take == All && a.Hierarchy != "":
		return fmt.Errorf("attribute %q cannot keep all values of a patient: its hierarchy is of single values", a.Name)
	}
	if a.Form != "" {
		if a.Kind != table.Date {
			return fmt.Errorf("attribute %q has a date format and is not a date", a.Name)
		}
		_, err = table.Strftime(a.Form)
	}
	return err
}

// column is the table's column for the attribute.
func (a Attribute) column(name string) (table.Attribute, error) {
	c := table.Attribute{Name: name, Role: a.Role, Kind: a.Kind, Order: a.Order}
	c.Kind = cmp.Or(c.Kind, table.Nominal)
	if c.Role == table.Direct {
		c.Kind, c.Order = table.Nominal, nil // the column has no values
	}
	if a.Hierarchy != "" && c.Role != table.Direct {
		h, err := hierarchy.Read(strings.NewReader(a.Hierarchy))
		if err != nil {
			return c, fmt.Errorf("the hierarchy of attribute %q: %w", a.Name, err)
		}
		c.Hierarchy = h
	}
	// The builder checks what a table's attribute can be.
	_, err := table.NewBuilder([]table.Attribute{c}, nil)
	return c, err
}

// Names returns the column names of attributes. A label with the same name as a field
// gets a name that says that it is from the notes.
func Names(attributes []Attribute) []string {
	names := make([]string, len(attributes))
	taken := map[string]bool{}
	for _, a := range attributes {
		if a.Source == Field {
			taken[a.Name] = true
		}
	}
	for i, a := range attributes {
		names[i] = a.Name
		for a.Source != Field && taken[names[i]] {
			names[i] += " in notes"
		}
		taken[names[i]] = true
	}
	return names
}

var errTwice = errors.New("an attribute is listed twice")

// Column returns the attribute as a table's column, for other tables than this view.
func (a Attribute) Column() (table.Attribute, error) { return a.column(a.Name) }

// Reader reads single values as the view does: it returns the table's form, or false for
// a value of the wrong kind.
func (a Attribute) Reader() func(value string) (string, bool) { return a.reader() }

// proposals are tried in order on the lower-case name with blanks for all separators. For
// quasi-identifiers one value is enough: few people share a whole set of values.
var proposals = []struct {
	name *regexp.Regexp
	role table.Role
	kind table.Kind
	take Take
}{
	{regexp.MustCompile(`\bages?\b|\bedad\b|\balter\b`), table.Quasi, table.Number, Greatest},
	{regexp.MustCompile(`\bsex|gender|geschlecht`), table.Quasi, table.Nominal, Most},
	{regexp.MustCompile(`\bzip|postal|postcode|\bplz\b`), table.Quasi, table.Code, Most},
	{regexp.MustCompile(`\bdates?\b|birth|\bdob\b|fecha|datum`), table.Quasi, table.Date, Least},
	{regexp.MustCompile(`diagnos|disease|\bicd|drug|medication|outcome|procedure|condition|problem|illness`), table.Sensitive, table.Nominal, All},
	{regexp.MustCompile(`name|patient|doctor|street|phone|\bfax|mail|record|account|licen[cs]e|device|vehicle`), table.Direct, table.Nominal, Most},
	{regexp.MustCompile(`\bcity|\bstate\b|country|county|location|hospital|institu|organi[sz]ation|profes|department|occupation|\brace\b|ethnic|marital|education|religion|language|territor|\bpais\b`), table.Quasi, table.Nominal, Most},
}

var notLetters = regexp.MustCompile(`[^\pL]+`)

// Propose proposes a role and kind for each found attribute by its name. An attribute
// with an unknown name is left out, because releasing needs a decision.
func Propose(found []Found) []Attribute {
	out := make([]Attribute, len(found))
	for i, f := range found {
		out[i] = propose(f.Key)
	}
	return out
}

func propose(k Key) Attribute {
	a := Attribute{Key: k, Role: table.Direct, Kind: table.Nominal, Take: Most}
	if k.Source == Count {
		a.Kind = table.Number
		return a
	}
	name := notLetters.ReplaceAllString(strings.ToLower(k.Name), " ")
	for _, p := range proposals {
		if p.name.MatchString(name) {
			a.Role, a.Kind, a.Take = p.role, p.kind, p.take
			break
		}
	}
	return a
}
