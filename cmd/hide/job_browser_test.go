// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hide/internal/browsertest"
)

// trainNote is a note of the whole-job test and what is sensitive in it.
type trainNote struct {
	text  string
	spans []wanted
}

type wanted struct{ surface, key, label string }

// jobNotes are short notes in one style, each of another patient. The last two
// are never annotated.
func jobNotes() []trainNote {
	names := []string{"Abel", "Brandt", "Castro", "Dupont", "Egger", "Farkas", "Gruber", "Huber", "Ivanov", "Jansen", "Keller", "Lopez", "Moreau", "Novak"}
	notes := make([]trainNote, len(names))
	for i, name := range names {
		mrn := strconv.Itoa(7000000 + 37*i)
		doctor := names[(i+5)%len(names)]
		notes[i] = trainNote{
			text:  fmt.Sprintf("Patient: %s\nRecord %s\nHas a cough and a fever. Lungs clear, no rash.\nDr. %s advised rest and fluids.\n", name, mrn, doctor),
			spans: []wanted{{name, "p", "PATIENT"}, {mrn, "w", "MEDICALRECORD"}, {doctor, "o", "DOCTOR"}},
		}
	}
	return notes
}

func writeNotes(t *testing.T, notes []trainNote) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i, n := range notes {
		path := filepath.Join(dir, fmt.Sprintf("note-%02d.txt", i))
		if err := os.WriteFile(path, []byte(n.text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// keyboardJob is the whole job by a person without a mouse.
type keyboardJob struct {
	*browsertest.Browser
	t     *testing.T
	base  string
	notes []trainNote
}

// TestWholeJobByKeyboard signs in, imports, tags ten notes, sees suggestions
// come, accepts and rejects, sanitizes, moves L/C, publishes, downloads and
// verifies, with keys alone.
func TestWholeJobByKeyboard(t *testing.T) {
	server := serveHide(t, "serve", "--addr", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data"))
	j := &keyboardJob{Browser: browsertest.Start(t), t: t, base: server.base, notes: jobNotes()}
	downloads := t.TempDir()
	j.SaveTo(downloads)
	j.firstAccount(server)
	j.createProject()
	j.suggestAtOnce()
	j.importNotes()
	j.annotate()
	j.sanitize()
	j.publish()
	release := j.download(downloads)
	code := run(t.Context(), []string{"verify", release, "--json"}, &env{stdout: os.Stderr, stderr: os.Stderr})
	if code != exitDone {
		t.Errorf("hide verify ends with exit code %d", code)
	}
}

// typed types text into whatever has the focus.
func (j *keyboardJob) typed(text string) {
	for _, r := range text {
		j.Press(map[bool]string{true: "Space", false: string(r)}[r == ' '])
	}
}

func (j *keyboardJob) firstAccount(s served) {
	j.Open(s.link())
	j.WaitText("h1", "Welcome to hide")
	j.Axe()
	j.TabTo("#name")
	j.typed("Bea Broker")
	j.TabTo("#password")
	j.typed(testPassword)
	j.TabTo("#again")
	j.typed(testPassword)
	j.Press("Enter")
	j.WaitText("h1", "Projects")
}

func (j *keyboardJob) createProject() {
	j.Axe()
	j.TabTo("#name")
	j.typed("Ward 7")
	j.Press("Enter")
	j.WaitPath("/p/p1")
	j.Axe()
}

// suggestAtOnce has the first model suggest, in every note, and no rule.
func (j *keyboardJob) suggestAtOnce() {
	j.TabTo(`main a[href$="/settings"]`)
	j.Press("Enter")
	j.WaitText("h1", "Settings")
	j.TabTo("#min_recall")
	j.Press("Control+a", "0")
	j.TabTo(`[name="rules"]`)
	j.Press("Space")
	j.TabTo("#blind")
	j.Press("Control+a", "0", "Enter")
	j.WaitText(".notice.good", "Saved.")
}

func (j *keyboardJob) importNotes() {
	j.Open(j.base + "/p/p1/import")
	j.TabTo("#import-files")
	j.Upload("#import-files", writeNotes(j.t, j.notes)...)
	j.TabTo("#import-go")
	j.Press("Enter")
	j.WaitText("h1", "Preview of the import")
	j.Axe()
	j.TabTo("#import-confirm")
	j.Press("Enter")
	j.WaitText("#import-report", fmt.Sprintf("%d notes imported", len(j.notes)))
	j.Axe()
	j.TabTo(`#import-report a[href$="/annotate"]`)
	j.Press("Enter")
}

// annotate finishes ten notes. While the third is open a colleague finishes
// another one, which makes the third finished in all and starts the first
// training: its suggestions must come into the open note.
func (j *keyboardJob) annotate() {
	const toDo = 9 // and the colleague's makes ten
	for i := range toDo {
		j.noteReady()
		if i == 2 {
			j.suggestionsCome()
		}
		if i < 3 {
			j.tagAll()
		} else {
			j.acceptOrTag()
		}
		if i == 0 {
			j.Axe()
		}
		before := j.Path()
		j.Press("d")
		j.Wait("the next note", `location.pathname !== `+strconv.Quote(before))
	}
}

func (j *keyboardJob) noteReady() {
	j.WaitPath("/p/p1/notes/")
	j.Wait("the note's script", `document.querySelector("#note-options") && !document.querySelector("#note-options").hidden`)
}

// current is which of the notes is open.
func (j *keyboardJob) current() (trainNote, int) {
	j.t.Helper()
	doc, err := strconv.Atoi(j.Path()[len("/p/p1/notes/"):])
	if err != nil {
		j.t.Fatal(err)
	}
	return j.notes[doc-1], doc
}

func (j *keyboardJob) tagAll() {
	n, _ := j.current()
	for _, w := range n.spans {
		j.tag(w)
	}
}

// tag moves the caret to a word and presses its label's key.
func (j *keyboardJob) tag(w wanted) {
	j.t.Helper()
	j.TabTo("#note-text")
	j.Press("Control+Home")
	for range 100 {
		var at string
		j.Eval(`getSelection().toString()`, &at)
		if at == w.surface {
			j.Press(w.key)
			j.saved()
			j.Wait("the tag", fmt.Sprintf(`[...document.querySelectorAll("#note-text mark:not([data-suggested])")].some(m => m.textContent.includes(%q))`, w.surface))
			return
		}
		j.Press("ArrowRight")
	}
	j.t.Fatalf("the caret never came to a word with the label %s", w.label)
}

func (j *keyboardJob) saved() {
	j.Wait("the change to be saved", `document.querySelector("#note-status").dataset.state === "saved"`)
}

// acceptOrTag takes the first suggestion, refuses the second, takes all others
// at once, and tags by hand what is still missing.
func (j *keyboardJob) acceptOrTag() {
	j.WaitFor("suggestions", `document.querySelectorAll("#note-text mark[data-suggested]").length > 0`, 60*time.Second)
	j.TabTo("#note-text")
	suggested := j.Count("#note-text mark[data-suggested]")
	j.Press("n", "a")
	j.saved()
	if suggested > 1 {
		j.Press("r")
		j.saved()
	}
	j.Wait("both to be dealt with", fmt.Sprintf(`document.querySelectorAll("#note-text mark[data-suggested]").length <= %d`, max(0, suggested-2)))
	n, _ := j.current()
	for _, w := range n.spans {
		if !j.tagged(w) {
			j.tag(w)
		}
	}
}

func (j *keyboardJob) tagged(w wanted) bool {
	var there bool
	j.Eval(fmt.Sprintf(`[...document.querySelectorAll("#note-text mark:not([data-suggested])")].some(m => m.textContent.includes(%q))`, w.surface), &there)
	return there
}

// suggestionsCome lets a colleague finish a note and waits for the model's
// suggestions in the open one.
func (j *keyboardJob) suggestionsCome() {
	_, open := j.current()
	j.Eval(`window.neverReloaded = true`, nil)
	j.colleagueFinishes(open)
	j.WaitFor("suggestions", `document.querySelectorAll("#note-text mark[data-suggested]").length > 0`, 90*time.Second)
	var same bool
	j.Eval(`window.neverReloaded === true`, &same)
	if !same {
		j.t.Error("the page was reloaded to show suggestions")
	}
}

// colleagueFinishes tags and finishes a note that is not yet done and not open.
func (j *keyboardJob) colleagueFinishes(open int) {
	j.t.Helper()
	v := newVisitor(j.base)
	if err := v.signIn("Bea Broker"); err != nil {
		j.t.Fatal(err)
	}
	for doc := range len(j.notes) {
		path := fmt.Sprintf("/p/p1/notes/%d", doc+1)
		page, err := v.get(path)
		if err != nil {
			j.t.Fatal(err)
		}
		revision := revisionOnPage.FindStringSubmatch(page)
		if doc+1 == open || revision == nil || revision[1] != "0" { // somebody has been at it
			continue
		}
		if err := v.annotate(path, j.notes[doc]); err != nil {
			j.t.Fatal(err)
		}
		return
	}
	j.t.Fatal("no note is left for the colleague")
}

// annotate tags a note and finishes it.
func (v *visitor) annotate(path string, n trainNote) error {
	for i, w := range n.spans {
		start := strings.Index(n.text, w.surface) // the notes are ASCII: bytes are code points
		form := url.Values{
			"do": {"tag"}, "revision": {strconv.Itoa(i)}, "label": {w.label}, "surface": {w.surface},
			"start": {strconv.Itoa(start)}, "end": {strconv.Itoa(start + len(w.surface))},
		}
		if _, err := v.post(path+"/edit", form); err != nil {
			return err
		}
	}
	_, err := v.post(path+"/edit", url.Values{"do": {"finish"}, "revision": {strconv.Itoa(len(n.spans))}})
	return err
}

func (j *keyboardJob) sanitize() {
	j.Open(j.base + "/p/p1/sanitize")
	j.WaitText("h1", "Sanitize")
	j.Axe()
	j.TabTo(".advanced > summary")
	j.Press("Enter")
	j.TabTo("#lc")
	j.Press("Control+a")
	j.typed("1, 10")
	j.Press("Enter")
	j.WaitPath("/p/p1/sanitize/1")
	j.WaitFor("the run to finish", `document.querySelector('form[action$="/choose"] button.primary') !== null && !document.querySelector("#sanitize-progress progress")`, 3*time.Minute)
	j.Axe()
	j.moveLC()
}

// moveLC moves the slider from the first value to the last and takes what it
// shows.
func (j *keyboardJob) moveLC() {
	j.TabTo("#shown-lc")
	j.Press("Home")
	j.WaitText("#shown-lc-out", "1")
	j.Press("End")
	j.WaitText("#shown-lc-out", "10")
	j.TabTo(`form[action$="/choose"] button.primary`)
	j.Press("Enter")
	j.WaitPath("/p/p1/publish")
}

// publishAlone lets one person publish without a review: there is no other.
func (j *keyboardJob) publishAlone() {
	j.Eval(`location.href = "/p/p1/candidates"`, nil)
	j.WaitPath("/p/p1/candidates")
	j.WaitFor("the rule", `document.querySelector("#approvals") !== null`, time.Minute)
	j.Eval(`document.querySelector("#approvals").value = "0"; document.querySelector("#quorum").value = "0"; document.querySelector("#approvals").form.requestSubmit()`, nil)
	j.WaitFor("the changed rule", `document.body.innerText.includes("one person may publish")`, time.Minute)
	j.Eval(`location.href = "/p/p1/publish"`, nil)
	j.WaitPath("/p/p1/publish")
}

func (j *keyboardJob) publish() {
	j.publishAlone()
	j.Axe()
	if j.Count(`input[name="uncertified"]`) > 0 { // asked when the queue, not chance, chose what was annotated
		j.Type(`input[name="uncertified"]`, "only a test")
	}
	j.TabTo(`input[name="confirm"]`)
	j.Press("Space")
	j.TabTo("form.confirm button")
	j.Press("Enter")
	j.WaitFor("the release", `document.querySelector("#release-1") !== null`, time.Minute)
	j.TabTo("#release-1 a")
	j.Press("Enter")
	j.WaitPath("/p/p1/releases/1")
	j.Axe()
}

// download gets the release and returns the zip's path.
func (j *keyboardJob) download(folder string) string {
	j.TabTo(`a[href$="/zip"]`)
	j.Press("Enter")
	return j.Saved(folder, "*.zip")
}
