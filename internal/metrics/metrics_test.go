// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestServeAnswersThisMachineOnly: on the port of the metrics, and by an address of the
// machine.
func TestServeAnswersThisMachineOnly(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := New("v")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	healthy := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") })
	go func() { ended <- m.Serve(ctx, l, healthy, slog.New(slog.DiscardHandler)) }()
	for _, c := range []struct {
		path, host string
		status     int
		body       string
	}{
		{"/metrics", "", 200, "go_goroutines"},
		{"/metrics", "localhost:1", 200, "go_goroutines"},
		{"/metrics", "evil.example:9464", 421, "address of this machine"},
		{"/metrics", "127.0.0.1.evil.example:9464", 421, ""},
		{"/readyz", "", 200, "ok"},
		{"/debug/pprof/", "", 404, ""},
	} {
		r, err := http.NewRequest(http.MethodGet, "http://"+l.Addr().String()+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = c.host
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.status || !strings.Contains(string(body), c.body) {
			t.Errorf("%s as %q: status %d, %v", c.path, c.host, resp.StatusCode, err)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestAScrapeCountsWhatItLacks: a source that fails takes no other metric away, and its
// error, which may name a path, is not shown.
func TestAScrapeCountsWhatItLacks(t *testing.T) {
	m := New("v")
	m.Watch(Sources{
		DataFile:  func() (int64, error) { return 0, errors.New("stat /srv/secret: gone") },
		AuditRows: func() (uint64, error) { return 5, nil },
		Webhooks:  func() Webhooks { return Webhooks{Waiting: 4, Delivered: 30, GivenUp: 2, Dropped: 1} },
		Copies:    func() map[string]Lag { return map[string]Lag{"syslog": {Rows: 3, Seconds: 61.5}} },
	})
	m.Request(http.MethodGet, "/p/:project", 200, time.Second)
	scrape := func() string {
		w := httptest.NewRecorder()
		m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return w.Body.String()
	}
	scrape()
	text := scrape()
	for _, line := range []string{
		"hide_audit_rows_total 5", `hide_audit_copy_behind_rows{copy="syslog"} 3`, `hide_audit_copy_behind_seconds{copy="syslog"} 61.5`,
		"hide_webhook_waiting_messages 4", `hide_webhook_messages_total{end="delivered"} 30`, `hide_webhook_messages_total{end="given_up"} 2`, `hide_webhook_messages_total{end="dropped"} 1`,
		`hide_metric_failures_total{metric="data_file_bytes"}`,
		`hide_http_requests_total{method="GET",route="/p/:project",status="200"} 1`,
		`hide_http_request_duration_seconds_bucket{method="GET",route="/p/:project",le="1"} 1`,
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the scrape lacks %s", line)
		}
	}
	if strings.Contains(text, "secret") {
		t.Error("the scrape shows an error")
	}
}
