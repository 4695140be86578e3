// SPDX-License-Identifier: Apache-2.0

package joint

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"

	"hide/internal/publish/table"
)

// fullConfig uses every key that a configuration may have.
const fullConfig = `
parameters: {k: 4, strategy: mondrian, relational_weight: 0.25}
nlp: {model: en_core_web_trf, cache: data/cached_docs}
attributes:
  Name: {anonymization_type: direct_identifier, entities: [PERSON]}
  sex: {type: nominal, anonymization_type: quasi_identifier, bias: 0.5}
  age:
    type: numerical
    anonymization_type: quasi_identifier
    recoding_strategy: hierarchy
    hierarchy:
      name: '1-100'
      children:
      - {name: '1-20', children: [{name: '1-10'}, {name: '11-20'}]}
      - name: '21-100'
    entities: [AGE]
    around: [years]
  grade: {type: ordinal, anonymization_type: quasi_identifier, order: [low, middle, high]}
  zip: {type: nominal, anonymization_type: quasi_identifier, recoding_strategy: string_reduction}
  seen: {type: date, anonymization_type: quasi_identifier, format: "%d,%B,%Y"}
  ward:
  text: {type: text, anonymization_type: text}
entities:
  native: [PERSON, AGE]
  custom: {JOB: engineer|scientist}
`

func TestReadConfigReadsEveryKey(t *testing.T) {
	c, err := ReadConfig(strings.NewReader(fullConfig))
	if err != nil {
		t.Fatal(err)
	}
	if c.K != 4 || c.Strategy != Mondrian || c.Lambda != 0.25 || len(c.Attributes) != 8 {
		t.Fatalf("%+v", c)
	}
	want := []struct {
		name string
		role table.Role
		kind table.Kind
	}{
		{"Name", table.Direct, table.Nominal}, {"sex", table.Quasi, table.Nominal}, {"age", table.Quasi, table.Number}, {"grade", table.Quasi, table.Ordinal},
		{"zip", table.Quasi, table.Code}, {"seen", table.Quasi, table.Date}, {"ward", table.Insensitive, table.Nominal}, {"text", table.Text, table.Nominal},
	}
	for i, w := range want {
		if a := c.Attributes[i]; a.Name != w.name || a.Role != w.role || a.Kind != w.kind {
			t.Errorf("attribute %d is %s, %s, %s; want %+v", i, a.Name, a.Role, a.Kind, w)
		}
	}
	if !c.Counts("PERSON") || !c.Counts("JOB") || c.Counts("GPE") {
		t.Error("the types that count are not those of entities")
	}
	order, err := c.Arrange([]string{"text", "NAME", "Sex", "age", "grade", "zip", "seen", "ward"})
	if err != nil || order[0] != 7 || order[1] != 0 {
		t.Errorf("columns go to %v, %v", order, err)
	}
}

// sameConfig is fullConfig with the roles and kinds of all releases.
const sameConfig = `
privacy: {k: 4}
method: {name: mondrian, lambda: 0.25}
attributes:
- {name: Name, role: direct, entities: [PERSON]}
- {name: sex, role: quasi, bias: 0.5}
- name: age
  role: quasi
  kind: number
  hierarchy:
    name: '1-100'
    children:
    - {name: '1-20', children: [{name: '1-10'}, {name: '11-20'}]}
    - name: '21-100'
  entities: [AGE]
  around: [years]
- {name: grade, role: quasi, kind: ordinal, order: [low, middle, high]}
- {name: zip, role: quasi, kind: code}
- {name: seen, role: quasi, kind: date, format: "%d,%B,%Y"}
- {name: ward, role: insensitive}
- {name: text, role: text}
terms:
  types: [PERSON, AGE]
  patterns: {JOB: engineer|scientist}
`

func TestBothFormsOfAConfigurationMeanTheSame(t *testing.T) {
	a, err := ReadConfig(strings.NewReader(fullConfig))
	if err != nil {
		t.Fatal(err)
	}
	b, err := ReadConfig(strings.NewReader(sameConfig))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%+v is not %+v", a, b)
	}
}

func TestRolesThatANoteReleaseCannotKeepAreRefused(t *testing.T) {
	const base = "attributes:\n- {name: id, role: direct}\n"
	for text, want := range map[string]string{
		base + "- {name: a, role: sensitive}\n":                               "has no role sensitive",
		base + "- {name: a, role: secret}\n":                                  `unknown role "secret"`,
		base + "- {name: a, role: quasi, kind: float}\n":                      `unknown kind "float"`,
		base + "- {name: a, role: quasi, l: 2}\n":                             "line 3",
		base + "- {name: a, role: quasi, kind: date, hierarchy: {name: x}}\n": "has one of its own",
		base + "- {name: a, role: quasi, format: '%Y'}\n":                     "not a date",
		base + "privacy: {k: 2.5}\n":                                          "line 3: k is not a whole number",
		base + "method: {name: magic}\n":                                      "unknown strategy",
		base + "method: {lambda: 2}\n":                                        "lambda",
		"attributes:\n- {name: age, role: quasi}\n":                           "role direct",
	} {
		if _, err := ReadConfig(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestHierarchyOfAConfigurationGeneralizesNumbers: the smallest node that covers
// all values.
func TestHierarchyOfAConfigurationGeneralizesNumbers(t *testing.T) {
	config := fullConfig[:strings.Index(fullConfig, "  grade:")] + "  text: {type: text, anonymization_type: text}\n"
	for ages, want := range map[string]string{"3 9": "1-10", "3 12": "1-20", "3 3": "3", "3 55": "1-100", "30 90": "21-100", "3 12 55.0": "1-100"} {
		var lines []string
		for i, age := range strings.Fields(ages) {
			lines = append(lines, string(rune('a'+i))+"|f|"+age+"|None.")
		}
		v := viewOf(t, config, lines)
		r := recode(v, Partition{Classes: [][]int{v.everybody()}})
		if got := r.Cells[0][1].Text; got != want {
			t.Errorf("ages %s become %q, want %q", ages, got, want)
		}
	}
}

func TestReadConfigCutsOffNoFractionOfK(t *testing.T) {
	text := "parameters: {k: 2.9}\nattributes:\n  id: {anonymization_type: direct_identifier}\n"
	if _, err := ReadConfig(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "line 1: k is not a whole number") {
		t.Error(err)
	}
}

func TestReadConfigRefuses(t *testing.T) {
	const base = "attributes:\n  id: {anonymization_type: direct_identifier}\n"
	for name, c := range map[string]struct{ text, want string }{
		"nothing":            {"", "empty or not YAML"},
		"no YAML":            {"a: [", "line 1"},
		"two documents":      {base + "---\n" + base, "more than one document"},
		"no person":          {"attributes:\n  age: {}\n", "direct_identifier"},
		"an unknown key":     {base + "extra: 1\n", "line 3"},
		"an unknown role":    {base + "  a: {anonymization_type: secret}\n", `attribute "a": unknown anonymization_type`},
		"an unknown type":    {base + "  a: {type: float}\n", `attribute "a": unknown type`},
		"a key of a column":  {base + "  a: {kind: float}\n", `unknown key "kind"`},
		"a wrong strategy":   {base + "parameters: {strategy: incognito}\n", "strategy"},
		"a wrong weight":     {base + "parameters: {relational_weight: 2}\n", "relational_weight"},
		"a weight of no use": {base + "parameters: {relational_weight: .nan}\n", "relational_weight"},
		"a wrong bias":       {base + "  a: {bias: 2}\n", "bias"},
		"a column twice":     {base + "  ID: {}\n", "twice"},
		"a wrong format":     {base + "  a: {type: date, format: '%Q'}\n", "directive"},
		"a format of none":   {base + "  a: {format: '%Y'}\n", "not a date"},
		"a text that is not": {base + "  a: {type: text, anonymization_type: quasi_identifier}\n", "do not agree"},
		"a wrong recoding":   {base + "  a: {recoding_strategy: magic}\n", "recoding_strategy"},
		"no hierarchy":       {base + "  a: {recoding_strategy: hierarchy}\n", "hierarchy"},
		"no range":           {base + "  a: {type: numerical, recoding_strategy: hierarchy, hierarchy: {name: all}}\n", "range"},
		"a node outside":     {base + "  a: {type: numerical, recoding_strategy: hierarchy, hierarchy: {name: 1-2, children: [{name: 1-3}]}}\n", "not within"},
		"a node of nothing":  {base + "  a: {recoding_strategy: hierarchy, hierarchy: {name: x, children: [null]}}\n", "empty"},
		"an alias":           {"x: &a 1\n" + base, "line 1"},
		"a bad pattern":      {base + "entities: {custom: {A: '('}}\n", "RE2"},
		"a pattern of all":   {base + "entities: {custom: {A: 'x*'}}\n", "RE2"},
		"a bad label":        {base + "entities: {native: ['<b>']}\n", "label"},
		"too much":           {base + "#" + strings.Repeat("x", maxConfig), "longer"},
		"too deep":           {base + "x: " + strings.Repeat("[", 200) + strings.Repeat("]", 200), "levels"},
	} {
		_, err := ReadConfig(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
}

func TestArrangeRefusesColumnsThatDoNotFit(t *testing.T) {
	c, err := ReadConfig(strings.NewReader("attributes:\n  id: {anonymization_type: direct_identifier}\n  age: {}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for want, header := range map[string][]string{`"sign"`: {"id", "age", "sign"}, `"age" of the configuration`: {"id"}, `two columns "AGE"`: {"id", "age", "AGE"}} {
		if _, err := c.Arrange(header); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s in it", header, err, want)
		}
	}
}

// FuzzReadConfig: whatever is read can be used, and nothing is read that makes a
// view of it fall over.
func FuzzReadConfig(f *testing.F) {
	f.Add([]byte(fullConfig))
	f.Add([]byte(paperConfig))
	f.Add([]byte(sameConfig))
	f.Add([]byte("attributes: {id: {anonymization_type: direct_identifier}, a: {type: ordinal, order: [x, x]}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ReadConfig(bytes.NewReader(text))
		if err != nil {
			return
		}
		row := Row{Values: make([]string, len(c.Attributes)), Texts: make([]Text, len(c.TextAttributes()))}
		for i := range row.Values {
			row.Values[i] = "1"
		}
		v, err := NewView(context.Background(), c, []Row{row, row})
		if err != nil {
			return
		}
		recode(v, Partition{Classes: [][]int{v.everybody()}}).Loss()
	})
}
