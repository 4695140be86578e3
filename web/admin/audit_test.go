// SPDX-License-Identifier: Apache-2.0

package admin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"hide/internal/auditsink"
	"hide/internal/project/trail"
	"hide/web"
	"hide/web/admin"
	"hide/web/home"
	"hide/web/signin"
	"hide/web/webtest"
)

// late is a copy of the trail that is behind.
type late struct{}

func (late) Status() []auditsink.Status {
	return []auditsink.Status{{Name: "file"}, {Name: "syslog", Behind: 1204, Since: time.Date(2026, 11, 20, 10, 12, 0, 0, time.UTC), Why: "connection refused"}}
}

// trailHouse is a house with a busy trail whose copy is late, and an administrator.
func trailHouse(t *testing.T) (*webtest.House, *projects, *webtest.Person) {
	t.Helper()
	p := busyProject()
	h := webtest.OpenHouse(t, p, func(h *webtest.House) []web.Feature {
		return []web.Feature{
			home.New(p, nil),
			signin.New(signin.Config{Accounts: h.Accounts, Factors: h.Accounts, Origin: h.Base}),
			admin.New(admin.Config{Accounts: h.Accounts, Projects: p, Origin: h.Base, Now: h.Clock.Now, Copies: late{}}),
		}
	})
	return h, p, h.Admin(t)
}

func TestTheFilterOfTheTrailIsInTheAddress(t *testing.T) {
	_, p, v := trailHouse(t)
	status, body := v.See("/audit?project=p1&person=Ada&action=edits&object=p1%2F7&from=2026-11-01&to=2026-11-02")
	want := trail.Filter{Project: "p1", Person: "id of Ada", Action: "edits", Object: "p1/7",
		Since: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC)}
	if status != http.StatusOK || p.asked != want {
		t.Errorf("status %d, asked %+v", status, p.asked)
	}
	for _, text := range []string{
		`value="Ada"`, `value="edits"`, "Remove the filter", "syslog — 1,204 rows behind since 2026-11-20 10:12 UTC: connection refused",
		"/audit?action=edits&amp;before=81&amp;from=2026-11-01&amp;object=p1%2F7&amp;person=Ada&amp;project=p1&amp;to=2026-11-02",
	} {
		if !strings.Contains(body, text) {
			t.Errorf("the page lacks %s", text)
		}
	}
	if status, body := v.See("/audit?action=rare"); status != http.StatusOK || !strings.Contains(body, "Searched back to") || !strings.Contains(body, "/audit?action=rare&amp;before=7") || strings.Contains(body, "There are no entries") {
		t.Errorf("a search that goes on: status %d", status)
	}
	if status, body := v.See("/audit?from=yesterday"); status != http.StatusUnprocessableEntity || !strings.Contains(body, "This is not a day") || strings.Contains(body, "Export the rows") {
		t.Errorf("a wrong day: status %d", status)
	}
	if status, _ := v.See("/audit?before=x"); status != http.StatusUnprocessableEntity {
		t.Errorf("a wrong place: status %d", status)
	}
}

func TestTheTrailIsExportedWithItsFilter(t *testing.T) {
	_, p, v := trailHouse(t)
	for format, want := range map[string]string{"csv": "rows as csv", "jsonl": "rows as jsonl", "": "rows as csv"} {
		status, body := v.Send("/audit", "/audit/download", url.Values{"person": {"Ada"}, "format": {format}})
		if status != http.StatusOK || body != want || p.asked != (trail.Filter{Person: "id of Ada"}) {
			t.Errorf("%q: status %d, %q, asked %+v", format, status, body, p.asked)
		}
	}
}
