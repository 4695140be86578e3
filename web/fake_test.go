// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web/ui"
)

const testOrigin = "http://127.0.0.1:8080"

// testProjects has one project, "p1".
type testProjects struct {
	events chan project.Event
	gone   atomic.Bool // the project
}

func newTestProjects() *testProjects { return &testProjects{events: make(chan project.Event, 8)} }

func (p *testProjects) Project(_ context.Context, _ account.User, id project.ID) (project.Overview, error) {
	if id != "p1" || p.gone.Load() {
		return project.Overview{}, &project.Error{Kind: project.NotFound, Message: "there is no project " + string(id)}
	}
	return project.Overview{Project: project.Project{ID: id, Name: "Discharge letters"}}, nil
}

// RoleIn is the role of the account.
func (p *testProjects) RoleIn(by account.User, id project.ID) (account.Role, error) {
	_, err := p.Project(context.Background(), by, id)
	return by.Role, err
}

func (p *testProjects) Watch(context.Context, account.User, project.ID) (<-chan project.Event, error) {
	return p.events, nil
}

// testAccounts signs in a role whose name is the token.
type testAccounts struct{}

func (testAccounts) Peek(token string) (account.User, account.Session, error) {
	switch r := account.Role(token); r {
	case account.Admin, account.Broker, account.Annotator, account.Reviewer:
		return account.User{ID: "u-" + token, Name: "Some " + token, Role: r}, account.Session{}, nil
	}
	return account.User{}, account.Session{}, account.ErrSession
}

func (a testAccounts) Session(token string) (account.User, account.Session, error) {
	return a.Peek(token)
}

func (testAccounts) NameOf(string) (string, error) { return "", nil }

func (testAccounts) Changes(func(string)) (stop func()) { return func() {} }

// testFeature has one route and one live part of each kind.
type testFeature struct {
	projects *testProjects
	list     func(ui.Context) error // answers "/" when it is set
	more     []ui.Route             // besides those of every test
	created  int                    // forms that reached "/projects"
	tally    atomic.Int64           // the number that the part "tally" shows
	renders  atomic.Int64           // of the part "tally"
	reads    atomic.Int64           // of the part "note"
}

func newTestFeature() *testFeature { return &testFeature{projects: newTestProjects()} }

func (f *testFeature) Routes() []ui.Route {
	return append([]ui.Route{
		ui.Get("/", ui.SignedIn, f.showList),
		ui.Post("/projects", account.ManageWork, f.create),
		ui.Get("/sign-in", ui.Anyone, page("Sign in")),
		ui.Post("/sign-in", ui.Anyone, signIn),
		ui.Get("/people", account.ManagePeople, page("People")),
		ui.Post("/people/:id/role", account.ManagePeople, page("Role")),
		ui.Post("/sign-out", ui.SignedIn, page("Signed out")),
		ui.Get("/p/:project", ui.SignedIn, f.showProject),
		ui.Get("/p/:project/form", account.Sanitize, f.showProject),
		ui.Post("/p/:project/form", account.Sanitize, missing),
		ui.Post("/p/:project/form/preview", account.Sanitize, f.showProject),
		ui.Post("/p/:project/form/part/raise", account.Sanitize, f.showProject),
		ui.Get("/p/:project/missing", account.SeeFigures, missing),
		ui.Get("/p/:project/notes/:doc", account.ReadNotes, f.showProject),
		ui.Post("/p/:project/notes/:doc/edit", account.Annotate, f.showProject),
		ui.Post("/p/:project/file", account.ManageWork, f.showProject).Streaming(),
		ui.Get("/p/:project/half", account.ManageWork, half).Streaming(),
	}, f.more...)
}

// Parts shows a number to readers of notes, one note, and a list to everybody.
func (f *testFeature) Parts() []ui.LivePart {
	return []ui.LivePart{
		{Name: "tally", Topics: []project.Topic{project.TopicQueue}, Needs: account.ReadNotes, Target: "#tally", Render: f.renderTally},
		{Name: "note", Topics: []project.Topic{project.TopicDocument}, Needs: account.ReadNotes, OfNote: true, Target: "#tally", Render: f.renderNote},
		{Name: "steps", Topics: []project.Topic{project.TopicQueue}, Needs: ui.SignedIn, Target: "#tally", Render: f.renderTally},
	}
}

func (f *testFeature) showList(c ui.Context) error {
	if f.list != nil {
		return f.list(c)
	}
	return page("Projects")(c)
}

func (f *testFeature) create(c ui.Context) error {
	f.created++
	return ui.Back(c, "/p/p2")
}

func (f *testFeature) showProject(c ui.Context) error {
	o, err := ui.Project(c, f.projects)
	if err != nil {
		return err
	}
	return ui.ShowPage(c, ui.Page{Title: o.Name, Project: &o}, text("<h1>Overview</h1>"))
}

func (f *testFeature) renderTally(context.Context, account.User, project.ID, url.Values) (templ.Component, error) {
	defer f.renders.Add(1)
	return text(tallyHTML(f.tally.Load())), nil
}

func (f *testFeature) renderNote(context.Context, account.User, project.ID, url.Values) (templ.Component, error) {
	f.reads.Add(1)
	return text(tallyHTML(0)), nil
}

func page(title string) func(ui.Context) error {
	return func(c ui.Context) error { return ui.ShowPage(c, ui.Page{Title: title}, text("<h1>"+title+"</h1>")) }
}

func missing(ui.Context) error {
	return &project.Error{Kind: project.NotFound, Message: "there is no such run"}
}

func signIn(c ui.Context) error {
	ui.SetSession(c, "broker")
	return ui.Back(c, "/")
}

// half fails after more bytes than any buffer between here and the client holds.
func half(c ui.Context) error {
	c.Response().WriteHeader(http.StatusOK)
	if _, err := io.WriteString(c.Response(), strings.Repeat("a line of a file\n", 4000)); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}

func text(html string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, html)
		return err
	})
}

// newTestServer is a whole server with the feature, where cookies are roles.
func newTestServer(t *testing.T, f *testFeature) *Server {
	t.Helper()
	return serverOf(t, f, Config{})
}

// serverOf completes cfg.
func serverOf(t *testing.T, f *testFeature, cfg Config) *Server {
	t.Helper()
	if cfg.Accounts == nil {
		cfg.Accounts = testAccounts{}
	}
	if cfg.PublicOrigin == "" {
		cfg.PublicOrigin = testOrigin
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.Projects, cfg.Features = f.projects, []Feature{f}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// get asks for a page as somebody with the role ("" for nobody).
func get(s *Server, role account.Role, path string) *httptest.ResponseRecorder {
	return ask(s, role, httptest.NewRequest(http.MethodGet, testOrigin+path, nil))
}

// post sends a form, as the page's own form would.
func post(s *Server, role account.Role, path string, form url.Values) *httptest.ResponseRecorder {
	r := formRequest(testOrigin, path, form.Encode())
	r.Header.Set("Origin", testOrigin)
	return ask(s, role, r)
}

// formRequest is a form from nowhere.
func formRequest(origin, path, form string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, origin+path, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func ask(s *Server, role account.Role, r *http.Request) *httptest.ResponseRecorder {
	if role != "" {
		r.AddCookie(&http.Cookie{Name: s.cookie, Value: string(role)})
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}
