// SPDX-License-Identifier: Apache-2.0

package table

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"hide/internal/tabular"
)

// AddPerson adds a person of the population from which the rows added so far are a sample,
// one value a column, of which those of quasi-identifiers count. A person who agrees with a
// row in all of them is taken to be that row's person. The population should be complete:
// the person of a row without a match ([Table.Beyond]) may be missing or have another value
// there, so that such rows and the people of the file are not added up. Errors are those
// of [Builder.Add].
func (b *Builder) AddPerson(values []string) error {
	b.sample = cmp.Or(b.sample, b.rows)
	if b.sample == 0 {
		return errors.New("a table needs a row before the people of its population")
	}
	if err := b.more(); err != nil {
		return err
	}
	for i, c := range b.columns {
		switch {
		case !c.kept():
		case c.Role != Quasi:
			c.Codes = append(c.Codes, c.Codes[0]) // of one who is not released: see unsee
		default:
			if err := b.append(c, values[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// meet drops the people who are rows already.
func (b *Builder) meet(t *Table) {
	alone := map[string][]int{} // rows for whom nobody has been found, by their codes
	t.absent = make([]bool, b.sample)
	for row := range b.sample {
		key := b.alike(row)
		alone[key], t.absent[row] = append(alone[key], row), true
	}
	t.Sample, t.Beyond, t.Rows = b.sample, b.sample, b.sample
	for row := b.sample; row < b.rows; row++ {
		key := b.alike(row)
		if left := alone[key]; len(left) > 0 {
			t.absent[left[0]], alone[key] = false, left[1:]
			t.Beyond--
			continue
		}
		for _, c := range b.columns {
			if c.kept() {
				c.Codes[t.Rows] = c.Codes[row]
			}
		}
		t.Rows++
	}
	for _, c := range b.columns {
		if c.kept() {
			c.Codes = slices.Clip(c.Codes[:t.Rows])
		}
	}
}

// alike is a key that rows share which agree in all quasi-identifiers.
func (b *Builder) alike(row int) string {
	var key []byte
	for _, c := range b.columns {
		if c.Role == Quasi {
			key = binary.LittleEndian.AppendUint32(key, uint32(c.Codes[row]))
		}
	}
	return string(key)
}

// PopulationError is an error in the file of a population.
type PopulationError struct{ Err error }

func (e *PopulationError) Error() string { return "the population: " + e.Err.Error() }
func (e *PopulationError) Unwrap() error { return e.Err }

// ReadSample is [ReadCSV] of rows with, beside, the file of the population that they
// are from: one row per person, with a column for each quasi-identifier, called as
// in the table. What is wrong with it is a [*PopulationError].
func ReadSample(rows, population io.Reader, c Config) (*Table, error) {
	if c.Sample.Column != "" {
		return nil, errors.New("the table says itself which of its rows are a sample: it takes no population beside")
	}
	b, err := readRows(rows, c)
	if err != nil {
		return nil, err
	}
	if err := b.readPopulation(population, c); err != nil {
		return nil, &PopulationError{err}
	}
	return b.Table(), nil
}

func (b *Builder) readPopulation(r io.Reader, c Config) error {
	var names []string
	var places []int // of the quasi-identifiers among all columns
	for i, column := range b.columns {
		if column.Role == Quasi {
			names, places = append(names, column.Name), append(places, i)
		}
	}
	values := make([]string, len(b.columns))
	return EachPerson(r, c.comma(), names, func(own []string) error {
		for i, at := range places {
			values[at] = own[i]
		}
		return b.AddPerson(values)
	}, b.hint)
}

// EachPerson reads the file of a population: CSV with a header that has each of the
// names, whatever else it has. Letters may differ in case where that tells no two
// columns apart. add gets the values in the order of names, good until the next call;
// what it refuses is told with its record, and with a hint. comma is the separator, 0
// to guess it.
func EachPerson(r io.Reader, comma rune, names []string, add func(values []string) error, hint func(error) string) error {
	p, err := openPeople(r, comma, names)
	if err != nil {
		return err
	}
	return p.each(add, hint)
}

// CutPeople writes the file of a population, as [EachPerson] reads it, with the columns
// of these names and no others, which it names: comma between, the names first.
func CutPeople(w io.Writer, r io.Reader, names []string) (others []string, err error) {
	p, err := openPeople(r, 0, names)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriter(w)
	writePerson(out, names)
	err = p.each(func(values []string) error {
		writePerson(out, values)
		return nil
	}, nil)
	return p.others, errors.Join(err, out.Flush())
}

// writePerson writes a record that is read as it was: encoding/csv leaves an empty line
// of one empty value, and does not quote what would be taken for another separator.
func writePerson(out *bufio.Writer, values []string) {
	for i, value := range values { // a failure stays until out is flushed
		if i > 0 {
			_ = out.WriteByte(',')
		}
		if value == "" && len(values) == 1 || value != strings.TrimSpace(value) || strings.ContainsAny(value, "\",;\t\r\n") {
			value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
		}
		_, _ = out.WriteString(value)
	}
	_ = out.WriteByte('\n')
}

// people are the records of a population's file.
type people struct {
	in     *tabular.Reader
	places []int    // of the columns that are read
	others []string // names of all other columns
}

func openPeople(r io.Reader, comma rune, names []string) (*people, error) {
	in, err := tabular.NewReader(r, tabular.Options{Comma: comma})
	if err != nil {
		return nil, err
	}
	header, err := in.Next()
	if err != nil {
		return nil, err
	}
	p := &people{in: in, places: make([]int, len(names))}
	var missing []string
	for i, name := range names {
		if p.places[i] = columnNamed(header, name); p.places[i] < 0 {
			missing = append(missing, strconv.Quote(name))
		}
	}
	if len(missing) > 0 {
		return nil, in.Refuse(noColumns(missing, len(missing) == len(names)), "a population needs every quasi-identifier of the table, called alike")
	}
	for i, name := range header {
		if !slices.Contains(p.places, i) {
			p.others = append(p.others, strings.Clone(name))
		}
	}
	return p, nil
}

// noColumns names what a file lacks. What it has instead is not told: without a header
// its first line is a person.
func noColumns(missing []string, all bool) string {
	words := "the file has no column for quasi-identifier " + strings.Join(missing, ", ")
	if all {
		words += ", and so none at all that is of use; is its first line the names of the columns?"
	}
	return words
}

func (p *people) each(add func(values []string) error, hint func(error) string) error {
	values := make([]string, len(p.places))
	for n := 0; ; n++ {
		fields, err := p.in.Next()
		if err == io.EOF && n == 0 {
			return &tabular.Error{Reason: "the file has nobody in it", Hint: "a population needs a row per person"}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i, at := range p.places {
			values[i] = fields[at]
		}
		if err := add(values); err != nil {
			return p.in.Refuse(err.Error(), hint(err))
		}
	}
}

// columnNamed finds a column by its name or, if no other differs from it in case
// only, by its letters; -1 when there is none.
func columnNamed(header []string, name string) int {
	if i := slices.Index(header, name); i >= 0 {
		return i
	}
	found := -1
	for i, other := range header {
		if strings.EqualFold(strings.TrimSpace(other), name) {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}
