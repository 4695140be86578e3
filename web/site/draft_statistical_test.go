// SPDX-License-Identifier: Apache-2.0

package site

import (
	"os"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/draft"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/internal/project/services"
	"hide/internal/publish/policy"
	"hide/internal/publish/transform"
	"hide/web/webtest"
)

// A candidate for expert determination, made without a redaction model: its page leads to a
// review although the rule of the project asks for none, and the board sees what the attacker
// links. No live part is without its place, which the console would complain about.
func TestAStatisticalCandidateLeadsToItsReview(t *testing.T) {
	text, err := os.ReadFile(generatedFile(t))
	if err != nil {
		t.Fatal(err)
	}
	projects, id := webtest.RealNotes(t, t.TempDir(), string(text))
	freezeStatistical(t, projects, id)
	s := newServer(t, projects)
	at := "/p/" + string(id)
	page := func(path string) string {
		t.Helper()
		return s.Get(account.Broker, at+path).Body.String()
	}
	shows(t, page("/candidates"), "by the policy statistical 1, frozen")
	shows(t, page("/candidates/1"), "Expert determination needs a review that approves it", `class="button primary" href="`+at+`/reviews?candidate=1"`)
	if _, err := projects.PrepareReview(t.Context(), webtest.As(account.Broker), id, 1, review.Ask{Question: "May they go out?", Recipients: []string{"Dr. Weiss"}}); err != nil {
		t.Fatal(err)
	}
	got := page("/reviews/1")
	shows(t, got, "No redaction model was used, so no run has figures", "An attacker who goes for the patient", "to the right patient at the first guess")
	if strings.Contains(got, "review-shown") || strings.Contains(got, "No attack was measured") {
		t.Error("the page has a live part without its place, or says that no attack was measured")
	}
}

func shows(t *testing.T, page string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(page, w) {
			t.Errorf("the page does not show %q", w)
		}
	}
}

// freezeStatistical prepares a draft by the statistical policy, decides what is open with
// placeholders, and freezes it.
func freezeStatistical(t *testing.T, projects *services.All, id project.ID) {
	t.Helper()
	by, ctx := webtest.As(account.Broker), t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	p, err := policy.Find("statistical")
	must(err)
	must(projects.PrepareDraft(ctx, by, id, draft.Settings{Policy: p}))
	for running := true; running; time.Sleep(10 * time.Millisecond) {
		st, err := projects.Preparing(ctx, by, id)
		must(err)
		running = st.Running
	}
	rows, _, err := projects.DraftRows(ctx, by, id, draft.Filter{Problems: true}, 0, 500)
	must(err)
	for _, r := range rows {
		_, err := projects.Decide(ctx, by, id, draft.Which{Places: []transform.Place{r.Place}}, transform.Choice{Action: policy.Placeholder})
		must(err)
	}
	must(projects.PublishDraft(ctx, by, id, release.Freeze, draft.Answers{}))
	webtest.Released(t, projects, id)
}
