// SPDX-License-Identifier: Apache-2.0

// Package webtest is the harness of tests of pages. A server has the features
// that a test names, over fakes or over a real service in a temporary folder, and
// cookies are roles: a request with the cookie "broker" is a broker.
//
//	s := webtest.New(t, projects, home.New(projects, nil))
//	w := s.Get(account.Broker, "/p/p1")
package webtest

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web"
)

// Origin is where browsers find the server of [New].
const Origin = "http://127.0.0.1:8080"

// Frame is one project, "p1", with what the frame of every page asks. Tests of a
// feature embed it in a fake of their own and add the methods that the feature
// calls.
type Frame struct {
	Overview project.Overview
	Events   chan project.Event

	mu sync.Mutex // guards Overview in tests that change it
}

// NewFrame has the project "Discharge letters".
func NewFrame() *Frame {
	return &Frame{
		Overview: project.Overview{Project: project.Project{ID: "p1", Name: "Discharge letters"}},
		Events:   make(chan project.Event, 8),
	}
}

// Change lets a test change the overview while pages read it.
func (f *Frame) Change(how func(*project.Overview)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	how(&f.Overview)
}

// Project answers for the one project.
func (f *Frame) Project(_ context.Context, by account.User, id project.ID) (project.Overview, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if id != f.Overview.ID || outside(by) && by.Role != account.Admin {
		return project.Overview{}, &project.Error{Kind: project.NotFound, Message: "there is no project " + string(id)}
	}
	return f.Overview, nil
}

// RoleIn is the role of the account, also in the project.
func (f *Frame) RoleIn(by account.User, id project.ID) (account.Role, error) {
	_, err := f.Project(context.Background(), by, id)
	return by.Role, err
}

// Projects lists the one project.
func (f *Frame) Projects(context.Context, account.User) ([]project.Overview, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return []project.Overview{f.Overview}, nil
}

// TrailProjects is [Frame.Projects].
func (f *Frame) TrailProjects(ctx context.Context, by account.User) ([]project.Overview, error) {
	return f.Projects(ctx, by)
}

// Sealed lists no project.
func (f *Frame) Sealed(context.Context, account.User) ([]project.ID, error) { return nil, nil }

// Watch gives the events that the test sends.
func (f *Frame) Watch(context.Context, account.User, project.ID) (<-chan project.Event, error) {
	return f.Events, nil
}

// Accounts signs in a role whose name is the token. The person of an [Outside] role is
// another one.
type Accounts struct{}

// Outside is the role of a person who has an account with the role, and is not a member of the
// projects of tests.
func Outside(role account.Role) account.Role { return outsider + role }

const outsider = "outside-"

func outside(u account.User) bool { return strings.HasPrefix(u.ID, "u-"+outsider) }

// Peek finds the person of a role.
func (Accounts) Peek(token string) (account.User, account.Session, error) {
	switch r := account.Role(strings.TrimPrefix(token, outsider)); r {
	case account.Admin, account.Broker, account.Annotator, account.Reviewer:
		return account.User{ID: "u-" + token, Name: "Some " + token, Role: r}, account.Session{}, nil
	}
	return account.User{}, account.Session{}, account.ErrSession
}

// Session is [Accounts.Peek].
func (a Accounts) Session(token string) (account.User, account.Session, error) { return a.Peek(token) }

// NameOf is the name of the person with an id.
func (Accounts) NameOf(id string) (string, error) {
	name, found := strings.CutPrefix(id, "u-")
	if !found {
		return "", nil
	}
	return "Some " + name, nil
}

// Changes never calls fn: roles are what they are.
func (Accounts) Changes(func(string)) (stop func()) { return func() {} }

// As is the person of a role.
func As(role account.Role) account.User {
	u, _, err := Accounts{}.Peek(string(role))
	if err != nil {
		panic("webtest: no role " + string(role))
	}
	return u
}

// Server is a whole server where cookies are roles.
type Server struct {
	*web.Server
	origin string
}

// New makes a server with these features.
func New(t testing.TB, projects web.Projects, features ...web.Feature) *Server {
	t.Helper()
	return newAt(t, Origin, slog.DiscardHandler, projects, features)
}

// NewWith is New with a changed configuration.
func NewWith(t testing.TB, projects web.Projects, change func(*web.Config), features ...web.Feature) *Server {
	t.Helper()
	cfg := web.Config{Accounts: Accounts{}, Tokens: Accounts{}, Projects: projects, PublicOrigin: Origin, Features: features}
	change(&cfg)
	s, err := web.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &Server{s, Origin}
}

func newAt(t testing.TB, origin string, log slog.Handler, projects web.Projects, features []web.Feature) *Server {
	t.Helper()
	s, err := web.New(web.Config{Accounts: Accounts{}, Tokens: Accounts{}, Projects: projects, PublicOrigin: origin, Features: features, Log: slog.New(log)})
	if err != nil {
		t.Fatal(err)
	}
	return &Server{s, origin}
}

// Get asks for a page as somebody with the role ("" for nobody).
func (s *Server) Get(role account.Role, path string) *httptest.ResponseRecorder {
	return s.Ask(role, httptest.NewRequest(http.MethodGet, s.origin+path, nil))
}

// Post sends a form, as the page's own form would.
func (s *Server) Post(role account.Role, path string, form url.Values) *httptest.ResponseRecorder {
	return s.Ask(role, s.Form(path, form))
}

// PostFragment sends a form as htmx would.
func (s *Server) PostFragment(role account.Role, path string, form url.Values) *httptest.ResponseRecorder {
	r := s.Form(path, form)
	r.Header.Set("HX-Request", "true")
	return s.Ask(role, r)
}

// Form is the request that a page's own form makes.
func (s *Server) Form(path string, form url.Values) *http.Request {
	r := httptest.NewRequest(http.MethodPost, s.origin+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", s.origin)
	return r
}

// Ask sends r as somebody with the role ("" for nobody).
func (s *Server) Ask(role account.Role, r *http.Request) *httptest.ResponseRecorder {
	if role != "" {
		r.AddCookie(&http.Cookie{Name: web.CookieName(s.origin, false), Value: string(role)})
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// Upload sends files, and fields before them, as a form with files does.
func (s *Server) Upload(t *testing.T, role account.Role, path string, fragment bool, fields, files map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		part, err := w.CreateFormFile("files", name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(part, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, s.origin+path, &body)
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Origin", s.origin)
	if fragment {
		r.Header.Set("HX-Request", "true")
	}
	return s.Ask(role, r)
}

// Import sends files to the import page of a project and confirms the preview, with more
// fields. It gives the page after that: the report, or the preview if there is nothing to
// confirm.
func (s *Server) Import(t *testing.T, role account.Role, project string, fields map[string]string, decision url.Values, files map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	w := s.Upload(t, role, project+"/import", false, fields, files)
	if w.Code != http.StatusSeeOther {
		return w
	}
	return s.Confirm(role, w.Header().Get("Location"), decision)
}

// Confirm confirms the preview of an import, as [Server.Import] does.
func (s *Server) Confirm(role account.Role, at string, decision url.Values) *httptest.ResponseRecorder {
	preview := s.settled(role, at)
	if !strings.Contains(preview.Body.String(), `id="import-confirm"`) {
		return preview
	}
	form := url.Values{"preview": {"1"}}
	maps.Copy(form, decision)
	if w := s.Post(role, at, form); w.Code != http.StatusSeeOther {
		return w
	}
	return s.settled(role, at)
}

// settled is a page that renews itself, once it does so no more.
func (s *Server) settled(role account.Role, path string) *httptest.ResponseRecorder {
	for {
		w := s.Get(role, path)
		if w.Header().Get("Refresh") == "" {
			return w
		}
		time.Sleep(10 * time.Millisecond)
	}
}
