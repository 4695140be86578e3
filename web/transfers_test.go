// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"hide/internal/account"
	"hide/web/ui"
)

// endsWithin bounds how long anything of a session may outlive it.
const endsWithin = 2 * time.Second

// writeOn writes without end, and tells why it stopped.
func writeOn(why chan<- error) func(ui.Context) error {
	return func(c ui.Context) error {
		for {
			if _, err := io.WriteString(c.Response(), strings.Repeat("a line of a file\n", 4000)); err != nil {
				why <- err
				return err
			}
		}
	}
}

// swallow reads a whole request, and tells how that ended.
func swallow(begun chan<- bool, why chan<- error) func(ui.Context) error {
	return func(c ui.Context) error {
		if _, err := c.Request().Body.Read(make([]byte, 1)); err != nil {
			return err
		}
		begun <- true
		_, err := io.Copy(io.Discard, c.Request().Body)
		why <- err
		return err
	}
}

// TestTransfersEndWithTheSession: a download that the browser does not read and an upload that
// stands still both end at once when the session does, or when the person is no longer a member
// of the project.
func TestTransfersEndWithTheSession(t *testing.T) {
	t.Run("signed out", func(t *testing.T) { transfersEnd(t, func(ls *liveServer) { ls.accounts.end() }) })
	t.Run("no member", func(t *testing.T) { transfersEnd(t, func(ls *liveServer) { ls.projects.gone.Store(true) }) })
}

func transfersEnd(t *testing.T, end func(*liveServer)) {
	t.Helper()
	down, up, begun := make(chan error, 1), make(chan error, 1), make(chan bool, 1)
	f := newTestFeature()
	f.more = []ui.Route{
		ui.Get("/p/:project/endless", account.ManageWork, writeOn(down)).Streaming(),
		ui.Post("/p/:project/swallow", account.ManageWork, swallow(begun, up)).Streaming(),
	}
	ls := startLiveWith(t, f)
	request := func(method, path string, body io.Reader) *http.Request {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+ls.address+path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Cookie", ls.cookie+"=broker")
		r.Header.Set("Origin", "http://"+ls.address)
		return r
	}
	answer, err := http.DefaultClient.Do(request(http.MethodGet, "/p/p1/endless", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, send := io.Pipe()
	defer send.Close()
	go func() {
		if answer, err := http.DefaultClient.Do(request(http.MethodPost, "/p/p1/swallow", body)); err == nil {
			answer.Body.Close()
		}
	}()
	if _, err := send.Write([]byte("a")); err != nil {
		t.Fatal(err)
	}
	<-begun
	ls.accounts.change("u-broker") // of something else: the session goes on
	if _, err := send.Write([]byte("b")); err != nil {
		t.Fatal(err)
	}
	end(ls)
	began := time.Now()
	ls.accounts.change("u-broker")
	for what, why := range map[string]chan error{"the download": down, "the upload": up} {
		select {
		case err := <-why:
			t.Logf("%s ended after %s", what, time.Since(began).Round(time.Millisecond))
			if err == nil {
				t.Errorf("%s ended without an error", what)
			}
		case <-time.After(endsWithin):
			t.Fatalf("%s goes on %s after its session", what, endsWithin)
		}
	}
}

// shortAccounts have sessions that end soon, as emergency access does.
type shortAccounts struct {
	testAccounts
	ends time.Time
}

func (a *shortAccounts) Session(token string) (account.User, account.Session, error) {
	return a.Peek(token)
}

func (a *shortAccounts) Peek(token string) (account.User, account.Session, error) {
	u, _, err := a.testAccounts.Peek(token)
	if !time.Now().Before(a.ends) {
		err = account.ErrSession
	}
	return u, account.Session{Ends: a.ends}, err
}

// TestLiveEndsWhenEmergencyAccessDoes: nothing tells of it, and the next check of the session
// is far.
func TestLiveEndsWhenEmergencyAccessDoes(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accounts := &shortAccounts{ends: time.Now().Add(300 * time.Millisecond)}
	f := newTestFeature()
	s := serverOf(t, f, Config{Accounts: accounts, PublicOrigin: "http://" + l.Addr().String()})
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- s.Serve(ctx, l) }()
	t.Cleanup(func() { stop(); <-stopped })
	header := http.Header{"Cookie": {s.cookie + "=broker"}, "Origin": {"http://" + l.Addr().String()}}
	conn, _, err := websocket.DefaultDialer.Dial("ws://"+l.Addr().String()+"/p/p1/live?topics=tally", header)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(accounts.ends.Add(endsWithin))
	for {
		_, _, err := conn.ReadMessage()
		if closed, ok := errors.AsType[*websocket.CloseError](err); ok {
			t.Logf("closed with %d %s after its end", closed.Code, time.Since(accounts.ends).Round(time.Millisecond))
			if closed.Code != closeSignedOut {
				t.Errorf("closed with %d", closed.Code)
			}
			return
		}
		if err != nil {
			t.Fatalf("still open: %v", err)
		}
	}
}
