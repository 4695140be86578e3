// SPDX-License-Identifier: Apache-2.0

package site

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"hide/internal/account"
	"hide/web"
	"hide/web/webtest"
)

const (
	livePassword = "four plain words here"
	signedOut    = 4401 // of live.js
	otherRole    = 4403 // of live.js
)

// house is the whole program on a port, with an admin and an annotator.
type house struct {
	*account.Service
	*webtest.Installation
	base    string
	ben     account.User
	session string // of ben
}

func openHouse(t *testing.T) *house {
	t.Helper()
	return openHouseOf(t, webtest.Invented(2))
}

// openHouseOf is one with these finished notes, as JSONL.
func openHouseOf(t *testing.T, content string) *house {
	t.Helper()
	i := webtest.Install(t, content)
	h := &house{Service: i.Accounts, Installation: i}
	_, invited, err := h.Create(h.Admin, "Ben", account.Annotator)
	if err != nil {
		t.Fatal(err)
	}
	if h.session, h.ben, err = h.Redeem(invited, account.Redemption{Password: livePassword}); err != nil {
		t.Fatal(err)
	}
	h.Join(h.ben, account.Annotator)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.base = "http://" + l.Addr().String()
	s, err := New(Config{Accounts: h.Service, Projects: h.Projects, PublicOrigin: h.base})
	if err != nil {
		t.Fatal(err)
	}
	webtest.Run(t, s, l)
	return h
}

// look opens the page of the first note as ben.
func (h *house) look(t *testing.T) *websocket.Conn {
	t.Helper()
	q := url.Values{"topics": {"queue,note"}, "doc": {"1"}, "from": {"0"}}
	header := http.Header{"Cookie": {web.CookieName(h.base, false) + "=" + h.session}, "Origin": {h.base}}
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(h.base, "http")+"/p/"+string(h.Project)+"/live?"+q.Encode(), header)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, _, err := conn.ReadMessage(); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestLivePagesEndWithTheRightToSeeThem takes it in each way, and waits less than until the
// next check of the session.
func TestLivePagesEndWithTheRightToSeeThem(t *testing.T) {
	for what, c := range map[string]struct {
		take func(*house) error
		code int
	}{
		"sign-out":     {func(h *house) error { return h.Logout(h.session) }, signedOut},
		"all sessions": {func(h *house) error { return h.RevokeAll(h.Admin, h.ben.ID) }, signedOut},
		"disabled":     {func(h *house) error { return h.Disable(h.Admin, h.ben.ID) }, signedOut},
		"other role":   {func(h *house) error { return h.SetRole(h.Admin, h.ben.ID, account.Reviewer) }, signedOut},
		"new password": {func(h *house) error {
			_, err := h.SetPassword(h.ben, h.ben.ID, livePassword, livePassword+" too", account.From{})
			return err
		}, signedOut},
		"other role in the project": {func(h *house) error {
			_, err := h.Projects.SetMember(t.Context(), h.Admin, h.Project, h.ben.ID, account.Broker)
			return err
		}, otherRole},
		"no member any more": {func(h *house) error {
			return h.Projects.RemoveMember(t.Context(), h.Admin, h.Project, h.ben.ID)
		}, otherRole},
	} {
		t.Run(what, func(t *testing.T) {
			h := openHouse(t)
			conn := h.look(t)
			if err := c.take(h); err != nil {
				t.Fatal(err)
			}
			_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
			var closed *websocket.CloseError
			for {
				if _, _, err := conn.ReadMessage(); errors.As(err, &closed) {
					break
				} else if err != nil {
					t.Fatalf("the connection is still open: %v", err)
				}
			}
			if closed.Code != c.code {
				t.Errorf("closed with %d, want %d", closed.Code, c.code)
			}
		})
	}
}
