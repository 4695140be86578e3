// SPDX-License-Identifier: Apache-2.0

package invented_test

import (
	"fmt"
	"strings"
	"testing"

	"hide/internal/hospital/invented"
)

func TestTruthIsRead(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"with a key", "note,key,person\nn1,k,p\nn2,k2,p\n", ""},
		{"other order", "person,note\np,n1\np,n2\n", ""},
		{"empty", "", "the file is empty"},
		{"no person", "note,key\nn1,k\n", "not both there"},
		{"empty person", "note,person\nn1,\n", "record 2, byte 12: the note or the person is missing"},
		{"twice", "note,person\nn1,p\nn1,q\n", "record 3, byte 17: the note is listed twice"},
		{"ragged", "note,person\nn1,p,x\n", "record 2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			truth, err := invented.ReadTruth(strings.NewReader(c.text))
			if c.want == "" {
				if err != nil || truth["n1"] != "p" || truth["n2"] != "p" || len(truth) != 2 {
					t.Errorf("%d notes, %v", len(truth), err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "n1") {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	if s := fmt.Sprintf("%v %#v", invented.Truth{"a-name": "b-name"}, invented.Truth{"a-name": "b-name"}); strings.Contains(s, "name") {
		t.Errorf("printed as %s", s)
	}
}

func FuzzReadTruth(f *testing.F) {
	for _, s := range []string{"note,key,person\na,b,c\n", "person;note\np;\"n\"\n", "", "note,person\n\xff,p\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		truth, err := invented.ReadTruth(strings.NewReader(text))
		if (truth == nil) == (err == nil) {
			t.Errorf("%v and %v", truth, err)
		}
		for note, person := range truth {
			if note == "" || person == "" {
				t.Error("a note or person is empty")
			}
		}
	})
}
