// SPDX-License-Identifier: Apache-2.0

package account

import (
	"testing"
	"time"

	"hide/internal/store"
)

func TestSessionEndsWhenIdle(t *testing.T) {
	h := newHouse(t)
	_, session := h.first("Anna")
	for range 10 {
		h.clock.Advance(IdleFor - time.Second)
		_, _, err := h.Session(session)
		h.must(err)
	}
	h.clock.Advance(IdleFor - time.Second)
	h.wantLive(session, true) // looking is not using
	h.clock.Advance(time.Second)
	h.wantLive(session, false)
}

func TestSessionEndsAfter12HoursInAnyCase(t *testing.T) {
	h := newHouse(t)
	_, session := h.first("Anna")
	for range 12*6 - 1 {
		h.clock.Advance(10 * time.Minute)
		_, _, err := h.Session(session)
		h.must(err)
	}
	h.clock.Advance(10 * time.Minute)
	_, _, err := h.Session(session)
	wantError(t, "after 12 hours", err, ErrSession)
}

func TestUseSurvivesARestart(t *testing.T) {
	h := newHouse(t)
	_, session := h.first("Anna")
	h.clock.Advance(10 * time.Minute)
	_, _, err := h.Session(session)
	h.must(err)
	h.reopen()
	h.clock.Advance(10 * time.Minute)
	h.wantLive(session, true)
	h.clock.Advance(5 * time.Minute)
	h.wantLive(session, false)
}

func TestUseIsWrittenEveryFiveMinutes(t *testing.T) {
	h := newHouse(t)
	_, session := h.first("Anna")
	before := h.rows()
	for range 60 {
		h.clock.Advance(10 * time.Second)
		_, _, err := h.Session(session)
		h.must(err)
	}
	if wrote := h.rows() - before; wrote != 2 {
		t.Errorf("10 minutes of use wrote %d times, want 2", wrote)
	}
}

func (h *house) rows() uint64 {
	h.t.Helper()
	sum, err := h.store.VerifyAudit()
	h.must(err)
	return sum.Rows
}

func TestClockSetBackRevivesNoSession(t *testing.T) {
	h := newHouse(t)
	_, session := h.first("Anna")
	h.clock.Advance(IdleFor)
	h.wantLive(session, false)
	h.clock.Advance(-24 * time.Hour)
	h.wantLive(session, false)
	h.clock.Advance(10 * 365 * 24 * time.Hour)
	h.wantLive(session, false)
}

func TestSignInRotatesAndLogoutEnds(t *testing.T) {
	h := newHouse(t)
	_, one := h.first("Anna")
	two, _, err := h.Login("ANNA", goodPassword, From{Peer: "127.0.0.1"})
	h.must(err)
	if one == two {
		t.Error("two sign-ins have one token")
	}
	h.must(h.Logout(one))
	h.wantLive(one, false)
	h.wantLive(two, true)
	h.must(h.Logout(one))
	h.must(h.Logout("never a token"))
}

func TestSessionsEndOn(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(h *house, admin, u User) error
	}{
		{"password change", func(h *house, _, u User) error {
			_, err := h.SetPassword(u, u.ID, goodPassword, otherPassword, From{})
			return err
		}},
		{"password set by operator", func(h *house, _, u User) error {
			_, err := h.SetPassword(Operator(), u.ID, "", otherPassword, From{})
			return err
		}},
		{"password set through a link", func(h *house, admin, u User) error {
			token, err := h.Invite(admin, u.ID)
			h.must(err)
			_, _, err = h.Redeem(token, Redemption{Password: otherPassword})
			return err
		}},
		{"disabling", func(h *house, admin, u User) error { return h.Disable(admin, u.ID) }},
		{"role change", func(h *house, admin, u User) error { return h.SetRole(admin, u.ID, Reviewer) }},
		{"revoking by an admin", func(h *house, admin, u User) error { return h.RevokeAll(admin, u.ID) }},
		{"revoking one's own", func(h *house, _, u User) error { return h.RevokeAll(u, u.ID) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			admin, adminSession := h.first("Anna")
			u, session := h.person(admin, "Ben", Broker)
			second, _, err := h.Login("Ben", goodPassword, From{})
			h.must(err)
			h.must(c.do(h, admin, u))
			h.wantLive(session, false)
			h.wantLive(second, false)
			h.wantLive(adminSession, true)
			h.reopen()
			h.wantLive(session, false)
		})
	}
}

func TestEndedSessionsAndLinksAreClearedAway(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	for range 5 {
		_, err := h.SignInLink(admin.ID, time.Minute)
		h.must(err)
		_, _, err = h.Login("Anna", goodPassword, From{})
		h.must(err)
	}
	h.clock.Advance(13 * time.Hour)
	_, _, err := h.Login("Anna", goodPassword, From{})
	h.must(err)
	h.must(h.view(func(tx *store.Tx) error {
		sessions, _ := tx.Count(bucketSessions)
		links, _ := tx.Count(bucketLinks)
		if sessions != 1 || links != 0 {
			t.Errorf("%d sessions and %d links are left", sessions, links)
		}
		return nil
	}))
}
