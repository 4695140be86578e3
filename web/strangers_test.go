// SPDX-License-Identifier: Apache-2.0

package web

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/web/ui"
)

func TestStrangersSendLittle(t *testing.T) {
	s := newTestServer(t, newTestFeature())
	for _, path := range []string{"/sign-in", "/projects", "/p/p1/file"} {
		for _, size := range []int64{maxStranger + 1, -1} {
			r := httptest.NewRequest(http.MethodPost, testOrigin+path, io.LimitReader(endless{}, maxStranger+1))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.ContentLength = size
			w := ask(s, "", r)
			if want := http.StatusRequestEntityTooLarge; w.Code != want && !(path == "/p/p1/file" && size < 0 && w.Code == http.StatusUnauthorized) {
				t.Errorf("%s, length %d: got status %d, want %d", path, size, w.Code, want)
			}
		}
	}
}

// streams has an upload and a download, and says when one ends.
type streams struct{ ended chan error }

func (*streams) Parts() []ui.LivePart { return nil }

func (f *streams) Routes() []ui.Route {
	return []ui.Route{
		ui.Post("/take", account.ManageWork, f.take).Streaming(),
		ui.Get("/give", account.ManageWork, f.give).Streaming(),
	}
}

func (f *streams) take(c ui.Context) error {
	_, err := io.Copy(io.Discard, c.Request().Body)
	f.ended <- err
	return err
}

func (f *streams) give(c ui.Context) error {
	c.Response().WriteHeader(http.StatusOK)
	_, err := io.Copy(c.Response(), endless{})
	f.ended <- err
	return err
}

// TestStreamsThatStandStillEnd after sign-in too; the deadline is short here.
func TestStreamsThatStandStillEnd(t *testing.T) {
	f := &streams{ended: make(chan error, 1)}
	s, err := New(Config{
		Accounts: testAccounts{}, Projects: newTestProjects(), Features: []Feature{f}, PublicOrigin: testOrigin,
		Deadlines: Deadlines{Stranger: time.Minute, Read: time.Minute, Send: time.Minute, Progress: 50 * time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	served := httptest.NewServer(s.Handler())
	defer served.Close()
	for _, request := range []string{"POST /take", "GET /give"} {
		conn, err := net.Dial("tcp", served.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		head := request + " HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nOrigin: " + testOrigin + "\r\nCookie: " + s.cookie + "=broker\r\n"
		if strings.HasPrefix(request, "POST") {
			head += "Content-Length: 60000\r\n\r\nthe beginning"
		} else {
			head += "\r\n"
		}
		if _, err := io.WriteString(conn, head); err != nil {
			t.Fatal(err)
		}
		select { // nothing more is sent, and nothing is read
		case err := <-f.ended:
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s ended with %v", request, err)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%s goes on", request)
		}
		conn.Close()
	}
}

// slowWork answers a form and a page long after every deadline, and says whether the
// request was still alive.
type slowWork struct{ alive chan error }

func (*slowWork) Parts() []ui.LivePart { return nil }

func (f *slowWork) Routes() []ui.Route {
	return []ui.Route{
		ui.Post("/work", account.ManageWork, f.work),
		ui.Post("/take", account.ManageWork, f.take).Streaming(),
		ui.Get("/count", account.ManageWork, f.work),
	}
}

func (f *slowWork) take(c ui.Context) error {
	if _, err := io.Copy(io.Discard, c.Request().Body); err != nil {
		return err
	}
	return f.work(c)
}

func (f *slowWork) work(c ui.Context) error {
	select {
	case <-c.Request().Context().Done():
	case <-time.After(200 * time.Millisecond):
	}
	f.alive <- c.Request().Context().Err()
	return c.NoContent(http.StatusNoContent)
}

func TestAServerMayWorkLongerThanARequestMayTake(t *testing.T) {
	f := &slowWork{alive: make(chan error, 1)}
	brief := 50 * time.Millisecond
	s, err := New(Config{
		Accounts: testAccounts{}, Projects: newTestProjects(), Features: []Feature{f}, PublicOrigin: testOrigin,
		Deadlines: Deadlines{Stranger: brief, Read: brief, Send: brief, Progress: brief},
	})
	if err != nil {
		t.Fatal(err)
	}
	served := httptest.NewServer(s.Handler())
	defer served.Close()
	for _, request := range []string{"POST /work", "POST /take", "GET /count"} {
		method, path, _ := strings.Cut(request, " ")
		var body io.Reader
		if method == http.MethodPost {
			body = strings.NewReader("name=value")
		}
		r, err := http.NewRequestWithContext(t.Context(), method, served.URL+path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = strings.TrimPrefix(testOrigin, "http://")
		r.Header.Set("Origin", testOrigin)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.AddCookie(&http.Cookie{Name: s.cookie, Value: "broker"})
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatalf("%s: %v", request, err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusNoContent {
			t.Fatalf("%s: status %d", request, answer.StatusCode)
		}
		if err := <-f.alive; err != nil {
			t.Errorf("%s: the request ended while the server worked: %v", request, err)
		}
	}
}
