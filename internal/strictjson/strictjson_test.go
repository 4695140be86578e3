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

func FuzzTwins(f *testing.F) {
	f.Add([]byte(`{"a":[{"x":"\"","X":1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var v any
		_ = Decode(text, &v) // must not panic
	})
}
