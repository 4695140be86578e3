// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"reflect"
	"strings"
	"testing"
)

const rolesConfig = `# as package table writes roles
lineage: ward-7
source: code book, 2019
attributes:
- {name: id, role: direct}
- {name: sex, role: quasi, values: [F, M]}
- {name: age, role: quasi, kind: number, min: 0, max: 99, width: 10, other: true}
- {name: ward, role: insensitive, values: [a, b]}
- {name: note, role: text}
bound: 2
`

func TestAConfigurationInYAMLMeansTheSame(t *testing.T) {
	want := cubeOf(t, with(cubeConfig, `"bound":2`))
	dimensions := `lineage: ward-7
source: "code book, 2019"
key: id
bound: 2
dimensions:
- {name: sex, values: [F, M]}
- {name: age, min: 0, max: 99.0, width: 10, other: true}
- {name: ward, values: [a, b]}
`
	for _, text := range []string{rolesConfig, dimensions, `{"lineage":"ward-7","source":"code book, 2019","bound":2,"attributes":[{"name":"id","role":"direct"},{"name":"sex","role":"quasi","values":["F","M"]},{"name":"age","role":"quasi","kind":"number","max":99,"width":10,"other":true},{"name":"ward","role":"insensitive","values":["a","b"]}]}`} {
		if got := cubeOf(t, text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	seq, err := ParseSequences([]byte("lineage: ward-7\nsource: s\nkey_first: true\nalphabet: [2019, 2020-01-01, true, 0x1F]\nheight: 3\n"))
	if err != nil || !reflect.DeepEqual(seq.Alphabet, []string{"2019", "2020-01-01", "true", "0x1F"}) || seq.Height != 3 {
		t.Errorf("%+v, %v", seq, err)
	}
	stage := cubeOf(t, "lineage: l\nsource: s\none_row_each: true\nattributes: [{name: stage, role: quasi, kind: ordinal, order: [I, II]}]")
	if d := stage.Dimensions[0]; !d.Ordered || len(d.Values) != 2 {
		t.Errorf("%+v", d)
	}
}

func TestWrongConfigurationsInYAMLAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "the configuration is empty",
		"a: [":                                  "line 1",
		"lineage: a\n---\nlineage: b":           "more than one document",
		"lineage: a\nlineage: b":                `line 2: "lineage" is there twice`,
		"lineage: a\nLineage: b":                `line 2: "Lineage" is there twice`,
		`{"lineage":"a", "Lineage":"b"}`:        "line 1, byte 16: fields 1 and 2 ",
		"lineage: &a x":                         "line 1: aliases",
		"colour: red":                           "unknown field",
		rolesConfig + "dimensions: [{name: x}]": `"attributes" and "dimensions"`,
		rolesConfig + "unjoined: 2.5":           `field "unjoined": expected a whole number`,
		rolesConfig + "threshold: .inf":         "line 11",
		rolesConfig + "threshold: 0":            `"threshold" is 0`,
		strings.Replace(rolesConfig, "role: direct", "role: secret", 1):                    `unknown role "secret"`,
		strings.Replace(rolesConfig, "role: text", "role: direct", 1):                      `attribute "note" is a second direct identifier`,
		strings.Replace(rolesConfig, "kind: number", "kind: date", 1):                      "counts are of a nominal",
		strings.Replace(rolesConfig, "kind: number, ", "", 1):                              "a number has min, max and width",
		strings.Replace(rolesConfig, "values: [F, M]", "l: 2", 1):                          "unknown field",
		strings.Replace(rolesConfig, "values: [F, M]", "kind: ordinal, values: [F, M]", 1): "as its order",
	} {
		if _, err := ParseCube([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
