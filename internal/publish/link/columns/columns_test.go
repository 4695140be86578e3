// SPDX-License-Identifier: Apache-2.0

package columns_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate/dictionary"
	"hide/internal/publish/link/columns"
	"hide/internal/publish/link/compare"
	"hide/internal/publish/value"
)

// invent makes rows of people, with cells between bars. Each of the columns has a value in 9
// rows of 10.
func invent(n int, columns ...func(r *rand.Rand, i int) string) []string {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	rows := make([]string, n)
	for i := range rows {
		cells := make([]string, len(columns))
		for j, column := range columns {
			if cells[j] = column(r, i); r.IntN(10) == 0 && j > 0 {
				cells[j] = []string{"", "unknown", "N/A"}[r.IntN(3)]
			}
		}
		rows[i] = strings.Join(cells, "|")
	}
	return rows
}

// oneOf takes the first terms of a list more often than others.
func oneOf(list string) func(*rand.Rand, int) string {
	terms := dictionary.Terms(list)
	return func(r *rand.Rand, _ int) string {
		return terms[int(float64(len(terms))*r.Float64()*r.Float64())]
	}
}

func format(pattern string, numbers func(r *rand.Rand) []any) func(*rand.Rand, int) string {
	return func(r *rand.Rand, _ int) string { return fmt.Sprintf(pattern, numbers(r)...) }
}

func between(low, high int) func(r *rand.Rand) []any {
	return func(r *rand.Rand) []any { return []any{low + r.IntN(high-low)} }
}

func day(r *rand.Rand) []any { return []any{1 + r.IntN(28), 1 + r.IntN(12), 1920 + r.IntN(100)} }

func visit(r *rand.Rand) []any { return []any{1 + r.IntN(28), 1 + r.IntN(12), 2018 + r.IntN(3)} }

// TestContentsOfUnnamedColumns recognises columns whose names say nothing.
func TestContentsOfUnnamedColumns(t *testing.T) {
	given, surname, city := oneOf("given"), oneOf("surnames"), oneOf("cities")
	phone := func(r *rand.Rand) []any { return []any{200 + r.IntN(700), 200 + r.IntN(700), 1000 + r.IntN(9000)} }
	all := []struct {
		column func(*rand.Rand, int) string
		use    columns.Use
		kind   compare.Kind
	}{
		{func(_ *rand.Rand, i int) string { return fmt.Sprint("rec-", 7*i, "-org") }, columns.RecordID, ""},
		{given, columns.Compared, compare.Given},
		{surname, columns.Compared, compare.Surname},
		{format("%[2]d/%[1]d/%[3]d", day), columns.Compared, compare.BirthDate},
		{format("%02d.%02d.%d", visit), columns.Ignored, ""},
		{func(r *rand.Rand, _ int) string { return []string{"male", "Female"}[r.IntN(2)] }, columns.Compared, compare.Sex},
		{func(r *rand.Rand, i int) string {
			return given(r, i) + "." + surname(r, i) + "@example.org"
		}, columns.Compared, compare.Email},
		{format("(%d) %d-%d", phone), columns.Compared, compare.Phone},
		{format("%d", between(1000000, 1200000)), columns.Compared, compare.Identifier},
		{format("%05d", between(1001, 2200)), columns.Compared, compare.Postcode},
		{func(r *rand.Rand, i int) string { return fmt.Sprint(1+r.IntN(300), " ", surname(r, i), " Street") }, columns.Compared, compare.Street},
		{format("%d", between(1, 800)), columns.Compared, compare.StreetNumber},
		{func(r *rand.Rand, _ int) string { return []string{"MA", "NY", "CA", "TX"}[r.IntN(4)] }, columns.Compared, compare.State},
		{city, columns.Compared, compare.Place},
		{format("%d", between(1925, 2010)), columns.Ignored, ""}, // the birth date says it
		{format("%d", between(18, 95)), columns.Compared, compare.Number},
		{func(r *rand.Rand, i int) string { return strings.Repeat("The patient slept well. ", 8+i%3) }, columns.Ignored, ""},
		{func(r *rand.Rand, _ int) string { return []string{"blue", "green", "brown"}[r.IntN(3)] }, columns.Compared, compare.Text},
		{func(r *rand.Rand, _ int) string { return string(rune('A'+r.IntN(20))) + []string{"", "."}[r.IntN(2)] }, columns.Compared, compare.Middle},
		{func(r *rand.Rand, _ int) string { return string(rune('A' + r.IntN(5))) }, columns.Compared, compare.Text}, // a code
		{func(*rand.Rand, int) string { return "1" }, columns.Ignored, ""},
		{func(*rand.Rand, int) string { return "" }, columns.Ignored, ""},
	}
	var header []string
	var makers []func(*rand.Rand, int) string
	for i, c := range all {
		header = append(header, fmt.Sprint("c", i))
		makers = append(makers, c.column)
	}
	for _, n := range []int{120, 3000} {
		for i, got := range recognise(strings.Join(header, "|"), columns.Options{}, invent(n, makers...)...) {
			if got.Use != all[i].use || got.Kind != all[i].kind {
				t.Errorf("of %d rows, %s is %s, %q: %s; want %s, %q", n, got.Name, got.Use, got.Kind, got.Reason, all[i].use, all[i].kind)
			}
		}
	}
}

// TestWordsOfNoListInUnnamedColumns has surnames and towns that no list knows: the surnames vary
// most, and the towns stand beside an address.
func TestWordsOfNoListInUnnamedColumns(t *testing.T) {
	word := func(parts int) func(*rand.Rand, int) string {
		return func(r *rand.Rand, _ int) string {
			return fmt.Sprint("Qu", strings.Repeat("x", 1+r.IntN(parts)), "z", strings.Repeat("v", 1+r.IntN(parts)), "k")
		}
	}
	rows := invent(1500, func(_ *rand.Rand, i int) string { return fmt.Sprint("rec-", 7*i) }, word(5), word(20), oneOf("given"), format("%05d", between(1001, 2200)))
	got := recognise("c0|c1|c2|c3|c4", columns.Options{}, rows...)
	for i, want := range []compare.Kind{"", compare.Place, compare.Surname, compare.Given, compare.Postcode} {
		if got[i].Kind != want {
			t.Errorf("c%d is %q: %s; want %q", i, got[i].Kind, got[i].Reason, want)
		}
	}
	if got := recognise("c0|c1|c2", columns.Options{}, invent(1500, func(_ *rand.Rand, i int) string { return fmt.Sprint("rec-", 7*i) }, word(5), format("%d", between(18, 95)))...); got[1].Kind != compare.Text {
		t.Errorf("without given names and addresses: %q, %s", got[1].Kind, got[1].Reason)
	}
}

func TestFullNamesInOneUnnamedColumn(t *testing.T) {
	given, surname := oneOf("given"), oneOf("surnames")
	name := func(r *rand.Rand, i int) string { return surname(r, i) + ", " + given(r, i) + " B." }
	rows := invent(300, func(_ *rand.Rand, i int) string { return fmt.Sprint(i) }, name)
	if c := recognise("c1|c2", columns.Options{}, rows...)[1]; c.Kind != compare.FullName {
		t.Errorf("the column is %s, %q: %s", c.Use, c.Kind, c.Reason)
	}
}

// TestNamesOfAnotherLanguage stay texts, which are compared by similarity.
func TestNamesOfAnotherLanguage(t *testing.T) {
	letters := []rune("абвгдежзиклмнопрст")
	word := func(r *rand.Rand, _ int) string {
		w := make([]rune, 5+r.IntN(4))
		for i := range w {
			w[i] = letters[r.IntN(len(letters))]
		}
		return string(w)
	}
	c := recognise("c1|c2", columns.Options{}, invent(300, func(_ *rand.Rand, i int) string { return "x" }, word)...)[1]
	if c.Use != columns.Compared || c.Kind != compare.Text || c.Clean("Ёлкин") != "елкин" {
		t.Errorf("the column is %s, %q: %s", c.Use, c.Kind, c.Reason)
	}
}

// TestRecordIDs have a value of their own in each row of each source. Identifiers of people
// repeat.
func TestRecordIDs(t *testing.T) {
	column := func(n int, id func(i int) string) []string {
		rows := make([]string, n)
		for i := range rows {
			rows[i] = id(i) + "|" + samples[compare.Surname][i%2]
		}
		return rows
	}
	counted := column(9, func(i int) string { return fmt.Sprint(i) })
	scattered := column(100, func(i int) string { return fmt.Sprint(1000000 + i*7919%100000) })
	repeated := column(100, func(i int) string { return fmt.Sprint(1000000 + i%90*7919%100000) })
	few := column(9, func(i int) string { return fmt.Sprint(1000000 + i*7919%100000) })
	for _, c := range []struct {
		name    string
		sources [][]string
		use     columns.Use
		kind    compare.Kind
	}{
		{"c1", [][]string{counted}, columns.RecordID, ""},
		{"id", [][]string{scattered}, columns.RecordID, ""},
		{"id", [][]string{repeated}, columns.Compared, compare.Identifier},
		{"id", [][]string{counted, counted}, columns.RecordID, ""},
		{"id", [][]string{few}, columns.Compared, compare.Identifier},
		{"ssn", [][]string{scattered}, columns.Compared, compare.Identifier},
		{"ssn", [][]string{scattered, scattered}, columns.Compared, compare.Identifier},
		{"rec_id", [][]string{repeated}, columns.RecordID, ""},
	} {
		var all []func(func([]string) bool)
		for _, rows := range c.sources {
			all = append(all, source(rows))
		}
		var got columns.Column
		if len(all) == 1 {
			got = columns.Recognise([]string{c.name, "surname"}, columns.Options{}, all[0])[0]
		} else {
			got = columns.Recognise([]string{c.name, "surname"}, columns.Options{}, all[0], all[1])[0]
		}
		if got.Use != c.use || got.Kind != c.kind {
			t.Errorf("%s is %s, %q: %s; want %s, %q", c.name, got.Use, got.Kind, got.Reason, c.use, c.kind)
		}
	}
}

func TestDayAndMonth(t *testing.T) {
	for _, c := range []struct {
		name  string
		dates []string
		order value.Order
		clean string // of 05/06/1971
	}{
		{"dob", []string{"24/06/1971", "01/02/1980", "05/06/1971"}, value.DayFirst, "19710605"},
		{"dob", []string{"06/24/1971", "01/02/1980", "05/06/1971"}, value.MonthFirst, "19710506"},
		{"dob", []string{"01/02/1980", "05/06/1971"}, value.Unknown, "19710506"},
		{"fecha_nacimiento", []string{"01/02/1980", "05/06/1971"}, value.DayFirst, "19710605"},
		{"date_naiss", []string{"01/02/1980", "05/06/1971"}, value.DayFirst, "19710605"},
		{"birth_dt", []string{"01/02/1980", "05/06/1971"}, value.Unknown, "19710506"},
		{"fecha_nacimiento", []string{"01/13/1980", "05/06/1971"}, value.MonthFirst, "19710506"},
		{"dob", []string{"1971-06-24", "19710624", "24/06/1971", "24 June 1971", "24.06.71"}, value.DayFirst, "19710605"},
	} {
		got := recognise(c.name, columns.Options{}, c.dates...)[0]
		if got.Reading.Order != c.order || got.Clean("05/06/1971") != c.clean {
			t.Errorf("%s with %v: order %v: %s", c.name, c.dates, got.Reading.Order, got.Reason)
		}
	}
}

func TestSexes(t *testing.T) {
	for _, c := range []struct{ values, raw, want string }{
		{"M|F|f", "M", "m"},
		{"H|M|M", "M", "f"},
		{"V|M", "V", "m"},
		{"1|2", "2", "f"},
		{"0|1", "0", "code 0"},
		{"0|1|2", "0", ""},
	} {
		if got := recognise("sex", columns.Options{}, strings.Split(c.values, "|")...)[0].Clean(c.raw); got != c.want {
			t.Errorf("%s in a column of %s is %q, want %q", c.raw, c.values, got, c.want)
		}
	}
}

func TestWhatTheCallerKnows(t *testing.T) {
	o := columns.Options{Never: []string{"person"}, Kinds: map[string]compare.Kind{"c1": compare.Postcode, "index": compare.Identifier}}
	got := recognise("person|c1|index|c3", o, "1|Smith|7|1971-06-24", "1|Jones|8|1980-02-11")
	for i, want := range []struct {
		use  columns.Use
		kind compare.Kind
	}{{columns.Truth, ""}, {columns.Compared, compare.Postcode}, {columns.Compared, compare.Identifier}, {columns.Compared, compare.BirthDate}} {
		if got[i].Use != want.use || got[i].Kind != want.kind {
			t.Errorf("%s is %s, %q: %s", got[i].Name, got[i].Use, got[i].Kind, got[i].Reason)
		}
	}
}

func TestOddFiles(t *testing.T) {
	if got := columns.Recognise(nil, columns.Options{}); len(got) != 0 {
		t.Errorf("no columns are %v", got)
	}
	for _, c := range []struct {
		header string
		rows   []string
		uses   []columns.Use
	}{
		{"surname|dob", nil, []columns.Use{columns.Ignored, columns.Ignored}},
		{"surname|dob", []string{"Smith|1971-06-24"}, []columns.Use{columns.Compared, columns.Compared}},
		{"surname|dob", []string{"Smith", "Jones|", "", "Lee|unknown|more"}, []columns.Use{columns.Compared, columns.Ignored}},
		{"surname|state", []string{"Smith|MA", "Jones|MA"}, []columns.Use{columns.Compared, columns.Ignored}},
		{"surname|state", []string{"Smith|MA", "Smith|MA"}, []columns.Use{columns.Compared, columns.Compared}},
		{"home phone|mobile", []string{"555-123-4567|555-1234", "555-123-4568|555-7654"}, []columns.Use{columns.Compared, columns.Compared}},
		{"|\xff", []string{"a|b", "c|d"}, []columns.Use{columns.Ignored, columns.Compared}},
	} {
		var uses []columns.Use
		for _, col := range recognise(c.header, columns.Options{}, c.rows...) {
			uses = append(uses, col.Use)
			if col.Reason == "" {
				t.Errorf("%q has no reason", col.Name)
			}
		}
		if !slices.Equal(uses, c.uses) {
			t.Errorf("%q with %d rows: %q, want %q", c.header, len(c.rows), uses, c.uses)
		}
	}
}

// TestReasonsHoldNoValues looks for the values of columns in what is said of them.
func TestReasonsHoldNoValues(t *testing.T) {
	for _, name := range []string{"c1", "surname", "email", "dob", "sex"} {
		for _, col := range recognise(name, columns.Options{}, "Zyblikiewicz", "Quux@x.org", "1971-06-24", "Zyblikiewicz") {
			for _, secret := range []string{"Zyblikiewicz", "Quux", "1971"} {
				if strings.Contains(col.Reason, secret) {
					t.Errorf("the reason for %s holds a value: %s", name, col.Reason)
				}
			}
		}
	}
}
