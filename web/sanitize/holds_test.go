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
	if body := page(account.Broker); !strings.Contains(body, "It is unknown whether these figures hold for them") || !strings.Contains(body, "No audit yet.") {
		t.Error("nothing was compared, and it is not said")
	}
	r.Drift = &drift.Report{All: side("", 0.4)}
	if body := page(account.Broker); !strings.Contains(body, "No drift warning: 264 notes to be published were compared with 60 measured notes") {
		t.Error("the page does not say that there is no drift warning")
	}
	r.Drift = &drift.Report{All: side("", 0.001), Sources: []drift.Side{side("Lakeside", 0.0001), side("Hillside", 0.5)}}
	body := page(account.Broker)
	for _, want := range []string{"Drift warning: the notes to be published differ from the measured notes", `class="holds alarm"`, "An audit is needed before you publish", "Annotate 10 to 30 of these notes", "<td>differs</td>"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if body := page(account.Reviewer); strings.Contains(body, "Lakeside") || !strings.Contains(body, "Drift warning: the notes") {
		t.Error("a reviewer sees institutions, or no drift warning")
	}
}

// A release asks for a new audit when notes have changed since the last.
func TestAnAuditOfAnEarlierStateDoesNotTakeTheNeedAway(t *testing.T) {
	r := webtest.MadeRun()
	r.Random, r.Measured = 3, r.Documents
	found := &greedyaudit.Result{Documents: 264, Random: 3, Found: 6, Remaining: greedy.Estimate{Value: 210, AtMost: 340}, Leaking: greedy.Estimate{AtMost: 90}}
	for _, changed := range []bool{false, true} {
		says := auditStands(view{Run: r, Audits: []audit.Audit{{Number: 4, LC: 10, Result: found, Changed: changed}}})
		if asks := strings.Contains(says, "An audit is needed before you publish: the annotated notes are not a random sample."); asks != changed || !strings.Contains(says, "people found 6 identifiers") {
			t.Errorf("changed %t: %q", changed, says)
		}
	}
}

func TestRunShowsHowItsAuditStands(t *testing.T) {
	f := audited()
	f.AuditList = []audit.Audit{
		{Number: 5, Bundle: 7, Run: 9, LC: 50, Notes: make([]audit.Note, 3)}, // of another run
		{Number: 4, Bundle: 2, Run: 3, LC: 10, Documents: 264, Notes: make([]audit.Note, 3), Read: 1},
	}
	show := func() string {
		return webtest.LivePart(t, New(f), account.Broker, "sanitize-holds", url.Values{"run": {"3"}})
	}
	if html := show(); !strings.Contains(html, "Audit of L/C 10: 1 of 3 notes read.") || strings.Contains(html, "L/C 50") {
		t.Errorf("the audit under way: %s", html)
	}
	f.AuditList[1].Result = &greedyaudit.Result{Documents: 264, Random: 2, Selected: 1, Found: 6, Remaining: greedy.Estimate{Value: 210, AtMost: 340}, Leaking: greedy.Estimate{AtMost: 90}}
	f.AuditList[1].Changed = true
	if html := show(); !strings.Contains(html, "people found 6 identifiers") || strings.Contains(html, "<progress") || !strings.Contains(html, "does not describe what would be published now") {
		t.Errorf("the finished audit: %s", html)
	}
}
