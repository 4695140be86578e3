// SPDX-License-Identifier: Apache-2.0

// Package linkage invents people whose records have errors, and links them with rules as a
// hospital would write them. It measures record linkage without anybody's data.
//
//	for r := range linkage.People(linkage.Options{People: 10_000, Seed: 1, Rates: linkage.Stated}) {
//		fmt.Println(r.ID, r.Values, r.Person)
//	}
//
// # People
//
// People live in households of one to five. A household shares an address, most of its
// members a surname, and some a telephone. A child may be a twin, with the birth date of
// another, and a son may bear the name of his father. Names, cities and streets have the
// skewed frequencies of [pool].
//
// # Records
//
// A person has one to four records. Between two records a person may change the surname or
// move; later records keep that. Each record then gets errors of its own, at the stated
// [Rates]: given name and surname swapped, typing errors, missing fields. No record is free
// of them by construction. A typing error is one wrong, missing, added or swapped character;
// a birth date stays a date that a calendar has.
//
// Person i and each record depend on the seed and i only. Records come in mixed order: all
// first records, then all second records, each time in the same permutation of people.
package linkage

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"strconv"

	"hide/internal/publish/link/compare"
)

// Rates are the shares of errors.
type Rates struct {
	Typo    float64 `json:"typo"`    // of the fields of names, dates, addresses and numbers: with a typing error
	Missing float64 `json:"missing"` // of all fields: without a value
	Swapped float64 `json:"swapped"` // of records: given name and surname changed places
	Surname float64 `json:"surname"` // of the steps from a record to the next: another surname
	Moved   float64 `json:"moved"`   // of the steps from a record to the next: another address
}

// Stated are the rates of the measurements in the documentation.
var Stated = Rates{Typo: 0.20, Missing: 0.10, Swapped: 0.03, Surname: 0.05, Moved: 0.15}

// Options say what [People] invents.
type Options struct {
	People     int
	Seed       uint64
	Rates      Rates
	Once       bool // nobody has a second record
	Identifier bool // records have a number like that of social security, with errors too
}

// Record is what one visit of a person left in a file.
type Record struct {
	ID     string
	Person int      // the truth, from 0
	Values []string // in the order of the fields
}

// Places of the values of a record.
const (
	given = iota
	surname
	birth
	sex
	number
	street
	city
	postcode
	state
	phone
	identifier
)

// Field is a column of the records.
type Field struct {
	Name string
	Kind compare.Kind
}

// Fields are the columns of the records, without the record's own number and the truth.
func (o Options) Fields() []Field {
	all := []Field{
		{"given_name", compare.Given}, {"surname", compare.Surname}, {"birth_date", compare.BirthDate}, {"sex", compare.Sex},
		{"street_number", compare.StreetNumber}, {"street", compare.Street}, {"city", compare.Place}, {"postcode", compare.Postcode},
		{"state", compare.State}, {"phone", compare.Phone}, {"social_security", compare.Identifier},
	}
	if !o.Identifier {
		return all[:identifier]
	}
	return all
}

// Columns of a written file beside the fields.
const (
	idColumn    = "record_id"
	TruthColumn = "truth"
)

// recordShares are the shares of people with one to four records.
var recordShares = [...]float64{0.50, 0.27, 0.15, 0.08}

// records is the number of records of a person.
func records(rng *rand.Rand) int {
	at := rng.Float64()
	for i, share := range recordShares {
		if at -= share; at < 0 {
			return i + 1
		}
	}
	return len(recordShares)
}

// People yields the records of invented people.
func People(o Options) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		w := &world{Options: o, names: newNames()}
		n := 0
		for visit := range recordShares {
			for i := range o.People {
				person := spread(i, o.People)
				life := w.random(person, lifeStream)
				if records(life) <= visit || o.Once && visit > 0 {
					continue
				}
				n++
				r := Record{ID: "r" + strconv.Itoa(n), Person: person, Values: w.values(person, visit, life)}
				if !yield(r) {
					return
				}
			}
		}
	}
}

// spread is a permutation of 0 ... n-1 that moves neighbours far apart: i ↦ i·step mod n,
// with a step that has no divisor in common with n.
func spread(i, n int) int {
	step := n*5/8 + 1
	for gcd(step, n) != 1 {
		step++
	}
	return i * step % n
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// world is what the records of all people depend on.
type world struct {
	Options
	*names
}

// Streams of random numbers. Record v of a person has stream recordStream + v.
const (
	householdStream = iota
	lifeStream
	recordStream
)

func (w *world) random(number, stream int) *rand.Rand {
	return rand.New(rand.NewPCG(w.Seed*0x9E3779B97F4A7C15+1, uint64(number)<<8|uint64(stream)))
}

// values are what a visit of a person left, with all errors. life is the stream of the
// person's life, after the number of records.
func (w *world) values(person, visit int, life *rand.Rand) []string {
	v := w.member(person)
	for range visit {
		w.live(v, life)
	}
	if w.Identifier {
		v[identifier] = fmt.Sprintf("9%08d", spread(person, 100_000_000))
	} else {
		v = v[:identifier]
	}
	w.spoil(v, w.random(person, recordStream+visit))
	return v
}

// live changes what may change between two records of a person. Two of five people who move
// get another telephone number.
func (w *world) live(v []string, rng *rand.Rand) {
	if rng.Float64() < w.Rates.Surname {
		v[surname] = w.surname.draw(rng)
	}
	if rng.Float64() < w.Rates.Moved {
		w.address(v, rng)
		if rng.IntN(5) < 2 {
			v[phone] = phoneNumber(rng)
		}
	}
}

// WriteCSV writes the records of invented people as a file with the columns of
// [Options.Fields] between the record's number and the truth. It returns their number.
func WriteCSV(out io.Writer, o Options) (int, error) {
	w := csv.NewWriter(out)
	row := []string{idColumn}
	for _, f := range o.Fields() {
		row = append(row, f.Name)
	}
	_ = w.Write(append(row, TruthColumn)) // errors stay with the writer
	n := 0
	for r := range People(o) {
		n++
		row = append(append(row[:0], r.ID), r.Values...)
		if err := w.Write(append(row, strconv.Itoa(r.Person))); err != nil {
			return n, err
		}
	}
	w.Flush()
	return n, w.Error()
}
