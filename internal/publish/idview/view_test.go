// SPDX-License-Identifier: Apache-2.0

package idview

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/publish/table"
)

// marked builds a note whose spans are written [LABEL text].
func marked(name, patient, text string, fields ...string) (annotate.Document, []annotate.Span) {
	d := annotate.Document{Name: name, Patient: patient, Attributes: map[string]string{}}
	for i := 0; i < len(fields); i += 2 {
		d.Attributes[fields[i]] = fields[i+1]
	}
	var out strings.Builder
	var spans []annotate.Span
	for part := range strings.SplitAfterSeq(text, "]") {
		before, span, found := strings.Cut(part, "[")
		out.WriteString(before)
		if !found {
			continue
		}
		label, surface, _ := strings.Cut(strings.TrimSuffix(span, "]"), " ")
		start := annotate.ByteOff(out.Len())
		out.WriteString(surface)
		spans = append(spans, annotate.Span{Start: start, End: annotate.ByteOff(out.Len()), Label: annotate.Label(label)})
	}
	d.Text = out.String()
	return d, spans
}

// ward is three patients and a note without one.
func ward() *People {
	p := NewPeople()
	add := func(finished bool, name, patient, text string, fields ...string) {
		d, spans := marked(name, patient, text, fields...)
		p.Add(d, spans, finished)
	}
	add(true, "n1", "p1", "[PATIENT Ann] is [AGE 44-year-old], from [CITY Boston], seen [DATE 3/4/2019].", "sex", "F", "dx", "flu")
	add(true, "n2", "p1", "Now [AGE 45], [CITY BOSTON] and [CITY Salem], on [DATE May 2, 2019].", "sex", "F", "dx", "asthma")
	add(true, "n3", "p2", "[AGE 6-month-old] of [CITY boston], [CITY Boston], seen [DATE March].", "sex", "M")
	add(false, "n4", "p3", "[AGE 70]", "sex", " f ")
	add(true, "n5", "", "[AGE unknown] [CITY Salem]")
	return p
}

func cells(t *testing.T, v *View, name string) []string {
	t.Helper()
	c := v.Table.Column(name)
	if c == nil {
		t.Fatalf("no column %s", name)
	}
	var out []string
	for _, code := range c.Codes {
		out = append(out, c.Domain[code])
	}
	return out
}

func view(t *testing.T, p *People, attributes []Attribute) *View {
	t.Helper()
	v, err := p.View(attributes)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTheViewHasARowPerPatient(t *testing.T) {
	p := ward()
	attributes := Propose(p.Found())
	city := slices.IndexFunc(attributes, func(a Attribute) bool { return a.Name == "CITY" })
	if attributes[city].Take != Most {
		t.Errorf("of cities %s is proposed, want the most frequent", attributes[city].Take)
	}
	attributes[city].Take = All
	v := view(t, p, attributes)
	if v.Table.Rows != 4 || v.Alone != 1 || v.Unmarked != 1 {
		t.Errorf("%d rows, %d alone, %d unmarked; want 4, 1, 1", v.Table.Rows, v.Alone, v.Unmarked)
	}
	for name, want := range map[string]string{
		"AGE":  "45|0|na|na", // the greatest; p3's note is not finished, n5's is no number
		"CITY": "Boston & Salem|Boston|na|Salem",
		"DATE": "2019-03-04|na|na|na", // the least
		"sex":  "F|M|F|na",
	} {
		if got := strings.Join(cells(t, v, name), "|"); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	i := slices.IndexFunc(v.Columns, func(c Column) bool { return c.Name == "AGE" })
	if c := v.Columns[i]; c.Missing != 2 || c.Unreadable != 1 || c.Several != 1 {
		t.Errorf("AGE: %+v", c)
	}
}

func TestNamesAndWhatIsUnknownAreLeftOut(t *testing.T) {
	p := ward()
	d, spans := marked("n6", "p4", "[MEDICALRECORD 77]", "quux", "v", "icd_code", "J10")
	p.Add(d, spans, true)
	roles := map[string]table.Role{}
	for _, a := range Propose(p.Found()) {
		roles[a.Name] = a.Role
	}
	for name, want := range map[string]table.Role{
		"PATIENT": table.Direct, "MEDICALRECORD": table.Direct, "quux": table.Direct, "dx": table.Direct, "notes": table.Direct,
		"AGE": table.Quasi, "DATE": table.Quasi, "CITY": table.Quasi, "sex": table.Quasi, "icd_code": table.Sensitive,
	} {
		if roles[name] != want {
			t.Errorf("%s is %s, want %s", name, roles[name], want)
		}
	}
	for _, l := range annotate.I2B2() {
		if a := propose(Key{Label, string(l.Label)}); a.Check() != nil || a.Role == table.Insensitive {
			t.Errorf("%s is proposed as %+v", l.Label, a)
		}
	}
	v := view(t, p, Propose(p.Found()))
	if c := v.Table.Column("PATIENT"); c.Codes != nil || c.Domain != nil {
		t.Error("the table holds names")
	}
}

func TestFoundCountsWhoHasWhat(t *testing.T) {
	for _, f := range ward().Found() {
		want, asked := map[Key]string{
			{Label, "CITY"}: "3 1 2", {Label, "AGE"}: "3 1 4", {Field, "sex"}: "3 0 2", {Field, "dx"}: "1 1 2", NotesKey: "4 0 2",
		}[f.Key]
		if got := fmt.Sprint(f.People, f.Several, f.Distinct); asked && got != want {
			t.Errorf("%v: %s, want %s", f.Key, got, want)
		}
	}
}

func TestNumbersAndDatesAreReadAsPeopleWriteThem(t *testing.T) {
	for in, want := range map[string]string{
		"45": "45", "45-year-old": "45", "aged 45.5": "45.5", "6 mo": "0", "18-month-old": "1", "18 months": "1", "60 weeks": "1", "300 days": "0", "45 m": "45",
		"45 male": "45", "": "", "forty": "", "90071992547409930": "", "-3": "-3",
	} {
		if got, ok := readNumber(in); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", in, got, ok, want)
		}
	}
	for in, want := range map[string]string{
		"2019-03-04": "2019-03-04", "3/4/2019": "2019-03-04", "3/4/19": "2019-03-04", "4.3.2019": "2019-03-04", "March 4, 2019": "2019-03-04", "04-Mar-2019": "2019-03-04",
		"13/4/2019": "", "March": "", "2019": "", "3/4": "",
	} {
		if got, _ := (Attribute{Kind: table.Date}).readDate(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got, _ := (Attribute{Kind: table.Date, Form: "%d/%m/%Y"}).readDate("3/4/2019"); got != "2019-04-03" {
		t.Errorf("day first: %q", got)
	}
}

func TestSetsThatDifferAreWrittenDifferently(t *testing.T) {
	seen := map[string]string{}
	for _, set := range [][]string{{"a & b"}, {"a", "b"}, {"a ", " b"}, {"a & b", "c"}, {"a", "b & c"}, {"a", "b", "c"}, {`a \`, "b"}, {`a \& b`}} {
		text := together(set)
		if len(set) == 1 {
			continue // a single value stays as it is
		}
		if other, twice := seen[text]; twice {
			t.Errorf("%q and %s are both %q", set, other, text)
		}
		seen[text] = fmt.Sprintf("%q", set)
	}
}

func TestWhatCannotBeIsRefused(t *testing.T) {
	city, age := Key{Label, "CITY"}, Key{Label, "AGE"}
	for _, test := range []struct {
		name string
		all  []Attribute
		want string
	}{
		{"a role", []Attribute{{Key: city, Role: "king"}}, "unknown role"},
		{"a way", []Attribute{{Key: city, Role: table.Quasi, Take: "worst"}}, "unknown way"},
		{"a set of numbers", []Attribute{{Key: age, Role: table.Quasi, Kind: table.Number, Take: All}}, "sets have no order"},
		{"a set in a hierarchy", []Attribute{{Key: city, Role: table.Quasi, Take: All, Hierarchy: "Boston;*\n"}}, "hierarchy is of single values"},
		{"twice", []Attribute{{Key: city, Role: table.Quasi}, {Key: city, Role: table.Direct}}, "twice"},
		{"a hierarchy", []Attribute{{Key: city, Role: table.Quasi, Hierarchy: "Boston\n"}}, "row 1 has no level"},
		{"a form", []Attribute{{Key: city, Role: table.Quasi, Form: "%Y"}}, "is not a date"},
		{"a hierarchy that misses a value", []Attribute{{Key: city, Role: table.Quasi, Hierarchy: "Boston;*\n"}}, "missing from the hierarchy"},
		{"an order that misses a value", []Attribute{{Key: city, Role: table.Quasi, Kind: table.Ordinal, Order: []string{"Boston"}}}, "not in the order"},
	} {
		_, err := ward().View(test.all)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
		if err != nil && (strings.Contains(err.Error(), "Salem") || strings.Contains(err.Error(), "Boston")) {
			t.Errorf("%s: the error quotes a value", test.name)
		}
	}
	var wrong *table.ValueError
	if _, err := ward().View([]Attribute{{Key: city, Role: table.Quasi, Hierarchy: "Boston;*\n"}}); !errors.As(err, &wrong) || wrong.Column != "CITY" {
		t.Errorf("%v is no ValueError of its column", err)
	}
}

func TestALabelCalledLikeAFieldSaysSo(t *testing.T) {
	got := Names([]Attribute{{Key: Key{Label, "AGE"}}, {Key: Key{Field, "AGE"}}, {Key: Key{Label, "AGE in notes"}}})
	if want := []string{"AGE in notes", "AGE", "AGE in notes in notes"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestValuesAreInTheOrderOfTheNotes(t *testing.T) {
	got := ward().Values(Key{Label, "CITY"})
	if want := "[[Boston BOSTON Salem] [boston Boston] [] [Salem]]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func TestDistinctCountsPeopleNotMentions(t *testing.T) {
	got := ward().Distinct(Attribute{Key: Key{Label, "CITY"}, Role: table.Direct})
	if want := "[{Boston 2} {Salem 2}]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func TestFoldedRowsDoNotDependOnHowOthersSpell(t *testing.T) {
	city := Attribute{Key: Key{Label, "CITY"}, Role: table.Quasi, Kind: table.Ordinal, Take: Greatest, Order: []string{"Salem", "Boston", "BOSTON"}, Hierarchy: "Boston;*\n"}
	rows := func(extra ...string) string {
		p := ward()
		for i, value := range extra {
			d, spans := marked(fmt.Sprint("x", i), fmt.Sprint("x", i), "[CITY "+value+"]")
			p.Add(d, spans, true)
		}
		v, err := p.Folded([]Attribute{city})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(cells(t, v, "CITY")[:4], "|")
	}
	alone := rows()
	if alone != "boston|boston|na|salem" {
		t.Errorf("rows %s", alone)
	}
	if got := rows("BOSTON", "BOSTON", "BOSTON", "SALEM", "SALEM"); got != alone {
		t.Errorf("others spell it otherwise, and rows are %s", got)
	}
}
