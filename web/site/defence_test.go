// SPDX-License-Identifier: Apache-2.0

package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/project"
	"hide/web"
	"hide/web/signin"
	"hide/web/ui"
	"hide/web/webtest"
)

// Each test here asks a defence of the shell on the real pages. Package web has the
// tests of the shell itself.

// address is a request's path on a route.
func address(route string) string {
	return strings.NewReplacer(":project", "p1", ":doc", "1", ":run", "1", ":number", "1", ":index", "1", ":id", "u-1").Replace(route)
}

func eachForm(t *testing.T, s *webtest.Server, ask func(ui.Route)) {
	t.Helper()
	asked := 0
	for _, r := range s.Routes() {
		if r.Method == http.MethodPost {
			asked++
			ask(r)
		}
	}
	if asked < 40 {
		t.Errorf("only %d forms were asked", asked)
	}
}

func TestNoFormTakesAPostOfAnotherSite(t *testing.T) {
	s := newServer(t, newFake())
	eachForm(t, s, func(r ui.Route) {
		for _, site := range []string{"cross-site", "same-site", ""} {
			q := s.Form(address(r.Path), nil)
			q.Header.Set("Origin", "https://evil.example")
			if site != "" {
				q.Header.Set("Sec-Fetch-Site", site)
			}
			w := s.Ask(account.Admin, q)
			if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "Request from another site") {
				t.Errorf("%s, Sec-Fetch-Site %q: status %d", r.Path, site, w.Code)
			}
		}
	})
}

func TestFilesAndLargeFormsAreRefusedWhereNoFileBelongs(t *testing.T) {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	if err := errors.Join(m.WriteField("name", "x"), m.Close()); err != nil {
		t.Fatal(err)
	}
	s := newServer(t, newFake())
	eachForm(t, s, func(r ui.Route) {
		if r.Files {
			return
		}
		q := httptest.NewRequest(http.MethodPost, webtest.Origin+address(r.Path), bytes.NewReader(b.Bytes()))
		q.Header.Set("Content-Type", m.FormDataContentType())
		if w := s.Ask(account.Admin, q); w.Code != http.StatusUnsupportedMediaType {
			t.Errorf("%s: a file has status %d, want 415", r.Path, w.Code)
		}
		if r.Streams {
			return
		}
		q = s.Form(address(r.Path), nil)
		q.ContentLength = ui.MaxBody + 1
		if w := s.Ask(account.Admin, q); w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: a large form has status %d, want 413", r.Path, w.Code)
		}
	})
}

func TestEveryPageHasTheSecurityHeaders(t *testing.T) {
	s := newServer(t, newFake())
	for _, r := range s.Routes() {
		if r.Method != http.MethodGet {
			continue
		}
		for _, role := range []account.Role{account.Admin, account.Reviewer, ""} {
			w := s.Get(role, address(r.Path))
			for header, value := range map[string]string{
				"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
				"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
			} {
				if got := w.Header().Get(header); got != value {
					t.Errorf("%s as %q: %s is %q, want %q", r.Path, role, header, got, value)
				}
			}
			if policy := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; style-src 'self'") || strings.Contains(policy, "unsafe") {
				t.Errorf("%s as %q: the content policy is %q", r.Path, role, policy)
			}
		}
	}
}

// peerAccounts remember for which addresses sign-ins were tried, and let the
// right password in.
type peerAccounts struct {
	noLogin
	peers []string
	token string // "" refuses every password
}

func (a *peerAccounts) Login(_, _ string, from account.From) (string, account.User, error) {
	a.peers = append(a.peers, from.Peer)
	if a.token == "" {
		return "", account.User{}, account.ErrCredentials
	}
	return a.token, account.User{}, nil
}

// TestOtherSitesCannotSignAnybodyIn: a page of another site could sign a person in
// under a name of its own choice, and read what she then does.
func TestOtherSitesCannotSignAnybodyIn(t *testing.T) {
	for _, path := range []string{"/sign-in", "/welcome", "/welcome/enter"} {
		for _, site := range []string{"cross-site", "same-site", ""} {
			login := &peerAccounts{token: "broker"}
			s := webtest.New(t, newFake(), every(newFake(), login)...)
			r := httptest.NewRequest(http.MethodPost, webtest.Origin+path, strings.NewReader("name=ada&password=x&code=x"))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", "https://evil.example")
			if site != "" {
				r.Header.Set("Sec-Fetch-Site", site)
			}
			w := s.Ask("", r)
			if w.Code != http.StatusForbidden || len(login.peers) > 0 || len(w.Result().Cookies()) > 0 {
				t.Errorf("%s, Sec-Fetch-Site %q: status %d, %d sign-ins, cookies %v", path, site, w.Code, len(login.peers), w.Result().Cookies())
			}
		}
	}
}

func (a *peerAccounts) Device(string) (string, error) { return "device", nil }

func TestSignInSetsAStrictCookie(t *testing.T) {
	login := &peerAccounts{token: "broker"}
	s := webtest.New(t, newFake(), every(newFake(), login)...)
	w := s.Ask("", s.Form("/sign-in", map[string][]string{"name": {"ada"}, "password": {"right"}}))
	cookies := w.Result().Cookies()
	if len(cookies) != 2 {
		t.Fatalf("got %d cookies, want one of the session and one of the device", len(cookies))
	}
	for _, k := range cookies {
		if !k.HttpOnly || k.SameSite != http.SameSiteStrictMode || k.Path != "/" || k.Domain != "" || !strings.HasPrefix(k.Name, "hide-") {
			t.Errorf("cookie is %+v", k)
		}
	}
	if session, device := cookies[0], cookies[1]; session.MaxAge != 0 || device.MaxAge != int(account.DeviceFor.Seconds()) {
		t.Errorf("the session's cookie lasts %d s, the device's %d s", session.MaxAge, device.MaxAge)
	}
}

// Behind a proxy that is not listed all people have its address: it must not wait with one
// person who mistypes.
func TestAProxyIsNotSlowedDown(t *testing.T) {
	for _, proxied := range []bool{true, false} {
		login := &peerAccounts{}
		s := webtest.New(t, newFake(), signin.New(signin.Config{Accounts: login, Proxied: proxied}))
		r := s.Form("/sign-in", map[string][]string{"name": {"ada"}, "password": {"wrong"}})
		r.RemoteAddr = "192.0.2.7:1234"
		s.Ask("", r)
		want := "192.0.2.7"
		if proxied {
			want = ""
		}
		if !slices.Equal(login.peers, []string{want}) {
			t.Errorf("proxied %v: failures are counted for %q, want %q", proxied, login.peers, want)
		}
	}
}

// TestOnlyAListedProxyNamesTheBrowser: the right-most address that is not a proxy's counts.
func TestOnlyAListedProxyNamesTheBrowser(t *testing.T) {
	for _, c := range []struct{ remote, forwarded, want string }{
		{"10.0.0.5:1", "203.0.113.9", "203.0.113.9"},
		{"10.0.0.5:1", "198.51.100.1, 203.0.113.9, 10.0.0.7", "203.0.113.9"},
		{"10.0.0.5:1", "198.51.100.1:80, 203.0.113.9:4711, 10.0.0.7:443", "203.0.113.9"},
		{"10.0.0.5:1", "[2001:db8::9]:4711", "2001:db8::9"},
		{"10.0.0.5:1", "2001:db8::9, [::ffff:10.0.0.7]", "2001:db8::9"},
		{"10.0.0.5:1", "203.0.113.9, nonsense:80", "10.0.0.5"},
		{"10.0.0.5:1", "", "10.0.0.5"},
		{"10.0.0.5:1", "nonsense", "10.0.0.5"},
		{"192.0.2.7:1", "203.0.113.9", "192.0.2.7"},
		{"127.0.0.1:1", "203.0.113.9", "127.0.0.1"},
	} {
		login := &peerAccounts{}
		s := webtest.NewWith(t, newFake(), func(cfg *web.Config) { cfg.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")} },
			signin.New(signin.Config{Accounts: login}))
		r := s.Form("/sign-in", map[string][]string{"name": {"ada"}, "password": {"wrong"}})
		r.RemoteAddr = c.remote
		r.Header.Set("X-Forwarded-For", c.forwarded)
		s.Ask("", r)
		if !slices.Equal(login.peers, []string{c.want}) {
			t.Errorf("%+v: failures are counted for %q", c, login.peers)
		}
	}
}

// TestSlowStrangersAreCutOff sends a byte now and then to each form and upload, and to
// what is refused before anything is read. The deadline is short here.
func TestSlowStrangersAreCutOff(t *testing.T) {
	s := webtest.NewWith(t, newFake(), func(cfg *web.Config) {
		cfg.Deadlines = web.UsualDeadlines()
		cfg.Deadlines.Stranger = 100 * time.Millisecond
	}, every(newFake(), noLogin{})...)
	served := httptest.NewServer(s.Handler())
	defer served.Close()
	const form = "application/x-www-form-urlencoded"
	own := strings.TrimPrefix(webtest.Origin, "http://")
	head := func(line, host, origin, kind string, length int) string {
		return fmt.Sprintf("%s HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", line, host, origin, kind, length)
	}
	heads := []string{
		head("POST /sign-in", own, webtest.Origin, form, 100_000), // more than a stranger may send
		head("POST /sign-in", own, webtest.Origin, "multipart/form-data; boundary=x", 60_000),
		head("POST /sign-in", own, "http://other.example", form, 60_000),
		head("POST /sign-in", "other.example", webtest.Origin, form, 60_000),
		head("POST /nowhere", own, webtest.Origin, form, 60_000),
		head("GET /", own, webtest.Origin, form, 60_000),
	}
	eachForm(t, s, func(r ui.Route) {
		kind := form
		if r.Files {
			kind = "multipart/form-data; boundary=x"
		}
		heads = append(heads, head("POST "+address(r.Path), own, webtest.Origin, kind, 60_000))
	})
	var open sync.WaitGroup
	for _, h := range heads {
		open.Go(func() {
			if staysOpen(t, served.Listener.Addr().String(), h) {
				t.Errorf("still open: %s", h)
			}
		})
	}
	open.Wait()
}

// staysOpen sends the head of a request and then a byte now and then.
func staysOpen(t *testing.T, address, head string) bool {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Error(err)
		return false
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, head)
	for range 1000 {
		if _, err := io.WriteString(conn, "a"); err != nil {
			return false
		}
		_ = conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		if _, err := io.Copy(io.Discard, conn); err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			return false
		}
	}
	return true
}

// failing fails in the middle of every download.
type failing struct{ fake }

var errCut = errors.New("the disk went away")

// half writes more than any buffer between here and the client holds, or a few
// bytes that all of them hold back.
func half(w io.Writer, small bool) error {
	line := strings.Repeat("a line of a file\n", 4000)
	if small {
		line = "a line\n"
	}
	if _, err := io.WriteString(w, line); err != nil {
		return err
	}
	return errCut
}

func (failing) Export(_ context.Context, _ account.User, _ project.ID, opts project.ExportOptions, w io.Writer) error {
	return half(w, opts.Format == "brat")
}

func (failing) WriteRelease(_ context.Context, _ account.User, _ project.ID, _ int, w io.Writer) error {
	return half(w, false)
}

func (failing) WriteBundle(_ context.Context, _ account.User, _ project.ID, _ int, w io.Writer) error {
	return half(w, true)
}

// panicking breaks after the first bytes.
type panicking struct{ failing }

func (panicking) Export(_ context.Context, _ account.User, _ project.ID, _ project.ExportOptions, w io.Writer) error {
	if err := half(w, false); err == nil {
		return nil
	}
	panic("while writing")
}

// aborting asks net/http to cut the connection.
type aborting struct{ failing }

func (aborting) Export(context.Context, account.User, project.ID, project.ExportOptions, io.Writer) error {
	panic(http.ErrAbortHandler)
}

// download asks a running server for a file as a broker.
func download(t *testing.T, projects pages, path string) error {
	t.Helper()
	s := newServer(t, projects)
	running := httptest.NewServer(s.Handler())
	defer running.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, running.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = strings.TrimPrefix(webtest.Origin, "http://")
	r.AddCookie(&http.Cookie{Name: web.CookieName(webtest.Origin, false), Value: string(account.Broker)})
	answer, err := running.Client().Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d", path, answer.StatusCode)
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

func TestACutDownloadDoesNotLookWhole(t *testing.T) {
	for _, path := range []string{
		"/p/p1/download/notes/jsonl", "/p/p1/download/notes/brat", "/p/p1/releases/1/zip", "/p/p1/bundles/2",
	} {
		if err := download(t, failing{newFake()}, path); err == nil {
			t.Errorf("%s: half a file arrives without an error", path)
		}
	}
	if err := download(t, panicking{failing{newFake()}}, "/p/p1/download/notes/jsonl"); err == nil {
		t.Error("a panic after the first byte ends like a whole file")
	}
	if err := download(t, aborting{failing{newFake()}}, "/p/p1/download/notes/jsonl"); err == nil {
		t.Error("a handler that cuts the connection is answered for")
	}
	if err := download(t, newFake(), "/p/p1/releases/1/zip"); err != nil {
		t.Errorf("a whole file: %v", err)
	}
}
