// SPDX-License-Identifier: Apache-2.0

package strictjson

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTwinsAreRefusedAtAnyDepth(t *testing.T) {
	for text, where := range map[string]string{
		`{"id":1,"ID":2}`: "line 1, byte 8: fields 1 and 2 ",
		"{\"a\":[{\"x\":0,\n\"y\":{},\"X\":\"\"}]}": "line 2, byte 21: fields 1 and 3 ",
		`{"id":"}","\u0049d":2}`:                    "byte 10: fields 1 and 2 ",
		`{"a\"b":1,"A\"B":2}`:                       "fields 1 and 2 ",
		`{"é":1,"É":2}`:                             "fields 1 and 2 ",
		`{"a":1,"b":2,"a":3}`:                       "fields 1 and 3 ",
	} {
		var v any
		if err := Decode([]byte(text), &v); err == nil || !strings.Contains(err.Error(), where) {
			t.Errorf("%s: got %v, want %q", text, err, where)
		}
	}
	for _, text := range []string{`{"a":{"a":1},"b":["a","a",{"a":"A"}],"c":"{\"a\":1,\"a\":2}"}`, `[]`, `"a"`, ` 1 `, `{"a":"\\","A b":"\\\""}`} {
		var v any
		if err := Decode([]byte(text), &v); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestUnknownFieldsAndMoreThanOneValueAreRefused(t *testing.T) {
	for _, text := range []string{`{"b":1}`, `{"a":1}{"a":1}`, `{"a":1} x`, ``, `{"a":1`} {
		var v struct{ A int }
		if err := Decode([]byte(text), &v); err == nil {
			t.Errorf("%s is decoded", text)
		}
	}
}

type inner struct {
	Deep int `json:"deep"`
}

// TestNamesInOtherLettersAreRefused: package json would take them for the field, and other
// programs for an unknown one.
func TestNamesInOtherLettersAreRefused(t *testing.T) {
	type outer struct {
		inner
		Name  string           `json:"name,omitempty"`
		Plain int              // no tag
		List  []inner          `json:"list"`
		Map   map[string]inner `json:"map"`
		To    *inner           `json:"to"`
		Own   json.RawMessage  `json:"own"`
		Bytes []byte           `json:"bytes"`
	}
	for _, text := range []string{
		`{"NAME":"x"}`, `{"Name":"x"}`, `{"plain":1}`, `{"Deep":1}`, `{"list":[{"deep":1},{"Deep":1}]}`,
		`{"map":{"Any":{"DEEP":1}}}`, `{"to":{"\u0044eep":1}}`, `{"li\u017ft":[]}`,
	} {
		var v outer
		if err := Decode([]byte(text), &v); err == nil || !strings.Contains(err.Error(), "upper and lower case") {
			t.Errorf("%s: got %v", text, err)
		}
	}
	for _, text := range []string{
		`{"name":"x","Plain":1,"deep":1,"list":[{"deep":1},{}],"map":{"Any":{"deep":1}},"to":{"deep":1},"own":{"Own":1},"bytes":"AAA="}`,
		`{"list":null,"map":null,"to":null,"own":null,"bytes":null}`, `null`, `{"n\u0061me":"x"}`,
	} {
		var v outer
		if err := Decode([]byte(text), &v); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestFieldOfAnotherObjectIsNotSuggested: its name is right, and stands in the wrong object.
func TestFieldOfAnotherObjectIsNotSuggested(t *testing.T) {
	var v struct {
		Rules []inner `json:"rules"`
	}
	err := Decode([]byte(`{"deep":1}`), &v)
	if err == nil || !strings.Contains(err.Error(), `unknown field "deep"`) || strings.Contains(err.Error(), "mean") {
		t.Error(err)
	}
}

// TestMistakesAreExplained: the place, what is wrong, and what to write instead, without the
// words of package json.
func TestMistakesAreExplained(t *testing.T) {
	type config struct {
		Title string   `json:"title"`
		Rules []inner  `json:"rules"`
		Days  int      `json:"days"`
		Whole bool     `json:"whole"`
		About []string `json:"about"`
	}
	for text, want := range map[string]string{
		"":                        "the text is empty",
		" \n":                     "the text is empty",
		"{\n\"title\": \"a":       "line 2, byte 13: the text ends too early",
		"{\n\"ruls\": []}":        `line 2, byte 2: unknown field "ruls"; did you mean "rules"?`,
		`{"rules":[{"deap":1}]}`:  `line 1, byte 11: unknown field "deap"; did you mean "deep"?`,
		`{"zzzzzzzzz":1}`:         `line 1, byte 1: unknown field "zzzzzzzzz"`,
		`{"q\n":1,"a":{"q\n":1}}`: `unknown field "q\n"`,
		`{"title": 7}`:            `field "title": expected text in double quotes, not a number`,
		`{"days": "7"}`:           `field "days": expected a whole number, not text`,
		`{"days": 7.5}`:           `field "days": expected a whole number, not the number 7.5`,
		`{"whole": "yes"}`:        `field "whole": expected true or false, not text`,
		`{"about": "x"}`:          `field "about": expected a list in square brackets, not text`,
		`[]`:                      `expected an object in braces, not a list`,
		`"x"`:                     `expected an object in braces, not text`,
		`{"rules":[{"deep":{}}]}`: `field "rules.deep": expected a whole number, not an object`,
		"{\"days\": 1,\n}":        "line 2, byte 12: this is not JSON: the name of a field",
		"{\"days\": 1\n\"a\": 2}": "line 2, byte 11: this is not JSON: a comma or a closing brace is missing",
		`{"about": ["a" "b"]}`:    "a comma or a closing bracket is missing",
		`{"days" 1}`:              "a colon is missing",
		`{"days": }`:              "a value is missing",
		`{"title": 'x'}`:          "a value is missing, is not in double quotes",
		"{\"title\": \"a\nb\"}":   "a string goes over the end of a line",
		`{"title": "\x"}`:         "a backslash in a string",
		`{"days": 1.}`:            "a digit is missing",
		`{"whole": tru}`:          "true, false or null is misspelled",
		"\xef\xbb\xbf{}":          "byte order mark: save it as UTF-8 without one",
		"\xff\xfe{\x00}\x00":      "UTF-16: save it as UTF-8",
		`{"days":1} {"days":1}`:   "line 1, byte 10: there is more text after the end",
		"{}\u00a0":                "there is more text after the end",
	} {
		var v config
		err := Decode([]byte(text), &v)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "json:") || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func FuzzTwins(f *testing.F) {
	f.Add([]byte(`{"a":[{"x":"\"","X":1}]}`))
	f.Add([]byte(`{"A":1,"c":"x"} "`))
	f.Add([]byte(`{"A":1.5,"B":[{"deep":"\u00"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var v any
		_ = Decode(text, &v) // must not panic
		var strict struct {
			A int
			B []inner
		}
		_ = Decode(text, &strict)
	})
}
