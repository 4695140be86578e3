// SPDX-License-Identifier: Apache-2.0

package columns_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"hide/internal/publish/link/columns"
)

// FuzzRecognise checks that each column gets a use, a kind exactly if it is compared, a reason,
// and values that are text.
func FuzzRecognise(f *testing.F) {
	f.Add("first_name|dob|ssn", "Anna|1971-06-24|123-45-6780\nBob|24/06/1971|")
	f.Add("c1|c2|c3", "1|a@x.org|(617) 555-1234\n2|b@y.org|\n3")
	f.Add("name|vorname|\xff", "|||\nx|y|z")
	f.Add("Geb.-Datum|date_naiss|sexo", "1.2.71|26108|H\n2.3.80|9999-12-31|M")
	f.Fuzz(func(t *testing.T, header, text string) {
		rows := strings.Split(text, "\n")
		found := recognise(header, columns.Options{}, rows...)
		if len(found) != strings.Count(header, "|")+1 {
			t.Fatalf("%d columns", len(found))
		}
		for i, c := range found {
			if (c.Use == columns.Compared) != c.Kind.Known() || c.Reason == "" {
				t.Errorf("a column is %q, %q: %q", c.Use, c.Kind, c.Reason)
			}
			for _, row := range rows {
				if cells := strings.Split(row, "|"); i < len(cells) && !utf8.ValidString(c.Clean(cells[i])) {
					t.Errorf("a cleaned value of kind %s is not text", c.Kind)
				}
			}
		}
		for i, c := range recognise(header, columns.Options{}, rows...) {
			if c != found[i] {
				t.Errorf("the same column is %v and %v", c, found[i])
			}
		}
	})
}
