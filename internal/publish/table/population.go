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

// AddPerson adds a person of the population of which the rows so far are a sample, one
// value per column; only quasi-identifiers count. A person who equals a row in all of
// them is taken to be that row's person. The population should be complete. The person of
// a row without a match ([Table.Beyond]) may be missing or have a different value there,
// so such rows and the people of the file are not added up. Errors are those of
// [Builder.Add].
func (b *Builder) AddPerson(values []string) error {
	b.sample = cmp.Or(b.sample, b.rows)
	if b.sample == 0 {
		return errors.New("add a row before the people of the population")
	}
	if err := b.more(); err != nil {
		return err
	}
	for i, c := range b.columns {
		switch {
		case !c.kept():
		case c.Role != Quasi:
			c.Codes = append(c.Codes, c.Codes[0]) // code of a value that is not released: see unsee
		default:
			if err := b.append(c, values[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// meet removes the people who are already rows.
func (b *Builder) meet(t *Table) {
	alone := map[string][]int{} // rows without a match so far, by their codes
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

// alike is a key shared by rows that are equal in all quasi-identifiers.
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

// ReadSample is [ReadCSV] with a separate population file: one row per person, with a
// column for each quasi-identifier, named as in the table. Its errors are
// [*PopulationError]s.
func ReadSample(rows, population io.Reader, c Config) (*Table, error) {
	if c.Sample.Column != "" {
		return nil, errors.New("the table marks its own sample: it cannot have a separate population")
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

// EachPerson reads a population file: CSV with a header that contains each of the names;
// other columns are ignored. Names ignore case unless two columns differ only in case.
// add gets the values in the order of names, valid until the next call; its errors get
// the record and a hint. comma is the separator, 0 to guess it.
func EachPerson(r io.Reader, comma rune, names []string, add func(values []string) error, hint func(error) string) error {
	p, err := openPeople(r, comma, names)
	if err != nil {
		return err
	}
	return p.each(add, hint)
}

// CutPeople writes a population file, as [EachPerson] reads it, with only the named
// columns, and returns the names of the others. The output is separated by commas and
// starts with the names.
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

// writePerson writes a record so that it is read back unchanged: encoding/csv writes a
// single empty value as an empty line, and does not quote other separators.
func writePerson(out *bufio.Writer, values []string) {
	for i, value := range values { // an error is reported when out is flushed
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

// people reads the records of a population file.
type people struct {
	in     *tabular.Reader
	places []int    // indices of the columns that are read
	others []string // names of all other columns
}

func openPeople(r io.Reader, comma rune, names []string) (*people, error) {
	in, err := tabular.NewReader(r, tabular.Options{Comma: comma})
	if err != nil {
		return nil, err
	}
	header, err := in.Next() // a project's table has fields and labels, such as city and CITY
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
		return nil, in.Refuse(noColumns(missing, len(missing) == len(names)), "a population needs every quasi-identifier of the table, with the same name")
	}
	for i, name := range header {
		if !slices.Contains(p.places, i) {
			p.others = append(p.others, strings.Clone(name))
		}
	}
	return p, nil
}

// noColumns names the columns that a file lacks. It does not name the existing ones:
// without a header the first line is a person.
func noColumns(missing []string, all bool) string {
	words := "the file has no column for quasi-identifier " + strings.Join(missing, ", ")
	if all {
		words += ", so none at all; does its first line contain the column names?"
	}
	return words
}

func (p *people) each(add func(values []string) error, hint func(error) string) error {
	values := make([]string, len(p.places))
	for n := 0; ; n++ {
		fields, err := p.in.Next()
		if err == io.EOF && n == 0 {
			return &tabular.Error{Reason: "the file has no people", Hint: "a population needs a row per person"}
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

// columnNamed finds a column by its name or, if no other column differs only in case,
// ignoring case; -1 if there is none.
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
