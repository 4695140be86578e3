// SPDX-License-Identifier: Apache-2.0

package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/ui"
)

// testTokens knows tokens by their secret, and keeps what is recorded.
type testTokens struct {
	mu    sync.Mutex // guards the fields below
	known map[string]account.Token
	wrong int // tokens since a valid one
	rows  []string
}

func newTestTokens() *testTokens {
	all := account.Scopes()
	return &testTokens{known: map[string]account.Token{
		"hide_broker":    {ID: "t1", Scopes: all},
		"hide_reviewer":  {ID: "t2", Scopes: all},
		"hide_narrow":    {ID: "t3", Scopes: []account.Scope{account.ScopeReadAudit}},
		"hide_elsewhere": {ID: "t4", Scopes: all, Project: "p7"},
	}}
}

func (a *testTokens) ByToken(secret string, from account.From) (account.User, account.Token, error) {
	u, t, err := a.PeekToken(secret)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.wrong++; err == nil {
		a.wrong = 0
	}
	if from.Peer != "" && a.wrong > 3 {
		return account.User{}, account.Token{}, &account.TooManyTriesError{Wait: 4 * time.Second}
	}
	return u, t, err
}

func (a *testTokens) PeekToken(secret string) (account.User, account.Token, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t, ok := a.known[secret]
	if !ok {
		return account.User{}, account.Token{}, account.ErrToken
	}
	role := account.Broker
	if secret == "hide_reviewer" {
		role = account.Reviewer
	}
	return account.User{ID: "u-broker", Role: role}, t, nil
}

func (a *testTokens) RecordRequest(by account.User, object, detail string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rows = append(a.rows, by.ID+" "+object+" "+detail)
	return nil
}

func (a *testTokens) revoke(secret string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.known, secret)
}

// testAPI has one route of each kind.
type testAPI struct {
	more []ui.APIRoute
}

func (a testAPI) APIRoutes() []ui.APIRoute {
	answer := func(c ui.Context) error {
		return c.JSON(http.StatusCreated, map[string]string{"user": ui.User(c).ID})
	}
	return append([]ui.APIRoute{
		{Route: ui.Get("/document", ui.Anyone, answer)},
		{Route: ui.Get("/me", ui.SignedIn, answer), Narrows: true},
		{Route: ui.Get("/audit", account.ReadAudit, answer), Scope: account.ScopeReadAudit},
		{Route: ui.Get("/projects/:project/notes/:note", account.ReadNotes, answer), Scope: account.ScopeReadNotes, Object: "documents"},
		{Route: ui.Post("/projects/:project/notes", account.ManageWork, answer), Scope: account.ScopeWriteNotes},
		{Route: ui.Get("/projects/:project/runs/:run", account.SeeFigures, answer), Scope: account.ScopeRuns, Object: "runs"},
	}, a.more...)
}

func newAPIServer(t *testing.T, tokens *testTokens, more ...ui.APIRoute) *Server {
	t.Helper()
	return serverOf(t, newTestFeature(), Config{Tokens: tokens, API: []APIFeature{testAPI{more}}})
}

// call sends a request to the API; authorization is the whole header, "" for none.
func call(s *Server, method, path, authorization, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, testOrigin+path, strings.NewReader(body))
	setIf(r, "Authorization", authorization)
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// isProblem checks that an answer is a problem document with the status.
func isProblem(t *testing.T, w *httptest.ResponseRecorder, status int) (p map[string]any) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != status || w.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("status %d, want %d; %s: %v\n%s", w.Code, status, w.Header().Get("Content-Type"), err, w.Body)
		return p
	}
	for _, member := range []string{"type", "title", "detail"} {
		if text, _ := p[member].(string); text == "" {
			t.Errorf("no %s in %s", member, w.Body)
		}
	}
	if p["status"] != float64(status) || len(w.Result().Cookies()) > 0 {
		t.Errorf("status %v, cookies %v", p["status"], w.Result().Cookies())
	}
	return p
}

const noteCall = "/api/v1/projects/p1/notes/3"

func TestACookieOpensNothingInTheAPI(t *testing.T) {
	s := newAPIServer(t, newTestTokens())
	for _, path := range []string{"/api/v1/me", noteCall, "/api/v1/audit"} {
		w := get(s, account.Admin, path)
		isProblem(t, w, http.StatusUnauthorized)
		if got := w.Header().Get("WWW-Authenticate"); !strings.HasPrefix(got, "Bearer") {
			t.Errorf("%s: WWW-Authenticate is %q", path, got)
		}
	}
	if w := call(s, "GET", "/p/p1", "Bearer hide_broker", ""); w.Code != http.StatusSeeOther {
		t.Errorf("a page with a token: status %d", w.Code)
	}
}

func TestTokensAreTakenFromTheHeaderOnly(t *testing.T) {
	for _, c := range []struct {
		name, path, header string
		status             int
	}{
		{"valid", noteCall, "Bearer hide_broker", 201},
		{"scheme in lower case", noteCall, "bearer hide_broker", 201},
		{"none", noteCall, "", 401},
		{"unknown", noteCall, "Bearer hide_nobody", 401},
		{"of a session", noteCall, "Bearer broker", 401},
		{"empty", noteCall, "Bearer ", 401},
		{"as a password", noteCall, "Basic YnJva2VyOmhpZGVfYnJva2Vy", 401},
		{"in the address", noteCall + "?access_token=x", "Bearer hide_broker", 400},
		{"in the address, under another name", noteCall + "?key=hide_broker", "", 400},
		{"in the address of an open route", "/api/v1/document?key=hide_broker", "", 400},
		{"open route", "/api/v1/document", "", 201},
		{"another scope", noteCall, "Bearer hide_narrow", 403},
		{"without the scope, of no project", "/api/v1/projects/p9/notes/3", "Bearer hide_narrow", 403},
		{"no project", "/api/v1/projects/p9/notes/3", "Bearer hide_broker", 404},
		{"for another project", noteCall, "Bearer hide_elsewhere", 404},
		{"for one project, outside of it", "/api/v1/audit", "Bearer hide_elsewhere", 403},
		{"for one project, where that is known", "/api/v1/me", "Bearer hide_elsewhere", 201},
		{"scope without the role", noteCall, "Bearer hide_reviewer", 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := call(newAPIServer(t, newTestTokens()), "GET", c.path, c.header, "")
			if c.status >= 400 {
				isProblem(t, w, c.status)
			} else if w.Code != c.status {
				t.Errorf("status %d, want %d\n%s", w.Code, c.status, w.Body)
			}
			if challenged := w.Header().Get("WWW-Authenticate") != ""; c.status == 401 && !challenged {
				t.Error("no WWW-Authenticate")
			}
			if strings.Contains(w.Body.String(), "hide_broker") {
				t.Errorf("the token is repeated: %s", w.Body)
			}
		})
	}
}

// TestRefusedRequestsAreInTheAuditTrail of their project if the person is a member of it.
func TestRefusedRequestsAreInTheAuditTrail(t *testing.T) {
	tokens := newTestTokens()
	s := newAPIServer(t, tokens)
	for _, c := range []struct{ name, method, path, token, row string }{
		{"without the scope", "GET", noteCall, "hide_narrow", "u-broker p1/documents/3 GET /projects/:project/notes/:note, token t3, status 403"},
		{"without the role", "POST", "/api/v1/projects/p1/notes", "hide_reviewer", "u-broker p1 POST /projects/:project/notes, token t2, status 403"},
		{"for another project", "GET", noteCall, "hide_elsewhere", "u-broker p1/documents/3 GET /projects/:project/notes/:note, token t4, status 404"},
		{"no project, without the scope", "GET", "/api/v1/projects/p9/notes/3", "hide_narrow", "u-broker  GET /projects/:project/notes/:note, token t3, status 403"},
		{"what has no row if it is admitted", "GET", "/api/v1/projects/p1/runs/2", "hide_narrow", ""},
	} {
		tokens.rows = nil
		call(s, c.method, c.path, "Bearer "+c.token, "")
		if got := strings.Join(tokens.rows, "\n"); got != c.row {
			t.Errorf("%s: got %q, want %q", c.name, got, c.row)
		}
	}
}

// TestATokenForAnotherProjectLearnsNothing: the answer is that about no project.
func TestATokenForAnotherProjectLearnsNothing(t *testing.T) {
	s := newAPIServer(t, newTestTokens())
	other := call(s, "GET", noteCall, "Bearer hide_elsewhere", "").Body.String()
	none := call(s, "GET", "/api/v1/projects/p9/notes/3", "Bearer hide_broker", "").Body.String()
	if strings.ReplaceAll(other, "p1", "p9") != none {
		t.Errorf("got\n%s\nof no project\n%s", other, none)
	}
}

func TestAMissingScopeIsNamed(t *testing.T) {
	w := call(newAPIServer(t, newTestTokens()), "GET", noteCall, "Bearer hide_narrow", "")
	p := isProblem(t, w, http.StatusForbidden)
	if p["kind"] != "insufficient_scope" || p["scope"] != "notes:read" || !strings.Contains(w.Header().Get("WWW-Authenticate"), `scope="notes:read"`) {
		t.Errorf("%s, %s", w.Body, w.Header().Get("WWW-Authenticate"))
	}
}

func TestWrongTokensAreThrottledByAddress(t *testing.T) {
	tokens := newTestTokens()
	s := newAPIServer(t, tokens)
	for range 3 {
		isProblem(t, call(s, "GET", noteCall, "Bearer hide_nobody", ""), http.StatusUnauthorized)
	}
	w := call(s, "GET", noteCall, "Bearer hide_nobody", "")
	if isProblem(t, w, http.StatusTooManyRequests); w.Header().Get("Retry-After") != "4" {
		t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
	}
	shared := serverOf(t, newTestFeature(), Config{Tokens: tokens, API: []APIFeature{testAPI{}}, SharedAddress: true})
	isProblem(t, call(shared, "GET", noteCall, "Bearer hide_nobody", ""), http.StatusUnauthorized)
}

func TestOtherSitesCannotAskTheAPI(t *testing.T) {
	s := newAPIServer(t, newTestTokens())
	for _, method := range []string{"GET", "POST", "OPTIONS"} {
		r := httptest.NewRequest(method, testOrigin+"/api/v1/projects/p1/notes", nil)
		r.Header.Set("Authorization", "Bearer hide_broker")
		r.Header.Set("Origin", "https://evil.example")
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		isProblem(t, w, http.StatusForbidden)
		for name := range w.Header() {
			if strings.HasPrefix(name, "Access-Control") {
				t.Errorf("%s: header %s", method, name)
			}
		}
	}
	r := httptest.NewRequest("GET", testOrigin+noteCall, nil)
	r.Host = "evil.example"
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	isProblem(t, w, http.StatusMisdirectedRequest)
}

func TestErrorsOfTheAPIAreProblemDocuments(t *testing.T) {
	fails := func(err error) ui.APIRoute {
		return ui.APIRoute{Route: ui.Post("/fail", ui.SignedIn, func(ui.Context) error {
			if err == nil {
				panic(canary)
			}
			return err
		})}
	}
	for _, c := range []struct {
		name, method, path, contentType string
		err                             error
		status                          int
		kind                            string
	}{
		{name: "no such address", method: "GET", path: "/api/v1/nothing", status: 404},
		{name: "no such version", method: "GET", path: "/api/v9/me", status: 404},
		{name: "the root", method: "GET", path: "/api", status: 404},
		{name: "another method", method: "DELETE", path: "/api/v1/me", status: 405},
		{name: "files where none belong", method: "POST", path: "/api/v1/fail", contentType: "multipart/form-data; boundary=x", status: 415},
		{name: "panic", method: "POST", path: "/api/v1/fail", status: 500},
		{name: "unknown error", method: "POST", path: "/api/v1/fail", err: errors.New(canary), status: 500},
		{name: "no space", method: "POST", path: "/api/v1/fail", err: fmt.Errorf("write: %w", syscall.ENOSPC), status: 507},
		{name: "almost full", method: "POST", path: "/api/v1/fail", err: &project.Error{Kind: project.Full, Message: "too little"}, status: 507, kind: "full"},
		{name: "refused", method: "POST", path: "/api/v1/fail", err: &project.Error{Kind: project.Invalid, Message: "not so", Hint: "but so"}, status: 422, kind: "invalid"},
		{name: "busy", method: "POST", path: "/api/v1/fail", err: &ui.Error{Status: 503, Title: "Busy", What: "Too many."}, status: 503},
		{name: "nothing may leave", method: "POST", path: "/api/v1/fail", err: &project.Error{Kind: project.Unrecorded, Message: "a copy is behind"}, status: 503, kind: "unrecorded"},
		{name: "conflict", method: "POST", path: "/api/v1/fail", err: &project.ConflictError{Theirs: &project.Note{Layer: &annotate.Layer{Revision: 7}}}, status: 409, kind: "conflict"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newAPIServer(t, newTestTokens(), fails(c.err))
			r := httptest.NewRequest(c.method, testOrigin+c.path, strings.NewReader(""))
			r.Header.Set("Authorization", "Bearer hide_broker")
			setIf(r, "Content-Type", c.contentType)
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, r)
			p := isProblem(t, w, c.status)
			if kind, _ := p["kind"].(string); kind != c.kind || strings.Contains(w.Body.String(), canary) {
				t.Errorf("%s", w.Body)
			}
			if again := w.Header().Get("Retry-After"); (again != "") != (c.status == 503) {
				t.Errorf("Retry-After is %q", again)
			}
		})
	}
	s := newAPIServer(t, newTestTokens())
	r := httptest.NewRequest("POST", testOrigin+"/api/v1/projects/p1/notes", strings.NewReader("{}"))
	r.Header.Set("Authorization", "Bearer hide_broker")
	r.ContentLength = ui.MaxBody + 1
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	isProblem(t, w, http.StatusRequestEntityTooLarge)
}

func TestRequestsToTheAPIAreOnRecord(t *testing.T) {
	tokens := newTestTokens()
	recorded := func(c ui.Context) error {
		if c.QueryParam("bad") != "" {
			return ui.Refuse("Bad.", "")
		}
		return c.NoContent(http.StatusOK)
	}
	s := newAPIServer(t, tokens,
		ui.APIRoute{Route: ui.Post("/projects/:project/panic", account.ManageWork, func(ui.Context) error { panic(canary) }), Scope: account.ScopeRuns},
		ui.APIRoute{Route: ui.Post("/projects/:project/recorded", account.ManageWork, recorded), Scope: account.ScopeRedact, Recorded: true})
	for _, c := range []struct{ method, path, header string }{
		{"GET", noteCall, "Bearer hide_broker"},
		{"GET", "/api/v1/projects/p1/notes/" + strings.ReplaceAll(canary, " ", "%20"), "Bearer hide_broker"},
		{"POST", "/api/v1/projects/p1/notes", "Bearer hide_broker"},
		{"POST", "/api/v1/projects/p1/panic", "Bearer hide_broker"},
		{"POST", "/api/v1/projects/p1/recorded", "Bearer hide_broker"}, // by the use case
		{"POST", "/api/v1/projects/p1/recorded?bad=1", "Bearer hide_broker"},
		{"GET", "/api/v1/projects/p1/runs/2", "Bearer hide_broker"}, // figures only
		{"GET", "/api/v1/audit", "Bearer hide_broker"},              // has a row of its own, if any
		{"GET", noteCall, "Bearer hide_nobody"},
	} {
		call(s, c.method, c.path, c.header, "{}")
	}
	want := []string{
		"u-broker p1/documents/3 GET /projects/:project/notes/:note, token t1, status 201",
		"u-broker p1 GET /projects/:project/notes/:note, token t1, status 201",
		"u-broker p1 POST /projects/:project/notes, token t1, status 201",
		"u-broker p1 POST /projects/:project/panic, token t1, status 500",
		"u-broker p1 POST /projects/:project/recorded, token t1, status 422",
	}
	if !slices.Equal(tokens.rows, want) {
		t.Errorf("rows are\n%s", strings.Join(tokens.rows, "\n"))
	}
}
