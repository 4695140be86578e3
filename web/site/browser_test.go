// SPDX-License-Identifier: Apache-2.0

package site

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/internal/project/services"
	"hide/web/ui"
	"hide/web/webtest"
)

// realNote is a project with one note.
func realNote(t *testing.T, text string) (*services.All, project.ID) {
	t.Helper()
	line, err := json.Marshal(map[string]any{"id": "note-1", "text": text})
	if err != nil {
		t.Fatal(err)
	}
	return webtest.RealNotes(t, t.TempDir(), string(line)+"\n")
}

// The text before the passage holds letters that are one code point and two or
// four bytes, and one of two UTF-16 units.
func TestLeakOpensItsNoteAtItsPlace(t *testing.T) {
	notes, id := realNote(t, "Zoë 🌡 38.2. "+strings.Repeat("All well. ", 400)+"Seen by Rose today.")
	v := openBrowser(t, account.Broker, notes)
	start := 12 + 10*400 + len("Seen by ")
	v.Open(v.Base + string(ui.PlaceURL(id, 1, annotate.RuneOff(start), annotate.RuneOff(start+4))))
	v.Wait("the passage is selected", `getSelection().toString() === "Rose"`)
	v.Wait("the passage is in view", `(() => { const box = getSelection().getRangeAt(0).getBoundingClientRect(); return box.top > 0 && box.bottom < innerHeight; })()`)
}

// noteWithRun is a project with one note and a made run about it.
type noteWithRun struct {
	*services.All
	run *sanitize.Run
}

func (f noteWithRun) Runs(context.Context, account.User, project.ID) ([]sanitize.Run, error) {
	return []sanitize.Run{*f.run}, nil
}

func (f noteWithRun) NewestRun(context.Context, account.User, project.ID) (int, error) {
	return f.run.Number, nil
}

func (f noteWithRun) Run(context.Context, account.User, project.ID, int) (*sanitize.Run, error) {
	return f.run, nil
}

func TestLeakIsReachedAndLeftByKeyboard(t *testing.T) {
	run := webtest.MadeRun()
	at := annotate.RuneOff(len("All well. Seen by "))
	for i := range run.Choices {
		run.Choices[i].Leaks = []project.Excerpt{
			{Document: 1, Start: 0, End: 3, Text: "All", Label: "PATIENT"}, {Document: 1, Start: at, End: at + 4, Text: "Rose", Label: "DOCTOR"},
		}
	}
	notes, id := realNote(t, "All well. Seen by Rose today.")
	base := "/p/" + string(id)
	v := openBrowser(t, account.Broker, noteWithRun{notes, run})
	v.Open(v.Base + base + "/sanitize?lc=20")
	v.Eval(`document.querySelectorAll(".result").forEach(d => { d.open = true })`, nil)
	v.Focus("#leaks-20-1-0")
	v.Press("ArrowDown", "Enter")
	v.WaitPath(base + "/notes/1")
	v.Wait("the passage is selected", `getSelection().toString() === "Rose"`)
	v.WaitText("#note-back", "Back to the run")
	v.Axe()
	v.Shots("note-from-run")
	v.Press("<")
	v.WaitPath(base + "/sanitize")
	v.Wait("the entry has the focus", `document.activeElement.id === "leaks-20-1-18"`)
	v.WaitText("#shown-lc-out", "20")
	v.Press("ArrowUp", "ArrowUp")
	v.Wait("the first entry has the focus", `document.activeElement.id === "leaks-20-1-0"`)
	v.Open(v.Base + base + "/notes/1")
	v.Wait("no way back", `document.getElementById("note-back").hidden`)
}

// What is lost in several places is one entry, which the arrow keys lead into once it
// is unfolded, and a note that was opened from it comes back to it.
func TestPlacesOfALostWordAreReachedByKeyboard(t *testing.T) {
	run := webtest.MadeRun()
	at := annotate.RuneOff(len("All well. Seen by "))
	for i := range run.Choices {
		run.Choices[i].Lost = []project.Excerpt{
			{Document: 1, Start: 0, End: 3, Text: "All", Often: 2}, {Document: 1, Start: at, End: at + 4, Text: "All", Often: 2}, {Document: 1, Start: 4, End: 8, Text: "well", Often: 1},
		}
	}
	notes, id := realNote(t, "All well. Seen by Rose today.")
	base := "/p/" + string(id)
	v := openBrowser(t, account.Broker, noteWithRun{notes, run})
	v.Open(v.Base + base + "/sanitize?lc=20")
	v.Eval(`document.querySelectorAll(".result").forEach(d => { d.open = true })`, nil)
	v.Focus("#lost-20-1-4")
	v.Press("ArrowUp")
	v.Wait("the word has the focus", `document.activeElement.matches("summary")`)
	v.Press("Enter", "ArrowDown", "ArrowDown")
	v.Wait("its second place has the focus", `document.activeElement.id === "lost-20-1-18"`)
	v.Press("Enter")
	v.WaitPath(base + "/notes/1")
	v.Wait("the passage is selected", `getSelection().toString() === "Rose"`)
	v.Press("<")
	v.WaitPath(base + "/sanitize")
	v.Wait("the entry has the focus, and stands open", `document.activeElement.id === "lost-20-1-18" && document.activeElement.checkVisibility()`)
	v.Press("ArrowDown")
	v.Wait("the next word has the focus", `document.activeElement.id === "lost-20-1-4"`)
	v.Axe()
	v.Shots("sanitize-lost")
}
