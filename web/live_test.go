// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/gorilla/websocket"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/project"
	"hide/web/ui"
)

// liveServer is a running server with the parts of [testFeature].
type liveServer struct {
	*Server
	address string
	*testFeature
	accounts *endingAccounts
	stop     context.CancelFunc
	stopped  chan error
}

// endingAccounts are testAccounts whose sessions can end.
type endingAccounts struct {
	testAccounts
	mu     sync.Mutex // guards the fields below
	ended  bool
	change func(userID string)
}

func (a *endingAccounts) Changes(fn func(string)) (stop func()) {
	a.change = fn
	return func() {}
}

func (a *endingAccounts) Peek(token string) (account.User, account.Session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return account.User{}, account.Session{}, account.ErrSession
	}
	return a.testAccounts.Peek(token)
}

func (a *endingAccounts) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
}

func startLive(t *testing.T) *liveServer {
	t.Helper()
	return startLiveWith(t, newTestFeature())
}

func startLiveWith(t *testing.T, f *testFeature) *liveServer {
	t.Helper()
	return startLiveOf(t, f, Config{})
}

// startLiveOf completes cfg.
func startLiveOf(t *testing.T, f *testFeature, cfg Config) *liveServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ls := &liveServer{address: l.Addr().String(), testFeature: f, accounts: &endingAccounts{}, stopped: make(chan error, 1)}
	cfg.Accounts, cfg.PublicOrigin = ls.accounts, "http://"+ls.address
	ls.Server = serverOf(t, ls.testFeature, cfg)
	ctx, stop := context.WithCancel(context.Background())
	ls.stop = stop
	go func() { ls.stopped <- ls.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ls.stopped; err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return ls
}

func tallyHTML(n int64) string { return fmt.Sprintf(`<p id="tally">%d</p>`, n) }

// rendered waits until the part has been rendered n times.
func (ls *liveServer) rendered(t *testing.T, n int64) {
	t.Helper()
	reach(t, "rendered", &ls.renders, n)
}

// reach waits until something was done n times.
func reach(t *testing.T, what string, times *atomic.Int64, n int64) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); times.Load() < n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s %d times, want %d", what, times.Load(), n)
		}
	}
}

// dial opens the live connection; status is that of a refusal.
func (ls *liveServer) dial(role account.Role, origin, topics string) (conn *websocket.Conn, status int) {
	header := http.Header{"Cookie": {ls.cookie + "=" + string(role)}}
	if origin != "" {
		header.Set("Origin", origin)
	}
	conn, answer, err := websocket.DefaultDialer.Dial("ws://"+ls.address+"/p/p1/live?topics="+topics, header)
	if err != nil {
		if answer == nil {
			return nil, 0
		}
		return nil, answer.StatusCode
	}
	return conn, http.StatusSwitchingProtocols
}

func (ls *liveServer) mustDial(t *testing.T) *websocket.Conn {
	t.Helper()
	conn, status := ls.dial(account.Broker, "http://"+ls.address, "tally")
	if conn == nil {
		t.Fatalf("dial: status %d", status)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// readFrame reads the next frame, or the code that the connection was closed with.
func readFrame(t *testing.T, conn *websocket.Conn) (content string, code int) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, data, err := conn.ReadMessage()
	var closed *websocket.CloseError
	if errors.As(err, &closed) {
		return "", closed.Code
	}
	if err != nil {
		t.Fatalf("read frame: %v", err)
	}
	var f struct{ Content, Target, Swap string }
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatalf("frame: %v", err)
	}
	if f.Target != "#tally" || f.Swap != "outerMorph" {
		t.Errorf("frame for %q by %q", f.Target, f.Swap)
	}
	return f.Content, 0
}

func TestLiveSendsWholeStateOnConnectAndAfterEvents(t *testing.T) {
	ls := startLive(t)
	ls.tally.Store(1)
	conn := ls.mustDial(t)
	if got, _ := readFrame(t, conn); got != `<p id="tally">1</p>` {
		t.Errorf("first frame is %q", got)
	}
	ls.projects.events <- project.Event{Topic: project.TopicPublish} // of nobody's interest
	ls.projects.events <- project.Event{Topic: project.TopicQueue}   // looks the same as before
	ls.rendered(t, 2)
	ls.tally.Store(2)
	ls.projects.events <- project.Event{Topic: project.TopicQueue}
	if got, _ := readFrame(t, conn); got != `<p id="tally">2</p>` {
		t.Errorf("second frame is %q", got)
	}
}

func TestLiveNoteIsReadForItsOwnEventsOnly(t *testing.T) {
	ls := startLive(t)
	conn, status := ls.dial(account.Broker, "http://"+ls.address, "note,tally&doc=2")
	if conn == nil {
		t.Fatalf("dial: status %d", status)
	}
	defer conn.Close()
	ls.rendered(t, 1)
	want := int64(1) // on connect
	for i, doc := range []annotate.DocumentID{1, 2, 12, 0, 3} {
		if doc == 2 || doc == 0 { // 0: all of them
			want++
		}
		ls.projects.events <- project.Event{Topic: project.TopicDocument, Document: doc}
		ls.projects.events <- project.Event{Topic: project.TopicQueue}
		ls.rendered(t, int64(i+2))
		reach(t, "read", &ls.reads, want) // perhaps after the tally
		if got := ls.reads.Load(); got != want {
			t.Errorf("after an event of document %d: read %d times, want %d", doc, got, want)
		}
	}
}

func TestLiveCoalescesABurstIntoTheNewestState(t *testing.T) {
	ls := startLive(t)
	conn := ls.mustDial(t)
	readFrame(t, conn)
	const burst = 300
	for i := range burst {
		ls.tally.Store(int64(i + 1))
		ls.projects.events <- project.Event{Topic: project.TopicQueue}
	}
	for frames := 1; ; frames++ {
		got, code := readFrame(t, conn)
		if code != 0 {
			t.Fatalf("closed with %d", code)
		}
		if got == fmt.Sprintf(`<p id="tally">%d</p>`, burst) {
			if frames > burst/10 {
				t.Errorf("%d events made %d frames", burst, frames)
			}
			return
		}
	}
}

func TestLiveRefusesOtherOriginsAndPeople(t *testing.T) {
	ls := startLive(t)
	own := "http://" + ls.address
	cases := []struct {
		name   string
		role   account.Role
		origin string
		topics string
		want   int
	}{
		{"own page", account.Broker, own, "tally", 101},
		{"another site", account.Broker, "http://evil.example", "tally", 403},
		{"another port", account.Broker, "http://127.0.0.1:1", "tally", 403},
		{"no origin", account.Broker, "", "tally", 403},
		{"null origin", account.Broker, "null", "tally", 403},
		{"nobody", "", own, "tally", 401},
		{"a reviewer at identified notes", account.Reviewer, own, "tally", 403},
		{"a reviewer at the steps", account.Reviewer, own, "steps", 101},
		{"a reviewer at both", account.Reviewer, own, "steps,tally", 403},
		{"an unknown part", account.Broker, own, "tally,nothing", 404},
		{"no part", account.Broker, own, "", 404},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			conn, status := ls.dial(c.role, c.origin, c.topics)
			if conn != nil {
				conn.Close()
			}
			if status != c.want {
				t.Errorf("got status %d, want %d", status, c.want)
			}
		})
	}
}

func TestLiveEndsWithTheSession(t *testing.T) {
	for _, how := range []string{"at a notice", "at a check"} {
		t.Run(how, func(t *testing.T) {
			ls := startLive(t)
			if how == "at a check" {
				ls.Server.pace.check = 20 * time.Millisecond
			}
			conn := ls.mustDial(t)
			readFrame(t, conn)
			ls.accounts.end()
			if how == "at a notice" {
				ls.accounts.change("u-broker")
			}
			if _, code := readFrame(t, conn); code != closeSignedOut {
				t.Errorf("closed with %d, want %d", code, closeSignedOut)
			}
		})
	}
}

func TestLiveIsClosedAsGoingAwayWhenTheServerStops(t *testing.T) {
	ls := startLive(t)
	conn := ls.mustDial(t)
	readFrame(t, conn)
	ls.stop()
	if _, code := readFrame(t, conn); code != websocket.CloseGoingAway {
		t.Errorf("closed with %d, want 1001", code)
	}
}

func TestLiveDropsWhoTalksTooMuch(t *testing.T) {
	ls := startLive(t)
	conn := ls.mustDial(t)
	readFrame(t, conn)
	if err := conn.WriteMessage(websocket.TextMessage, []byte(strings.Repeat("x", maxIncoming+1))); err != nil {
		t.Fatal(err)
	}
	if _, code := readFrame(t, conn); code != websocket.CloseMessageTooBig {
		t.Errorf("closed with %d, want 1009", code)
	}
}

func TestLiveDropsWhoDoesNotRead(t *testing.T) {
	for _, how := range []string{"after a while", "when signed out"} {
		t.Run(how, func(t *testing.T) {
			ls := startLive(t)
			ls.Server.pace.write, ls.Server.pace.close = 50*time.Millisecond, 20*time.Millisecond
			if how == "when signed out" {
				ls.Server.pace.write = time.Hour
			}
			p := ls.parts["tally"]
			p.Render = func(context.Context, account.User, project.ID, url.Values) (templ.Component, error) {
				return text(strings.Repeat("x", 8<<20)), nil // more than buffers on the way hold
			}
			ls.parts["tally"] = p
			err := lookWithoutReading(t, ls)
			if how == "when signed out" {
				if err != nil {
					t.Fatal(err)
				}
				ls.accounts.end()
				ls.accounts.change("u-broker")
			}
			for end := time.Now().Add(20 * time.Second); ls.sockets.n.Load() > 0; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the connection is still open")
				}
			}
		})
	}
}

// lookWithoutReading opens a connection, and reads nothing but the beginning of a frame.
func lookWithoutReading(t *testing.T, ls *liveServer) error {
	t.Helper()
	d := &websocket.Dialer{NetDial: func(network, address string) (net.Conn, error) {
		c, err := net.Dial(network, address)
		if err == nil {
			err = c.(*net.TCPConn).SetReadBuffer(4 << 10)
		}
		return c, err
	}}
	header := http.Header{"Cookie": {ls.cookie + "=" + string(account.Broker)}, "Origin": {"http://" + ls.address}}
	conn, _, err := d.Dial("ws://"+ls.address+"/p/p1/live?topics=tally", header)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_, _, err = conn.NextReader()
	return err
}

func TestLiveLimitsConnections(t *testing.T) {
	ls := startLive(t)
	ls.sockets.n.Store(maxSockets - 1)
	first := ls.mustDial(t)
	readFrame(t, first)
	if conn, status := ls.dial(account.Broker, "http://"+ls.address, "tally"); conn != nil || status != http.StatusServiceUnavailable {
		t.Errorf("one too many got status %d, want 503", status)
	}
	first.Close()
	for end := time.Now().Add(10 * time.Second); ls.sockets.n.Load() != maxSockets-1; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the place is not given back")
		}
	}
}

func TestLiveIsForWebsocketsOnly(t *testing.T) {
	s := newTestServer(t, newTestFeature())
	if w := get(s, account.Broker, "/p/p1/live?topics=steps"); w.Code != http.StatusUpgradeRequired {
		t.Errorf("got status %d, want 426", w.Code)
	}
}

func TestStopLetsRequestsEnd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	asked, let := make(chan struct{}), make(chan struct{})
	f := newTestFeature()
	f.list = func(c ui.Context) error {
		close(asked)
		<-let
		return c.NoContent(http.StatusOK)
	}
	s := serverOf(t, f, Config{PublicOrigin: "http://" + l.Addr().String()})
	ctx, stop := context.WithCancel(context.Background())
	stopped, status := make(chan error, 1), make(chan int, 1)
	go func() { stopped <- s.Serve(ctx, l) }()
	go func() {
		r, _ := http.NewRequest(http.MethodGet, s.origin+"/", nil)
		r.AddCookie(&http.Cookie{Name: s.cookie, Value: "broker"})
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			status <- 0
			return
		}
		answer.Body.Close()
		status <- answer.StatusCode
	}()
	<-asked
	stop()
	close(let)
	if got := <-status; got != 200 {
		t.Errorf("the request that ran got status %d", got)
	}
	if err := <-stopped; err != nil {
		t.Errorf("stop: %v", err)
	}
}
