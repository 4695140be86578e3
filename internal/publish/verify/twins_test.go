// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"testing"

	"hide/internal/strictjson"
)

// TestTwinsAgreeWithTheReader compares with the check of the program's own readers, which
// shares no code.
func TestTwinsAgreeWithTheReader(t *testing.T) {
	for text, want := range map[string]bool{
		`{"id":1,"ID":2}`: true, `{"a":[{"x":0,"y":{},"X":""}]}`: true, `{"\u0049d":1,"id":"}"}`: true, `{"É":1,"é":2}`: true, `{"a":{"b":1},"c":[],"A":3}`: true,
		`{"a":{"a":1},"b":["a","a",{"a":"A"}],"c":"{\"a\":1,\"a\":2}"}`: false, `[]`: false, `"a"`: false, `{"a":null,"b":"a"}`: false,
	} {
		if got := twins([]byte(text)); (got != nil) != want {
			t.Errorf("%s: %v", text, got)
		}
		if got := strictjson.Twins([]byte(text)); (got != nil) != want {
			t.Errorf("%s: the reader says %v", text, got)
		}
	}
}
