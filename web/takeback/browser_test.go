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
// import undone, a note restored, a patient removed, the project destroyed.
func TestDeletingAsksForTheName(t *testing.T) {
	projects, id := webtest.RealProject(t, 6)
	s := webtest.New(t, projects, takeback.New(projects))
	at := "/p/" + string(id) + "/delete"
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
	post("/note", http.StatusUnprocessableEntity, url.Values{"note": {"1"}, "confirm": {"note-1"}})
	post("/note", http.StatusSeeOther, url.Values{"note": {"1"}, "confirm": {"note-0"}})
	if body := s.Get(account.Broker, at).Body.String(); !strings.Contains(body, "note-0") || !strings.Contains(body, "Erase now") {
		t.Error("the bin does not show the note")
	}
	post("/restore", http.StatusSeeOther, url.Values{"note": {"1"}})
	post("/import", http.StatusUnprocessableEntity, url.Values{"import": {"1"}, "confirm": {"import 2"}})
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
	post("/import", http.StatusSeeOther, url.Values{"import": {"1"}, "confirm": {"import 1"}})
	if o, err := projects.Project(t.Context(), webtest.As(account.Broker), id); err != nil || o.Documents != 0 {
		t.Errorf("%d notes left, %v", o.Documents, err)
	}
	post("/project", http.StatusUnprocessableEntity, url.Values{"confirm": {"Ward"}})
	post("/project", http.StatusSeeOther, url.Values{"confirm": {"Ward 7"}})
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
	if bin, err := projects.Bin(id); err != nil || len(bin) != 5 {
		t.Errorf("%d notes in the bin, %v", len(bin), err)
	}

	v.Click("#project-title ~ details summary")
	v.Type(`form[action$="/delete/project"] [name=confirm]`, "Ward 7")
	v.Click(`form[action$="/delete/project"] button`)
	v.Wait("the list of projects", `location.pathname === "/"`)
	if _, err := projects.Project(t.Context(), webtest.As(account.Broker), id); project.KindOf(err) != project.NotFound {
		t.Errorf("the project is still there: %v", err)
	}
}
