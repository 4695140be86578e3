// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	greedyaudit "hide/internal/greedy/audit"
	"hide/internal/project/audit"
	"hide/web/webtest"
)

func TestFindingsOfAnEarlierAuditAreAdded(t *testing.T) {
	f := newFakeAudit()
	s := newServer(t, f)
	w := s.Post(account.Broker, "/p/p1/audits/4/findings", url.Values{"find": {"1-14"}, "label-1-14": {"DOCTOR"}})
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/p/p1/audits?audit=4&added=1" || fmt.Sprint(f.added) != "[{1 14 DOCTOR}]" {
		t.Errorf("%d to %q, added %v", w.Code, w.Header().Get("Location"), f.added)
	}
	for _, wrong := range []url.Values{{}, {"find": {"x"}}, {"find": {"1"}}} {
		if w := s.Post(account.Broker, "/p/p1/audits/4/findings", wrong); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%v: status %d", wrong, w.Code)
		}
	}
	body := s.Get(account.Reviewer, "/p/p1/audits").Body.String()
	if strings.Contains(body, `class="findings"`) || !strings.Contains(body, "people found") {
		t.Error("a reviewer sees text of notes, or not the count")
	}
}

// The page says so before an annotation gets another label.
func TestAFindingThatIsMarkedButPublishedSaysWhatATickDoes(t *testing.T) {
	f := newFakeAudit()
	s := newServer(t, f)
	if body := s.Get(account.Broker, "/p/p1/audits").Body.String(); strings.Contains(body, "leaves that readable") {
		t.Error("the text stands beside a finding that has no annotation")
	}
	f.passes = []annotate.Label{"STATE", "CITY"}
	if body := s.Get(account.Broker, "/p/p1/audits").Body.String(); !strings.Contains(body, "Marked STATE and CITY in its note, and the redaction model of this audit leaves that readable. If you tick it, the annotation there gets the label chosen here and is redacted.") {
		t.Error("it is not said")
	}
}

func TestEachEarlierAuditHasItsResult(t *testing.T) {
	f := newFakeAudit()
	f.AuditList = append(f.AuditList, audit.Audit{Number: 3, Bundle: 1, Run: 3, LC: 2, Created: webtest.MadeAt, By: "Some broker", Documents: 100, Notes: make([]audit.Note, 2), Read: 1}, audit.Audit{
		Number: 1, Bundle: 1, Run: 3, LC: 2, Created: webtest.MadeAt, By: "Some broker", Documents: 100, Notes: make([]audit.Note, 2), Read: 2,
		Result: new(greedyaudit.Count(100, []int{4, 3}, nil, 1)),
	})
	s := newServer(t, f)
	for path, all := range map[string][]string{
		"":         {"Earlier audits", "Audit 4 of redaction model 2, L/C 10", "people found 3 identifiers", "Other audits", `<a href="/p/p1/audits?audit=1">Audit 1</a>`, "1 of 2 notes read"},
		"?audit=1": {"Audit 1 of redaction model 1, L/C 2", "people found 7 identifiers", `<a href="/p/p1/audits?audit=4">Audit 4</a>`},
		"?audit=3": {"Audit 3 of redaction model 1, L/C 2", "1 of 2 notes read. It was not read to its end, so it has no result."},
	} {
		body := strings.Join(strings.Fields(s.Get(account.Broker, "/p/p1/audits"+path).Body.String()), " ")
		for _, want := range all {
			if !strings.Contains(body, want) {
				t.Errorf("%s: no %q", path, want)
			}
		}
	}
	for _, none := range []string{"?audit=9", "?audit=x", "?audit=-1"} {
		w := s.Get(account.Broker, "/p/p1/audits"+none)
		if body := w.Body.String(); w.Code != http.StatusNotFound || strings.Contains(body, "Audit 4 of redaction model 2") || !strings.Contains(body, "Known numbers: 1, 3 and 4.") {
			t.Errorf("%s: status %d, without what there is, or with another audit", none, w.Code)
		}
	}
	f.AuditList = nil
	if body := s.Get(account.Broker, "/p/p1/audits").Body.String(); !strings.Contains(body, "This project has no audits.") {
		t.Error("it is not said that there are none")
	}
}

func TestWhatWasFoundIsAddedToItsNoteWithOneKey(t *testing.T) {
	f := newFakeAudit()
	f.marks = map[int][]int{1: {14, 20}, 2: {11}}
	f.passes = []annotate.Label{"STATE"}
	v := openBrowser(t, account.Broker, f)
	v.Open(v.Base + "/p/p1/audits")
	v.WaitText(".findings", "3 identifiers in 2 notes.")
	v.Axe()
	v.Shots("audit-findings")
	v.Size(1280, 800)
	v.TabTo(`.findings [name="find"][value="1-20"]`)
	v.Press("Space")
	v.TabTo(`.findings [name="label-2-11"]`)
	v.Press("ArrowUp")
	v.TabTo(".findings button.primary")
	v.Press("Enter")
	v.WaitText(".notice.good", "2 identifiers were added to their notes as spans.")
	f.mu.Lock()
	if got := fmt.Sprint(f.added); got != "[{1 14 PATIENT} {2 11 HOSPITAL}]" {
		t.Errorf("added %s", got)
	}
	f.mu.Unlock()
	if n := v.Count(".findings .badge.good"); n != 2 {
		t.Errorf("%d of them are said to be in their notes, want 2", n)
	}
	v.Axe()
}
