// SPDX-License-Identifier: Apache-2.0

package web

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/store"
)

// house is a running server over real accounts in a real store.
type house struct {
	*Server
	base     string
	accounts *account.Service
	clock    *clock
	log      *lockedBuffer
}

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

type lockedBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func openHouse(t *testing.T, projects Projects) *house {
	t.Helper()
	h := &house{clock: &clock{now: time.Now()}, log: &lockedBuffer{}}
	st, err := store.Open(store.Options{Dir: filepath.Join(t.TempDir(), "data"), Create: true, Now: h.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	if h.accounts, err = account.New(st, account.Options{Now: h.clock.Now}); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.base = "http://" + l.Addr().String()
	h.Server, err = New(Config{Accounts: h.accounts, Projects: projects, PublicOrigin: h.base, Log: slog.New(slog.NewTextHandler(h.log, nil)), Now: h.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	srv := &httptest.Server{Listener: l, Config: &http.Server{Handler: h.Handler()}}
	srv.Start()
	t.Cleanup(srv.Close)
	t.Cleanup(h.stopLive)
	return h
}

// person is somebody with a browser that has no scripts.
type person struct {
	t      *testing.T
	base   string
	client *http.Client
}

func (h *house) person(t *testing.T) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &person{t: t, base: h.base, client: &http.Client{Jar: jar}}
}

// see opens a page, wherever it leads.
func (p *person) see(path string) (status int, body string) {
	p.t.Helper()
	answer, err := p.client.Get(p.base + path)
	return p.read(answer, err)
}

func (p *person) read(answer *http.Response, err error) (int, string) {
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

var tokenField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// send fills the form of a page and posts it to action.
func (p *person) send(page, action string, form url.Values) (status int, body string) {
	p.t.Helper()
	_, shown := p.see(page)
	token := tokenField.FindStringSubmatch(shown)
	if token == nil {
		p.t.Fatalf("%s has no form:\n%.500s", page, shown)
	}
	form.Set(csrfFieldName, token[1])
	r, err := http.NewRequest(http.MethodPost, p.base+action, strings.NewReader(form.Encode()))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", p.base)
	answer, err := p.client.Do(r)
	return p.read(answer, err)
}

const (
	goodPassword  = "seven green bicycles"
	otherPassword = "a lamp under water"
)

// enter uses a one-time link with a name and a password.
func (p *person) enter(token, name, password string) (int, string) {
	p.t.Helper()
	return p.send("/welcome", "/welcome/enter", url.Values{"code": {token}, "name": {name}, "password": {password}, "again": {password}})
}

// admin is the first person of a house.
func (h *house) admin(t *testing.T) *person {
	t.Helper()
	token, err := h.accounts.FirstRun()
	if err != nil {
		t.Fatal(err)
	}
	p := h.person(t)
	if status, body := p.enter(token, "Ada", goodPassword); status != 200 || !strings.Contains(body, "<h1>Projects</h1>") {
		t.Fatalf("first run: status %d\n%s", status, body)
	}
	return p
}

var secretLink = regexp.MustCompile(`/welcome#([^<]+)<`)

// invite makes an account and gives its link's token.
func (p *person) invite(name string, role account.Role) string {
	p.t.Helper()
	status, body := p.send("/people", "/people", url.Values{"name": {name}, "role": {string(role)}})
	found := secretLink.FindStringSubmatch(body)
	if status != 200 || found == nil {
		p.t.Fatalf("invite: status %d\n%s", status, body)
	}
	return found[1]
}

func TestFirstRunLinkMakesTheAdministratorOnce(t *testing.T) {
	h := openHouse(t, newFakeProjects())
	token, err := h.accounts.FirstRun()
	if err != nil {
		t.Fatal(err)
	}
	p := h.person(t)
	if _, body := p.see("/sign-in"); !strings.Contains(body, "Nobody has an account yet") {
		t.Error("the sign-in page does not say that nobody has an account")
	}
	if status, body := p.send("/welcome", "/welcome", url.Values{"code": {h.base + "/welcome#" + token}}); status != 200 || !strings.Contains(body, "Welcome to hide") {
		t.Fatalf("open link: status %d\n%s", status, body)
	}
	if status, body := p.enter(token, "Ada", "short"); status != 422 || !strings.Contains(body, "A password has") {
		t.Errorf("weak password: status %d", status)
	}
	if status, _ := p.enter(token, "Ada", goodPassword); status != 200 {
		t.Fatalf("status %d", status)
	}
	if status, body := p.see("/people"); status != 200 || !strings.Contains(body, "Ada") {
		t.Errorf("people: status %d", status)
	}
	if status, _ := h.person(t).enter(token, "Eve", goodPassword); status != 422 {
		t.Errorf("second use of the link: status %d, want 422", status)
	}
	if strings.Contains(h.log.String(), token) || strings.Contains(h.log.String(), "Ada") {
		t.Error("the log holds the token or the name")
	}
}

func TestInvitedPersonHasTheRoleThatWasGiven(t *testing.T) {
	h := openHouse(t, newFakeProjects())
	admin := h.admin(t)
	guest := h.person(t)
	if status, _ := guest.enter(admin.invite("Rita", account.Reviewer), "", otherPassword); status != 200 {
		t.Fatalf("enter: status %d", status)
	}
	for path, want := range map[string]int{"/": 200, "/p/p1": 200, "/people": 403, "/audit": 403} {
		if status, _ := guest.see(path); status != want {
			t.Errorf("%s: status %d, want %d", path, status, want)
		}
	}
	_, home := guest.see("/p/p1")
	for _, word := range []string{"/p/p1/annotate", "/p/p1/import", "Train"} {
		if strings.Contains(home, word) {
			t.Errorf("a reviewer is shown %s", word)
		}
	}
}

func TestExtraFieldsGiveNoRights(t *testing.T) {
	h := openHouse(t, newFakeProjects())
	admin := h.admin(t)
	guest := h.person(t)
	token := admin.invite("Anna", account.Annotator)
	guest.send("/welcome", "/welcome/enter", url.Values{"code": {token}, "name": {"Ada"}, "role": {"admin"}, "is_admin": {"true"}, "password": {otherPassword}, "again": {otherPassword}})
	if status, _ := guest.see("/people"); status != 403 {
		t.Errorf("people: status %d, want 403", status)
	}
	if status, _ := admin.send("/people", "/people", url.Values{"name": {"Rob"}, "role": {"root"}}); status != 422 {
		t.Errorf("unknown role: status %d, want 422", status)
	}
}

func TestChangesOfAnAccountEndItsSessionsAtOnce(t *testing.T) {
	acts := map[string]url.Values{"disable": {}, "role": {"role": {"reviewer"}}, "sign-out": {}}
	for act, form := range acts {
		t.Run(act, func(t *testing.T) {
			h := openHouse(t, newFakeProjects())
			admin, guest := h.admin(t), h.person(t)
			guest.enter(admin.invite("Anna", account.Annotator), "", otherPassword)
			u, err := h.accounts.Find("anna")
			if err != nil {
				t.Fatal(err)
			}
			if status, body := admin.send("/people", "/people/"+u.ID+"/"+act, form); status != 200 {
				t.Fatalf("status %d\n%s", status, body)
			}
			if _, body := guest.see("/"); !strings.Contains(body, "Sign in to hide") {
				t.Error("the session goes on")
			}
		})
	}
}

func TestLastAdministratorCannotBeDemoted(t *testing.T) {
	h := openHouse(t, newFakeProjects())
	admin := h.admin(t)
	u, err := h.accounts.Find("ada")
	if err != nil {
		t.Fatal(err)
	}
	status, body := admin.send("/people", "/people/"+u.ID+"/role", url.Values{"role": {"reviewer"}})
	if status != 422 || !strings.Contains(body, "last active admin") {
		t.Errorf("status %d\n%s", status, body)
	}
}

func TestSignOutEndsTheSessionAndClearsTheBrowser(t *testing.T) {
	h := openHouse(t, newFakeProjects())
	admin := h.admin(t)
	base, _ := url.Parse(h.base)
	before := admin.client.Jar.Cookies(base)
	admin.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	_, shown := admin.see("/")
	form := url.Values{csrfFieldName: {tokenField.FindStringSubmatch(shown)[1]}}
	answer, err := admin.client.PostForm(h.base+"/sign-out", form)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if got := answer.Header.Get("Clear-Site-Data"); answer.StatusCode != 303 || !strings.Contains(got, "storage") {
		t.Errorf("status %d, Clear-Site-Data %q", answer.StatusCode, got)
	}
	r, _ := http.NewRequest(http.MethodGet, h.base+"/", nil)
	for _, c := range before {
		r.AddCookie(c)
	}
	again, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	again.Body.Close()
	if again.StatusCode != 303 {
		t.Errorf("the old cookie gives status %d", again.StatusCode)
	}
}

func TestIdleSessionEndsAndWatchingIsNotUse(t *testing.T) {
	h := openHouse(t, newFakeProjects())
	admin := h.admin(t)
	h.clock.advance(account.IdleFor - time.Minute)
	if _, body := admin.see("/"); !strings.Contains(body, "<h1>Projects</h1>") {
		t.Fatal("the session ended early")
	}
	h.clock.advance(account.IdleFor - time.Minute)
	r, _ := http.NewRequest(http.MethodGet, h.base+"/p/p1/live?topics=nothing", nil)
	r.Header.Set("Upgrade", "websocket")
	r.Header.Set("Origin", h.base)
	answer, err := admin.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != 404 {
		t.Fatalf("live: status %d", answer.StatusCode)
	}
	h.clock.advance(2 * time.Minute)
	if _, body := admin.see("/"); !strings.Contains(body, "Sign in to hide") {
		t.Error("the session goes on after 16 minutes without use")
	}
}

func TestSignInSaysTheSameForEveryReasonAndLocks(t *testing.T) {
	h := openHouse(t, newFakeProjects())
	h.admin(t)
	p := h.person(t)
	_, unknown := p.send("/sign-in", "/sign-in", url.Values{"name": {"nobody"}, "password": {"x"}})
	_, wrong := p.send("/sign-in", "/sign-in", url.Values{"name": {"Ada"}, "password": {"x"}})
	if a, b := strings.ReplaceAll(unknown, "nobody", "NAME"), strings.ReplaceAll(wrong, "Ada", "NAME"); a != b {
		t.Error("an unknown name is told from a wrong password")
	}
	status := 0
	for range 10 {
		status, _ = p.send("/sign-in", "/sign-in", url.Values{"name": {"Ada"}, "password": {"x"}})
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("after ten tries: status %d, want 429", status)
	}
	if status, _ := p.send("/sign-in", "/sign-in", url.Values{"name": {"Ada"}, "password": {goodPassword}}); status != http.StatusTooManyRequests {
		t.Errorf("locked out, the right password gives status %d", status)
	}
}

func TestSignInLeadsToThePageThatWasAskedFor(t *testing.T) {
	h := openHouse(t, newFakeProjects())
	h.admin(t)
	p := h.person(t)
	_, body := p.send("/p/p1", "/sign-in", url.Values{"name": {"ADA"}, "password": {goodPassword}, "next": {"/p/p1"}})
	if !strings.Contains(body, "<h1>Discharge letters</h1>") {
		t.Errorf("got\n%.600s", body)
	}
}

func TestNewPasswordEndsOtherSessions(t *testing.T) {
	h := openHouse(t, newFakeProjects())
	here := h.admin(t)
	there := h.person(t)
	there.send("/sign-in", "/sign-in", url.Values{"name": {"Ada"}, "password": {goodPassword}})
	form := url.Values{"current": {"wrong wrong wrong"}, "password": {otherPassword}, "again": {otherPassword}}
	if status, body := here.send("/password", "/password", form); status != 422 || !strings.Contains(body, "present password is wrong") {
		t.Errorf("wrong present password: status %d", status)
	}
	form.Set("current", goodPassword)
	if status, body := here.send("/password", "/password", form); status != 200 || !strings.Contains(body, "Your password is changed") {
		t.Fatalf("status %d\n%.500s", status, body)
	}
	if _, body := here.see("/"); !strings.Contains(body, "<h1>Projects</h1>") {
		t.Error("the session here ended")
	}
	if _, body := there.see("/"); !strings.Contains(body, "Sign in to hide") {
		t.Error("the session there goes on")
	}
}

func TestSignInLinkOpensASessionByItself(t *testing.T) {
	h := openHouse(t, newFakeProjects())
	h.admin(t)
	u, err := h.accounts.Find("Ada")
	if err != nil {
		t.Fatal(err)
	}
	token, err := h.accounts.SignInLink(u.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, body := h.person(t).send("/welcome", "/welcome", url.Values{"code": {token}}); !strings.Contains(body, "<h1>Projects</h1>") {
		t.Errorf("got\n%.600s", body)
	}
}
