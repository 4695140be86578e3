// SPDX-License-Identifier: Apache-2.0

package linkfile

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"hide/internal/lab/linkage"
	"hide/internal/publish/link"
	"hide/internal/publish/link/score"
)

func file(name, text string) File {
	return File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// people is a file of invented people.
func people(t *testing.T, n int) string {
	t.Helper()
	var b strings.Builder
	if _, err := linkage.WriteCSV(&b, linkage.Options{People: n, Seed: 3, Rates: linkage.Stated}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func mustLink(t *testing.T, files []File, o Options) *Linked {
	t.Helper()
	l, err := Link(context.Background(), files, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// rows reads what WriteRows writes.
func rows(t *testing.T, l *Linked) [][]string {
	t.Helper()
	var b bytes.Buffer
	if err := l.WriteRows(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWrittenClustersHaveTheReportedErrors counts pairs of rows one by one.
func TestWrittenClustersHaveTheReportedErrors(t *testing.T) {
	text := people(t, 150)
	l := mustLink(t, []File{file("people.csv", text)}, Options{Truth: "truth"})
	all := rows(t, l)
	in, _ := csv.NewReader(strings.NewReader(text)).ReadAll()
	var want score.Pairs
	for i, row := range all[1:] {
		if !slices.Equal(row[1:], in[i+1]) {
			t.Fatalf("row %d changed", i+1)
		}
		for _, other := range all[1 : i+1] {
			linked, same := row[0] == other[0], row[len(row)-1] == other[len(row)-1]
			if linked {
				want.Linked++
			}
			if same {
				want.True++
			}
			if linked && same {
				want.Right++
			}
		}
	}
	if l.Pairs != want.Linked || l.Precision != want.Precision() || l.Recall != want.Recall() || l.F1 != want.F1() || l.Errors.Missed != want.Missed() {
		t.Errorf("reported %+v %+v, rows have %+v", l.Accuracy, l.Errors, want)
	}
	if l.F1 < 0.9 || l.Records != len(all)-1 || all[0][0] != "cluster" {
		t.Errorf("F1 %.3f of %d records, header %q", l.F1, l.Records, all[0])
	}
}

func TestTheTruthIsNeverCompared(t *testing.T) {
	// With the truth as the only column that tells people apart, nothing may be linked by it.
	text := "surname,person\n" + strings.Repeat("Miller,1\nOkafor,1\nNowak,2\nSilva,2\n", 3)
	l := mustLink(t, []File{file("a.csv", text)}, Options{Truth: "Person"})
	for _, c := range l.Columns {
		if c.Name == "person" && c.compared() {
			t.Errorf("the truth has the kind %s", c.Kind)
		}
	}
	if fields := l.Model.Fields; len(fields) != 1 || fields[0].Field != "surname" {
		t.Errorf("compared are %+v", fields)
	}
}

// TestAColumnWithoutANameIsNotCompared has the truth in it, which could not be named.
func TestAColumnWithoutANameIsNotCompared(t *testing.T) {
	f := []File{file("a.csv", ",surname\n"+strings.Repeat("1,Miller\n1,Okafor\n2,Nowak\n2,Silva\n", 3))}
	l := mustLink(t, f, Options{})
	if fields := l.Model.Fields; len(fields) != 1 || fields[0].Field != "surname" || l.Columns[0].Reason != "it has no name" {
		t.Errorf("compared are %+v, columns %+v", fields, l.Columns)
	}
	config, err := Recognise(context.Background(), f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := config.Write(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadConfig(&b); err != nil {
		t.Errorf("the written configuration is refused: %v", err)
	}
}

func TestTwoFilesAreLinkedByColumnsOfOtherNames(t *testing.T) {
	text := people(t, 200)
	all, _ := csv.NewReader(strings.NewReader(text)).ReadAll()
	var first, second strings.Builder
	a, b := csv.NewWriter(&first), csv.NewWriter(&second)
	_ = a.Write(all[0])
	_ = b.Write([]string{"truth", "telephone", "zip", "last_name", "ward", "first_name", "dob"})
	for i, r := range all[1:] {
		if i%2 == 0 {
			_ = a.Write(r)
		} else {
			_ = b.Write([]string{r[11], r[10], r[8], r[2], "=3", r[1], r[3]})
		}
	}
	a.Flush()
	b.Flush()
	l := mustLink(t, []File{file("a.csv", first.String()), file("b.csv", second.String())}, Options{Truth: "truth"})
	if l.Precision < 0.9 || l.Recall < 0.8 {
		t.Errorf("precision %.3f, recall %.3f", l.Precision, l.Recall)
	}
	out := rows(t, l)
	want := "cluster file " + strings.Join(all[0], " ") + " ward"
	if got := strings.Join(out[0], " "); got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	var pairs score.Pairs
	for i, row := range out[1:] {
		for _, other := range out[1 : i+1] {
			if row[1] != other[1] {
				if row[0] == other[0] {
					pairs.Linked++
				}
				if row[13] == other[13] {
					pairs.True++
				}
			}
		}
	}
	if pairs.Linked != l.Pairs || pairs.True != l.Errors.True {
		t.Errorf("rows have %+v, reported %d linked and %d true pairs", pairs, l.Pairs, l.Errors.True)
	}
	last := out[len(out)-1]
	if l.Prefixed.Cells != l.counts[1] || last[1] != "2" || last[14] != "'=3" {
		t.Errorf("%d cells made safe; last row of file %s", l.Prefixed.Cells, last[1])
	}
}

func TestAConfigurationDecidesWhatIsCompared(t *testing.T) {
	text := "c1,c2,home,mobile\nAnn Lee,03/04/1971,555-0100-12,\nAnn Lee,03/04/1971,,555-0100-12\nBo Ek,04/03/1971,,\n"
	config := Config{Columns: []Column{
		{Name: "C2", Kind: "birth date", Dates: DayFirst}, {Name: "home", Kind: "phone"}, {Name: "mobile", Kind: "phone", Field: "home"},
	}, Rules: []link.Rule{{{Field: "home"}}}}
	l := mustLink(t, []File{file("a.csv", text)}, Options{Config: &config})
	var compared []string
	for _, f := range l.Model.Fields {
		compared = append(compared, f.Field)
	}
	if !slices.Equal(compared, []string{"C2", "home"}) {
		t.Errorf("compared are %v", compared)
	}
	if rule := l.Rules[0]; rule.Rule != "home" || rule.Pairs != 1 {
		t.Errorf("the first rule is %+v", rule)
	}
}

func TestDatesAreReadInTheOrderOfTheirColumn(t *testing.T) {
	// Without an order the third date shows that days come first.
	text := "surname,dob\nLee,03/04/1971\nNowak,3 April 1971\nSilva,25/03/1971\n"
	for _, test := range []struct {
		order Order
		pairs int
	}{{DayFirst, 1}, {MonthFirst, 0}, {"", 1}} {
		config := Config{Columns: []Column{{Name: "surname", Kind: "surname"}, {Name: "dob", Kind: "birth date", Dates: test.order}}, Rules: []link.Rule{{{Field: "dob"}}}}
		l := mustLink(t, []File{file("a.csv", text)}, Options{Config: &config})
		if got := l.Rules[0].Pairs; got != test.pairs {
			t.Errorf("dates %q: %d pairs of equal dates, want %d", test.order, got, test.pairs)
		}
	}
}

// TestFullNamesAreSplit has a column of whole names, whose surnames and given names are fields.
func TestFullNamesAreSplit(t *testing.T) {
	text := "name,dob\n\"Lee, Anna B.\",1971-04-03\nAnna B. Lee,1971-04-03\n\"Silva, Anna B.\",1982-03-25\n\"Lee, Peter\",\n,\nLee,\n"
	config := Config{Columns: []Column{{Name: "name", Kind: "full name"}, {Name: "dob", Kind: "birth date"}},
		Rules: []link.Rule{{{Field: "name (surname)"}}, {{Field: "name (given name)"}}, {{Field: "dob"}}}}
	l := mustLink(t, []File{file("a.csv", text)}, Options{Config: &config})
	var got []int
	for _, r := range l.Rules {
		got = append(got, r.Pairs)
	}
	if want := []int{6, 3, 1}; !slices.Equal(got[:3], want) {
		t.Errorf("the rules give %v pairs, want %v", got, want)
	}
}

func TestBadInputHasADefinedEnd(t *testing.T) {
	broken := File{Name: "gone.csv", Open: func() (io.ReadCloser, error) { return nil, errors.New("no such file") }}
	config := &Config{Columns: []Column{{Name: "no", Kind: "surname"}}}
	truth := &Config{Columns: []Column{{Name: "b", Kind: "surname"}}}
	rule := &Config{Columns: []Column{{Name: "a", Kind: "surname"}}, Rules: []link.Rule{{{Field: "x"}}}}
	for _, test := range []struct {
		text string
		o    Options
		want string
	}{
		{"", Options{}, "a.csv: the file is empty"},
		{"surname\n", Options{}, "a.csv: the file has a header and no records"},
		{"surname,given\n,\n,\n", Options{}, "a.csv: the file has no column to compare; 2 columns: it has no values"},
		{"surname,given\nSECRET\n", Options{}, "a.csv: record 2, byte 14: has more or fewer fields"},
		{"SECRET,1971-06-24\nb,c\n", Options{}, "a.csv: record 1, byte 0: the first record has values"},
		{"a,b\nSECRET,1\n", Options{Truth: "c"}, `a.csv: the file has no column "c" for --truth`},
		{"surname,b\nSECRET,\n", Options{Truth: "b"}, "a.csv: the truth column has no values"},
		{"a,b\nSECRET,1\n", Options{Config: config}, `a.csv: the file has no column "no", which the configuration lists`},
		{"a,b\nSECRET,1\n", Options{Config: truth, Truth: "b"}, `a.csv: the column "b" is the truth, and cannot be compared`},
		{"a,b\nSECRET,1\n", Options{Config: rule}, `rule 1 names the field "x"`},
	} {
		_, err := Link(context.Background(), []File{file("a.csv", test.text)}, test.o)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%.40q: got %v, want %s", test.text, err, test.want)
		}
	}
	if _, err := Link(context.Background(), []File{broken}, Options{}); err == nil || err.Error() != "no such file" {
		t.Errorf("got %v", err)
	}
}

func TestFewRecordsAreLinked(t *testing.T) {
	for _, test := range []struct {
		text   string
		people int
	}{
		{"surname,given_name\nLee,Ann\n", 1},
		{"surname,given_name,dob\nLee,Ann,1971-06-24\nLee,Ann,1971-06-24\n", 1},
		{"surname,given_name,empty\nLee,Ann,\nOkafor,Bo,\n", 2},
	} {
		if l := mustLink(t, []File{file("a.csv", test.text)}, Options{}); l.People != test.people {
			t.Errorf("%q: %d people, want %d", test.text, l.People, test.people)
		}
	}
}

func TestFamiliesThatCannotBeToldApartAreAWarning(t *testing.T) {
	for text, want := range map[string]int{
		"surname,street\nLee,Main Street 5\nOkafor,Mill Lane 3\n":            1,
		"surname,given_name\nLee,Ann\nOkafor,Bo\n":                           0,
		"surname,dob\nLee,1971-06-24\nOkafor,1980-02-11\nNowak,1990-01-30\n": 0,
	} {
		l := mustLink(t, []File{file("a.csv", text)}, Options{})
		var b bytes.Buffer
		l.Write(&b)
		if len(l.Warnings) != want || strings.Contains(b.String(), "warning: no given name") != (want > 0) {
			t.Errorf("%q: warnings %v", text, l.Warnings)
		}
	}
}

// TestAFileOfFewNamesIsAWarning has people with four names and any birth dates: equal names are
// taken for equal people.
func TestAFileOfFewNamesIsAWarning(t *testing.T) {
	names := []string{"Lee,Ann", "Silva,Bo", "Okafor,Xi", "Nowak,Eva"}
	var b strings.Builder
	b.WriteString("surname,given_name,dob\n")
	for i := range 240 {
		fmt.Fprintf(&b, "%s,%d-%02d-%02d\n", names[i%len(names)], 1930+i*37%80, 1+i*5%12, 1+i*11%28)
	}
	l := mustLink(t, []File{file("a.csv", b.String())}, Options{})
	if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], `differ in "dob"`) {
		t.Errorf("warnings %q", l.Warnings)
	}
	if l := mustLink(t, []File{file("people.csv", people(t, 150))}, Options{Truth: "truth"}); len(l.Warnings) > 0 {
		t.Errorf("of many names: warnings %q", l.Warnings)
	}
}

func TestAFileThatChangesIsRefused(t *testing.T) {
	before := people(t, 20)
	for _, after := range []string{before + "x,,,,,,,,,,,\n", before[:strings.LastIndex(before[:len(before)-1], "\n")+1], "a" + before[1:]} {
		text := before
		f := File{Name: "a.csv", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
		l := mustLink(t, []File{f}, Options{})
		text = after
		if err := l.WriteRows(context.Background(), io.Discard); err == nil || !strings.Contains(err.Error(), "a.csv: the file changed") {
			t.Errorf("got %v", err)
		}
	}
}

func TestReadingEndsWithTheContext(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Link(ctx, []File{file("a.csv", people(t, 20))}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// FuzzLink links files of any content: an error, or a result in which each record has a
// cluster.
func FuzzLink(f *testing.F) {
	f.Add("surname,given_name,dob\nLee,Ann,1971-06-24\nLee,Ann,24/06/1971\n", "", "")
	f.Add("c1;c2;c3\nAnn;a@b.org;555-0100-12\nAnn;;555-0100-12\n", "name;mail\nAnn;a@b.org\n", "c1")
	f.Add("\ufeffnombre\tapellidos\tsexo\nJosé\tNúñez\tH\n", "\"a\nb\",c\n1,\"2\"\n", "sexo")
	f.Fuzz(func(t *testing.T, first, second, truth string) {
		files := []File{file("a", first)}
		if second != "" {
			files = append(files, file("b", second))
		}
		l, err := Link(context.Background(), files, Options{Truth: truth})
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := l.WriteRows(context.Background(), &b); err != nil {
			t.Fatal(err)
		}
		all, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(all) != l.Records+1 {
			t.Fatalf("%d rows of %d records: %v", len(all), l.Records, err)
		}
		people := map[string]bool{}
		for _, row := range all[1:] {
			people[row[0]] = true
		}
		if len(people) != l.People {
			t.Fatalf("%d clusters in the rows, %d people reported", len(people), l.People)
		}
	})
}
