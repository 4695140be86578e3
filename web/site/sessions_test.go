// SPDX-License-Identifier: Apache-2.0

package site

import (
	"errors"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"hide/internal/account"
	"hide/internal/browsertest"
	"hide/web"
)

// endsWithin bounds how long anything of a session may outlive it.
const endsWithin = 2 * time.Second

// sit opens a browser that is signed in with a session.
func (h *house) sit(t *testing.T, session string) *browsertest.Browser {
	t.Helper()
	b := browsertest.Start(t)
	b.SetCookie(h.base, web.CookieName(h.base, false), session)
	return b
}

// TestEndedSessionClosesItsPagesWithinTwoSeconds: a person ends a session that is open in
// another browser, on the page of one's own sessions, and an administrator on that of others.
// The page there is blanked, and its websocket is closed.
func TestEndedSessionClosesItsPagesWithinTwoSeconds(t *testing.T) {
	h := openHouse(t)
	here := h.sit(t, h.session)
	for _, c := range []struct{ name, from string }{{"its person", ""}, {"an administrator", "/people"}} {
		_, token := h.again(t)
		there := h.sit(t, token)
		there.Open(h.base + "/p/" + string(h.Project) + "/notes/1")
		there.Wait("a live page", `document.querySelector("#live-state")?.dataset.connected === "true"`)
		h.session = token
		conn := h.look(t)

		by, path := here, "/sessions"
		if c.from != "" {
			by, path = h.sit(t, h.Installation.Session), "/people/"+h.ben.ID+"/sessions"
			by.Open(h.base + "/people")
			by.Axe()
			by.Shots("people-sessions")
			by.Click(`a[href="` + path + `"]`)
			by.WaitText("h1", "Sessions of Ben")
		} else {
			by.Open(h.base + path)
			by.WaitText("h1", "Your sessions")
		}
		by.Axe()
		by.Shots("sessions-" + map[string]string{"": "own", "/people": "others"}[c.from])
		by.Click(`form:has(input[value="` + account.SessionID(token) + `"]) button`)
		ended := time.Now()
		_ = conn.SetReadDeadline(ended.Add(endsWithin))
		for {
			_, _, err := conn.ReadMessage()
			if closed, ok := errors.AsType[*websocket.CloseError](err); ok {
				t.Logf("%s ended it: the connection was closed with %d after %s", c.name, closed.Code, time.Since(ended).Round(time.Millisecond))
				break
			}
			if err != nil {
				t.Fatalf("%s ended the session: %v", c.name, err)
			}
		}
		there.WaitFor("a blank page", `document.querySelector("h1").innerText === "You were signed out"`, endsWithin)
		t.Logf("its page was blank after %s", time.Since(ended).Round(time.Millisecond))
		by.WaitPath(path)
	}
	here.Open(h.base + "/sessions")
	here.WaitText("h1", "Your sessions") // the session of this browser goes on
}

// again signs ben in once more.
func (h *house) again(t *testing.T) (account.User, string) {
	t.Helper()
	token, u, err := h.Login("Ben", livePassword, account.From{Peer: "192.0.2.7", Browser: "Firefox on Windows"})
	if err != nil {
		t.Fatal(err)
	}
	return u, token
}
