// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"hide/internal/publish/link"
	"hide/internal/publish/link/compare"
)

func TestUnusualRecords(t *testing.T) {
	row := []string{"Robert", "Miller", "1971-06-24", "Station Road", "12", "Leeds", "5551234567"}
	repeated := func(n int) (rows [][]string) {
		for range n {
			rows = append(rows, row)
		}
		return rows
	}
	without := func(field int, value string) (rows [][]string) {
		for _, r := range few.rows {
			r = append([]string{}, r...)
			r[field] = value
			rows = append(rows, r)
		}
		return rows
	}
	all := func(n int) [][]int {
		var members []int
		for i := range n {
			members = append(members, i)
		}
		return [][]int{members}
	}
	for _, test := range []struct {
		name string
		rows [][]string
		want [][]int
	}{
		{"no record", nil, nil},
		{"one record", repeated(1), nil},
		{"two equal records", repeated(2), all(2)},
		{"all records equal", repeated(50), all(50)},
		{"very many equal records", repeated(5000), all(5000)},
		{"a column without values", without(5, "unknown"), [][]int{{0, 1, 4}, {2, 3}}},
		{"a column of one value", without(5, "Leeds"), [][]int{{0, 1, 4}, {2, 3}}},
		{"no value at all", [][]string{make([]string, 7), make([]string, 7), make([]string, 7)}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := file{fields: peopleFields, rows: test.rows}
			result := f.run(t, link.Options{})
			if !reflect.DeepEqual(result.Clusters, test.want) {
				t.Errorf("clusters %v, want %v", result.Clusters, test.want)
			}
			if len(result.Bridges) > 0 {
				t.Errorf("%d bridges", len(result.Bridges))
			}
			if n := len(test.rows); result.Compared > 60*n+2000 {
				t.Errorf("%d pairs of %d records", result.Compared, n)
			}
			for _, field := range result.Model.Fields {
				for _, l := range field.Levels {
					if !(l.M > 0 && l.M <= 1 && l.U > 0 && l.U <= 1) {
						t.Errorf("%s, %s: m %v, u %v", field.Field.Name, l.Name, l.M, l.U)
					}
				}
			}
			if p := result.Model.Prior; !(p > 0 && p < 1) || math.IsNaN(result.Errors.At.Precision+result.Errors.At.Recall) {
				t.Errorf("prior %v, errors %+v", p, result.Errors.At)
			}
		})
	}
}

// TestACommonNumberSaysLittle has one telephone for half of the records.
func TestACommonNumberSaysLittle(t *testing.T) {
	f := invent(11, 80)
	for i := range f.rows {
		if i%2 == 0 {
			f.rows[i][6] = "5550000001"
		}
	}
	if got := f.f1(f.run(t, link.Options{})); got < .93 {
		t.Errorf("F1 %.3f", got)
	}
}

// TestSeveralValuesAgreeAsTheBest has a record with two telephones and two surnames.
func TestSeveralValuesAgreeAsTheBest(t *testing.T) {
	fields := []link.Field{{Name: "surname", Kind: compare.Surname}, {Name: "phone", Kind: compare.Phone}}
	records := link.NewRecords(fields)
	records.Add([]string{"Kowalska", "Nowak"}, []string{"5551112222", "5553334444"})
	records.Add([]string{"Nowak"}, []string{"5559998888", "5553334444"})
	records.Add([]string{"Fischer"}, []string{"5551119999"})
	result := run(t, records, link.Default(fields), link.Options{})
	for _, bar := range result.Waterfall(0, 1)[1:3] {
		if bar.Level != "equal" {
			t.Errorf("%s: %s", bar.Name, bar.Level)
		}
	}
	if want := [][]int{{0, 1}}; !reflect.DeepEqual(result.Clusters, want) {
		t.Errorf("clusters %v, want %v", result.Clusters, want)
	}
}

// TestTransliteratedNamesAreEqual joins the forms of a name that one record has with ü or ö. The
// forms of other names, which nobody wrote so, stay apart.
func TestTransliteratedNamesAreEqual(t *testing.T) {
	names := []string{"Müller", "Mueller", "Muller", "Michael", "Michal", "Müller-Toepfer", "Mueller-Töpfer"}
	fields := []link.Field{{Name: "surname", Kind: compare.Surname}}
	for seed := range uint64(4) {
		records, at := link.NewRecords(fields), map[string]int{}
		for _, i := range rand.New(rand.NewPCG(seed, 5)).Perm(len(names)) {
			at[names[i]] = records.Add([]string{names[i]})
		}
		config := link.Default(fields)
		config.Rules = []link.Rule{{{Field: "surname"}}}
		result := run(t, records, config, link.Options{})
		if got := result.Rules[0].Pairs; got != 4 {
			t.Errorf("%d pairs of equal names, want 4", got)
		}
		for pair, equal := range map[[2]string]bool{
			{"Müller", "Mueller"}: true, {"Mueller", "Muller"}: true, {"Michael", "Michal"}: false, {"Müller-Toepfer", "Mueller-Töpfer"}: true,
		} {
			if got := result.Waterfall(at[pair[0]], at[pair[1]])[1].Level; (got == "equal") != equal {
				t.Errorf("%v: %s", pair, got)
			}
		}
	}
}

// TestEqualYearsAreNotEqualDates has records of which only the year of birth is known.
func TestEqualYearsAreNotEqualDates(t *testing.T) {
	fields := []link.Field{{Name: "surname", Kind: compare.Surname}, {Name: "born", Kind: compare.BirthDate}, {Name: "phone", Kind: compare.Phone}}
	records := link.NewRecords(fields)
	for i, born := range [][]string{{"1971"}, {"1971"}, {"1971", "1970"}, {"1971", "1970"}, {"1971-06-24"}, {"1971-06-24"}, {"1971-06"}, {"1971-06"}} {
		records.Add([]string{"Kowalska"}, born, []string{strconv.Itoa(5551110000 + 1111*i)})
	}
	result := run(t, records, link.Default(fields), link.Options{})
	for pair, want := range map[[2]int]string{{0, 1}: "same year", {2, 3}: "same year", {4, 5}: "equal", {6, 7}: "two parts of three", {1, 4}: "same year"} {
		if got := result.Waterfall(pair[0], pair[1])[2].Level; got != want {
			t.Errorf("records %v: %s, want %s", pair, got, want)
		}
	}
}

// TestASexThatFollowsFromTheGivenNameSaysNothing compares a pair of one given name, of two, and of
// none.
func TestASexThatFollowsFromTheGivenNameSaysNothing(t *testing.T) {
	fields := []link.Field{{Name: "given", Kind: compare.Given}, {Name: "surname", Kind: compare.Surname}, {Name: "sex", Kind: compare.Sex}}
	records := link.NewRecords(fields)
	for _, row := range [][]string{{"Maria", "Nowak", "f"}, {"Maria", "Kowalska", "f"}, {"Ingrid", "Nowak", "f"}, {"", "Nowak", "f"}, {"Nowak", "Ingrid", "f"}, {"Maria", "Roth", "m"}} {
		records.Add(cells(row)...)
	}
	result := run(t, records, link.Default(fields), link.Options{})
	for pair, want := range map[[2]int]string{{0, 1}: "follows from the given", {2, 4}: "follows from the given", {0, 2}: "equal", {0, 3}: "equal", {0, 5}: "else"} {
		if bar := result.Waterfall(pair[0], pair[1])[3]; bar.Level != want || (bar.Bits == 0) != (want == "follows from the given") {
			t.Errorf("records %v: %s (%.2f bits), want %s", pair, bar.Level, bar.Bits, want)
		}
	}
}

// TestExpectedEqualIsTheStart has too few records to learn how often numbers are equal.
func TestExpectedEqualIsTheStart(t *testing.T) {
	for equal, want := range map[float64]float64{0: .85, .3: .3} {
		fields := []link.Field{{Name: "surname", Kind: compare.Surname}, {Name: "number", Kind: compare.Identifier, Equal: equal}}
		records := link.NewRecords(fields)
		records.Add([]string{"Kowalska"}, []string{"4711815"})
		records.Add([]string{"Fischer"}, []string{"9023361"})
		result := run(t, records, link.Default(fields), link.Options{})
		if got := result.Model.Fields[1].Levels[0].M; math.Abs(got-want) > .02 {
			t.Errorf("expected %v: m of equal numbers is %.3f, want %.2f", equal, got, want)
		}
	}
}

func TestRefusedConfigurations(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*link.Config)
		want   string
	}{
		{"link", func(c *link.Config) { c.Link = 1 }, "the link threshold is 1"},
		{"no number", func(c *link.Config) { c.Link = math.NaN() }, "the link threshold is NaN"},
		{"review", func(c *link.Config) { c.Review = .9 }, "the review threshold is 0.9"},
		{"negative", func(c *link.Config) { c.MaxBlock = -1 }, "max block is -1"},
		{"empty rule", func(c *link.Config) { c.Rules = []link.Rule{{}} }, "rule 1 has no key"},
		{"field", func(c *link.Config) { c.Rules = []link.Rule{{{Field: "age"}}} }, `rule 1 names the field "age"`},
		{"second field", func(c *link.Config) { c.Rules = []link.Rule{{{Field: "given", Or: "x"}}} }, `rule 1 names the field "x"`},
		{"part", func(c *link.Config) { c.Rules = []link.Rule{{{Field: "given", Part: "half"}}} }, `takes the part "half"`},
		{"rules", func(c *link.Config) { c.Rules = make([]link.Rule, 32) }, "32 rules"},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := link.Default(few.fields)
			test.change(&config)
			_, err := link.Run(context.Background(), few.records(), config, link.Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
	_, err := link.Run(context.Background(), link.NewRecords(nil), link.Default(nil), link.Options{})
	if err == nil || !strings.Contains(err.Error(), "no field") {
		t.Errorf("without fields: error %v", err)
	}
}
