// SPDX-License-Identifier: Apache-2.0

package web

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/annotate/format"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/services"
	"hide/internal/store"
)

// realProject is a service over a store on disk with a project of finished notes.
func realProject(t *testing.T, notes int) (*services.All, project.ID) {
	t.Helper()
	return realNotes(t, invented(notes))
}

// realNotes is realProject with these notes, as JSONL.
func realNotes(t *testing.T, content string) (*services.All, project.ID) {
	t.Helper()
	return realNotesIn(t, t.TempDir(), content)
}

// realNotesIn keeps them in the folder "data" of dir.
func realNotesIn(t *testing.T, dir, content string) (*services.All, project.ID) {
	t.Helper()
	st, err := store.Open(store.Options{Dir: filepath.Join(dir, "data"), Create: true})
	if err != nil {
		t.Fatal(err)
	}
	s, err := services.New(st, project.Options{Releases: filepath.Join(dir, "releases"), Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := errors.Join(s.Close(ctx), st.Close()); err != nil {
			t.Error(err)
		}
	})
	by, _, _ := fakeAccounts{}.Session(string(account.Broker))
	p, err := s.Create(t.Context(), by, "Ward 7", nil)
	if err != nil {
		t.Fatal(err)
	}
	file := format.File{Name: "notes.jsonl", Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}
	if _, err := s.Import(t.Context(), by, p.ID, []format.File{file}, project.ImportOptions{Finished: true}); err != nil {
		t.Fatal(err)
	}
	return s, p.ID
}

// invented are short notes as JSONL, each of its own patient.
func invented(n int) string {
	names := []string{"Abel", "Brandt", "Castro", "Dupont", "Egger", "Farkas", "Gruber", "Huber"}
	var b strings.Builder
	for i := range n {
		name := names[i%len(names)]
		before := "Seen for cough and fever. Lungs clear. Mr. "
		start := len(before)
		fmt.Fprintf(&b, `{"id":"note-%d","patient":"p%d","text":"%s%s left well after rest.","spans":[{"start":%d,"end":%d,"label":"PATIENT"}]}`+"\n",
			i, i, before, name, start, start+len(name))
	}
	return b.String()
}

// settled waits until the run is over and gives its page.
func settled(t *testing.T, s *Server, path string) string {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		w := get(s, account.Broker, path)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: status %d", path, w.Code)
		}
		if body := w.Body.String(); !strings.Contains(body, "<progress") {
			return body
		}
	}
	t.Fatalf("%s did not settle", path)
	return ""
}

func TestSanitizeChooseAndPublishOverARealService(t *testing.T) {
	projects, id := realProject(t, 16)
	s := newTestServer(t, projects)
	base := "/p/" + string(id)

	form := sanitizeValues()
	form.Set("lc", "2, 10")
	w := post(s, account.Broker, base+"/sanitize", form)
	if w.Code != http.StatusSeeOther {
		t.Fatalf("start: status %d\n%s", w.Code, w.Body)
	}
	run := w.Header().Get("Location")
	body := settled(t, s, run)
	for _, want := range []string{" of 16 names in 16 notes would stay readable", "Use L/C 10", "Only 16 finished notes", `id="rounds-10-left-title"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the finished run shows no %q", want)
		}
	}
	reviewed := get(s, account.Reviewer, run).Body.String()
	if !strings.Contains(reviewed, " of 16 names in 16 notes would stay readable") || strings.Contains(reviewed, "/notes/") || strings.Contains(reviewed, "cough") {
		t.Error("a reviewer sees no figures, or text")
	}

	w = post(s, account.Broker, run+"/choose", url.Values{"lc": {"10"}})
	if w.Code != http.StatusSeeOther {
		t.Fatalf("choose: status %d\n%s", w.Code, w.Body)
	}
	publish := w.Header().Get("Location")
	if body := get(s, account.Broker, publish).Body.String(); !strings.Contains(body, "Publish 16 documents") || !strings.Contains(body, "Every document is finished") {
		t.Error("the publish page does not name its documents")
	}
	w = post(s, account.Broker, base+"/publish", url.Values{"bundle": {"1"}, "documents": {"16"}, "confirm": {"yes"}})
	if w.Code != http.StatusSeeOther {
		t.Fatalf("publish: status %d\n%s", w.Code, w.Body)
	}
	if body := settled(t, s, publish); !strings.Contains(body, "verified") || strings.Contains(body, "not verified") {
		t.Errorf("no verified release")
	}
	released(t, s, base)
}

// released looks at the release as a reviewer.
func released(t *testing.T, s *Server, base string) {
	t.Helper()
	page := get(s, account.Reviewer, base+"/releases/1").Body.String()
	if !strings.Contains(page, `class="placeholder" data-label="PATIENT"`) || strings.Contains(page, "Dupont") {
		t.Error("the sample has no placeholder, or a name")
	}
	w := get(s, account.Reviewer, base+"/releases/1/zip")
	z, err := zip.NewReader(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
	if err != nil || len(z.File) == 0 {
		t.Fatalf("the release is no zip: %v", err)
	}
	if w := get(s, account.Broker, base+"/bundles/1"); w.Code != http.StatusOK || w.Body.Len() == 0 {
		t.Errorf("bundle: status %d, %d bytes", w.Code, w.Body.Len())
	}
}

func sanitizeValues() url.Values {
	v := url.Values{"mode": {string(greedy.Default)}, "lc": {"10, 1 5"}, "folds": {"4"}, "learners": {"crf", "bayes"}, "first": {"none"}}
	for _, l := range annotate.I2B2() {
		v.Add("sensitive", string(l.Label))
	}
	return v
}
