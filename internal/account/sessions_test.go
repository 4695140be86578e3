// SPDX-License-Identifier: Apache-2.0

package account

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestSessionsListBrowserAddressAndUse(t *testing.T) {
	h := newHouse(t)
	anna, _ := h.first("Anna")
	began := h.clock.Now().UTC()
	token, _, err := h.Login("Anna", goodPassword, From{Peer: "192.0.2.7:4711", Browser: "Firefox on Windows"})
	h.must(err)
	h.clock.Advance(IdleFor / 2)
	_, _, err = h.Session(token)
	h.must(err)
	all, err := h.Sessions(anna, anna.ID)
	h.must(err)
	if len(all) != 2 {
		t.Fatalf("got %d sessions, want 2", len(all))
	}
	got := all[0] // used last
	if got.ID != SessionID(token) || got.Browser != "Firefox on Windows" || got.Address != "192.0.2.7" || got.How != "password" || !got.Began.Equal(began) || !got.Seen.Equal(h.clock.Now()) {
		t.Errorf("got %+v", got)
	}
	h.clock.Advance(IdleFor * 3 / 4)
	if all, err = h.Sessions(anna, anna.ID); err != nil || len(all) != 1 {
		t.Errorf("after the other has been idle: %d sessions, %v", len(all), err)
	}
}

func TestOneSessionEndsAndOthersStay(t *testing.T) {
	h := newHouse(t)
	admin, session := h.first("Anna")
	ben, one := h.person(admin, "Ben", Broker)
	two, _, err := h.Login("Ben", goodPassword, From{})
	h.must(err)
	three, _, err := h.Login("Ben", goodPassword, From{})
	h.must(err)
	var told []string
	defer h.Changes(func(id string) { told = append(told, id) })()

	wantError(t, "a session of somebody else", h.EndSession(ben, admin.ID, SessionID(session)), ErrForbidden)
	wantError(t, "a session of another person by one's own name", h.EndSession(ben, ben.ID, SessionID(session)), ErrNoSession)
	if _, err := h.Sessions(ben, admin.ID); err == nil {
		t.Error("a broker lists the sessions of an administrator")
	}
	if _, err := h.SessionCounts(ben); err == nil {
		t.Error("a broker counts sessions")
	}
	h.must(h.EndSession(ben, ben.ID, SessionID(two)))
	h.wantLive(two, false)
	h.wantLive(one, true)
	h.wantLive(three, true)
	h.must(h.EndOtherSessions(ben, three))
	h.wantLive(one, false)
	h.wantLive(three, true)
	h.must(h.EndOtherSessions(ben, three)) // there are none
	h.must(h.EndSession(admin, ben.ID, SessionID(three)))
	h.wantLive(three, false)
	h.wantLive(session, true)
	wantError(t, "a second time", h.EndSession(admin, ben.ID, SessionID(three)), ErrNoSession)
	if len(told) != 3 || told[0] != ben.ID {
		t.Errorf("told of %q", told)
	}
	h.reopen()
	h.wantLive(three, false)
	counts, err := h.SessionCounts(admin)
	if err != nil || counts[admin.ID] != 1 || counts[ben.ID] != 0 {
		t.Errorf("counts %v, %v", counts, err)
	}
}

// TestAddressesOfStaffAreEncrypted looks for them in the file.
func TestAddressesOfStaffAreEncrypted(t *testing.T) {
	h := newHouse(t)
	h.first("Anna")
	_, _, err := h.Login("Anna", goodPassword, From{Peer: "198.51.100.77", Browser: "Lynx on Multics"})
	h.must(err)
	data, err := os.ReadFile(filepath.Join(h.opts.Dir, "hide.db"))
	h.must(err)
	for _, secret := range []string{"198.51.100.77", "Multics"} {
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("%q is plain in the file", secret)
		}
	}
}
