// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/greedy"
	greedyaudit "hide/internal/greedy/audit"
	"hide/internal/greedy/drift"
	"hide/internal/project/audit"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/web/webtest"
)

func TestRunSaysWhetherItsFiguresHoldForTheRest(t *testing.T) {
	side := func(source string, p float64) drift.Side {
		return drift.Side{Source: source, Annotated: true, Reference: 60, Target: 264, Tests: []drift.Test{{Name: drift.Length, Reference: 100, Target: 900, P: p}}}
	}
	r := webtest.MadeRun()
	f := audited()
	f.RunList = []*sanitize.Run{r}
	f.AuditList = nil
	s := newServer(t, f)
	page := func(role account.Role) string { return s.Get(role, "/p/p1/sanitize/3").Body.String() }
	if body := page(account.Broker); !strings.Contains(body, "It is unknown whether these figures hold for them") || !strings.Contains(body, "Nobody has read a sample of what this run would publish.") {
		t.Error("nothing was compared, and it is not said")
	}
	r.Drift = &drift.Report{All: side("", 0.4)}
	if body := page(account.Broker); !strings.Contains(body, "No drift warning: 264 notes to be published were compared with 60 measured notes") {
		t.Error("the page does not say that there is no drift warning")
	}
	r.Drift = &drift.Report{All: side("", 0.001), Sources: []drift.Side{side("Lakeside", 0.0001), side("Hillside", 0.5)}}
	body := page(account.Broker)
	for _, want := range []string{"Drift warning: the notes to be published differ from the measured notes", `class="holds alarm"`, "Let people read a sample before you publish: the notes to be published differ from the annotated notes.", "Annotate 10 to 30 of these notes", "<td>differs</td>"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if body := page(account.Reviewer); strings.Contains(body, "Lakeside") || !strings.Contains(body, "Drift warning: the notes") {
		t.Error("a reviewer sees institutions, or no drift warning")
	}
}

// What people have read stands beside the forecast; only what holds for today's notes takes the
// need away.
func TestRunShowsWhatPeopleHaveReadBesideItsForecast(t *testing.T) {
	const asks = "Let people read a sample before you publish: the annotated notes are not a random sample."
	r := webtest.MadeRun()
	r.Random, r.Measured = 3, r.Documents
	f := audited()
	f.RunList = []*sanitize.Run{r}
	read := release.Sampled{Review: 5, Candidate: 2, Forecast: "Before reading: a test.", Certificate: "After reading: a test.", Certified: true}
	void := read
	void.Void = "notes have changed"
	found := &greedyaudit.Result{Documents: 264, Random: 3, Found: 6, Remaining: greedy.Estimate{Value: 210, AtMost: 340}, Leaking: greedy.Estimate{AtMost: 90}}
	old := func(run int, changed bool) []audit.Audit {
		return []audit.Audit{{Number: 5, Run: 9, Result: &greedyaudit.Result{Found: 11}}, {Number: 4, Run: run, LC: 10, Result: found, Changed: changed}}
	}
	for name, c := range map[string]struct {
		read  release.Sampled
		old   []audit.Audit
		asks  bool
		shows []string
	}{
		"nothing":         {asks: true, shows: []string{"Nobody has read a sample", `href="/p/p1/publish">Freeze for review`}},
		"read":            {read: read, shows: []string{"Before reading: a test.", "After reading: a test.", `href="/p/p1/reviews/5"`}},
		"void":            {read: void, asks: true, shows: []string{"After reading: a test.", "nothing of what would be published now: notes have changed."}},
		"old audit":       {old: old(3, false), shows: []string{"people found 6 identifiers", "Earlier audits"}},
		"changed since":   {old: old(3, true), asks: true, shows: []string{"Nobody has read a sample"}},
		"of another run":  {old: old(8, false), asks: true, shows: []string{"Nobody has read a sample"}},
		"read, old audit": {read: void, old: old(3, false), shows: []string{"people found 6 identifiers"}},
	} {
		f.Read, f.AuditList = c.read, c.old
		html := webtest.LivePart(t, New(f), account.Broker, "sanitize-holds", url.Values{"run": {"3"}})
		if strings.Contains(html, asks) != c.asks {
			t.Errorf("%s: asks is not %v", name, c.asks)
		}
		for _, want := range c.shows {
			if !strings.Contains(html, want) {
				t.Errorf("%s: no %q in %s", name, want, html)
			}
		}
	}
}
