// SPDX-License-Identifier: Apache-2.0

package site

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/store"
	"hide/web"
	"hide/web/webtest"
)

const (
	livePassword = "four plain words here"
	signedOut    = 4401 // of live.js
)

// house is the whole program on a port, with an admin and an annotator.
type house struct {
	*account.Service
	base       string
	project    project.ID
	admin, ben account.User
	session    string // of ben
}

func openHouse(t *testing.T) *house {
	t.Helper()
	projects, id := webtest.RealProject(t, 2)
	st, err := store.Open(store.Options{Dir: filepath.Join(t.TempDir(), "data"), Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	h := &house{project: id}
	if h.Service, err = account.New(st, account.Options{}); err != nil {
		t.Fatal(err)
	}
	first, err := h.FirstRun()
	if err != nil {
		t.Fatal(err)
	}
	if _, h.admin, err = h.Redeem(first, account.Redemption{Name: "Anna", Password: livePassword}); err != nil {
		t.Fatal(err)
	}
	_, invited, err := h.Create(h.admin, "Ben", account.Annotator)
	if err != nil {
		t.Fatal(err)
	}
	if h.session, h.ben, err = h.Redeem(invited, account.Redemption{Password: livePassword}); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.base = "http://" + l.Addr().String()
	s, err := New(Config{Accounts: h.Service, Projects: projects, PublicOrigin: h.base})
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
	conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(h.base, "http")+"/p/"+string(h.project)+"/live?"+q.Encode(), header)
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
	for what, take := range map[string]func(*house) error{
		"sign-out":     func(h *house) error { return h.Logout(h.session) },
		"all sessions": func(h *house) error { return h.RevokeAll(h.admin, h.ben.ID) },
		"disabled":     func(h *house) error { return h.Disable(h.admin, h.ben.ID) },
		"other role":   func(h *house) error { return h.SetRole(h.admin, h.ben.ID, account.Reviewer) },
		"new password": func(h *house) error {
			_, err := h.SetPassword(h.ben, h.ben.ID, livePassword, livePassword+" too")
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			h := openHouse(t)
			conn := h.look(t)
			if err := take(h); err != nil {
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
			if closed.Code != signedOut {
				t.Errorf("closed with %d, want %d", closed.Code, signedOut)
			}
		})
	}
}
