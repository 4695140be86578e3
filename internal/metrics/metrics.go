// SPDX-License-Identifier: Apache-2.0

// Package metrics counts what a server does, for Prometheus, on a port of its own that
// only this machine reaches. Make the metrics with [New], count requests with
// [Metrics.Request], name what a scrape asks with [Metrics.Watch], and answer with
// [Metrics.Serve].
//
// No metric and no label holds an id, a name, an address or text: routes are patterns, and
// kinds of work are words of the program.
package metrics

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the metrics of one server. Safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	failures *prometheus.CounterVec
}

// New makes the metrics of the Go runtime, of the process and of requests.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hide_http_requests_total", Help: "Answered requests by method, pattern of the address and status.",
		}, []string{"method", "route", "status"}),
		// A page takes milliseconds, an import of gigabytes minutes.
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "hide_http_request_duration_seconds", Help: "Time from the headers of a request to the end of the answer.",
			Buckets: []float64{0.005, 0.025, 0.1, 0.25, 1, 5, 30, 300},
		}, []string{"method", "route"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hide_metric_failures_total", Help: "Metrics that a scrape lacks because they could not be read.",
		}, []string{"metric"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "hide_build_info", Help: "1, with the version of the program.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		build, m.requests, m.seconds, m.failures)
	return m
}

// methods are those that a label may have: a client can send any word.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// Request counts an answered request. route must be a pattern without ids.
func (m *Metrics) Request(method, route string, status int, took time.Duration) {
	if !slices.Contains(methods, method) {
		method = "other"
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(method, route).Observe(took.Seconds())
}

// Handler answers scrapes.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}

// Serve answers /metrics on l until ctx ends, and every other address with health, which
// may be nil. It closes l.
func (m *Metrics) Serve(ctx context.Context, l net.Listener, health http.Handler, log *slog.Logger) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", onlyHere(m.Handler()))
	if health != nil {
		mux.Handle("/healthz", health)
		mux.Handle("/readyz", health)
	}
	srv := &http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, WriteTimeout: 15 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	defer context.AfterFunc(ctx, func() { srv.Close() })()
	if err := srv.Serve(l); ctx.Err() == nil || !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// onlyHere refuses requests by a host name. A page in a browser on this machine could
// otherwise point its own name at 127.0.0.1 and read the metrics.
func onlyHere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "Ask by the address of this machine, such as 127.0.0.1.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
