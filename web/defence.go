// SPDX-License-Identifier: Apache-2.0

package web

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/web/ui"
)

// contentPolicy is the content security policy. Notes are hostile text: even if a browser
// took some of it for markup, it could load, run and send nothing.
var contentPolicy = strings.Join([]string{
	"default-src 'none'",
	"script-src 'self'",      // files of ours; no inline script, no eval
	"style-src 'self'",       // nor inline style
	"img-src 'self'",         // the icon
	"connect-src 'self'",     // htmx and the live connection
	"form-action 'self'",     // a forged form can send nothing elsewhere
	"base-uri 'none'",        // nothing may redirect our relative URLs
	"frame-ancestors 'none'", // no framing, so no click-jacking
	"font-src 'none'",        // system fonts only
	"manifest-src 'none'",    // not an app
	"worker-src 'none'",      // no service worker that could outlive a session
	"object-src 'none'",      // no plugins
}, "; ")

const oneYear = "max-age=31536000"

// headers sets the headers of every answer, also of errors and files.
func (s *Server) headers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		// Not no-referrer: browsers would send "Origin: null" with our own forms.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=(), browsing-topics=()")
		h.Set("Cache-Control", "no-store") // staticFile says otherwise
		h.Set("Vary", "HX-Request, Cookie")
		if s.secure {
			h.Set("Strict-Transport-Security", oneYear)
		}
		return next(c)
	}
}

// hostSet holds the Host values that are answered, in lower case.
func hostSet(public string, more []string) map[string]bool {
	set := map[string]bool{strings.ToLower(public): true}
	for _, h := range more {
		set[strings.ToLower(h)] = true
	}
	return set
}

// checkHost refuses unknown host names. A page of another site can point its own name at
// 127.0.0.1 (DNS rebinding) and would then have the same origin as hide; only the Host
// header reveals it.
func (s *Server) checkHost(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !s.hosts[strings.ToLower(c.Request().Host)] {
			return s.wrongAddress(c.Request())
		}
		return next(c)
	}
}

// wrongAddress says where the server is. A person who is there already sees a proxy's fault.
func (s *Server) wrongAddress(r *http.Request) error {
	e := &ui.Error{
		Status: http.StatusMisdirectedRequest,
		Title:  "Wrong address",
		What:   "The server does not answer to the name in this address.",
		Next:   "Open " + s.origin + " instead.",
	}
	if s.secure && r.TLS == nil {
		e.Next += " If this is the address that you opened, tell the administrator of hide: a proxy in front of it does not pass the Host header on."
	}
	return e
}

// checkOrigin refuses requests from pages of other sites: every method that changes
// something, every upgrade to a websocket, which browsers allow across origins, and all of the
// API, which is for programs. The
// cookie of the session is SameSite=Strict as well, but signing in needs no cookie.
func (s *Server) checkOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, origin := c.Request(), c.Request().Header.Get("Origin")
		upgrade := r.Header.Get("Upgrade") != ""
		switch {
		case s.crossOrigin.Check(r) != nil,
			upgrade && origin == "", // every browser names the origin of a websocket
			origin != "" && !s.isOwn(origin, r.Host) && (upgrade || isAPI(r) || r.Method != http.MethodGet && r.Method != http.MethodHead):
			return errOtherSite
		}
		return next(c)
	}
}

// isOwn reports whether origin is ours, scheme included, which
// [http.CrossOriginProtection] does not know. host has passed checkHost.
func (s *Server) isOwn(origin, host string) bool {
	u, err := url.Parse(origin)
	return origin == s.origin || err == nil && u.Host == host && u.Scheme == s.scheme()
}

func (s *Server) scheme() string {
	if s.secure {
		return "https"
	}
	return "http"
}

// Limits of the size of a request and of the time to read and to answer it.
const (
	maxUpload   = 4 << 30
	maxStranger = 64 << 10 // before sign-in: enough for every form there
)

// Deadlines bound how long a request may take to arrive and its answer to leave.
type Deadlines struct {
	Stranger time.Duration // to read a request of somebody who has not signed in
	Read     time.Duration // to read a form
	Send     time.Duration // to write an answer
	Progress time.Duration // between two reads or writes of a stream
}

// UsualDeadlines are those of a server whose configuration has none.
func UsualDeadlines() Deadlines {
	return Deadlines{Stranger: 10 * time.Second, Read: 30 * time.Second, Send: time.Minute, Progress: 2 * time.Minute}
}

// hurry gives every request the deadlines of a stranger's, before anything can refuse it:
// the server reads the rest of a refused request too. limit extends them after sign-in.
func (s *Server) hurry(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		// A writer without deadlines is a test's: nothing to bound there.
		control, now := http.NewResponseController(c.Response().Writer), time.Now()
		_ = control.SetReadDeadline(now.Add(s.within.Stranger))
		_ = control.SetWriteDeadline(now.Add(s.within.Send))
		return next(c)
	}
}

// limit bounds the size and the time of a request, more so before sign-in. It sets the
// deadlines, not the http.Server, because an import may take any time while it goes on.
func (s *Server) limit(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, size := c.Request(), int64(ui.MaxBody)
		takes := s.routeAt[r.Method+" "+c.Path()]
		streams := takes.Streams
		signedIn := ui.VisitOf(r.Context()).SignedIn()
		switch {
		case !signedIn:
			size = maxStranger
		case streams:
			size = maxUpload
		}
		if !takes.Files && strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
			return echo.ErrUnsupportedMediaType // files would be held in memory or on disk
		}
		if r.ContentLength > size {
			return &http.MaxBytesError{Limit: size}
		}
		switch {
		case c.IsWebSocket(): // a live connection has its own
		case !signedIn:
			tempo{read: s.within.Stranger, send: s.within.Send}.keep(c)
		case streams:
			watched, done := s.transfers.begin(c, s.mayGoOn(c, takes))
			defer done()
			if err := watched.allowed(); err != nil { // a change before begin told nobody
				return err
			}
			defer s.endOn(c, watched)()
			r = c.Request()
			tempo{read: s.within.Progress, send: s.within.Progress, each: true, transfer: watched}.keep(c)
		default:
			tempo{read: s.within.Read, send: s.within.Send}.keep(c)
		}
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = http.MaxBytesReader(c.Response(), r.Body, size)
		}
		if !streams && r.Method == http.MethodPost && !isAPI(r) {
			err := r.ParseForm() // FormValue would ignore an error
			if errors.Is(err, os.ErrDeadlineExceeded) {
				return echo.NewHTTPError(http.StatusRequestTimeout)
			}
			if err != nil {
				return fmt.Errorf("read form: %w", err)
			}
		}
		return next(c)
	}
}

// CookieName is the name of the session's cookie. It differs between two servers
// on one computer: browsers share cookies between ports. The __Host- prefix ties
// the cookie to https and this very host.
func CookieName(origin string, secure bool) string {
	sum := sha256.Sum256([]byte(origin))
	name := "hide-" + hex.EncodeToString(sum[:4])
	if secure {
		return "__Host-" + name
	}
	return name
}

// session finds the person who makes the request. Opening a live connection does not count
// as use, nor does a request that a page makes by itself and says so: browsers repeat them
// even if nobody is there.
func (s *Server) session(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		v := ui.VisitOf(c.Request().Context())
		find := s.accounts.Session
		if c.IsWebSocket() || c.Request().Header.Get("Hide-Unattended") != "" {
			find = s.accounts.Peek
		}
		v.Token = ui.SessionToken(c)
		u, session, err := find(v.Token)
		switch {
		case err == nil:
			v.User, v.Session = u, session
		case errors.Is(err, account.ErrSession):
			v.Token = ""
		default:
			return fmt.Errorf("find session: %w", err)
		}
		ui.SetVisit(c, v)
		return next(c)
	}
}
