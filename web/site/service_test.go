// SPDX-License-Identifier: Apache-2.0

package site

import (
	"archive/zip"
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/web/webtest"
)

func TestSanitizeChooseAndPublishOverARealService(t *testing.T) {
	projects, id := webtest.RealProject(t, 16)
	s := newServer(t, projects)
	base := "/p/" + string(id)

	form := sanitizeValues()
	form.Set("lc", "2, 10")
	w := s.Post(account.Broker, base+"/sanitize", form)
	if w.Code != http.StatusSeeOther {
		t.Fatalf("start: status %d\n%s", w.Code, w.Body)
	}
	run := w.Header().Get("Location")
	body := s.Settled(t, run)
	for _, want := range []string{" of 16 identifiers in 16 notes would stay readable", "Choose L/C 10", "Only 16 finished notes", `id="rounds-10-left-title"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the finished run shows no %q", want)
		}
	}
	reviewed := s.Get(account.Reviewer, run).Body.String()
	if !strings.Contains(reviewed, " of 16 identifiers in 16 notes would stay readable") || strings.Contains(reviewed, "/notes/") || strings.Contains(reviewed, "cough") {
		t.Error("a reviewer sees no figures, or text")
	}

	w = s.Post(account.Broker, run+"/choose", url.Values{"lc": {"10"}})
	if w.Code != http.StatusSeeOther {
		t.Fatalf("choose: status %d\n%s", w.Code, w.Body)
	}
	publish := w.Header().Get("Location")
	if body := s.Get(account.Broker, publish).Body.String(); !strings.Contains(body, "Publish 16 notes") || !strings.Contains(body, "Every note is finished") {
		t.Error("the publish page does not name its documents")
	}
	w = s.Post(account.Broker, base+"/publish", url.Values{"bundle": {"1"}, "documents": {"16"}, "confirm": {"yes"}})
	if w.Code != http.StatusSeeOther {
		t.Fatalf("publish: status %d\n%s", w.Code, w.Body)
	}
	if body := s.Settled(t, publish); !strings.Contains(body, "verified") || strings.Contains(body, "not verified") {
		t.Errorf("no verified release")
	}
	released(t, s, base)
}

// released looks at the release as a reviewer.
func released(t *testing.T, s *webtest.Server, base string) {
	t.Helper()
	page := s.Get(account.Reviewer, base+"/releases/1").Body.String()
	if !strings.Contains(page, `class="placeholder" data-label="PATIENT"`) || strings.Contains(page, "Dupont") {
		t.Error("the sample has no placeholder, or a name")
	}
	w := s.Get(account.Reviewer, base+"/releases/1/zip")
	z, err := zip.NewReader(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
	if err != nil || len(z.File) == 0 {
		t.Fatalf("the release is no zip: %v", err)
	}
	if w := s.Get(account.Broker, base+"/bundles/1"); w.Code != http.StatusOK || w.Body.Len() == 0 {
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
