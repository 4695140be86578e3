// SPDX-License-Identifier: Apache-2.0

package compare_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hide/internal/publish/link/compare"
)

// pairs are cleaned values of a kind, most of them of different people.
func pairs(k compare.Kind) [][2]string {
	r := rand.New(rand.NewPCG(9, 10))
	given := []string{"Robert", "Bob", "Mary", "Catherine", "Katherine", "José", "Anna-Maria", "Jonathan", "Liam", "Sophia"}
	family := []string{"Smith", "Schmidt", "García Lorca", "O'Brien", "Johnson", "Johnston", "Nguyen", "van der Berg", "Lee", "Kowalczyk"}
	of := func(list []string) string { return list[r.IntN(len(list))] }
	raw := func() string {
		switch k {
		case compare.Given, compare.Middle:
			return of(given)
		case compare.Surname, compare.Place, compare.Text:
			return of(family)
		case compare.FullName:
			return of(family) + ", " + of(given)
		case compare.BirthDate:
			return fmt.Sprintf("%d-%02d-%02d", 1920+r.IntN(100), 1+r.IntN(12), 1+r.IntN(28))
		case compare.Sex:
			return of([]string{"m", "f"})
		case compare.Email:
			return of(given) + "." + of(family) + "@example.org"
		case compare.Street:
			return fmt.Sprint(1+r.IntN(99), " ", of(family), " Street")
		case compare.State:
			return of([]string{"nsw", "vic", "qld", "wa"})
		case compare.StreetNumber, compare.Number:
			return fmt.Sprint(1 + r.IntN(200))
		case compare.Postcode:
			return fmt.Sprint(10000 + r.IntN(90000))
		}
		return fmt.Sprint(100000000 + r.IntN(900000000))
	}
	all := make([][2]string, 1024)
	for i := range all {
		all[i] = [2]string{k.Clean(raw()), k.Clean(raw())}
	}
	return all
}

var sink int

func BenchmarkLevel(b *testing.B) {
	for _, k := range compare.Kinds() {
		b.Run(string(k), func(b *testing.B) {
			all, c := pairs(k), k.NewComparer()
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				p := all[i&1023]
				sink += c.Level(p[0], p[1])
				i++
			}
		})
	}
}

func BenchmarkClean(b *testing.B) {
	for _, c := range []struct {
		kind compare.Kind
		raw  string
	}{
		{compare.Given, "José"}, {compare.Surname, "O'Brien"}, {compare.FullName, "Smith, John A."}, {compare.BirthDate, "1971-06-24"},
		{compare.BirthDate, "24 June 1971"}, {compare.Sex, "Female"}, {compare.Identifier, "123-45-6780"}, {compare.Phone, "(617) 555-1234"},
		{compare.Email, "john.smith@example.org"}, {compare.Street, "12 Main Street"}, {compare.Place, "St. Louis"}, {compare.Postcode, "02139"},
		{compare.State, "Massachusetts"},
	} {
		b.Run(string(c.kind)+"/"+c.raw, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink += len(c.kind.Clean(c.raw))
			}
		})
	}
}
