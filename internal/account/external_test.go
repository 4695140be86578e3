// SPDX-License-Identifier: Apache-2.0

package account

import (
	"errors"
	"strings"
	"testing"
	"time"
)

const login = "https://login.hospital.example"

// via signs somebody in at the issuer.
func (h *house) via(subject, name string, role Role) (string, User, error) {
	return h.SignInExternal(Identity{Issuer: login, Subject: subject, Name: name, Role: role, IDToken: "idt-" + subject}, From{Peer: "192.0.2.7"})
}

func TestSubjectIsThePersonAndNamesTakeOverNothing(t *testing.T) {
	h := newHouse(t)
	local, _ := h.first("Anna Berg")
	one, u, err := h.via("1", "Anna Berg", Broker)
	h.must(err)
	if u.ID == local.ID || u.Name != "Anna Berg (2)" || !u.External {
		t.Errorf("got %+v", u)
	}
	_, other, err := h.via("2", "anna berg", Annotator)
	h.must(err)
	if other.ID == u.ID || other.ID == local.ID || other.Name != "anna berg (3)" {
		t.Errorf("a namesake is %+v", other)
	}
	_, elsewhere, err := h.SignInExternal(Identity{Issuer: "https://evil.example", Subject: "1", Name: "Anna Berg", Role: Admin}, From{})
	h.must(err)
	if elsewhere.ID == u.ID {
		t.Error("another issuer's subject is the same person")
	}
	_, again, err := h.via("1", "Anna Holm", Broker)
	h.must(err)
	if again.ID != u.ID || again.Name != "Anna Holm" {
		t.Errorf("after a marriage: %+v", again)
	}
	if _, err := h.Find("Anna Berg (2)"); !errors.Is(err, ErrNotFound) {
		t.Errorf("the old name: %v", err)
	}
	h.wantLive(one, true)
	for name, want := range map[string]string{"": "Colleague", "\u0410nna\u202e": "Colleague (2)", "system": "Colleague (3)", "Zoë\tÅkesson": "Zoë Åkesson", strings.Repeat("Long ", 40): strings.TrimSpace(strings.Repeat("Long ", 40)[:MaxName-6])} {
		_, u, err := h.via("name:"+name, name, Reviewer)
		if err != nil || !strings.HasPrefix(u.Name, strings.Split(want, " (")[0]) {
			t.Errorf("%q: got %q, %v; want %q", name, u.Name, err, want)
		}
	}
}

func TestRoleFollowsTheGroupsAtEachSignIn(t *testing.T) {
	h := newHouse(t)
	anna, _ := h.first("Anna")
	one, u, err := h.via("1", "Ben", Broker)
	h.must(err)
	wantError(t, "a role by an administrator", h.SetRole(anna, u.ID, Admin), ErrExternal)
	two, u, err := h.via("1", "Ben", Annotator)
	h.must(err)
	if u.Role != Annotator {
		t.Errorf("got %+v", u)
	}
	h.wantLive(one, false)
	h.wantLive(two, true)
	_, _, err = h.via("1", "Ben", "")
	wantError(t, "no group", err, ErrNoRole)
	h.wantLive(two, false)
	_, _, err = h.via("3", "Carl", "")
	wantError(t, "a stranger without a group", err, ErrNoRole)
	if _, err := h.Find("Carl"); !errors.Is(err, ErrNotFound) {
		t.Error("a stranger has an account")
	}
	back, _, err := h.via("1", "Ben", Broker)
	h.must(err)
	h.must(h.Disable(anna, u.ID))
	h.wantLive(back, false)
	_, _, err = h.via("1", "Ben", Broker)
	wantError(t, "a disabled account", err, ErrDisabled)
}

func TestExternalAccountHasNoLocalWayIn(t *testing.T) {
	h := newHouse(t)
	anna, _ := h.first("Anna")
	token, u, err := h.via("1", "Ben", Admin)
	h.must(err)
	_, err = h.Invite(anna, u.ID)
	wantError(t, "a link", err, ErrExternal)
	_, err = h.SetPassword(u, u.ID, "", goodPassword, From{})
	wantError(t, "a password", err, ErrExternal)
	wantError(t, "a passkey", h.ConfirmPerson(u, ""), ErrExternal)
	if got, err := h.IDToken(token); got != "idt-1" || err != nil {
		t.Errorf("id token %q, %v", got, err)
	}
	h.secondFactor = []Role{Admin} // is the issuer's work
	_, _, err = h.via("1", "Ben", Admin)
	h.must(err)
}

// TestLocalSignInIsOff: with the option neither passwords, links, passkeys nor sessions from
// before let anybody in.
func TestLocalSignInIsOff(t *testing.T) {
	h := newHouse(t)
	anna, session := h.first("Anna")
	link, err := h.Invite(anna, anna.ID)
	h.must(err)
	h.must(h.AddPasskey(anna, Passkey{ID: []byte("x"), Credential: []byte("{}")}))
	h.localOff = true
	_, _, err = h.Login("Anna", goodPassword, From{})
	wantError(t, "a password", err, ErrLocalOff)
	_, _, err = h.Redeem(link, Redemption{Password: otherPassword})
	wantError(t, "a link", err, ErrLocalOff)
	_, _, err = h.SignInByPasskey(anna.ID, PasskeyUse{ID: []byte("x")}, From{})
	wantError(t, "a passkey", err, ErrLocalOff)
	h.wantLive(session, false)
	_, _, err = h.Create(anna, "Carl", Broker)
	wantError(t, "a new account", err, ErrLocalOff)
	_, err = h.Invite(anna, anna.ID)
	wantError(t, "a new link", err, ErrLocalOff)
	token, _, err := h.via("1", "Ben", Admin)
	h.must(err)
	h.wantLive(token, true)
	emergency, _, err := h.BreakGlass(anna.ID, "the sign-in of the hospital is down", time.Hour)
	h.must(err)
	token, _, err = h.Redeem(emergency, Redemption{})
	h.must(err)
	h.wantLive(token, true)
}

func TestEmergencyAccessEndsAndIsOnRecord(t *testing.T) {
	h := newHouse(t)
	anna, _ := h.first("Anna")
	h.app(anna)
	const reason = "Single sign-on is down since 13:20"
	for what, c := range map[string]struct {
		reason string
		last   time.Duration
		want   error
	}{
		"no reason": {" ", time.Hour, ErrReason}, "two lines": {"a\nb", time.Hour, ErrReason}, "too long": {strings.Repeat("x", 201), time.Hour, ErrReason},
		"too short": {reason, time.Second, ErrEmergencyTime}, "a day": {reason, 24 * time.Hour, ErrEmergencyTime},
	} {
		_, _, err := h.BreakGlass(anna.ID, c.reason, c.last)
		wantError(t, what, err, c.want)
	}
	began := h.clock.Now()
	link, ends, err := h.BreakGlass(anna.ID, reason, 10*time.Minute)
	h.must(err)
	if !ends.Equal(began.Add(10 * time.Minute)) {
		t.Errorf("ends %s", ends)
	}
	if l, err := h.Link(link); err != nil || l.Kind != LinkEmergency || l.Name != "Anna" || !l.Ends.Equal(ends) {
		t.Errorf("the link: %+v, %v", l, err)
	}
	h.clock.Advance(4 * time.Minute)
	token, u, err := h.Redeem(link, Redemption{Password: otherPassword}) // the password stays
	h.must(err)
	_, ses, err := h.Session(token)
	if err != nil || u.ID != anna.ID || ses.Emergency != reason || !ses.Ends.Equal(ends) {
		t.Errorf("got %+v, %v", ses, err)
	}
	_, _, err = h.Redeem(link, Redemption{})
	wantError(t, "the link a second time", err, ErrLink)
	h.half("Anna", StepFactor)
	for range 5 {
		h.clock.Advance(time.Minute)
		_, _, err = h.Session(token)
		h.must(err)
	}
	h.clock.Advance(time.Minute)
	h.wantLive(token, false)
	all, err := h.Emergencies(anna, 24*time.Hour)
	if err != nil || len(all) != 1 || all[0].Reason != reason || all[0].User.ID != anna.ID || all[0].Used.IsZero() || !all[0].Ends.Equal(ends) {
		t.Errorf("got %+v, %v", all, err)
	}
	h.clock.Advance(25 * time.Hour)
	if all, err := h.Emergencies(anna, 24*time.Hour); err != nil || len(all) != 0 {
		t.Errorf("a day later: %+v, %v", all, err)
	}
	ben, _ := h.person(anna, "Ben", Broker)
	_, err = h.Emergencies(ben, 24*time.Hour)
	wantError(t, "the list for a broker", err, ErrForbidden)
	late, _, err := h.BreakGlass(ben.ID, reason, time.Minute)
	h.must(err)
	h.clock.Advance(time.Minute)
	_, _, err = h.Redeem(late, Redemption{})
	wantError(t, "a link that is over", err, ErrLink)
}
