// SPDX-License-Identifier: Apache-2.0

package idview

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hide/internal/publish/hierarchy"
	"hide/internal/publish/table"
)

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
