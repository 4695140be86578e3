// SPDX-License-Identifier: Apache-2.0

package site

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/web/webtest"
)

// everyRole is who asks; "" is nobody.
var everyRole = []account.Role{account.Admin, account.Broker, account.Annotator, account.Reviewer, ""}

// TestEveryRouteIsListedWithWhoMayUseIt asks every route of the router as every
// role and compares with the list that was read and agreed to. A route that is
// new, gone or open to somebody else fails.
func TestEveryRouteIsListedWithWhoMayUseIt(t *testing.T) {
	s := newServer(t, webtest.NewFrame())
	needs := map[string]account.Permission{}
	for _, r := range s.routes {
		needs[r.Method+" "+r.Path] = r.Needs
	}
	var lines []string
	for _, r := range s.echo.Routes() {
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
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
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
	path := strings.NewReplacer(":project", "p1", ":doc", "1", ":run", "1", ":number", "1", ":id", "u-1").Replace(r.Path)
	request := httptest.NewRequest(r.Method, webtest.Origin+path, nil)
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

// TestReviewersAndNobodyReachNoIdentifiedNote reads the list, so that nobody
// agrees to it by mistake.
func TestReviewersAndNobodyReachNoIdentifiedNote(t *testing.T) {
	list, err := os.ReadFile("testdata/routes.txt")
	if err != nil {
		t.Fatal(err)
	}
	notes := 0
	for line := range strings.Lines(string(list)) {
		fields := strings.Fields(line)
		if fields[0] == "#" {
			continue
		}
		reviewer, nobody := fields[len(fields)-2], fields[len(fields)-1]
		if strings.Contains(line, "/notes") || strings.Contains(line, "/annotate") || strings.Contains(line, "/import") || strings.Contains(line, "/export") {
			notes++
			if reviewer != "no" {
				t.Errorf("reviewers reach %s", line)
			}
		}
		if nobody != "no" && !strings.Contains(line, `"anyone"`) {
			t.Errorf("nobody reaches %s", line)
		}
	}
	if notes < 5 {
		t.Errorf("the list has %d routes to notes: too few to be true", notes)
	}
}

// TestChangesNeedAPost holds because other sites can make a browser GET anything.
func TestChangesNeedAPost(t *testing.T) {
	s := newServer(t, webtest.NewFrame())
	for _, r := range s.routes {
		if r.Method != http.MethodGet && r.Method != http.MethodPost {
			t.Errorf("%s %s: forms know GET and POST", r.Method, r.Path)
		}
		if r.Needs == "" || r.Handle == nil {
			t.Errorf("%s %s: no permission or no handler", r.Method, r.Path)
		}
	}
}
