// SPDX-License-Identifier: Apache-2.0

package takeback_test

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/home"
	"hide/web/model"
	"hide/web/note"
	"hide/web/takeback"
	"hide/web/webtest"
)

// TestDeletingAsksForTheName goes through the page on the real handlers and services: an
// import undone, restored and erased, a note restored, a patient removed, the project
// destroyed.
func TestDeletingAsksForTheName(t *testing.T) {
	projects, id := webtest.RealProject(t, 6)
	s := webtest.New(t, projects, takeback.New(projects), home.New(projects, nil))
	at := "/p/" + string(id) + "/delete"
	shows := func(body string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(body, w) {
				t.Errorf("the page does not show %q", w)
			}
		}
	}
	post := func(path string, want int, form url.Values) string {
		t.Helper()
		w := s.Post(account.Broker, at+path, form)
		if w.Code != want {
			t.Errorf("%s %v: status %d, want %d: %s", path, form, w.Code, want, w.Body.String())
		}
		return w.Body.String()
	}
	if w := s.Get(account.Annotator, at); w.Code != http.StatusForbidden {
		t.Errorf("an annotator: status %d", w.Code)
	}
	shows(post("/note", http.StatusUnprocessableEntity, url.Values{"note": {"1"}, "confirm": {"note-1"}}), `value="note-1"`, `id="confirm-error"`)
	post("/note", http.StatusSeeOther, url.Values{"note": {"1"}, "confirm": {"note-0"}})
	if body := s.Get(account.Broker, at).Body.String(); !strings.Contains(body, "note-0") || !strings.Contains(body, "Erase now") {
		t.Error("the bin does not show the note")
	}
	post("/restore", http.StatusSeeOther, url.Values{"note": {"1"}})
	shows(post("/import", http.StatusUnprocessableEntity, url.Values{"import": {"1"}, "confirm": {"import 2"}}), `<details class="removal" open>`, `value="import 2"`, `id="confirm-error"`)
	if body := post("/patient", http.StatusUnprocessableEntity, url.Values{"key": {"nobody"}}); !strings.Contains(body, "no note of a patient with this key") {
		t.Error("an unknown patient is not refused in words")
	}
	if body := post("/patient", http.StatusOK, url.Values{"key": {"p2"}}); !strings.Contains(body, "1 note") || !strings.Contains(body, "cannot be undone") {
		t.Error("the page does not say what is removed")
	}
	post("/patient/confirm", http.StatusUnprocessableEntity, url.Values{"key": {"p2"}, "confirm": {"p1"}})
	post("/patient/confirm", http.StatusSeeOther, url.Values{"key": {"p2"}, "confirm": {"p2"}})
	if body := s.Get(account.Broker, at).Body.String(); !strings.Contains(body, "a patient with 1 note, by") || strings.Contains(body, "p2") {
		t.Error("the page does not say what was erased, or names the patient")
	}
	left := func(want int) {
		t.Helper()
		if o, err := projects.Project(t.Context(), webtest.As(account.Broker), id); err != nil || o.Documents != want {
			t.Errorf("%d notes left, %v; want %d", o.Documents, err, want)
		}
	}
	all := func(words string) url.Values { return url.Values{"import": {"1"}, "confirm": {words}} }
	shows(s.Get(account.Broker, at).Body.String(), "<bdi>note-0</bdi> and 4 more")
	post("/import", http.StatusSeeOther, all("Import 1"))
	left(0)
	body := s.Get(account.Broker, at).Body.String()
	shows(body, "<bdi>note-0</bdi> and 4 more", "Restore all", "0 notes and 5 in the bin")
	if strings.Contains(body, "note-3") {
		t.Error("the bin lists the notes of the import one by one")
	}
	shows(s.Get(account.Broker, at+"?only=1").Body.String(), "Notes of import 1", "note-3")
	post("/restore-import", http.StatusSeeOther, all(""))
	left(5)
	post("/import", http.StatusSeeOther, all("import 1"))
	shows(post("/erase-import", http.StatusUnprocessableEntity, all("import")), "This is final", `value="import"`)
	post("/erase-import", http.StatusSeeOther, all("import 1"))
	shows(s.Get(account.Broker, at).Body.String(), "The bin is empty")

	post("/project", http.StatusUnprocessableEntity, url.Values{"confirm": {"Ward"}})
	w := s.Post(account.Broker, at+"/project", url.Values{"confirm": {"Ward 7"}})
	if w.Code != http.StatusSeeOther {
		t.Fatalf("destroying: status %d", w.Code)
	}
	const said = "Project Ward 7 was destroyed."
	shows(s.Get(account.Broker, w.Header().Get("Location")).Body.String(), said)
	if strings.Contains(s.Get(account.Admin, w.Header().Get("Location")).Body.String(), said) {
		t.Error("the address tells another person that they destroyed a project")
	}
	if w := s.Get(account.Broker, at); w.Code != http.StatusNotFound {
		t.Errorf("the destroyed project: status %d", w.Code)
	}
}

// TestADestroyedProjectSaysWhichSecretIsLeft: a folder in the place of the secret stands for
// a file that cannot be deleted.
func TestADestroyedProjectSaysWhichSecretIsLeft(t *testing.T) {
	projects, id := webtest.RealProject(t, 2)
	s := webtest.New(t, projects, takeback.New(projects))
	found, err := filepath.Glob(projects.Store().Dir() + ".secrets/" + string(id) + "-*")
	if err != nil || len(found) != 1 {
		t.Fatalf("secrets %q, %v", found, err)
	}
	if err := errors.Join(os.Remove(found[0]), os.MkdirAll(filepath.Join(found[0], "in the way"), 0o700)); err != nil {
		t.Fatal(err)
	}
	body := s.Post(account.Broker, "/p/"+string(id)+"/delete/project", url.Values{"confirm": {"Ward 7"}}).Body.String()
	if !strings.Contains(body, "is destroyed, but") || !strings.Contains(body, filepath.Base(found[0])) || strings.Contains(body, "Try again") {
		t.Errorf("the page says %s", body)
	}
	if left := projects.Store().SecretsLeft(); len(left) != 1 || left[0].File != found[0] {
		t.Errorf("secrets left: %v", left)
	}
}

// TestRemovalsInTheBrowser removes a patient, undoes the import and destroys the project.
// Who has a note open that goes is told so.
func TestRemovalsInTheBrowser(t *testing.T) {
	projects, id := webtest.RealProject(t, 6)
	v := webtest.Open(t, account.Broker, projects, takeback.New(projects), note.New(projects, webtest.Accounts{}), model.New(projects), home.New(projects, nil))
	v.Expect("422") // a refused confirmation comes back as such
	at := v.Base + "/p/" + string(id)
	v.Open(at + "/notes/1")
	v.Wait("a live page", `document.querySelector("#live-state").dataset.connected === "true"`)
	if err := projects.DeleteNote(t.Context(), webtest.As(account.Broker), id, 1, "note-0"); err != nil {
		t.Fatal(err)
	}
	v.WaitText("#live-state", "This was deleted")

	v.Open(at + "/delete?note=2")
	v.Shots("takeback")
	v.Axe()
	v.Type("#key", "p2")
	v.Click(`form[action$="/delete/patient"] button`)
	v.WaitText("#patient-found", "1 note")
	v.Axe()
	v.Type("#patient-found [name=confirm]", "p2")
	v.Click("#patient-found button.danger")
	v.WaitText(".notice.good", "The patient is removed")

	v.Click("#imports-title ~ * summary")
	v.Type(`form[action$="/delete/import"] [name=confirm]`, "import 1")
	v.Click(`form[action$="/delete/import"] button`)
	v.WaitText(".notice.good", "The import is undone")
	v.Axe()
	v.Shots("takeback-undone")
	if bin, err := projects.Bin(id); err != nil || len(bin) != 5 {
		t.Errorf("%d notes in the bin, %v", len(bin), err)
	}

	v.Click("#project-title ~ details summary")
	v.Type(`form[action$="/delete/project"] [name=confirm]`, "Ward 8")
	v.Click(`form[action$="/delete/project"] button`)
	v.WaitText("#confirm-error", "does not match")
	v.Wait("what was typed", `document.activeElement.value === "Ward 8"`)
	v.Axe()
	v.Shots("takeback-refused")
	v.Press("Control+a", "Delete")
	v.Type(`form[action$="/delete/project"] [name=confirm]`, "ward 7")
	v.Click(`form[action$="/delete/project"] button`)
	v.WaitText(".notice.good", "Project ward 7 was destroyed.")
	if _, err := projects.Project(t.Context(), webtest.As(account.Broker), id); project.KindOf(err) != project.NotFound {
		t.Errorf("the project is still there: %v", err)
	}
}
