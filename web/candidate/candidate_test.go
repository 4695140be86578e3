// SPDX-License-Identifier: Apache-2.0

package candidate_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/project/services"
	"hide/web/candidate"
	webrelease "hide/web/release"
	"hide/web/webtest"
)

// frozen is a project whose rule wants a review, with a candidate and a repair of it.
func frozen(t *testing.T) (s *services.All, id project.ID) {
	t.Helper()
	s, id = webtest.RealProject(t, 40)
	by, ctx := webtest.As(account.Broker), t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	number, err := s.StartSanitize(ctx, by, id, sanitize.Params{LC: []float64{10}})
	must(err)
	wait(t, "the run", func() bool {
		r, err := s.Run(ctx, by, id, number)
		return err != nil || r.State == sanitize.Finished
	})
	bundle, err := s.Choose(ctx, by, id, number, 10)
	must(err)
	must(s.SetRule(ctx, by, id, project.DefaultRule()))
	must(s.StartPublish(ctx, by, id, release.Freeze, bundle.Number, release.Despite{}))
	await := func() int {
		var st release.Status
		wait(t, "the candidate", func() bool {
			var err error
			st, err = s.Publishing(ctx, by, id)
			return err != nil || !st.Running
		})
		if st.Error != "" {
			t.Fatal(st.Error)
		}
		return st.Frozen
	}
	first := await()
	must(s.StartRepair(ctx, by, id, first, release.Findings{Found: []release.Found{{Candidate: first, Marks: []release.Mark{{Note: 0, Start: 0, End: 4, Label: annotate.Label("PATIENT")}}}}}))
	await()
	return s, id
}

func wait(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited too long for %s", what)
		}
	}
}

// TestReviewersReadACandidate goes through the pages on the real handlers and services: what
// a reviewer sees is the redacted text, and only brokers publish or drop.
func TestReviewersReadACandidate(t *testing.T) {
	projects, id := frozen(t)
	s := webtest.New(t, projects, candidate.New(projects), webrelease.New(projects, projects))
	at := "/p/" + string(id) + "/candidates"
	body := func(path string) string {
		t.Helper()
		w := s.Get(account.Reviewer, at+path)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: status %d: %s", path, w.Code, w.Body.String())
		}
		text := w.Body.String()
		for _, name := range []string{"Abel", "Brandt", "Castro", "Dupont", "Egger", "Farkas", "Gruber", "Huber"} {
			if strings.Contains(text, name) {
				t.Errorf("%s shows the name %s", path, name)
			}
		}
		return text
	}
	shows := func(text string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("the page does not show %q", w)
			}
		}
	}
	shows(body(""), "Candidate 1", "Candidate 2", "a repair of candidate 1")
	first := body("/1")
	shows(first, "20 notes of 40", "Nobody has reviewed", "[PATIENT]")
	if strings.Contains(first, "Publish candidate 1") {
		t.Error("a reviewer is offered to publish")
	}
	shows(body("/1?q=FEVER"), "40 notes hold", "<mark>fever</mark>")
	shows(body("/1/texts/1"), "Note 1 of 40", "Seen for cough")
	shows(body("/2/compare?with=1"), "1 note differs", "<del>Seen</del>")
	if w := s.Get(account.Reviewer, at+"/1/texts/41"); w.Code != http.StatusNotFound {
		t.Errorf("a note that is not there: status %d", w.Code)
	}
	if w := s.Post(account.Reviewer, at+"/1/drop", url.Values{"why": {"x"}}); w.Code != http.StatusForbidden {
		t.Errorf("a reviewer drops a candidate: status %d", w.Code)
	}
	w := s.Post(account.Broker, at+"/1/publish", url.Values{"confirm": {"yes"}})
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "no review has been opened on it") {
		t.Errorf("publishing without a review: status %d", w.Code)
	}
	if w := s.Post(account.Broker, at+"/1/drop", url.Values{"why": {"the repair is better"}}); w.Code != http.StatusSeeOther {
		t.Errorf("dropping: status %d", w.Code)
	}
	shows(body(""), "dropped: the repair is better")
	form := url.Values{"approvals": {"2"}, "quorum": {"3"}, "unanimous": {"yes"}}
	if w := s.Post(account.Reviewer, at+"/rule", form); w.Code != http.StatusForbidden {
		t.Errorf("a reviewer changes the rule: status %d", w.Code)
	}
	if w := s.Post(account.Broker, at+"/rule", url.Values{"approvals": {"-1"}, "quorum": {"0"}}); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("a rule that cannot be: status %d", w.Code)
	}
	if w := s.Post(account.Broker, at+"/rule", form); w.Code != http.StatusSeeOther {
		t.Errorf("a rule: status %d", w.Code)
	}
	shows(body(""), "2 other people must approve, of at least 3 who vote; one vote against refuses; nobody may abstain")
}

// Notes with their fields are read on the page like redacted notes.
func TestReviewersReadNotesWithTheirFields(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(12))
	by, ctx := webtest.As(account.Broker), t.Context()
	choice := release.JointChoice{K: 3, Lambda: .5, Known: true, Found: 1, Threshold: .5}
	if err := projects.StartPublishJoint(ctx, by, id, release.Freeze, choice, 24, 0); err != nil {
		t.Fatal(err)
	}
	webtest.Released(t, projects, id)
	s := webtest.New(t, projects, candidate.New(projects))
	at := "/p/" + string(id) + "/candidates/1"
	for path, want := range map[string][]string{
		"":          {"Candidate 1", "20 notes of 24", "in the clinic"},
		"?q=clinic": {"24 notes hold", "<mark>clinic</mark>"},
		"/texts/24": {"Note 24 of 24", "in the clinic"},
	} {
		w := s.Get(account.Reviewer, at+path)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: status %d", path, w.Code)
		}
		for _, part := range want {
			if !strings.Contains(w.Body.String(), part) {
				t.Errorf("%s does not show %q", path, part)
			}
		}
		if strings.Contains(w.Body.String(), "Abel") {
			t.Errorf("%s shows a name", path)
		}
	}
}

// The form that publishes offers to freeze, and only that where the rule wants a review.
func TestCandidatePagesInABrowser(t *testing.T) {
	projects, id := frozen(t)
	v := webtest.Open(t, account.Broker, projects, candidate.New(projects), webrelease.New(projects, projects))
	base := v.Base + "/p/" + string(id)
	v.Open(base + "/publish")
	v.WaitText("form.confirm button", "Freeze for review")
	v.Shots("publish-freeze")
	for page, name := range map[string]string{"/candidates": "candidates", "/candidates/2": "candidate", "/candidates/2?q=fever": "candidate-search", "/candidates/2/compare?with=1": "candidate-compare", "/candidates/1/texts/3": "candidate-note"} {
		v.Open(base + page)
		v.Axe()
		v.Shots(name)
	}
}
