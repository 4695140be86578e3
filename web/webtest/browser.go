// SPDX-License-Identifier: Apache-2.0

package webtest

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"hide/internal/account"
	"hide/internal/browsertest"
	"hide/web"
)

// Browser is a browser signed in to a server on a loopback port.
type Browser struct {
	*browsertest.Browser
	Base     string
	Requests *atomic.Int64 // pages and fragments asked for, without files and live connections
}

// Open serves the features and signs a browser in with the role.
func Open(t *testing.T, role account.Role, projects web.Projects, features ...web.Feature) *Browser {
	t.Helper()
	counted := &requestCount{}
	base := serve(t, counted, projects, features)
	b := &Browser{Browser: browsertest.Start(t), Base: base, Requests: &counted.n}
	b.SetCookie(base, web.CookieName(base, false), string(role))
	return b
}

// Module is the URL of a module of the static folder. A page has to be open.
func (b *Browser) Module(name string) string {
	var address string
	b.Eval(fmt.Sprintf(`new URL("js/%s", document.querySelector('link[rel="stylesheet"]').href).href`, name), &address)
	return address
}

// Serve serves the features on a loopback port until the test ends.
func Serve(t *testing.T, projects web.Projects, features ...web.Feature) (base string) {
	t.Helper()
	return serve(t, slog.DiscardHandler, projects, features)
}

func serve(t *testing.T, log slog.Handler, projects web.Projects, features []web.Feature) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + l.Addr().String()
	s := newAt(t, base, log, projects, features)
	Run(t, s.Server, l)
	return base
}

// Run lets s answer on l until the test ends.
func Run(t *testing.T, s *web.Server, l net.Listener) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-stopped; err != nil {
			t.Errorf("stop: %v", err)
		}
	})
}

// requestCount counts the log lines of pages and fragments.
type requestCount struct{ n atomic.Int64 }

func (*requestCount) Enabled(context.Context, slog.Level) bool { return true }

func (c *requestCount) Handle(_ context.Context, line slog.Record) error {
	if line.Message != "request" {
		return nil
	}
	page := true
	line.Attrs(func(a slog.Attr) bool {
		if route := a.Value.String(); a.Key == "route" && (strings.HasPrefix(route, "/static/") || strings.HasSuffix(route, "/live")) {
			page = false
		}
		return page
	})
	if page {
		c.n.Add(1)
	}
	return nil
}

func (c *requestCount) WithAttrs([]slog.Attr) slog.Handler { return c }
func (c *requestCount) WithGroup(string) slog.Handler      { return c }
