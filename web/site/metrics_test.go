// SPDX-License-Identifier: Apache-2.0

package site

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/metrics"
	"hide/internal/project"
	"hide/web"
	"hide/web/webtest"
)

// TestMetricsHoldNoIDNameOrText asks every route with a name in its address, its form and its
// method, and reads what a scrape then says.
func TestMetricsHoldNoIDNameOrText(t *testing.T) {
	m := metrics.New("test")
	m.Watch(metrics.Sources{
		Sockets: func() int { return 3 }, Sessions: func() (int, error) { return 2, nil },
		Work:     func() map[string]metrics.Work { return map[string]metrics.Work{"train": {Running: 1, Waiting: 1}} },
		DataFile: func() (int64, error) { return 4096, nil }, AuditRows: func() (uint64, error) { return 17, nil },
		DiskFree:   func() (uint64, error) { return 0, &http.MaxBytesError{} },
		LastBackup: func() (time.Time, bool) { return time.Unix(1_700_000_000, 0), true },
	})
	p := newFake()
	p.Change(func(o *project.Overview) { o.Name = webtest.Canary })
	s := webtest.NewWith(t, p, func(c *web.Config) { c.Traffic = m }, every(p, noLogin{})...)
	named := strings.NewReplacer(":project", "p1", ":doc", url.PathEscape(webtest.Canary), ":run", "777177717771", ":number", "777177717771", ":index", "777177717771", ":id", "777177717771")
	patterns := map[string]bool{"no route": true, "/static/:hash/*": true, "": true, "/*": true}
	for _, r := range s.Routes() {
		patterns[r.Path] = true
		at := named.Replace(r.Path)
		s.Get(account.Broker, at+"?q="+url.QueryEscape(webtest.Canary))
		s.Post("", at, url.Values{"name": {webtest.Canary}})
	}
	s.Get(account.Broker, "/nowhere/"+url.PathEscape(webtest.Canary))
	s.Get(account.Broker, "/static/777177717771/"+url.PathEscape(webtest.Canary))
	s.Ask(account.Broker, httptest.NewRequest("OTTOLINE", webtest.Origin+"/", nil))

	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	text := w.Body.String()
	for _, secret := range append(strings.Fields(webtest.Canary), "OTTOLINE", "777177717771", "/p/p1", "u-broker") {
		if strings.Contains(text, secret) {
			t.Errorf("the metrics hold %q", secret)
		}
	}
	routes := regexp.MustCompile(`route="([^"]*)"`).FindAllStringSubmatch(text, -1)
	for _, found := range routes {
		if !patterns[found[1]] {
			t.Errorf("%q is not the pattern of a route", found[1])
		}
	}
	if len(routes) < 500 {
		t.Errorf("only %d series have a route", len(routes))
	}
	for _, line := range []string{
		"hide_live_connections 3", "hide_sessions 2", `hide_jobs{kind="train",state="running"} 1`, `hide_jobs{kind="train",state="waiting"} 1`,
		"hide_data_file_bytes 4096", "hide_audit_rows_total 17", "hide_last_backup_timestamp_seconds 1.7e+09",
		`hide_build_info{version="test"} 1`, `method="other"`, "process_resident_memory_bytes", "go_goroutines",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the metrics lack %q", line)
		}
	}
	if strings.Contains(text, "hide_disk_free_bytes") {
		t.Error("a metric that could not be read has a value")
	}
}
