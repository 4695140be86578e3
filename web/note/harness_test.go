// SPDX-License-Identifier: Apache-2.0

package note

import (
	"fmt"
	"testing"

	"hide/internal/account"
	"hide/web"
	"hide/web/model"
	"hide/web/webtest"
)

// pages is what a server with these pages asks. The page of a note shows the strip of the
// model, whose button and live part are routes of that feature.
type pages interface {
	web.Projects
	Projects
	model.Projects
}

// unasked is for fakes that know only what their test asks: the rest panics.
type unasked struct{ pages }

func features(p pages) []web.Feature {
	return []web.Feature{New(p, webtest.Accounts{}), model.New(p)}
}

func newServer(t testing.TB, p pages) *webtest.Server {
	t.Helper()
	return webtest.New(t, p, features(p)...)
}

// browser is one that shows the pages of notes.
type browser struct{ *webtest.Browser }

func openBrowser(t *testing.T, role account.Role, p pages) browser {
	t.Helper()
	return browser{webtest.Open(t, role, p, features(p)...)}
}

// openNote opens the first note with the focus on its text.
func openNote(t *testing.T, f *fakeNotes) browser {
	t.Helper()
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/notes/1")
	v.Wait("the page's script", `document.querySelector("#note-options") && !document.querySelector("#note-options").hidden`)
	return v
}

// saved waits until every edit has been answered, and the server has n changes.
func (v browser) saved(revision int) {
	v.Wait(fmt.Sprintf("revision %d", revision),
		fmt.Sprintf(`document.querySelector(".note-head").dataset.revision === "%d" && document.querySelector("#note-status").dataset.state === "saved"`, revision))
}

// caretTo presses arrow keys until the selection is surface.
func (v browser) caretTo(t *testing.T, surface string) {
	t.Helper()
	v.Press("Control+Home")
	for range 200 {
		var at string
		v.Eval(`getSelection().toString()`, &at)
		if at == surface {
			return
		}
		v.Press("ArrowRight")
	}
	t.Fatalf("the caret never came to %q", surface)
}

// selectText drags over surface, from and to some code units inside its ends.
func (v browser) selectText(surface string, from, to int) { v.drag(surface, from, to, false) }

func (v browser) selectExactly(surface string) { v.drag(surface, 0, 0, true) }

func (v browser) drag(surface string, from, to int, exact bool) {
	v.Eval(fmt.Sprintf(`(async () => {
		const { NoteText } = await import(new URL("note_text.js", document.querySelector('script[src$="note.js"]').src));
		const root = document.getElementById("note-text"), note = new NoteText(root), surface = %q;
		const at = note.text.indexOf(surface);
		if (at < 0) throw new Error("not in the note");
		const range = note.domRange({ start: at + %d, end: at + surface.length + %d });
		root.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
		getSelection().setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset);
		await new Promise((done) => setTimeout(done, 20));
		root.dispatchEvent(new PointerEvent("pointerup", { bubbles: true, altKey: %v }));
	})()`, surface, from, to, exact), nil)
}

// place is where an element stands on the screen.
func (v browser) place(selector string) string {
	var at string
	v.Eval(fmt.Sprintf(`(() => { const b = document.querySelector(%q).getBoundingClientRect(); return [b.left, b.top + scrollY, b.width].map(Math.round).join(" "); })()`, selector), &at)
	return at
}
