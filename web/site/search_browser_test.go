// SPDX-License-Identifier: Apache-2.0

package site

import (
	"fmt"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/webtest"
)

// TestFindingEveryNoteAboutAPerson: a nurse finds the notes in which a person is named, opens
// the one of a doctor, and nobody finds a note that was deleted.
func TestFindingEveryNoteAboutAPerson(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), strings.Join([]string{
		`{"id":"a","text":"Mrs. Anna Müller was seen by Dr. O’Brien on 12/03/2019."}`,
		`{"id":"b","text":"Seen with her sister Anna, who lives in Ulm."}`,
		`{"id":"c","text":"Dr. Muller has called. Anna is well."}`,
	}, "\n"))
	v := openBrowser(t, account.Annotator, projects)
	search := func(typed string) {
		v.Open(v.Base + "/p/" + string(id) + "/notes")
		v.Type(`input[name="find"]`, typed)
		v.Press("Enter")
	}
	for typed, want := range map[string]string{
		"muller anna": "In the text of 2 notes", `"anna muller"`: "In the text of 1 note", "mull*": "In the text of 2 notes",
		"mull": "Check the spelling", `"muller anna"`: "without quotation marks",
	} {
		search(typed)
		v.WaitText("main", want)
	}
	search("o'brien")
	v.WaitText(".found-texts mark", "O’Brien")
	v.Axe()
	v.Shots("search-real")
	v.Click(".found-texts a")
	v.Wait("the name is selected in its note", `getSelection().toString() === "O’Brien"`)
	if err := projects.DeleteNote(t.Context(), webtest.As(account.Broker), id, 1, "a"); err != nil {
		t.Fatal(err)
	}
	search("o'brien")
	v.WaitText("main", "In the text of no note")
	rows, err := projects.Audit(t.Context(), webtest.As(account.Broker), id, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	searches := 0
	for _, r := range rows {
		if r.Action == "search text" {
			searches++
		}
		if strings.Contains(strings.ToLower(fmt.Sprint(r)), "brien") {
			t.Errorf("the audit trail has a word of the search: %s of %s", r.Action, r.Object)
		}
	}
	if searches != 7 {
		t.Errorf("%d searches are on record, want 7", searches)
	}
	_, err = projects.SearchCoverage(t.Context(), webtest.As(account.Reviewer), id)
	if project.KindOf(err) != project.Forbidden {
		t.Errorf("a reviewer: %v", err)
	}
}
