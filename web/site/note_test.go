// SPDX-License-Identifier: Apache-2.0

package site

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/web/webtest"
)

// TestImportAnnotateExportOverARealService goes from a file through edits, a
// conflict and an undo to an export.
func TestImportAnnotateExportOverARealService(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	projects, id := webtest.RealProject(t, 4)
	s := newServer(t, projects)
	base := "/p/" + string(id)
	text := "Seen by Dr. Okafor.\r\nOkafor again 👩🏽‍⚕️ with Zoe\u0308.\r\n"

	upload := func() *httptest.ResponseRecorder {
		return s.Import(t, account.Broker, base, nil, nil, map[string]string{"letter.txt": text})
	}
	tag := func(revision, surface, label string, start, end int) url.Values {
		return url.Values{
			"revision": {revision}, "do": {"tag"}, "label": {label}, "surface": {surface},
			"start": {strconv.Itoa(start)}, "end": {strconv.Itoa(end)},
		}
	}
	send := func(path string, form url.Values, status int) string {
		t.Helper()
		w := s.PostFragment(account.Annotator, base+path, form)
		if w.Code != status {
			t.Fatalf("%s: status %d, want %d\n%s", path, w.Code, status, w.Body)
		}
		return w.Body.String()
	}
	if w := upload(); w.Code != http.StatusOK {
		t.Fatalf("import: status %d\n%s", w.Code, w.Body)
	}
	if w := upload(); !strings.Contains(w.Body.String(), "1 note is in the project already") || strings.Contains(w.Body.String(), `id="import-confirm"`) {
		t.Fatalf("the same file again: status %d\n%s", w.Code, w.Body)
	}
	if w := s.Get(account.Annotator, base+"/annotate"); w.Header().Get("Location") != base+"/notes/5" {
		t.Fatalf("next is %s", w.Header().Get("Location"))
	}
	send("/notes/5/edit", tag("0", "Okafor", "DOCTOR", 12, 18), http.StatusOK)
	send("/notes/5/edit", tag("1", "Zoe\u0308", "PATIENT", 45, 49), http.StatusOK)
	send("/notes/5/edit", tag("1", "Zoe\u0308", "DATE", 45, 49), http.StatusConflict)
	list := send("/notes/5/matches", url.Values{"revision": {"2"}, "id": {"1"}}, http.StatusOK)
	if strings.Count(list, `name="place"`) != 1 {
		t.Errorf("the list of matches is %s", list)
	}
	send("/notes/5/edit", url.Values{"revision": {"2"}, "do": {"tag-all"}, "label": {"DOCTOR"}, "surface": {"Okafor"}, "place": {"21-27"}}, http.StatusOK)
	send("/notes/5/undo", url.Values{"revision": {"3"}}, http.StatusOK)
	send("/notes/5/redo", url.Values{"revision": {"4"}}, http.StatusOK)
	send("/notes/5/edit", url.Values{"revision": {"5"}, "do": {"label NONSENSE"}, "id": {"1"}}, http.StatusUnprocessableEntity)

	exported := s.Get(account.Broker, base+"/download/notes/jsonl").Body.Bytes()
	last := exported[bytes.LastIndexByte(bytes.TrimSpace(exported), '\n')+1:]
	for _, want := range []string{`"start":12,"end":18`, `"start":21,"end":27`, `"start":45,"end":49`} {
		if !bytes.Contains(last, []byte(want)) {
			t.Errorf("the export has no %s: %s", want, last)
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("%d temporary files are left (%v)", len(left), err)
	}
}

func TestReviewerSeesNoNote(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), `{"id":"note-1","text":"Ann Secretname."}`+"\n")
	s, base := newServer(t, projects), "/p/"+string(id)
	if page := s.Get(account.Annotator, base+"/notes/1"); !strings.Contains(page.Body.String(), "Secretname") {
		t.Fatalf("an annotator sees no note: status %d", page.Code)
	}
	for _, path := range []string{"/notes/1", "/notes", "/annotate", "/import", "/import/x", "/export?format=jsonl", "/download/notes/jsonl", "/download/notes/brat"} {
		if answer := s.Get(account.Reviewer, base+path); answer.Code != http.StatusForbidden || strings.Contains(answer.Body.String(), "Secret") {
			t.Errorf("%s answers %d", path, answer.Code)
		}
	}
}
