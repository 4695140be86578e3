// SPDX-License-Identifier: Apache-2.0

package site

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/webtest"
)

// everyRole is who asks as a member of the project, "" is nobody, and everyOutsider who has an
// account with the role and is not a member. Administrators need no membership.
var (
	everyRole     = []account.Role{account.Admin, account.Broker, account.Annotator, account.Reviewer, ""}
	everyOutsider = []account.Role{webtest.Outside(account.Admin), webtest.Outside(account.Broker), webtest.Outside(account.Annotator), webtest.Outside(account.Reviewer)}
)

// TestEveryRouteIsListedWithWhoMayUseIt asks every route of the router, and every live part,
// as every role, member or not, and compares with the list that was read and agreed to. A
// route that is new, gone or open to somebody else fails.
func TestEveryRouteIsListedWithWhoMayUseIt(t *testing.T) {
	s := newServer(t, newFake())
	var lines []string
	for _, r := range s.Routes() {
		lines = append(lines, listed(s, r.Needs, asked{r.Method, r.Path, ""}))
	}
	for _, f := range every(newFake(), noLogin{}) {
		for _, p := range f.Parts() {
			lines = append(lines, listed(s, p.Needs, asked{"GET", livePath, p.Name}))
		}
	}
	slices.SortFunc(lines, func(a, b string) int {
		return cmp.Or(strings.Compare(strings.Fields(a)[1], strings.Fields(b)[1]), strings.Compare(a, b))
	})
	webtest.Recorded(t, "routes.txt", "# method, path, permission; then admin, broker, annotator, reviewer as members, and nobody;\n"+
		"# then admin, broker, annotator, reviewer who are not members\n"+strings.Join(lines, "\n")+"\n")
}

const livePath = "/p/:project/live"

// asked is one row of the list.
type asked struct{ method, path, part string }

func listed(s *webtest.Server, needs account.Permission, a asked) string {
	path := a.path
	if a.part != "" {
		path += "?topics=" + a.part
	}
	line := fmt.Sprintf("%-5s%-42s %-36q", a.method, path, needs)
	for _, role := range slices.Concat(everyRole, everyOutsider) {
		line += " " + a.answer(s, role)
	}
	return line
}

// answer is "yes" when the request reaches the handler of its route, whatever becomes of it
// there, because the fake behind it knows little; and "-" if the project does not exist for
// this person.
func (a asked) answer(s *webtest.Server, role account.Role) string {
	w := s.Ask(role, a.request("p1"))
	toSignIn := w.Code == http.StatusSeeOther && strings.HasPrefix(w.Header().Get("Location"), "/sign-in")
	switch {
	case w.Code == http.StatusForbidden || w.Code == http.StatusUnauthorized || toSignIn && (a.path != "/sign-out" || a.method == http.MethodGet):
		return "no"
	case w.Code == http.StatusNotFound && strings.Contains(w.Body.String(), "There is no project p1"):
		return "-"
	}
	return "yes"
}

func (a asked) request(project string) *http.Request {
	path := strings.ReplaceAll(address(a.path), "/p/p1", "/p/"+project)
	if a.part != "" {
		path += "?topics=" + a.part
	}
	r := httptest.NewRequest(a.method, webtest.Origin+path, nil)
	if a.method != http.MethodGet || a.path == livePath {
		r.Header.Set("Origin", webtest.Origin)
	}
	if a.path == livePath && a.part != "" {
		for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="} {
			r.Header.Set(name, value)
		}
	}
	return r
}

// TestNoRouteTellsOthersThatAProjectExists asks the real services for everything below a
// project, as people who are not members. Each answer must be that about a project that does
// not exist, byte for byte.
func TestNoRouteTellsOthersThatAProjectExists(t *testing.T) {
	projects, id := webtest.RealProject(t, 1)
	s := newServer(t, projects)
	all := []asked{{"GET", "/p/:project/no/such/page", ""}, {"HEAD", "/p/:project", ""}, {"POST", "/p/:project/live", ""}, {"DELETE", "/p/:project/settings", ""}}
	for _, r := range s.Routes() {
		if strings.Contains(r.Path, ":project") {
			all = append(all, asked{r.Method, r.Path, ""})
		}
	}
	for _, f := range every(projects, noLogin{}) {
		for _, p := range f.Parts() {
			all = append(all, asked{"GET", livePath, p.Name})
		}
	}
	const other = "p7"
	for _, a := range all {
		for _, role := range everyOutsider[1:] {
			for _, fragment := range []string{"", "true"} {
				real, none := a.request(string(id)), a.request(other)
				real.Header.Set("HX-Request", fragment)
				none.Header.Set("HX-Request", fragment)
				got, want := s.Ask(role, real), s.Ask(role, none)
				if got.Code != want.Code || got.Code < 400 {
					t.Errorf("%s to %s: status %d, of no project %d", role, a, got.Code, want.Code)
				}
				if body := strings.ReplaceAll(got.Body.String(), string(id), other); body != want.Body.String() {
					t.Errorf("%s to %s: got\n%s\nof no project\n%s", role, a, body, want.Body)
				}
				if !maps.EqualFunc(got.Header(), want.Header(), slices.Equal) {
					t.Errorf("%s to %s: headers %v, of no project %v", role, a, got.Header(), want.Header())
				}
			}
		}
	}
	if len(all) < 150 {
		t.Errorf("only %d addresses were asked", len(all))
	}
}

// TestPagesOfAllProjectsShowOwnOnes is about pages outside of projects.
func TestPagesOfAllProjectsShowOwnOnes(t *testing.T) {
	projects, id := webtest.RealProject(t, 1)
	s := newServer(t, projects)
	for _, path := range []string{"/", "/audit"} {
		for role, shown := range map[account.Role]bool{account.Admin: true, account.Broker: true, webtest.Outside(account.Broker): false, webtest.Outside(account.Annotator): false} {
			body := s.Get(role, path).Body.String()
			if got := strings.Contains(body, "Ward 7"); got != shown {
				t.Errorf("%s as %s: the project is named: %v", path, role, got)
			}
			if path == "/audit" && strings.Contains(body, "create project") != shown {
				t.Errorf("%s as %s: its rows are shown: %v", path, role, !shown)
			}
		}
	}
	if w := s.Get(webtest.Outside(account.Broker), "/audit?project="+string(id)); w.Code != http.StatusNotFound {
		t.Errorf("the trail of a project of others: status %d", w.Code)
	}
	// The name is free for people who cannot see that it is taken.
	for role, status := range map[account.Role]int{account.Broker: http.StatusUnprocessableEntity, webtest.Outside(account.Broker): http.StatusSeeOther} {
		if w := s.Post(role, "/projects", url.Values{"name": {"Ward 7"}}); w.Code != status {
			t.Errorf("a second project of the name, by %s: status %d, want %d", role, w.Code, status)
		}
	}
}

// identified are parts of the addresses that show text of identified notes.
var identified = []string{"/notes", "/annotate", "/import", "/download/", "/export", "/errors", "/dictionaries", "/mapping", "/originals"}

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
		answers := fields[len(fields)-len(everyRole)-len(everyOutsider):]
		reviewer, nobody := answers[3], answers[4]
		if below := strings.HasPrefix(fields[1], "/p/"); below && !slices.Equal(answers[6:], []string{"-", "-", "-"}) {
			t.Errorf("others reach %s", line)
		}
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
		"GET /p/:project/bundles/:number", "GET /p/:project/candidates/:number/file", "GET /p/:project/download/model", "GET /p/:project/download/notes/:format",
		"GET /p/:project/draft/table", "GET /p/:project/releases/:number/zip",
		"POST /audit/download", "POST /backup/download/hide.backup", "POST /p/:project/dictionaries/files", "POST /p/:project/import", "POST /p/:project/publish/population",
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
