// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Door answers a port from before the data folder is open until after the last request.
// A load balancer then learns why there is no server yet, and does not wait for a
// connection that nobody accepts.
//
//	d := web.Open(listener, log)
//	defer d.Close()
//	... open the data folder, make the server s ...
//	err := s.ServeAt(ctx, d)
type Door struct {
	http   *http.Server
	addr   net.Addr
	server atomic.Pointer[Server] // nil while the server starts
	begun  chan struct{}          // closed when there is a server
	failed chan error             // gets one value, when the port is closed
	probes probes
}

// How long a request waits for a server that starts.
const startWithin = 20 * time.Second

// Open begins to answer l. Until [Server.ServeAt], /healthz says "ok" and /readyz that the
// server starts. Other requests wait, and get 503 after twenty seconds. log may be nil.
func Open(l net.Listener, log *slog.Logger) *Door {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	d := &Door{addr: l.Addr(), begun: make(chan struct{}), failed: make(chan error, 1)}
	d.http = &http.Server{
		Handler:           d,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	go func() { d.failed <- d.http.Serve(l) }()
	return d
}

// Addr is the address of the port.
func (d *Door) Addr() net.Addr { return d.addr }

// Health answers /healthz and /readyz for another port, also before there is a server.
func (d *Door) Health() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s := d.server.Load(); s != nil {
			s.health.ServeHTTP(w, r)
			return
		}
		answerHealth(w, r, errStarting)
	})
}

// Ready is what /readyz says: nil, or the reason why the server cannot do its work.
func (d *Door) Ready(ctx context.Context) error {
	if s := d.server.Load(); s != nil {
		return s.health.ready(ctx)
	}
	return errStarting
}

// Sockets is the number of open live connections.
func (d *Door) Sockets() int {
	if s := d.server.Load(); s != nil {
		return int(s.sockets.n.Load())
	}
	return 0
}

// Close closes the port and every connection. Closing twice is not an error.
func (d *Door) Close() error { return d.http.Close() }

// ServeHTTP gives a request to the server, if there is one.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if isHealth(r.URL.Path) {
		d.Health().ServeHTTP(w, r)
		return
	}
	proof, isProbe := d.probes.take(r.URL.Path)
	select {
	case <-d.begun:
		s := d.server.Load()
		if isProbe {
			s.probe(w, r, proof)
			return
		}
		s.echo.ServeHTTP(w, r)
	case <-r.Context().Done():
	case <-time.After(startWithin):
		plainHeaders(w)
		w.Header().Set("Retry-After", "5")
		http.Error(w, "hide is starting. Try again in a few seconds.", http.StatusServiceUnavailable)
	}
}

// give lets the server answer from now on.
func (d *Door) give(s *Server) {
	d.server.Store(s)
	close(d.begun)
}

// Why a server is not ready, besides what its checks say.
var (
	errStarting = errors.New("the server is starting")
	errStopping = errors.New("the server is stopping")
)

// How long requests may take to end after Serve's context ended.
const stopWithin = 10 * time.Second

// Serve is [Server.ServeAt] for a port that nobody has answered yet.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return s.ServeAt(ctx, Open(l, s.log))
}

// ServeAt answers the port until ctx ends. Then it closes every socket as going away
// (1001), lets running requests end within ten seconds, and returns nil.
func (s *Server) ServeAt(ctx context.Context, d *Door) error {
	d.give(s)
	select {
	case err := <-d.failed:
		s.stopLive()
		s.open.Wait()
		return errors.Join(fmt.Errorf("serve: %w", err), s.closeFeatures(context.WithoutCancel(ctx)))
	case <-ctx.Done():
	}
	s.health.stop()
	s.stopLive()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	err := d.http.Shutdown(late)
	if err != nil {
		err = errors.Join(fmt.Errorf("stop: requests were still running: %w", err), d.http.Close())
	}
	s.open.Wait()
	<-d.failed
	return errors.Join(err, s.closeFeatures(late))
}

// plainHeaders are those of an answer in plain text.
func plainHeaders(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
}

func isHealth(path string) bool { return path == healthPath || path == readyPath }
