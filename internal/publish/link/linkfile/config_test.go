// SPDX-License-Identifier: Apache-2.0

package linkfile

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"hide/internal/publish/link"
	"hide/internal/publish/link/compare"
)

const whole = `
columns:
- {name: given, kind: given name}
- {name: born, with: dob, kind: birth date, dates: day first}
- {name: home phone, kind: phone}
- {name: mobile, kind: phone, field: home phone}
- {name: ward, kind: not compared}
rules:
- [{field: born}]
- [{field: given, part: sound}, {field: home phone, part: last four characters}]
link: 0.9
review: 0.1
one_to_one: true
`

func TestAConfigurationIsReadAsItIsWritten(t *testing.T) {
	c, err := ReadConfig(strings.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Columns: []Column{
			{Name: "given", Kind: compare.Given}, {Name: "born", With: "dob", Kind: compare.BirthDate, Dates: DayFirst},
			{Name: "home phone", Kind: compare.Phone}, {Name: "mobile", Kind: compare.Phone, Field: "home phone"}, {Name: "ward", Kind: NotCompared},
		},
		Rules: []link.Rule{{{Field: "born"}}, {{Field: "given", Part: "sound"}, {Field: "home phone", Part: "last four characters"}}},
		Link:  0.9, Review: 0.1, OneToOne: true,
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v, want %+v", c, want)
	}
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := ReadConfig(&b)
	if err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("written and read again: %+v, %v", again, err)
	}
}

func TestWrongConfigurationsAreRefusedByTheirPlace(t *testing.T) {
	for _, test := range []struct{ yaml, want string }{
		{"", "the configuration is empty"},
		{"\x00", "the configuration is not YAML"},
		{"columns:\n- {name: a, kind: surname, colour: red}\n", `line 2 of the configuration has the unknown key "colour"`},
		{"columns:\n- {name: a, kind: surname}\nlinks: 0.5\n", `line 3 of the configuration has the unknown key "links"`},
		{"columns: 5\n", "line 1 of the configuration does not have the right form"},
		{"columns:\n- {name: a, kind: surname}\nlink: secret\n", "line 3 of the configuration does not have the right form"},
		{"rules: []\n", "the configuration lists no columns"},
		{"columns:\n- {kind: surname}\n", "column 1 of the configuration has no name"},
		{"columns:\n- {name: a, kind: surnames}\n", `the column "a" has the unknown kind "surnames"`},
		{"columns:\n- {name: a}\n", `the column "a" has the unknown kind ""`},
		{"columns:\n- {name: a, kind: surname}\n- {name: A, kind: sex}\n", `the configuration lists the column "A" twice`},
		{"columns:\n- {name: a, kind: surname}\n- {name: b, kind: sex, field: a}\n", `the field "a" has columns of two kinds`},
		{"columns:\n- {name: a, kind: surname, dates: day first}\n", `the column "a" has an order of dates`},
		{"columns:\n- {name: a, kind: birth date, dates: first}\n", `the column "a" has dates "first"`},
		{"columns:\n- {name: a, kind: surname}\nlink: .nan\n", "the configuration has the threshold NaN"},
		{"columns:\n- {name: a, kind: surname}\nreview: 1\n", "the configuration has the threshold 1"},
		{"columns:\n- {name: a, kind: surname}\nreview: 0.6\n", "the review threshold is 0.6"},
		{"columns:\n" + many(17), "the configuration compares 17 fields: at most 16 are possible"},
		{"columns:\n- {name: a, kind: surname}\nrules:\n- [{field: b}]\n", `rule 1 names the field "b"`},
		{"columns:\n- {name: a, kind: surname}\nrules:\n- [{field: a, part: end}]\n", `rule 1 takes the part "end"`},
		{"columns:\n- {name: a, kind: surname}\n---\ncolumns: []\n", "the configuration has more than one document"},
		{"columns:\n- {name: a, kind: surname}\n#" + strings.Repeat("x", maxConfig), "the configuration has more than"},
	} {
		_, err := ReadConfig(strings.NewReader(test.yaml))
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%.60q: got %v, want %s", test.yaml, err, test.want)
		}
	}
}

func many(n int) string {
	out := ""
	for i := range n {
		out += fmt.Sprintf("- {name: c%d, kind: text}\n", i)
	}
	return out
}

func TestColumnsThatAreTooManyAreLeftOut(t *testing.T) {
	header, row := "surname", "Lee"
	for i := range 30 {
		header += fmt.Sprintf(",address_%d", i)
		row += fmt.Sprintf(",word%c%d", 'a'+i, i)
	}
	l := mustLink(t, []File{file("a.csv", header+"\n"+row+"\n"+strings.NewReplacer("Lee", "Okafor", "word", "other").Replace(row)+"\n")}, Options{})
	if len(weakest) != len(compare.Kinds()) {
		t.Errorf("%d of %d kinds are ranked", len(weakest), len(compare.Kinds()))
	}
	if n := len(l.Model.Fields); n != 16 || l.Model.Fields[0].Field != "surname" {
		t.Errorf("%d fields are compared, the first is %s", n, l.Model.Fields[0].Field)
	}
}

func FuzzReadConfig(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("columns:\n- {name: \"a\\tb\", kind: text}\n"))
	f.Add([]byte("columns: [{name: a, kind: not compared}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ReadConfig(bytes.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := ReadConfig(&b)
		if err != nil {
			t.Fatalf("what is written is refused: %v", err)
		}
		if !reflect.DeepEqual(again.Columns, c.Columns) {
			t.Fatalf("columns %q became %q", c.Columns, again.Columns)
		}
	})
}
