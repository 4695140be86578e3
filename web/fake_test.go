// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/project/training"
	"hide/web/admin"
	"hide/web/home"
	"hide/web/importing"
	sanitizepages "hide/web/sanitize"
)

// allProjects is what all pages ask.
type allProjects interface {
	Projects
	Legacy
	home.Projects
	importing.Projects
	sanitizepages.Projects
	admin.Projects
}

// everything are the features beside the pages of this package.
func everything(p allProjects) []Feature {
	return []Feature{home.New(p), importing.New(p), sanitizepages.New(p), admin.New(admin.Config{Accounts: fakeLogin{}, Projects: p, Origin: testOrigin})}
}

// fakeLogin is an [admin.Accounts] that knows nobody.
type fakeLogin struct{ admin.Accounts }

func (fakeLogin) Empty() (bool, error) { return false, nil }

// unasked is an interface that nothing may be asked of: its methods panic.
type unasked struct{ allProjects }

// fakeProjects answers what a test sets and panics on the rest. Tests of a page
// embed it in a type of their own and add the methods the page calls.
type fakeProjects struct {
	unasked
	overview project.Overview
	training training.Status
	runs     []sanitize.Run
	rows     []project.AuditRow
	waiting  int
	beside   release.Beside
	events   chan project.Event
	mu       sync.Mutex // guards overview in tests that change it
}

func (f *fakeProjects) change(how func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	how()
}

func (f *fakeProjects) Training(context.Context, account.User, project.ID) (training.Status, error) {
	return f.training, nil
}

func (f *fakeProjects) SampleAuditWaiting(context.Context, account.User, project.ID) (int, error) {
	return f.waiting, nil
}

func (f *fakeProjects) Beside(context.Context, account.User, project.ID, release.Kind) (release.Beside, error) {
	return f.beside, nil
}

func (f *fakeProjects) OpenInFinished(context.Context, account.User, project.ID) (audit.OpenFindings, error) {
	return audit.OpenFindings{}, nil
}

func (f *fakeProjects) Runs(context.Context, account.User, project.ID) ([]sanitize.Run, error) {
	return f.runs, nil
}

func (f *fakeProjects) Audit(_ context.Context, _ account.User, _ project.ID, before uint64, limit int) ([]project.AuditRow, error) {
	var rows []project.AuditRow
	for _, r := range f.rows {
		if (before == 0 || r.Seq < before) && len(rows) < limit {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

func (f *fakeProjects) Project(_ context.Context, _ account.User, id project.ID) (project.Overview, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if id != f.overview.ID {
		return project.Overview{}, &project.Error{Kind: project.NotFound, Message: "there is no project " + string(id)}
	}
	return f.overview, nil
}

func (f *fakeProjects) Projects(context.Context, account.User) ([]project.Overview, error) {
	return []project.Overview{f.overview}, nil
}

func (f *fakeProjects) Watch(context.Context, account.User, project.ID) (<-chan project.Event, error) {
	return f.events, nil
}

func newFakeProjects() *fakeProjects {
	return &fakeProjects{
		overview: project.Overview{Project: project.Project{ID: "p1", Name: "Discharge letters"}},
		events:   make(chan project.Event, 8),
	}
}

// fakeAccounts signs in a role whose name is the token.
type fakeAccounts struct{}

func (fakeAccounts) Peek(token string) (account.User, account.Session, error) {
	switch r := account.Role(token); r {
	case account.Admin, account.Broker, account.Annotator, account.Reviewer:
		return account.User{ID: "u-" + token, Name: "Some " + token, Role: r}, account.Session{}, nil
	}
	return account.User{}, account.Session{}, account.ErrSession
}

func (f fakeAccounts) Session(token string) (account.User, account.Session, error) {
	return f.Peek(token)
}

func (fakeAccounts) NameOf(id string) (string, error) {
	name, found := strings.CutPrefix(id, "u-")
	if !found {
		return "", nil
	}
	return "Some " + name, nil
}

const testOrigin = "http://127.0.0.1:8080"

// newTestServer is a whole server over projects, where cookies are roles.
func newTestServer(t *testing.T, projects allProjects) *Server {
	t.Helper()
	s, err := New(Config{Accounts: fakeAccounts{}, Projects: projects, Legacy: projects, Features: everything(projects), PublicOrigin: testOrigin, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// get asks for a page as somebody with the role ("" for nobody).
func get(s *Server, role account.Role, path string) *httptest.ResponseRecorder {
	return ask(s, role, httptest.NewRequest(http.MethodGet, testOrigin+path, nil))
}

// post sends a form with its token, as the page's own form would.
func post(s *Server, role account.Role, path string, form url.Values) *httptest.ResponseRecorder {
	if form == nil {
		form = url.Values{}
	}
	r := httptest.NewRequest(http.MethodPost, testOrigin+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", testOrigin)
	return ask(s, role, r)
}

func ask(s *Server, role account.Role, r *http.Request) *httptest.ResponseRecorder {
	if role != "" {
		r.AddCookie(&http.Cookie{Name: s.cookie, Value: string(role)})
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}
