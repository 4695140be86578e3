// SPDX-License-Identifier: Apache-2.0

package site

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/webtest"
)

// everyRole is who asks; "" is nobody.
var everyRole = []account.Role{account.Admin, account.Broker, account.Annotator, account.Reviewer, ""}

// TestEveryRouteIsListedWithWhoMayUseIt asks every route of the router as every
// role and compares with the list that was read and agreed to. A route that is
// new, gone or open to somebody else fails.
func TestEveryRouteIsListedWithWhoMayUseIt(t *testing.T) {
	s := newServer(t, newFake())
	needs := map[string]account.Permission{}
	for _, r := range s.Routes() {
		needs[r.Method+" "+r.Path] = r.Needs
	}
	var lines []string
	for _, r := range s.Handler().(*echo.Echo).Routes() {
		if r.Method == echo.RouteNotFound || strings.HasPrefix(r.Path, "/static/") {
			continue
		}
		line := fmt.Sprintf("%-5s%-42s %-36q", r.Method, r.Path, needs[r.Method+" "+r.Path])
		for _, role := range everyRole {
			line += " " + answerOf(s, r, role)
		}
		lines = append(lines, line)
	}
	slices.SortFunc(lines, func(a, b string) int {
		return cmp.Or(strings.Compare(strings.Fields(a)[1], strings.Fields(b)[1]), strings.Compare(a, b))
	})
	got := "# method, path, permission; then admin, broker, annotator, reviewer, nobody\n" + strings.Join(lines, "\n") + "\n"
	const file = "testdata/routes.txt"
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(got) {
		if !strings.Contains(string(want), line) {
			t.Errorf("not in %s: %s", file, line)
		}
	}
	for line := range strings.Lines(string(want)) {
		if !strings.Contains(got, line) {
			t.Errorf("in %s only: %s", file, line)
		}
	}
}

// answerOf is "yes" when the request reaches the route's handler, whatever becomes
// of it there: the fake behind it knows little.
func answerOf(s *webtest.Server, r *echo.Route, role account.Role) string {
	request := httptest.NewRequest(r.Method, webtest.Origin+address(r.Path), nil)
	if r.Method != http.MethodGet {
		request.Header.Set("Origin", webtest.Origin)
	}
	w := s.Ask(role, request)
	toSignIn := w.Code == http.StatusSeeOther && strings.HasPrefix(w.Header().Get("Location"), "/sign-in")
	if w.Code == http.StatusForbidden || w.Code == http.StatusUnauthorized || toSignIn && (r.Path != "/sign-out" || r.Method == http.MethodGet) {
		return "no"
	}
	return "yes"
}

// identified are parts of the addresses that show text of identified notes.
var identified = []string{"/notes", "/annotate", "/import", "/download/", "/errors", "/dictionaries", "/audits/read", "/audits/:number/:index", "/mapping", "/originals"}

// TestReviewersAndNobodyReachNoIdentifiedNote reads the list, so that nobody
// agrees to it by mistake.
func TestReviewersAndNobodyReachNoIdentifiedNote(t *testing.T) {
	list, err := os.ReadFile("testdata/routes.txt")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		fields := strings.Fields(line)
		if fields[0] == "#" {
			continue
		}
		reviewer, nobody := fields[len(fields)-2], fields[len(fields)-1]
		for _, part := range identified {
			if !strings.Contains(line, part) {
				continue
			}
			found[part] = true
			if reviewer != "no" {
				t.Errorf("reviewers reach %s", line)
			}
		}
		if nobody != "no" && !strings.Contains(line, `"anyone"`) {
			t.Errorf("nobody reaches %s", line)
		}
	}
	for _, part := range identified {
		if !found[part] {
			t.Errorf("the list has no route with %s", part)
		}
	}
}

// TestRoutesAreGetOrPostWithAPermission: the shell checks the origin of a POST, and the
// permission of a route.
func TestRoutesAreGetOrPostWithAPermission(t *testing.T) {
	s := newServer(t, newFake())
	for _, r := range s.Routes() {
		if r.Method != http.MethodGet && r.Method != http.MethodPost {
			t.Errorf("%s %s: forms know GET and POST", r.Method, r.Path)
		}
		if r.Needs == "" || r.Handle == nil {
			t.Errorf("%s %s: no permission or no handler", r.Method, r.Path)
		}
	}
}

// TestOnlyRequestsWithFilesHaveNoDeadline: the routes beside them carry a form.
func TestOnlyRequestsWithFilesHaveNoDeadline(t *testing.T) {
	want := []string{
		"GET /p/:project/bundles/:number", "GET /p/:project/download/annotations.jsonl", "GET /p/:project/download/brat.zip",
		"GET /p/:project/download/model", "GET /p/:project/import", "GET /p/:project/releases/:number/zip",
		"POST /backup/download/hide.backup", "POST /p/:project/dictionaries/files", "POST /p/:project/import", "POST /p/:project/publish/population",
	}
	var got []string
	for _, r := range newServer(t, newFake()).Routes() {
		if r.Streams {
			got = append(got, r.Method+" "+r.Path)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("without a deadline are\n%s", strings.Join(got, "\n"))
	}
}

// TestAnAddressThatTakesFormsOnlyLeadsToItsPage: a person who reloads a preview from
// the address bar sees a page.
func TestAnAddressThatTakesFormsOnlyLeadsToItsPage(t *testing.T) {
	s := newServer(t, newFake())
	for from, to := range map[string]string{
		"/p/p1/publish/table/preview": "/p/p1/publish/table",
		"/p/p1/publish/joint/preview": "/p/p1/publish/joint",
		"/p/p1/publish/budget/raise":  "/p/p1/publish",
		"/p/p1/notes/1/edit":          "/p/p1/notes/1",
		"/p/p1/audits/1/findings":     "/p/p1/audits",
		"/people/u-1/role":            "/people",
		"/sign-out":                   "/",
	} {
		w := s.Get(account.Admin, from)
		if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != to {
			t.Errorf("%s: status %d to %q, want %q", from, w.Code, got, to)
		}
	}
}

func TestErrorPagesWithinAProjectKeepItsNavigation(t *testing.T) {
	s := newServer(t, newFake())
	for _, c := range []struct {
		role   account.Role
		path   string
		status int
		inside bool
	}{
		{account.Broker, "/p/p1/sanitize/99", http.StatusNotFound, true},
		{account.Broker, "/p/p1/nowhere/at/all", http.StatusNotFound, true},
		{account.Broker, "/p/p1/publish?bundle=77", http.StatusNotFound, true},
		{account.Annotator, "/p/p1/publish", http.StatusForbidden, true},
		{account.Broker, "/p/p9/sanitize", http.StatusNotFound, false},
		{account.Broker, "/nowhere", http.StatusNotFound, false},
		{"", "/p/p1/nowhere", http.StatusNotFound, false},
	} {
		w := s.Get(c.role, c.path)
		body := w.Body.String()
		if w.Code != c.status {
			t.Errorf("%s: status %d, want %d", c.path, w.Code, c.status)
		}
		for _, part := range []string{`<nav aria-label="Project">`, "Discharge letters", "Overview of the project"} {
			if strings.Contains(body, part) != c.inside {
				t.Errorf("%s as %q: %q is there: %v", c.path, c.role, part, !c.inside)
			}
		}
	}
	w := s.Post(account.Broker, "/p/p1/publish", url.Values{"bundle": {"99"}})
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), `<nav aria-label="Project">`) {
		t.Errorf("a refused form: status %d, or no navigation", w.Code)
	}
}

// TestPartsHaveNamesOfTheirOwn: the shell finds a part by its name. Only the parts of a
// note are left alone by events of other notes.
func TestPartsHaveNamesOfTheirOwn(t *testing.T) {
	var names, ofNote []string
	for _, f := range every(newFake(), noLogin{}) {
		for _, p := range f.Parts() {
			if slices.Contains(names, p.Name) {
				t.Errorf("two parts are named %q", p.Name)
			}
			names = append(names, p.Name)
			if p.OfNote {
				ofNote = append(ofNote, p.Name)
			}
			if p.Needs == "" || len(p.Topics) == 0 || !strings.HasPrefix(p.Target, "#") || p.Render == nil {
				t.Errorf("part %q lacks something: %+v", p.Name, p)
			}
			if p.Name == "note" && (p.Needs != account.ReadNotes || !slices.Equal(p.Topics, []project.Topic{project.TopicDocument})) {
				t.Errorf("the note is shown to people with %q after events of %v", p.Needs, p.Topics)
			}
		}
	}
	if want := []string{"note"}; !slices.Equal(ofNote, want) {
		t.Errorf("parts of a note are %q, want %q", ofNote, want)
	}
}
