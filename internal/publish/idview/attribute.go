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

// Source is where the values of an attribute are from. Names are stored: do not
// change them.
type Source string

// The sources.
const (
	Field Source = "field" // a structured field that came with the notes
	Label Source = "label" // spans that people marked
	Count Source = "count" // how many notes there are of the patient
)

// Key names an attribute: a source and which field or label of it.
type Key struct {
	Source Source `json:"source"`
	Name   string `json:"name"`
}

// NotesKey is the only attribute of the source Count.
var NotesKey = Key{Count, "notes"}

// Take is what becomes of several values of one patient. Names are stored: do not
// change them.
type Take string

// The ways. All keeps the set of them, which is a value of its own; it cannot be
// ordered and not be looked up in a hierarchy.
const (
	All      Take = "all"
	Most     Take = "most" // the one that is there most often, the first of those
	First    Take = "first"
	Least    Take = "least"
	Greatest Take = "greatest"
)

var takes = []Take{All, Most, First, Least, Greatest}

// Attribute is a column of the view as it was decided.
type Attribute struct {
	Key
	Role  table.Role `json:"role"`
	Kind  table.Kind `json:"kind,omitempty"` // "" means nominal
	Take  Take       `json:"take,omitempty"` // "" means Most
	Order []string   `json:"order,omitempty"`
	// Form is how a date is written, as strftime has it: %d.%m.%Y. What is not
	// written like that, or anything when it is "", is read as people usually write
	// dates, with the month before the day where only slashes are between them.
	Form string `json:"form,omitempty"`
	// Hierarchy is a hierarchy in the form of ARX, "" for none.
	Hierarchy string `json:"hierarchy,omitempty"`
}

// Check finds what an attribute cannot be.
func (a Attribute) Check() error {
	_, err := a.column(a.Name)
	switch {
	case err != nil:
		return err
	case a.Take != "" && !slices.Contains(takes, a.Take):
		return fmt.Errorf("attribute %q: unknown way to choose among the values of a patient", a.Name)
	case a.Take == All && a.Kind != table.Nominal && a.Kind != "" && a.Kind != table.Code:
		return fmt.Errorf("attribute %q cannot keep all values of a patient: sets have no order", a.Name)
	case a.Take == All && a.Hierarchy != "":
		return fmt.Errorf("attribute %q cannot keep all values of a patient: its hierarchy has single values", a.Name)
	}
	if a.Form != "" {
		if a.Kind != table.Date {
			return fmt.Errorf("attribute %q has a date format and is not a date", a.Name)
		}
		_, err = table.Strftime(a.Form)
	}
	return err
}

// column is what the table knows of the attribute.
func (a Attribute) column(name string) (table.Attribute, error) {
	c := table.Attribute{Name: name, Role: a.Role, Kind: a.Kind, Order: a.Order}
	c.Kind = cmp.Or(c.Kind, table.Nominal)
	if c.Role == table.Direct {
		c.Kind, c.Order = table.Nominal, nil // there are no values
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

// Names gives attributes the names of their columns: a label that is called like a
// field says that it is from the notes.
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

// Column is what a table knows of the attribute, for who makes other tables of it
// than this view.
func (a Attribute) Column() (table.Attribute, error) { return a.column(a.Name) }

// Reader reads single values as the view does: in the form that a table takes, and
// false for what is not what the attribute should be.
func (a Attribute) Reader() func(value string) (string, bool) { return a.reader() }

// proposals are tried in order on a name in small letters with blanks for all else.
// Of what could be looked up one value is enough: sets are alike with hardly any other.
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

// Propose says what each attribute that was found should be. What it does not
// know by name it leaves out: releasing takes a decision.
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
