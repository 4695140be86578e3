// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/web/api"
	"hide/web/ui"
	"hide/web/webtest"
)

var parameter = regexp.MustCompile(`:(\w+)`)

// TestTheDocumentHasEveryRoute and no other, with its scope.
func TestTheDocumentHasEveryRoute(t *testing.T) {
	var want, got []string
	for _, r := range api.New(nil, nil, nil).APIRoutes() {
		scope := string(r.Scope)
		if r.Needs == ui.Anyone {
			scope = "no token"
		}
		want = append(want, fmt.Sprintf("%s %s %s", r.Method, parameter.ReplaceAllString(r.Path, "{$1}"), scope))
	}
	for _, op := range mustDocument(t).operations() {
		got = append(got, fmt.Sprintf("%s %s %s", op.method, op.path, op.scope()))
		if _, known := op.at("responses", "default"); !known || op.node["summary"] == nil {
			t.Errorf("%s %s has no summary or no problems", op.method, op.path)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the document has\n%s\nthe server has\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTheDocumentNeedsNoToken(t *testing.T) {
	b := open(t, webtest.Invented(1))
	r := httptest.NewRequest(http.MethodGet, webtest.Origin+"/api/v1/openapi.yaml", nil)
	if w := b.server.Call("", r); w.Code != http.StatusOK || !strings.HasPrefix(w.Body.String(), "# SPDX") || w.Header().Get("Content-Type") != "application/yaml" {
		t.Errorf("status %d, %v", w.Code, w.Header())
	}
	if mustDocument(t).root["openapi"] != "3.1.0" {
		t.Error("not OpenAPI 3.1")
	}
}

// example is an address of a route in the project.
func example(r ui.APIRoute, project string) string {
	path := strings.ReplaceAll(r.Path, ":project", project)
	return "/api/v1" + parameter.ReplaceAllString(path, "1")
}

// TestEveryRouteNeedsItsScopeItsRoleAndAMember asks each route with a token that has all other
// scopes, as a person who is not a member, for a project that the token does not open, without
// a token, and with a browser's cookie alone.
func TestEveryRouteNeedsItsScopeItsRoleAndAMember(t *testing.T) {
	b := open(t, webtest.Invented(1))
	outsider, _ := b.Person("Otto", account.Broker)
	_, cookie := b.Person("Carla", account.Broker)
	strange := b.Token(outsider, account.Scopes()...)
	reviewer := b.member("Rita", account.Reviewer, account.Scopes()...)
	narrow := map[account.Scope]string{}
	bea, _ := b.Person("Bo", account.Broker)
	b.Join(bea, account.Broker)
	for _, s := range account.Scopes() {
		narrow[s] = b.Token(bea, slices.DeleteFunc(account.Scopes(), func(o account.Scope) bool { return o == s })...)
	}
	for _, r := range api.New(nil, nil, nil).APIRoutes() {
		if r.Needs == ui.Anyone {
			continue
		}
		path, at := example(r, string(b.Project)), r.Method+" "+r.Path
		if r.Scope != "" {
			p := b.wrong(narrow[r.Scope], r.Method, path, "application/json", "{}").problem(http.StatusForbidden, "insufficient_scope")
			if p["scope"] != string(r.Scope) {
				t.Errorf("%s: without the scope: %v", at, p)
			}
		}
		if strings.Contains(r.Path, ":project") {
			got, none := b.wrong(strange, r.Method, path, "application/json", "{}"), b.wrong(strange, r.Method, example(r, "p77"), "application/json", "{}")
			if got.Code != http.StatusNotFound || strings.ReplaceAll(got.Body.String(), string(b.Project), "p77") != none.Body.String() {
				t.Errorf("%s: a person who is not a member gets %d %s", at, got.Code, got.Body)
			}
		}
		w := b.wrong(reviewer, r.Method, path, "application/json", "{}")
		if may := r.Needs == ui.SignedIn || account.Reviewer.Can(r.Needs); (w.Code == http.StatusForbidden) == may {
			t.Errorf("%s: a reviewer gets %d %s", at, w.Code, w.Body)
		}
		if r.Scope.HandlesNotes() && r.Needs != account.SeeFigures && w.Code != http.StatusForbidden {
			t.Errorf("%s: a reviewer reaches notes: %d", at, w.Code)
		}
		plain := httptest.NewRequest(r.Method, webtest.Origin+path, nil)
		plain.AddCookie(&http.Cookie{Name: "hide", Value: cookie})
		if w := b.server.Call("", plain); w.Code != http.StatusUnauthorized || !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("%s: without a token: %d", at, w.Code)
		}
	}
}

// TestATokenOfOneProjectShowsNoOther lists with a token that opens one of two projects.
func TestATokenOfOneProjectShowsNoOther(t *testing.T) {
	b := open(t, webtest.Invented(1))
	other, err := b.Projects.Create(t.Context(), b.Admin, "Ward 8", nil)
	if err != nil {
		t.Fatal(err)
	}
	secret, _, err := b.Accounts.CreateToken(account.Operator(), account.NewToken{Person: b.Admin.ID, Name: "one", Scopes: account.Scopes(), Project: string(b.Project)})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/projects", "/audit", "/me"} {
		w := b.as(secret, http.MethodGet, "/api/v1"+path, "", "").status(http.StatusOK)
		if body := w.Body.String(); strings.Contains(body, "Ward 8") || strings.Contains(body, `"object":"`+string(other.ID)) || !strings.Contains(body, string(b.Project)) {
			t.Errorf("%s: %s", path, body)
		}
	}
	b.as(secret, http.MethodGet, "/api/v1/projects/"+string(other.ID), "", "").problem(http.StatusNotFound, "not found")
}

func TestThePersonTheProjectAndItsTrail(t *testing.T) {
	b := open(t, webtest.Invented(3))
	me := read[struct {
		Name, Role string
		Token      struct{ Scopes []string }
	}](b.get("/api/v1/me").status(http.StatusOK))
	if me.Name != "Bea" || me.Role != "broker" || len(me.Token.Scopes) != len(account.Scopes()) {
		t.Errorf("%+v", me)
	}
	p := read[struct {
		Name            string
		Notes, Finished int
	}](b.get(b.in).status(http.StatusOK))
	if p.Name != "Ward 7" || p.Notes != 3 || p.Finished != 3 {
		t.Errorf("%+v", p)
	}
	b.get(b.in + "/labels").status(http.StatusOK)
	if all := b.get("/api/v1/projects").status(http.StatusOK); strings.Count(all.Body.String(), `"id"`) != 1 {
		t.Errorf("%s", all.Body)
	}
	b.get(b.in + "/notes/1").status(http.StatusOK)
	type trail struct {
		Rows []struct{ ID, Who, Action, Object, Detail string }
		Next string
	}
	var rows []string
	for path := b.in + "/audit?limit=2"; ; {
		page := read[trail](b.get(path).status(http.StatusOK))
		for _, r := range page.Rows {
			rows = append(rows, fmt.Sprint(r.Who, " ", r.Action, " ", r.Object, " ", r.Detail))
		}
		if page.Next == "" {
			break
		}
		path = b.in + "/audit?limit=2&cursor=" + page.Next
	}
	if !slices.ContainsFunc(rows, func(r string) bool {
		return strings.HasPrefix(r, "Bea api.request p1/documents/1 GET /projects/:project/notes/:note")
	}) {
		t.Errorf("the reading of a note is not in the trail:\n%s", strings.Join(rows, "\n"))
	}
}
