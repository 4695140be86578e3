// SPDX-License-Identifier: Apache-2.0

package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/labstack/echo/v4"

	"hide/internal/account"
	"hide/web/ui"
)

// Config says what a server serves, to whom, and under which name.
type Config struct {
	Accounts Accounts
	Projects Projects
	Features []Feature

	API    []APIFeature // the HTTP API; nil means none
	Tokens Tokens       // of the API; required if there is one

	// SharedAddress says that an unknown reverse proxy is in front: all requests have its
	// address, and wrong tokens are not counted by address.
	SharedAddress bool

	// PublicOrigin is the origin browsers see, "http://127.0.0.1:8080" or
	// "https://hide.hospital.example". Required.
	PublicOrigin string

	// Hosts are further values of the Host header to answer to, with port. The
	// host of PublicOrigin is always answered; everything else is refused.
	Hosts []string

	// Secure says that browsers reach the server by https: cookies are Secure
	// with the __Host- prefix, and HSTS is sent. Implied by an https PublicOrigin.
	Secure bool

	// Proxies are the addresses of reverse proxies. The X-Forwarded-For header of a request
	// from one of them names the browser, and nobody else's header does.
	Proxies []netip.Prefix

	// IdleFor is how long a session lasts without use; 0 means [account.IdleFor].
	IdleFor time.Duration

	// Deadlines of requests; the zero value means UsualDeadlines.
	Deadlines Deadlines

	// Ready are what /readyz asks. All must agree.
	Ready []Readiness

	// Traffic learns of every request; nil means that nobody counts them.
	Traffic Traffic

	Log *slog.Logger     // nil means no log
	Now func() time.Time // nil means time.Now
}

// Traffic counts requests. Its methods may be called concurrently.
type Traffic interface {
	// Request is told of an answer. route is the pattern of the address, "/p/:project/notes",
	// or "no route"; it holds no id. took is the time from the request's headers to the end
	// of the answer.
	Request(method, route string, status int, took time.Duration)
}

// Server answers browsers. It is safe for concurrent use.
type Server struct {
	accounts Accounts
	frame    Projects
	features []Feature
	api      []APIFeature
	tokens   Tokens
	shared   bool // see Config.SharedAddress
	origin   string
	hosts    map[string]bool
	secure   bool
	log      *slog.Logger
	now      func() time.Time
	assets   *assets
	echo     *echo.Echo
	cookie   string
	routes   []ui.Route
	calls    []APIRoute
	routeAt  map[string]ui.Route // of pages and API, by "POST /p/:project/import"
	within   Deadlines
	parts    map[string]ui.LivePart
	pace     pace
	idleFor  time.Duration
	health   *health
	traffic  Traffic

	crossOrigin *http.CrossOriginProtection
	address     echo.IPExtractor

	live      context.Context // ends when the server stops; every socket watches it
	stopLive  context.CancelFunc
	sockets   sockets
	transfers transfers
	rooms     *rooms
	upgrader  *websocket.Upgrader
	open      sync.WaitGroup // of sockets

	toldOfProxy sync.Once // that it passes no websockets on
}

// New makes a server. It fails when the configuration makes no sense.
func New(cfg Config) (*Server, error) {
	if cfg.Accounts == nil || cfg.Projects == nil {
		return nil, errors.New("web: no accounts or no projects to serve")
	}
	if len(cfg.API) > 0 && cfg.Tokens == nil {
		return nil, errors.New("web: an API and no tokens for it")
	}
	origin, err := url.Parse(cfg.PublicOrigin)
	if err != nil || origin.Host == "" || (origin.Scheme != "http" && origin.Scheme != "https") || origin.Path != "" {
		return nil, fmt.Errorf("public origin %q is not like https://host:port", cfg.PublicOrigin)
	}
	files, err := newAssets()
	if err != nil {
		return nil, err
	}
	s := &Server{
		accounts: cfg.Accounts, frame: cfg.Projects, features: cfg.Features,
		api: cfg.API, tokens: cfg.Tokens, shared: cfg.SharedAddress,
		origin: origin.Scheme + "://" + origin.Host, hosts: hostSet(origin.Host, cfg.Hosts),
		secure: cfg.Secure || origin.Scheme == "https",
		log:    cfg.Log, now: cfg.Now, assets: files, pace: usualPace(), within: cfg.Deadlines, idleFor: cmp.Or(cfg.IdleFor, account.IdleFor),
		health: &health{checks: cfg.Ready}, traffic: cfg.Traffic,
		crossOrigin: http.NewCrossOriginProtection(), address: addressOf(cfg.Proxies),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.within == (Deadlines{}) {
		s.within = UsualDeadlines()
	}
	s.cookie = CookieName(s.origin, s.secure)
	s.live, s.stopLive = context.WithCancel(context.Background())
	s.upgrader, s.rooms = newUpgrader(s.pace.write), newRooms(s)
	context.AfterFunc(s.live, s.accounts.Changes(s.accountChanged))
	if err := s.collect(); err != nil {
		s.stopLive()
		return nil, err
	}
	s.echo = s.newEcho()
	return s, nil
}

// Handler is the whole stack: the health of the server, every defence, then the routes.
func (s *Server) Handler() http.Handler {
	d := &Door{begun: make(chan struct{})}
	d.give(s)
	return d
}

// closeFeatures ends what features have begun outside of requests.
func (s *Server) closeFeatures(ctx context.Context) error {
	var errs []error
	closing := func(f any) {
		if c, has := f.(interface{ Close(context.Context) error }); has {
			errs = append(errs, c.Close(ctx))
		}
	}
	for _, f := range s.features {
		closing(f)
	}
	for _, f := range s.api {
		closing(f)
	}
	return errors.Join(errs...)
}

// collect takes the routes and the live parts of the shell and of every feature. Two features
// cannot answer at one address: the later one would hide the other.
func (s *Server) collect() error {
	s.routes = []ui.Route{
		ui.Post("/session", ui.SignedIn, s.stay),
		ui.Get("/p/:project/live", ui.SignedIn, s.liveSocket),
	}
	s.parts = map[string]ui.LivePart{}
	for _, f := range s.features {
		s.routes = append(s.routes, f.Routes()...)
		for _, p := range f.Parts() {
			s.parts[p.Name] = p
		}
	}
	s.routes = append(s.routes, reopened(s.routes)...)
	s.routeAt = map[string]ui.Route{}
	for _, r := range s.routes {
		at := r.Method + " " + r.Path
		if _, twice := s.routeAt[at]; twice {
			return fmt.Errorf("web: two features answer %s", at)
		}
		s.routeAt[at] = r
	}
	return s.collectAPI()
}

// stay does nothing: the request itself counts as use of the session.
func (s *Server) stay(c ui.Context) error { return c.NoContent(http.StatusNoContent) }

func (s *Server) newEcho() *echo.Echo {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.IPExtractor = s.address
	e.HTTPErrorHandler = s.answerError
	e.Pre(s.observe, s.recoverPanic, s.hurry, s.headers, s.checkHost, s.checkOrigin)
	e.GET("/static/:hash/*", s.staticFile)
	app := e.Group("", s.session, s.limit)
	for _, r := range s.Routes() {
		app.Add(r.Method, r.Path, s.permit(r))
	}
	s.addAPI(e)
	return e
}

// addressOf returns how to find the address of a browser: the right-most one in
// X-Forwarded-For that is not a proxy's, because a browser may have sent the others. If it
// finds something else there, the address of the connection counts.
func addressOf(proxies []netip.Prefix) echo.IPExtractor {
	direct := echo.ExtractIPDirect()
	return func(r *http.Request) string {
		peer := direct(r)
		from, ok := hop(peer)
		isFrom := func(p netip.Prefix) bool { return p.Contains(from) }
		hops := strings.Split(strings.Join(r.Header.Values(echo.HeaderXForwardedFor), ","), ",")
		for i := len(hops) - 1; ok && i >= 0 && slices.ContainsFunc(proxies, isFrom); i-- {
			from, ok = hop(strings.TrimSpace(hops[i]))
		}
		if !ok {
			return peer
		}
		return from.String()
	}
}

// hop reads an address. Some proxies write the port too.
func hop(text string) (netip.Addr, bool) {
	if a, err := netip.ParseAddrPort(text); err == nil {
		return a.Addr().Unmap().WithZone(""), true
	}
	a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return a.Unmap().WithZone(""), err == nil
}

// Routes are all routes of the shell and of every feature.
func (s *Server) Routes() []ui.Route { return slices.Clone(s.routes) }
