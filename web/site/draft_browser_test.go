// SPDX-License-Identifier: Apache-2.0

package site

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/hospital"
	"hide/internal/publish/verify"
	"hide/web/webtest"
)

// impossibleDate is a note with a day that does not exist, so that a person must decide.
func impossibleDate() annotate.Annotated {
	return annotate.Annotated{
		Document: annotate.Document{Name: "odd", Patient: "p-odd", Text: "Seen on 31/31/2019 by Dr. Weissmann, for a Foley catheter."},
		Spans:    []annotate.Span{{Start: 8, End: 18, Label: "DATE"}, {Start: 26, End: 35, Label: "DOCTOR"}},
	}
}

// By keyboard alone, but for the choice of the file: notes are imported as finished, a policy is
// chosen, the one undecided place is decided, the statement is signed, and the release with
// surrogates is verified.
func TestFromImportToASafeHarborReleaseByKeyboard(t *testing.T) {
	projects, id := webtest.RealProject(t, 1)
	v := openBrowser(t, account.Broker, projects)
	base := v.Base + "/p/" + string(id)
	folder := t.TempDir()
	v.SaveTo(folder)

	importByKeyboard(v, base, generatedFile(t))

	v.Open(base + "/publish")
	v.TabTo(`.kinds a[href$="/draft"]`)
	v.Press("Enter")
	v.WaitText("h1", "Release text by a policy")
	v.TabTo(`a[href*="policy=safe-harbor-surrogates"]`)
	v.Press("Enter")
	v.WaitText("#prepare h2", "Safe Harbor with surrogates")
	v.Axe()
	v.Shots("draft-real-choose")
	v.TabTo("#prepare .primary")
	v.Press("Enter")
	v.WaitText("h1", "Release table")
	v.WaitText(".notice.warn", "1 place needs a decision before the release.")
	v.Axe()
	v.Shots("draft-real-table")

	v.TabTo(`a[href*="open=1"]`)
	v.Press("Enter")
	v.WaitText(".draft-rows", "31/31/2019")
	v.TabTo("#choice")
	v.Press("p", "l") // Placeholder
	v.TabTo(`input[name="place"]`)
	v.Press("Space")
	v.TabTo("[data-ticked]")
	v.Press("Enter")
	v.WaitText("[role=status]", "1 place was changed.")
	v.TabTo("#statement")
	v.Type("#statement", "Ada Okonjo")
	v.Press("Enter")
	v.WaitText("#made", "is published and verified")
	v.Shots("draft-real-published")
	v.TabTo("#made a")
	v.Press("Enter")
	checkReleased(t, v.Saved(folder, "*.zip"))
}

// importByKeyboard imports a file as finished notes.
func importByKeyboard(v *webtest.Browser, base, file string) {
	v.Open(base + "/import")
	v.Upload("#import-files", file)
	v.TabTo("#import-go")
	v.Press("Enter")
	v.WaitText("#import-preview", "in 1 file")
	v.TabTo(`#import-decision [name="finished"]`)
	v.Press("Space")
	v.TabTo("#import-confirm")
	v.Press("Enter")
	v.WaitText("#import-report", "notes imported")
}

// generatedFile has notes of a few generated patients, and the note of [impossibleDate].
func generatedFile(t *testing.T) string {
	t.Helper()
	notes := append(slices.Collect(hospital.Generate(hospital.Options{Patients: 4, Seed: 11})), impossibleDate())
	name := filepath.Join(t.TempDir(), "notes.jsonl")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	err = format.WriteJSONL(file, func(yield func(annotate.Annotated, error) bool) {
		for _, n := range notes {
			if !yield(n, nil) {
				return
			}
		}
	})
	if err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	return name
}

// checkReleased verifies the release and looks for what must not be in it.
func checkReleased(t *testing.T, zip string) {
	t.Helper()
	fsys, closer, err := verify.Open(zip)
	if err != nil {
		t.Fatal(err)
	}
	defer closer.Close()
	result, err := verify.Release(fsys)
	if err != nil || !result.Common().OK {
		t.Fatalf("%v, %v", err, result.Common().Problems)
	}
	raw, err := os.ReadFile(zip)
	if err != nil {
		t.Fatal(err)
	}
	if len(raw) == 0 || strings.Contains(string(raw), "Weissmann") {
		t.Error("the release shows a name")
	}
}
