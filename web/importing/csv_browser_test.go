// SPDX-License-Identifier: Apache-2.0

package importing

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"hide/internal/account"
)

func TestBrowserReadsCSVHeaders(t *testing.T) {
	v := openBrowser(t, account.Broker, newFakeImport())
	v.Open(v.Base + "/p/p1/import")
	path := v.Module("import_csv.js")
	cases := []struct {
		text  string
		names []string
		guess string // id, text, patient
	}{
		{"note_id,subject_id,text\n1,2,x", []string{"note_id", "subject_id", "text"}, "note_id text subject_id"},
		{"\uFEFF\"Id\";\"The \"\"text\"\"\";Report\r\n", []string{"Id", `The "text"`, "Report"}, "Id Report "},
		{"a\tb", []string{"a", "b"}, "  "},
		{"", nil, "  "},
	}
	for _, c := range cases {
		var got struct {
			Names []string
			Guess string
		}
		text, err := json.Marshal(c.text)
		if err != nil {
			t.Fatal(err)
		}
		v.Eval(fmt.Sprintf(`import(%q).then(({ columnsOf, guess }) => {
			const Names = columnsOf(%s), g = guess(Names);
			return { Names, Guess: [g.id, g.text, g.patient].join(" ") };
		})`, path, text), &got)
		if !slices.Equal(got.Names, c.names) || got.Guess != c.guess {
			t.Errorf("%q: %q, %q", c.text, got.Names, got.Guess)
		}
	}
}
