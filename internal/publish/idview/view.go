// SPDX-License-Identifier: Apache-2.0

// Package idview makes one row per patient from the notes: the identifier view (HIDE
// dissertation, 3.1), from the structured fields of the notes and from their annotations.
//
// [People] collects notes with their spans and lists the attributes found. [Propose]
// proposes a role for each undecided attribute. [People.View] then makes a [table.Table]
// of the decided attributes, for the packages that publish tables.
//
//	people := idview.NewPeople()
//	for each note: people.Add(note, spans)
//	view, err := people.View(idview.Propose(people.Found()))
//
// Notes of one patient are joined by the patient's key. A note without a key counts as a
// person of its own, which [View.Alone] counts: if two of them are one patient, this
// patient counts twice towards k.
//
// # Caveats
//
// A value that nobody annotated in a note is missing in the view. A value that is not a
// number or date, as its attribute requires, is missing as well, and counted.
//
// Errors name fields and labels, and never a value.
package idview

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"hide/internal/publish/table"
)

// View is one row per person.
type View struct {
	People     *People      // whose rows it has
	Table      *table.Table // its columns in the order of the attributes
	Attributes []Attribute
	Columns    []Column // of the table
	Alone      int      // rows for notes without a patient
	Unmarked   int      // rows without a finished note, so that their labels are missing
}

// Column counts the values of an attribute that is not left out.
type Column struct {
	Name       string
	Missing    int // rows without a value
	Unreadable int // rows among them with values that are not a number or not a date
	Several    int // rows with more than one value
}

// View makes the table. An error names an attribute with invalid settings; a
// [*table.ValueError] is about a value that is not in the order or hierarchy.
func (p *People) View(attributes []Attribute) (*View, error) {
	return p.view(attributes, p.spelling, nil)
}

// ViewAmong is [People.View] with everybody of the population after the rows, as
// [table.EachPerson] reads them. Values are read like those of notes; unreadable ones are
// missing.
func (p *People) ViewAmong(attributes []Attribute, population io.Reader) (*View, error) {
	return p.view(attributes, p.spelling, population)
}

// Folded is [People.View] without hierarchies and with values as [Fold] returns them.
// View spells a value as most notes spell it, so one patient can change the rows of
// others. Here no patient can, as the bound on a patient's contribution requires.
func (p *People) Folded(attributes []Attribute) (*View, error) {
	folded := slices.Clone(attributes)
	for i, a := range folded {
		folded[i].Hierarchy, folded[i].Order = "", nil
		for _, value := range a.Order {
			if value = Fold(value); !slices.Contains(folded[i].Order, value) {
				folded[i].Order = append(folded[i].Order, value)
			}
		}
	}
	return p.view(folded, p.folded, nil)
}

// view makes the table, with values spelled as in spell, which is indexed by folded
// value.
func (p *People) view(attributes []Attribute, spell func(Attribute) map[string]string, population io.Reader) (*View, error) {
	v := &View{People: p, Attributes: attributes, Alone: p.alone, Unmarked: p.Unmarked(), Columns: make([]Column, len(attributes))}
	names, columns := Names(attributes), make([]table.Attribute, len(attributes))
	seen := map[Key]bool{}
	var err error
	for i, a := range attributes {
		if seen[a.Key] {
			return nil, errTwice
		}
		seen[a.Key] = true
		if err := a.Check(); err != nil {
			return nil, err
		}
		if columns[i], err = a.column(names[i]); err != nil {
			return nil, err
		}
		v.Columns[i].Name = names[i]
	}
	b, err := table.NewBuilder(columns, nil)
	if err != nil {
		return nil, err
	}
	spelling := make([]map[string]string, len(attributes))
	for i, a := range attributes {
		spelling[i] = spell(a)
	}
	row := make([]string, len(attributes))
	for _, one := range p.rows {
		for i, a := range attributes {
			row[i] = one.cell(a, spelling[i], &v.Columns[i])
		}
		if err := b.Add(row); err != nil {
			return nil, fmt.Errorf("the view: %w", err)
		}
	}
	if population != nil {
		if err := among(b, names, attributes, spelling, population); err != nil {
			return nil, &table.PopulationError{Err: err}
		}
	}
	v.Table = b.Table()
	return v, nil
}

// among adds the people of a population.
func among(b *table.Builder, names []string, attributes []Attribute, spelling []map[string]string, population io.Reader) error {
	var quasi []string
	var places []int
	var readers []reader
	for i, a := range attributes {
		if a.Role == table.Quasi {
			quasi, places, readers = append(quasi, names[i]), append(places, i), append(readers, a.reader())
		}
	}
	row := make([]string, len(attributes))
	return table.EachPerson(population, 0, quasi, func(values []string) error {
		for i, at := range places {
			row[at] = ""
			if text, ok := readers[i](strings.Join(strings.Fields(values[i]), " ")); ok {
				row[at] = cmp.Or(spelling[at][Fold(text)], text)
			}
		}
		return b.AddPerson(row)
	}, func(error) string { return "change the settings of this attribute, or correct the file" })
}

// spelling returns the most frequent spelling of each folded value; of equals the first
// by bytes.
func (p *People) spelling(a Attribute) map[string]string {
	if a.Role == table.Direct || a.Source == Count {
		return nil
	}
	read, times := a.reader(), map[string]int{}
	for _, one := range p.rows {
		for _, value := range one.values[a.Key] {
			if text, ok := read(value); ok {
				times[text]++
			}
		}
	}
	out := map[string]string{}
	for text, n := range times {
		best, known := out[Fold(text)]
		if !known || n > times[best] || n == times[best] && text < best {
			out[Fold(text)] = text
		}
	}
	return out
}

// folded writes every value as it is folded.
func (p *People) folded(a Attribute) map[string]string {
	out := p.spelling(a)
	for value := range out {
		out[value] = value
	}
	return out
}

// cell is one person's values of an attribute.
func (one *person) cell(a Attribute, spelling map[string]string, c *Column) string {
	if a.Role == table.Direct {
		return ""
	}
	if a.Source == Count {
		return strconv.Itoa(one.notes)
	}
	read := a.reader()
	var values []string
	for _, value := range one.values[a.Key] {
		if text, ok := read(value); ok && text != "" {
			values = append(values, spelling[Fold(text)])
		}
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(values)))
	if len(distinct) > 1 {
		c.Several++
	}
	if len(values) == 0 {
		c.Missing++
		if len(one.values[a.Key]) > 0 {
			c.Unreadable++
		}
		return ""
	}
	return a.take(values, distinct)
}

// take combines several values into one.
func (a Attribute) take(values, distinct []string) string {
	compare := a.comparison()
	switch a.Take {
	case First:
		return values[0]
	case Least:
		return slices.MinFunc(distinct, compare)
	case Greatest:
		return slices.MaxFunc(distinct, compare)
	case All:
		return together(distinct)
	}
	times := map[string]int{}
	for _, value := range values {
		times[value]++
	}
	return slices.MaxFunc(values, func(x, y string) int { return cmp.Compare(times[x], times[y]) })
}

var memberEscapes = strings.NewReplacer(`\`, `\\`, `&`, `\&`)

// together writes a set as one value; different sets are written differently.
func together(distinct []string) string {
	if len(distinct) == 1 {
		return distinct[0]
	}
	members := make([]string, len(distinct))
	for i, value := range distinct {
		members[i] = memberEscapes.Replace(value)
	}
	return strings.Join(members, " & ")
}

// comparison compares values as read: numbers by size, ordinals by their order, dates and
// all others by their bytes.
func (a Attribute) comparison() func(x, y string) int {
	switch a.Kind {
	case table.Number:
		return func(x, y string) int {
			v, _ := strconv.ParseFloat(x, 64) // parsed before
			w, _ := strconv.ParseFloat(y, 64)
			return cmp.Compare(v, w)
		}
	case table.Ordinal:
		return func(x, y string) int { return cmp.Compare(slices.Index(a.Order, x), slices.Index(a.Order, y)) }
	}
	return strings.Compare
}

// Fold maps spellings that differ only in case or in the encoding of accents to one form.
func Fold(value string) string { return strings.ToLower(norm.NFC.String(value)) }

// reader converts a value to the table's form, or returns false for a value of the wrong
// kind.
type reader func(value string) (string, bool)

func (a Attribute) reader() reader {
	switch a.Kind {
	case table.Number:
		return readNumber
	case table.Date:
		return a.readDate
	case table.Code:
		return func(value string) (string, bool) { return strings.ToUpper(value), true }
	default:
		return func(value string) (string, bool) { return value, true }
	}
}

// number is a number and the unit after it, as in "6-month-old".
var number = regexp.MustCompile(`^[^\d]*?([+-]?\d+(?:\.\d+)?)[\s-]*(?i:(m(?:onths?|os?)|w(?:ee)?ks?|days?)\b)?`)

// perYear is how many of a unit make a year.
var perYear = map[byte]float64{'m': 12, 'w': 52, 'd': 365}

// maxNumber is the largest number that a table accepts.
const maxNumber = 1 << 53

// readNumber reads the first number of a text. Ages in months, weeks or days become whole
// years.
func readNumber(value string) (string, bool) {
	found := number.FindStringSubmatch(value)
	if found == nil {
		return "", false
	}
	v, err := strconv.ParseFloat(found[1], 64)
	if err != nil || math.Abs(v) > maxNumber {
		return "", false
	}
	if found[2] != "" {
		v = math.Floor(v / perYear[strings.ToLower(found[2])[0]])
	}
	return strconv.FormatFloat(v, 'f', -1, 64), true
}

// usual lists date formats. Where day and month could be swapped, the month comes first.
var usual = []string{
	"2006-01-02", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006/1/2", "1/2/2006", "1/2/06", "1-2-2006", "1-2-06", "2.1.2006", "2.1.06",
	"January 2, 2006", "January 2 2006", "2 January 2006", "Jan 2, 2006", "Jan 2 2006", "Jan. 2, 2006", "2 Jan 2006", "2-Jan-2006", "2-Jan-06", "02Jan2006",
}

// oneDigit lets a format accept days and months of one digit.
var oneDigit = strings.NewReplacer("02", "2", "01", "1")

// readDate reads a full date: day, month and year.
func (a Attribute) readDate(value string) (string, bool) {
	layouts := usual
	if form, err := table.Strftime(a.Form); err == nil && a.Form != "" {
		layouts = append([]string{oneDigit.Replace(form)}, usual...)
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, value); err == nil && t.Year() >= 1 {
			return t.Format("2006-01-02"), true
		}
	}
	return "", false
}
