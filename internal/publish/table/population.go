// SPDX-License-Identifier: Apache-2.0

package table

import (
	"errors"
	"io"
	"slices"
	"strconv"
)

// AddPerson adds somebody of the population that the rows added so far are from,
// one value a column, of which those of quasi-identifiers count. Whoever is like a
// row in all of them is taken to be that row's person. The population should hold
// everybody; rows for whom nobody is left in it count as people of it
// ([Table.Beyond]). Errors are those of [Builder.Add].
func (b *Builder) AddPerson(values []string) error {
	if b.sample == 0 {
		b.sample = b.rows
	}
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

// meet drops from the people those who are rows already.
func (b *Builder) meet(t *Table) {
	alone := map[string]int{} // rows for whom nobody has been found, by their codes
	for row := range b.sample {
		alone[b.alike(row)]++
	}
	t.Sample, t.Beyond, t.Rows = b.sample, b.sample, b.sample
	for row := b.sample; row < b.rows; row++ {
		key := b.alike(row)
		if alone[key] > 0 {
			alone[key]--
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
			key = appendCode(key, c.Codes[row])
		}
	}
	return string(key)
}

func appendCode(key []byte, code int32) []byte {
	return append(key, byte(code), byte(code>>8), byte(code>>16), byte(code>>24))
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
	in, err := newRecords(r, c.comma())
	if err != nil {
		return err
	}
	names, err := in.next()
	if err != nil {
		return err
	}
	from := make([]int, len(b.columns)) // its columns by those of the table, -1 for none
	for i, column := range b.columns {
		from[i] = slices.Index(names, column.Name)
		if from[i] < 0 && column.Role == Quasi {
			return in.refuse("the file has no column for quasi-identifier "+strconv.Quote(column.Name), "a population needs every quasi-identifier of the table, called alike")
		}
	}
	values := make([]string, len(b.columns))
	for {
		fields, err := in.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i, at := range from {
			if at >= 0 {
				values[i] = fields[at]
			}
		}
		if err := b.AddPerson(values); err != nil {
			return in.refuse(err.Error(), b.hint(err))
		}
	}
}
