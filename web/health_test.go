// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hide/web/ui"
)

// check is a Readiness that a test breaks. It counts the questions.
type check struct {
	asked atomic.Int64
	why   atomic.Pointer[error]
}

func (c *check) Ready(context.Context) error {
	c.asked.Add(1)
	if why := c.why.Load(); why != nil {
		return *why
	}
	return nil
}

func (c *check) fail(why error) { c.why.Store(&why) }

// TestHealthNeedsNoSessionAndNoHostName: a monitor asks by the address of the machine. It
// gets one line and no cookie.
func TestHealthNeedsNoSessionAndNoHostName(t *testing.T) {
	full := new(check)
	full.fail(errors.New("the disk has less than 5 % left"))
	for _, c := range []struct {
		method, path string
		ready        []Readiness
		status       int
		body         string
	}{
		{"GET", "/healthz", nil, 200, "ok\n"},
		{"GET", "/readyz", nil, 200, "ok\n"},
		{"GET", "/healthz", []Readiness{full}, 200, "ok\n"}, // a restart would not help
		{"GET", "/readyz", []Readiness{new(check), full}, 503, "not ready: the disk has less than 5 % left\n"},
		{"POST", "/healthz", nil, 405, ""},
		{"GET", "/healthz/", nil, 421, "Wrong address"}, // another address has its defences
	} {
		s := serverOf(t, newTestFeature(), Config{Ready: c.ready})
		r := httptest.NewRequest(c.method, "http://10.1.2.3:9999"+c.path, nil)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.body) {
			t.Errorf("%s %s: status %d, %q", c.method, c.path, w.Code, w.Body)
		}
		if c.status < 400 && w.Body.String() != c.body {
			t.Errorf("%s says %q", c.path, w.Body)
		}
		if w.Header().Get("Set-Cookie") != "" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: the headers are %v", c.path, w.Header())
		}
	}
}

// TestManyQuestionsAskTheChecksOnce: strangers cannot make the server work by asking.
func TestManyQuestionsAskTheChecksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := new(check)
		h := &health{checks: []Readiness{c}}
		for range 100 {
			if err := h.ready(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if n := c.asked.Load(); n != 1 {
			t.Errorf("100 questions asked the check %d times", n)
		}
		c.fail(errors.New("it is broken"))
		time.Sleep(readyFor)
		if h.ready(t.Context()) == nil {
			t.Error("the answer is old")
		}
	})
}

// TestARequestWaitsForAServerThatStarts, but not for ever.
func TestARequestWaitsForAServerThatStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &Door{begun: make(chan struct{})}
		w := httptest.NewRecorder()
		d.ServeHTTP(w, httptest.NewRequest(http.MethodGet, testOrigin+"/", nil))
		if w.Code != 503 || !strings.Contains(w.Body.String(), "hide is starting") {
			t.Errorf("status %d, %q", w.Code, w.Body)
		}
	})
}

// TestDoorSaysThatTheServerStartsAndStops: from the open port to the last request a monitor
// gets an answer.
func TestDoorSaysThatTheServerStartsAndStops(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := Open(l, nil)
	defer d.Close()
	base := "http://" + d.Addr().String()
	expect := func(path string, status int, body string) {
		t.Helper()
		resp, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if got, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != status || !strings.Contains(string(got), body) {
			t.Errorf("%s: status %d, %q, %v", path, resp.StatusCode, got, err)
		}
	}
	expect("/healthz", 200, "ok")
	expect("/readyz", 503, "not ready: the server is starting")
	early := make(chan int, 1) // the status of a request that came before the server
	go func() {
		resp, err := http.Get(base + "/sign-in")
		if err != nil {
			early <- 0
			return
		}
		resp.Body.Close()
		early <- resp.StatusCode
	}()

	entered, leave := make(chan struct{}), make(chan struct{})
	f := newTestFeature()
	f.list = func(c ui.Context) error {
		close(entered)
		<-leave
		return c.NoContent(http.StatusNoContent)
	}
	s := serverOf(t, f, Config{PublicOrigin: base})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.ServeAt(ctx, d) }()
	<-d.begun
	expect("/readyz", 200, "ok")
	if status := <-early; status != 200 {
		t.Errorf("a request that came early has status %d", status)
	}

	busy := make(chan struct{})
	go func() {
		defer close(busy)
		r, _ := http.NewRequest(http.MethodGet, base+"/", nil)
		r.AddCookie(&http.Cookie{Name: CookieName(base, false), Value: "broker"})
		if resp, err := http.DefaultClient.Do(r); err == nil {
			resp.Body.Close()
		}
	}()
	<-entered
	stop()
	<-s.live.Done() // it has begun to stop; the request is still running
	w := httptest.NewRecorder()
	d.Health().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil)) // as on the port of the metrics
	if w.Code != 503 || w.Body.String() != "not ready: the server is stopping\n" {
		t.Errorf("while stopping: status %d, %q", w.Code, w.Body)
	}
	close(leave)
	<-busy
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
