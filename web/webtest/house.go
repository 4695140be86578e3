// SPDX-License-Identifier: Apache-2.0

package webtest

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/browsertest"
	"hide/internal/store"
	"hide/internal/testclock"
	"hide/web"
)

// House is a running server over real accounts in a real store.
type House struct {
	Base     string
	Accounts *account.Service
	Clock    *testclock.Clock
	Log      *Log

	API []web.APIFeature // what the function that makes the features puts here
}

// Log is what a server logs.
type Log struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

// Write appends.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String is everything so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// OpenHouse starts one with the features that features makes for it.
func OpenHouse(t *testing.T, projects web.Projects, features func(*House) []web.Feature) *House {
	t.Helper()
	return OpenHouseOf(t, account.Options{}, projects, features)
}

// OpenHouseOf is [OpenHouse] with options for accounts.
func OpenHouseOf(t *testing.T, people account.Options, projects web.Projects, features func(*House) []web.Feature) *House {
	t.Helper()
	h := &House{Clock: testclock.New(time.Now()), Log: &Log{}}
	people.Now = h.Clock.Now
	st, err := store.Open(store.Options{Dir: filepath.Join(t.TempDir(), "data"), Create: true, Now: h.Clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	if h.Accounts, err = account.New(st, people); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	h.Base = "http://localhost:" + port // passkeys need a name
	pages := features(h)
	s, err := web.New(web.Config{
		Accounts: h.Accounts, Tokens: h.Accounts, Projects: projects, Features: pages, API: h.API, PublicOrigin: h.Base,
		Log: slog.New(slog.NewTextHandler(h.Log, nil)), Now: h.Clock.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	Run(t, s, l)
	return h
}

// WelcomeURL is the link with a one-time token.
func (h *House) WelcomeURL(token string) string { return h.Base + "/welcome#" + token }

// SignIn makes Ada and leaves the browser on the list of projects.
func (h *House) SignIn(t *testing.T, b *browsertest.Browser) {
	t.Helper()
	h.Admin(t)
	u, err := h.Accounts.Find("Ada")
	if err != nil {
		t.Fatal(err)
	}
	token, err := h.Accounts.SignInLink(u.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	b.Open(h.WelcomeURL(token))
	b.WaitText("h1", "Projects")
}

// Person is somebody with a browser that has no scripts.
type Person struct {
	t      *testing.T
	house  *House
	base   string
	Client *http.Client

	password string // after Enter
}

// Person is somebody new at the door.
func (h *House) Person(t *testing.T) *Person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Person{t: t, house: h, base: h.Base, Client: &http.Client{Jar: jar}}
}

// See opens a page, wherever it leads.
func (p *Person) See(path string) (status int, body string) {
	p.t.Helper()
	answer, err := p.Client.Get(p.base + path)
	return p.read(answer, err)
}

func (p *Person) read(answer *http.Response, err error) (int, string) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(answer.Body); err != nil {
		p.t.Fatal(err)
	}
	return answer.StatusCode, b.String()
}

// Send posts a form of page to action.
func (p *Person) Send(page, action string, form url.Values) (status int, body string) {
	p.t.Helper()
	if _, shown := p.See(page); !strings.Contains(shown, "<form") {
		p.t.Fatalf("%s has no form:\n%.500s", page, shown)
	}
	r, err := http.NewRequest(http.MethodPost, p.base+action, strings.NewReader(form.Encode()))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", p.base)
	answer, err := p.Client.Do(r)
	return p.read(answer, err)
}

// Passwords that are good enough.
const (
	GoodPassword  = "seven green bicycles"
	OtherPassword = "a lamp under water"
)

// Enter uses a one-time link with a name and a password.
func (p *Person) Enter(token, name, password string) (int, string) {
	p.t.Helper()
	p.password = password
	return p.Send("/welcome", "/welcome/enter", url.Values{"code": {token}, "name": {name}, "password": {password}, "again": {password}})
}

// Admin is the first person of a house.
func (h *House) Admin(t *testing.T) *Person {
	t.Helper()
	token, err := h.Accounts.FirstRun()
	if err != nil {
		t.Fatal(err)
	}
	p := h.Person(t)
	if status, body := p.Enter(token, "Ada", GoodPassword); status != 200 || !strings.Contains(body, "<h1>Projects</h1>") {
		t.Fatalf("first run: status %d\n%s", status, body)
	}
	return p
}

var secretLink = regexp.MustCompile(`/welcome#([^<]+)<`)

// Invite makes an account and gives its link's token.
func (p *Person) Invite(name string, role account.Role) string {
	p.t.Helper()
	status, body := p.Send("/people", "/people", url.Values{"name": {name}, "role": {string(role)}})
	found := secretLink.FindStringSubmatch(body)
	if status != 200 || found == nil {
		p.t.Fatalf("invite: status %d\n%s", status, body)
	}
	return found[1]
}
