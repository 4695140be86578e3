// SPDX-License-Identifier: Apache-2.0

package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/web/ui"
)

// Each test here is one defence, asked of the whole handler stack. Package site asks
// the same of every route of the real pages.

const canary = "Ottoline Quarrington"

func TestHostAllowList(t *testing.T) {
	s := serverOf(t, newTestFeature(), Config{Hosts: []string{"localhost:8080"}})
	cases := []struct {
		host string
		want int
	}{
		{"127.0.0.1:8080", 200},
		{"localhost:8080", 200},
		{"LOCALHOST:8080", 200},
		{"127.0.0.1:8081", 421},
		{"127.evil.example:8080", 421},
		{"evil.example", 421},
		{"127.0.0.1:8080.evil.example", 421},
		{"", 421},
	}
	for _, path := range []string{"/sign-in", "/static/" + s.assets.hash + "/app.css"} {
		for _, c := range cases {
			r := httptest.NewRequest(http.MethodGet, testOrigin+path, nil)
			r.Host = c.host
			if w := ask(s, "", r); w.Code != c.want {
				t.Errorf("host %q, %s: got status %d, want %d", c.host, path, w.Code, c.want)
			}
		}
	}
}

func TestOtherSitesCannotPost(t *testing.T) {
	cases := []struct {
		name, origin, site string
		want               int
	}{
		{"own page", testOrigin, "same-origin", 303},
		{"own page without Sec-Fetch-Site", testOrigin, "", 303},
		{"no browser", "", "", 303},
		{"another site", "https://evil.example", "cross-site", 403},
		{"another site in an old browser", "https://evil.example", "", 403},
		{"another port", "http://127.0.0.1:9999", "same-site", 403},
		{"https of the same host", "https://127.0.0.1:8080", "", 403},
		{"null", "null", "cross-site", 403},
		{"null in an old browser", "null", "", 403},
		{"lying origin", testOrigin, "cross-site", 403},
		{"same site", "", "same-site", 403},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := newTestFeature()
			s := newTestServer(t, f)
			r := formRequest(testOrigin, "/projects", "name=x")
			setIf(r, "Origin", c.origin)
			setIf(r, "Sec-Fetch-Site", c.site)
			w := ask(s, account.Broker, r)
			if w.Code != c.want || f.created != btoi(c.want == 303) {
				t.Errorf("got status %d and %d projects, want %d", w.Code, f.created, c.want)
			}
		})
	}
}

func setIf(r *http.Request, name, value string) {
	if value != "" {
		r.Header.Set(name, value)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestFilesOnlyWhereTheyAreExpected(t *testing.T) {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	_ = m.WriteField("name", "x")
	m.Close()
	s := newTestServer(t, newTestFeature())
	r := httptest.NewRequest(http.MethodPost, testOrigin+"/projects", &b)
	r.Header.Set("Content-Type", m.FormDataContentType())
	if w := ask(s, account.Broker, r); w.Code != http.StatusUnsupportedMediaType {
		t.Errorf("got status %d, want 415", w.Code)
	}
}

func TestSecurityHeadersOnEverything(t *testing.T) {
	s := newTestServer(t, newTestFeature())
	want := map[string]string{
		"Content-Security-Policy":      contentPolicy,
		"X-Content-Type-Options":       "nosniff",
		"X-Frame-Options":              "DENY",
		"Referrer-Policy":              "same-origin",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
	}
	answers := map[string]*httptest.ResponseRecorder{
		"page": get(s, account.Broker, "/"), "sign-in": get(s, "", "/sign-in"), "nowhere": get(s, "", "/nowhere"),
		"file": get(s, "", s.assets.url("app.css")), "missing file": get(s, "", "/static/x/y.js"), "refused": get(s, account.Reviewer, "/people"),
	}
	for name, w := range answers {
		for header, value := range want {
			if got := w.Header().Get(header); got != value {
				t.Errorf("%s: %s is %q, want %q", name, header, got, value)
			}
		}
		if strings.Contains(w.Header().Get("Content-Security-Policy"), "unsafe") {
			t.Errorf("%s: the policy allows something unsafe", name)
		}
		if w.Header().Get("Strict-Transport-Security") != "" {
			t.Errorf("%s: HSTS over http", name)
		}
	}
}

func TestPagesAreNotStoredAndFilesAreForEver(t *testing.T) {
	s := newTestServer(t, newTestFeature())
	for _, path := range []string{"/", "/sign-in", "/p/p1", "/nowhere", "/static/0/app.css", "/static/" + s.assets.hash + "/../doc.go"} {
		if got := get(s, account.Broker, path).Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control is %q", path, got)
		}
	}
	w := get(s, "", s.assets.url("app.css"))
	if got := w.Header().Get("Cache-Control"); w.Code != 200 || got != "public, max-age=31536000, immutable" {
		t.Errorf("app.css: status %d, Cache-Control %q", w.Code, got)
	}
	if w.Header().Get("Set-Cookie") != "" {
		t.Error("a file sets a cookie")
	}
}

func TestCookieFlags(t *testing.T) {
	for _, c := range []struct{ origin, prefix string }{{testOrigin, "hide-"}, {"https://hide.example", "__Host-hide-"}} {
		s := serverOf(t, newTestFeature(), Config{PublicOrigin: c.origin})
		r := formRequest(c.origin, "/sign-in", "name=ada&password=right")
		r.Header.Set("Origin", c.origin)
		w := ask(s, "", r)
		cookies := w.Result().Cookies()
		if len(cookies) != 1 {
			t.Fatalf("%s: got %d cookies, want 1", c.origin, len(cookies))
		}
		k := cookies[0]
		secure := strings.HasPrefix(c.origin, "https")
		if !k.HttpOnly || k.SameSite != http.SameSiteStrictMode || k.Secure != secure || k.Path != "/" || k.Domain != "" || !strings.HasPrefix(k.Name, c.prefix) {
			t.Errorf("%s: cookie is %+v", c.origin, k)
		}
		if secure != (w.Header().Get("Strict-Transport-Security") != "") {
			t.Errorf("%s: HSTS is %q", c.origin, w.Header().Get("Strict-Transport-Security"))
		}
	}
	if CookieName("http://127.0.0.1:1", false) == CookieName("http://127.0.0.1:2", false) {
		t.Error("two servers on one computer share a cookie")
	}
}

func TestBodyLimit(t *testing.T) {
	s := newTestServer(t, newTestFeature())
	for _, known := range []bool{true, false} {
		body := io.LimitReader(endless{}, ui.MaxBody+1)
		r := httptest.NewRequest(http.MethodPost, testOrigin+"/projects", body)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.ContentLength = -1
		if known {
			r.ContentLength = ui.MaxBody + 1
		}
		if w := ask(s, account.Broker, r); w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("length known %v: got status %d, want 413", known, w.Code)
		}
	}
}

type endless struct{}

var letters = bytes.Repeat([]byte("a"), 1<<15)

func (endless) Read(p []byte) (int, error) { return copy(p, letters), nil }

func TestNothingOfANoteIsLoggedOrShownByAnError(t *testing.T) {
	causes := map[string]func(ui.Context) error{
		"panic with text": func(ui.Context) error { panic(canary) },
		"panic of error":  func(ui.Context) error { panic(errors.New(canary)) },
		"query":           nil,
	}
	for name, list := range causes {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			f := newTestFeature()
			f.list = list
			s := serverOf(t, f, Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
			w := get(s, account.Broker, "/?q="+url.QueryEscape(canary))
			if failed := w.Code == http.StatusInternalServerError; failed != (list != nil) {
				t.Errorf("status %d", w.Code)
			}
			post(s, account.Broker, "/projects", url.Values{"name": {canary}})
			get(s, account.Broker, "/nowhere/"+url.PathEscape(canary))
			for _, part := range strings.Fields(canary) {
				if strings.Contains(log.String(), part) {
					t.Errorf("the log holds %q:\n%s", part, log.String())
				}
				if strings.Contains(w.Body.String(), part) {
					t.Errorf("the page holds %q", part)
				}
			}
			if !strings.Contains(log.String(), "route=/projects") {
				t.Errorf("the log lacks the request:\n%s", log.String())
			}
		})
	}
}

func TestUnknownErrorShowsItsReferenceOnly(t *testing.T) {
	var log bytes.Buffer
	f := newTestFeature()
	f.list = func(ui.Context) error { return fmt.Errorf("bucket %d is missing", 7) }
	s := serverOf(t, f, Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	w := get(s, account.Broker, "/")
	if w.Code != 500 || strings.Contains(w.Body.String(), "bucket") {
		t.Errorf("status %d, body %s", w.Code, w.Body)
	}
	_, after, found := strings.Cut(w.Body.String(), "under reference ")
	ref, _, _ := strings.Cut(after, ".")
	if !found || ref == "" || !strings.Contains(log.String(), "id="+ref) || !strings.Contains(log.String(), "bucket 7 is missing") {
		t.Errorf("reference %q is not with the cause in the log:\n%s", ref, log.String())
	}
}

func TestErrorsReachScriptsAsNotices(t *testing.T) {
	s := newTestServer(t, newTestFeature())
	r := httptest.NewRequest(http.MethodGet, testOrigin+"/p/p9", nil)
	r.Header.Set("HX-Request", "true")
	w := ask(s, account.Broker, r)
	if w.Code != 404 || w.Header().Get("HX-Retarget") != "#messages" || strings.Contains(w.Body.String(), "<html") || !strings.Contains(w.Body.String(), "There is no project p9.") {
		t.Errorf("status %d, retarget %q, body %s", w.Code, w.Header().Get("HX-Retarget"), w.Body)
	}
}

func TestWhoIsNotSignedInIsSentToSignIn(t *testing.T) {
	s := newTestServer(t, newTestFeature())
	w := get(s, "", "/p/p1")
	if w.Code != 303 || w.Header().Get("Location") != "/sign-in?next=%2Fp%2Fp1" {
		t.Errorf("status %d to %q", w.Code, w.Header().Get("Location"))
	}
	r := httptest.NewRequest(http.MethodGet, testOrigin+"/p/p1", nil)
	r.Header.Set("HX-Request", "true")
	if w := ask(s, "", r); w.Code != 401 {
		t.Errorf("a script gets status %d, want 401", w.Code)
	}
}

func TestLinkFromAnotherSiteIsAskedOnceMore(t *testing.T) {
	s := newTestServer(t, newTestFeature())
	for path, again := range map[string]bool{"/p/p1": true, "/p/p1/notes/7": true, "/p/x;evil": false} {
		r := httptest.NewRequest(http.MethodGet, testOrigin+path, nil)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		w := ask(s, "", r)
		if got := strings.Contains(w.Body.String(), `content="0; url=`+path+`"`); got != again || (w.Code == 200) != again {
			t.Errorf("%s: status %d, asked again %v, want %v", path, w.Code, got, again)
		}
		if strings.Contains(w.Header().Get("Set-Cookie"), s.cookie+"=") {
			t.Errorf("%s: the session's cookie is replaced", path)
		}
	}
}

func TestForwardedAddressesAreIgnored(t *testing.T) {
	s := newTestServer(t, newTestFeature())
	r := httptest.NewRequest(http.MethodGet, testOrigin+"/sign-in", nil)
	r.RemoteAddr = "192.0.2.7:1234"
	for _, h := range []string{"X-Forwarded-For", "X-Real-IP", "Forwarded"} {
		r.Header.Set(h, "203.0.113.9")
	}
	if got := s.echo.NewContext(r, httptest.NewRecorder()).RealIP(); got != "192.0.2.7" {
		t.Errorf("address is %q", got)
	}
}

func TestNewRefusesNonsense(t *testing.T) {
	for _, origin := range []string{"", "127.0.0.1:8080", "ftp://x", "http://x/path", "http://"} {
		if _, err := New(Config{Accounts: testAccounts{}, Projects: newTestProjects(), PublicOrigin: origin}); err == nil {
			t.Errorf("origin %q is accepted", origin)
		}
	}
	f := newTestFeature()
	_, err := New(Config{Accounts: testAccounts{}, Projects: newTestProjects(), PublicOrigin: testOrigin, Features: []Feature{f, f}})
	if err == nil || !strings.Contains(err.Error(), "two features answer") {
		t.Errorf("two features at one address: %v", err)
	}
}

// Somebody who has signed out in another window is told so, and led back to the page.
func TestAFormOfSomebodyWhoSignedOutAsksToSignIn(t *testing.T) {
	s := newTestServer(t, newTestFeature())
	r := formRequest(testOrigin, "/p/p1/form", "x=y")
	r.Header.Set("Origin", testOrigin)
	r.Header.Set("Referer", testOrigin+"/p/p1/form?x=1")
	w := ask(s, "", r)
	body := w.Body.String()
	if w.Code != http.StatusUnauthorized || !strings.Contains(body, "You are signed out") || !strings.Contains(body, "The form was not saved") || !strings.Contains(body, `href="/sign-in?next=%2Fp%2Fp1%2Fform"`) {
		t.Errorf("status %d\n%s", w.Code, body)
	}
}

// usedAccounts counts the requests that keep a session open.
type usedAccounts struct {
	testAccounts
	used int
}

func (a *usedAccounts) Session(token string) (account.User, account.Session, error) {
	a.used++
	return a.Peek(token)
}

// TestWhatAPageAsksByItselfKeepsNoSessionOpen: a page that says that it is still open must not
// keep a person signed in who has left.
func TestWhatAPageAsksByItselfKeepsNoSessionOpen(t *testing.T) {
	accounts := &usedAccounts{}
	s := serverOf(t, newTestFeature(), Config{Accounts: accounts})
	r := httptest.NewRequest(http.MethodGet, testOrigin+"/p/p1", nil)
	r.Header.Set("Hide-Unattended", "1")
	if w := ask(s, account.Broker, r); w.Code != http.StatusOK || accounts.used != 0 {
		t.Errorf("status %d, the session was used %d times", w.Code, accounts.used)
	}
	if get(s, account.Broker, "/p/p1"); accounts.used != 1 {
		t.Errorf("a request of a person used the session %d times", accounts.used)
	}
}
