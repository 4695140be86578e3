// SPDX-License-Identifier: Apache-2.0

package candidate_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project/sanitize"
	"hide/web/candidate"
	webrelease "hide/web/release"
	"hide/web/webtest"
)

// TestTheFormOfAReleaseDecidesAboutKnownIdentifiers freezes candidates through the page: with
// its tick, a name that structured data gives and that people and the model miss is redacted;
// without, it stays readable. Both pages say how many remain.
func TestTheFormOfAReleaseDecidesAboutKnownIdentifiers(t *testing.T) {
	const missed = `{"id":"missed","text":"cough of quarkinson, fever","spans":[],"identities":[{"of":"relative","label":"PATIENT","value":"Zora Quarkinson","from":"NK1-2"}]}` + "\n"
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.Invented(12)+missed)
	by, ctx := webtest.As(account.Broker), t.Context()
	number, err := projects.StartSanitize(ctx, by, id, sanitize.Params{LC: []float64{10}, Folds: 2, Learners: []string{"bayes"}, First: "none"})
	if err != nil {
		t.Fatal(err)
	}
	wait(t, "the run", func() bool {
		r, err := projects.Run(ctx, by, id, number)
		return err != nil || r.State == sanitize.Finished
	})
	bundle, err := projects.Choose(ctx, by, id, number, 10)
	if err != nil {
		t.Fatal(err)
	}
	s := webtest.New(t, projects, candidate.New(projects), webrelease.New(projects, projects))
	publish := fmt.Sprintf("/p/%s/publish", id)
	if page := s.Get(account.Broker, publish).Body.String(); !strings.Contains(page, `name="known" value="true" checked`) {
		t.Error("the page does not redact known identifiers by default")
	}
	for i, c := range []struct {
		known, words string
		readable     bool
	}{{"true", "Known identifiers remaining: 0 of 1.", false}, {"", "Known identifiers remaining: 1 of 1.", true}} {
		form := url.Values{"bundle": {strconv.Itoa(bundle.Number)}, "documents": {"13"}, "confirm": {"yes"}, "do": {"freeze"}, "known": {c.known}}
		if w := s.Post(account.Broker, publish, form); w.Code != http.StatusSeeOther {
			t.Fatalf("status %d: %s", w.Code, w.Body.String())
		}
		frozen := 0
		wait(t, "the candidate", func() bool {
			st, err := projects.Publishing(ctx, by, id)
			frozen = st.Frozen
			return err != nil || !st.Running
		})
		if frozen == 0 {
			t.Fatalf("candidate %d was not frozen", i+1)
		}
		at := fmt.Sprintf("/p/%s/candidates/%d", id, frozen)
		if page := s.Get(account.Reviewer, at).Body.String(); !strings.Contains(page, c.words) {
			t.Errorf("the page of the candidate does not say %q", c.words)
		}
		if hits := s.Get(account.Reviewer, at+"?q=quarkinson").Body.String(); strings.Contains(hits, "<mark>quarkinson</mark>") != c.readable {
			t.Errorf("with known=%q the name is readable: %v", c.known, !c.readable)
		}
	}
}
