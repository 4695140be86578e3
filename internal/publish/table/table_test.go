// SPDX-License-Identifier: Apache-2.0

package table

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"hide/internal/publish/hierarchy"
	"hide/internal/tabular"
)

// column makes a column of one attribute of values.
func column(t *testing.T, a Attribute, values ...string) *Column {
	t.Helper()
	a.Name, a.Role = "a", Quasi
	b, err := NewBuilder([]Attribute{a}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range values {
		if err := b.Add([]string{value}); err != nil {
			t.Fatal(err)
		}
	}
	return b.Table().Columns[0]
}

func TestCodesFollowTheOrderOfTheKind(t *testing.T) {
	h, err := hierarchy.New([][]string{{"c", "x", "*"}, {"a", "y", "*"}, {"b", "y", "*"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		a      Attribute
		values string
		want   string
	}{
		{"numbers by size, equal ones once", Attribute{Kind: Number}, "10 9 9.0 -1 1e1", "-1 9 10"},
		{"dates by time", Attribute{Kind: Date, Layout: "02.01.2006"}, "01.02.2020 31.01.2020", "2020-01-31 2020-02-01"},
		{"ordinals as told", Attribute{Kind: Ordinal, Order: []string{"low", "mid", "high"}}, "high low", "low high"},
		{"ordinals as they appear", Attribute{Kind: Ordinal}, "b a b c", "b a c"},
		{"nominals by bytes", Attribute{}, "b a c", "a b c"},
		{"by hierarchy", Attribute{Hierarchy: h}, "a b c", "c a b"},
		{"missing last", Attribute{Kind: Number}, "na 2 1", "1 2 na"},
	} {
		c := column(t, test.a, strings.Fields(test.values)...)
		if got := strings.Join(c.Domain, " "); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestGeneralizeCoversAClassTightly(t *testing.T) {
	h, err := hierarchy.New([][]string{{"a", "y", "*"}, {"b", "y", "*"}, {"c", "x", "*"}, {"d", "x", "*"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		a      Attribute
		values string // of the table
		class  int    // this number of its first rows
		text   string
		loss   float64
	}{
		{"a range of numbers", Attribute{Kind: Number}, "25 28 26 35", 3, "[25-28]", .3},
		{"whole numbers", Attribute{Kind: Number}, "2 5 27 12 3", 5, "[2-27]", 1},
		{"a number that stays", Attribute{Kind: Number}, "25 25.0 30", 2, "25", 0},
		{"numbers and a missing one", Attribute{Kind: Number}, "25 na 30", 2, "*", 1},
		{"a missing number alone", Attribute{Kind: Number}, "na  25 30", 1, "na", 0},
		{"a set", Attribute{}, "b a c d", 2, "{a, b}", .5},
		{"a set with a missing value", Attribute{}, "b na c d", 2, "{b, na}", .5},
		{"a range of ranks", Attribute{Kind: Ordinal}, "low mid high top", 2, "[low-mid]", 1. / 3},
		{"one day", Attribute{Kind: Date}, "2020-09-28T12:32 2020-09-28T15:27:48 2021-01-01", 2, "2020-09-28", 2. / 3},
		{"one month", Attribute{Kind: Date}, "2020-09-27 2020-09-28 2020-09-01 2021-01-01", 2, "2020-09", .75},
		{"one year", Attribute{Kind: Date}, "2020-10-27 2020-09-28 2021-01-01", 2, "2020", 2. / 3},
		{"years", Attribute{Kind: Date}, "2021-10-27 2020-09-28 2019-01-01", 2, "[2020-2021]", 2. / 3},
		{"a code", Attribute{Kind: Code}, "HP27PW HP27PF HP27PA CF470JD", 2, "HP27P*", .75},
		{"codes with nothing in common", Attribute{Kind: Code}, "HP27PW CF470JD", 2, "*", 1},
		{"a node", Attribute{Hierarchy: h}, "a b c", 2, "y", .5},
		{"the top", Attribute{Hierarchy: h}, "a c c", 2, "*", 1},
		{"a missing value goes with the top only", Attribute{Hierarchy: h}, "a na c", 2, "*", 1},
	} {
		c := column(t, test.a, strings.Fields(test.values)...)
		got := c.Generalize(c.Codes[:test.class])
		if got.Text != test.text || math.Abs(got.Loss-test.loss) > 1e-12 {
			t.Errorf("%s: got %q, %v, want %q, %v", test.name, got.Text, got.Loss, test.text, test.loss)
		}
	}
}

// The postcodes are those of rx-anon's tests of string reduction.
func TestStringReductionIsThatOfRxAnon(t *testing.T) {
	for _, test := range [][3]string{{"HP2 7PW", "HP2 7PF", "HP2 7P*"}, {"HP2 7PW", "HP2 4DY", "HP2 *"}, {"HP2 7PW", "CF470JD", "*"}, {"é1", "è2", "*"}} {
		c := column(t, Attribute{Kind: Code}, test[0], test[1])
		if got := c.Generalize(c.Codes).Text; got != test[2] {
			t.Errorf("%q and %q: got %q, want %q", test[0], test[1], got, test[2])
		}
	}
}

// table21 is the dissertation's Table 2.1.
const table21 = "name,age,gender,zip,diagnosis\nHenry,25,M,53710,Influenza\nIrene,28,F,53712,Lymphoma\nDan,28,M,53711,Bronchitis\nErica,26,F,53712,Influenza\n"

const config21 = `attributes:
- {name: name, role: direct}
- {name: age, role: quasi, kind: number}
- {name: gender, role: quasi}
- {name: zip, role: quasi, kind: number}
- {name: diagnosis, role: sensitive, l: 2}
privacy: {k: 2}
`

func read21(t *testing.T) *Table {
	t.Helper()
	c, err := ReadConfig(strings.NewReader(config21))
	if err != nil {
		t.Fatal(err)
	}
	all, err := ReadCSV(strings.NewReader(table21), c)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestDissertationTable21LosesLessThanPrinted(t *testing.T) {
	all := read21(t)
	classes := Classes{{0, 2}, {1, 3}}
	g := all.Generalize(classes)
	var got []string
	for _, cells := range g.Cells {
		for _, cell := range cells {
			got = append(got, cell.Text)
		}
	}
	if want := []string{"[25-28]", "M", "[53710-53711]", "[26-28]", "F", "53712"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := g.NCP(classes); math.Abs(got-.361111) > 1e-6 {
		t.Errorf("NCP %v, want .36111", got)
	}
	// as printed, the second class has [25-28] too
	g.Cells[1][0].Loss = 1
	if got := g.NCP(classes); math.Abs(got-.416667) > 1e-6 {
		t.Errorf("NCP as printed %v, want .41667", got)
	}
}

func TestReadCSVRefusesBadFilesByPlace(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", "the file is empty"},
		{"no rows", "name,age,gender,zip,diagnosis\n", "the file has no rows"},
		{"an unknown column", "name,age,gender,zip,diagnosis,more\n", "record 1, byte 0: column 6 of the file has no role"},
		{"a column that is not there", "name,age,gender,zip\n", `record 1, byte 0: the file has no column "diagnosis"`},
		{"mixed types", table21 + "Eve,old,F,1,X\n", `record 6, byte 136: column "age": a value is not a number`},
		{"a field too many", table21 + "Eve,1,F,1,X,Y\n", "record 6, byte 136: has more or fewer fields"},
		{"a quote", table21 + "E\"ve,1,F,1,X\n", "record 6, byte 136: a quote is in the wrong place"},
		{"an empty line", table21 + "\nEve,1,F,1,X\n", "record 6, byte 136: there is an empty line"},
		{"other bytes", table21 + "Eve,1,\xff,1,X\n", "record 6, byte 136: field 3 is not UTF-8 text"},
		{"a zero byte", table21 + "Eve,1,F\x00,1,X\n", `record 6, byte 136: column "gender": a value is not UTF-8 text`},
		{"UTF-16", "\xff\xfen\x00", "record 1, byte 0: the file is UTF-16"},
	} {
		c, err := ReadConfig(strings.NewReader(config21))
		if err != nil {
			t.Fatal(err)
		}
		_, err = ReadCSV(strings.NewReader(test.text), c)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
		if wrong := (*tabular.Error)(nil); !errors.As(err, &wrong) {
			t.Errorf("%s: %T is not a tabular.Error", test.name, err)
		}
	}
}

func TestAKeyTwiceIsRefused(t *testing.T) {
	c, err := ReadConfig(strings.NewReader("key: name\n" + config21))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadCSV(strings.NewReader(table21), c); err != nil {
		t.Fatal(err)
	}
	if _, err = ReadCSV(strings.NewReader(table21+"  ,1,F,1,X\n"), c); err == nil {
		t.Error("blanks are taken for a key")
	}
	if _, err = ReadCSV(strings.NewReader(table21+"Dan ,1,F,1,X\n"), c); err == nil {
		t.Error("a blank makes another patient")
	}
	_, err = ReadCSV(strings.NewReader(table21+"Dan,1,F,1,X\n"), c)
	if err == nil || err.Error() != "record 6, byte 136: has the same key as an earlier record" {
		t.Errorf("got %v", err)
	}
}

// TestAKeyThatIsNoColumnIsRefused: without it rows would be taken for patients.
func TestAKeyThatIsNoColumnIsRefused(t *testing.T) {
	c, err := ReadConfig(strings.NewReader("key: nome\nothers: direct\n" + config21))
	if err != nil {
		t.Fatal(err)
	}
	_, err = ReadCSV(strings.NewReader(table21), c)
	if err == nil || err.Error() != `record 1, byte 0: the file has no column "nome", which is the key` {
		t.Errorf("got %v", err)
	}
}

// A k of 2.9 is not one of 2.
func TestReadConfigCutsOffNoFractions(t *testing.T) {
	for text, line := range map[string]int{
		"privacy: {k: 2.9}": 1, "privacy:\n  k: 3.0": 2, "people: 1.5": 1, "method: {name: incognito,\n levels: {age: 1.5}}": 2, `{"privacy": {"k": 2e0}}`: 1,
	} {
		want := fmt.Sprintf("line %d of the configuration has a fraction", line)
		if _, err := ReadConfig(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestReadConfigSaysWhichLine(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "the configuration is empty"},
		{"attributes: [{name: a, role: quasi, colour: red}]", `unknown field "colour" in line 1`},
		{"privacy:\n  k: many\nattributes: []", "line 2 of"},
		{"attributes: []", "lists no attributes"},
		{"attributes: [{name: a, role: king}]", `unknown role "king" of attribute "a"; roles are direct, quasi, sensitive, insensitive, text`},
		{"attributes: [{name: a, role: quasi, kind: date, format: '%Q'}]", `attribute "a": a date format has an unknown directive at byte 0`},
		{"attributes: [{name: a, role: quasi, l: 2}]", `attribute "a": l, t and the like are only for a sensitive attribute`},
		{"attributes: [{name: a, role: quasi, hierarchy: auto}]", "from the values of a number or a date"},
		{"attributes: [{name: a, role: quasi}, {name: a, role: quasi}]", "configured twice"},
		{"attributes: [{name: a, role: quasi}]\n---\nx: 1", "more than one document"},
		{"\x00", "neither YAML nor JSON"},
	} {
		if _, err := ReadConfig(strings.NewReader(test.text)); err == nil || !strings.Contains(err.Error(), test.want) || strings.Count(err.Error(), `"a"`) > 1 {
			t.Errorf("%q: got %v, want %s", test.text, err, test.want)
		}
	}
	if _, err := ReadConfig(strings.NewReader(`{"attributes": [{"name": "a", "role": "quasi"}], "privacy": {"k": 2}}`)); err != nil {
		t.Errorf("JSON: %v", err)
	}
}

func TestTenThousandColumnsAreReadAndMoreThanTheLimitRefused(t *testing.T) {
	for columns, want := range map[int]string{10000: "", 16384 + 1: "there are more than 16384 columns"} {
		var names, values []string
		for i := range columns {
			names, values = append(names, fmt.Sprint("c", i)), append(values, fmt.Sprint(i%7))
		}
		file := strings.Join(names, ",") + "\n" + strings.Join(values, ",") + "\n"
		c := Config{Others: Direct, Attributes: []AttributeConfig{{Name: "c77", Role: Quasi, Kind: Number}}}
		all, err := ReadCSV(strings.NewReader(file), c)
		if want == "" && (err != nil || len(all.Columns) != columns || len(all.With(Quasi)) != 1 || all.Column("c78").Codes != nil) {
			t.Errorf("%d columns: %v", columns, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d columns: got %v, want %s", columns, err, want)
		}
	}
}

func TestARecordWithoutEndIsRefused(t *testing.T) {
	file := "age\n\"" + strings.Repeat("x", tabular.MaxRecord+1<<16)
	_, err := ReadCSV(strings.NewReader(file), Config{Attributes: []AttributeConfig{{Name: "age", Role: Quasi}}})
	if err == nil || !strings.HasPrefix(err.Error(), "record 2, byte 4: is longer than") {
		t.Errorf("got %v", err)
	}
}
