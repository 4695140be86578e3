// SPDX-License-Identifier: Apache-2.0

package account

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hide/internal/store"
	"hide/internal/testclock"
)

// house is a service with a clock that the test moves.
type house struct {
	*Service
	t     *testing.T
	store *store.Store
	opts  store.Options
	clock *testclock.Clock
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, clock: testclock.New(time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC))}
	h.opts = store.Options{Dir: filepath.Join(t.TempDir(), "data"), Create: true, Now: h.clock.Now}
	h.open()
	t.Cleanup(func() { h.must(h.store.Close()) })
	return h
}

func (h *house) open() {
	h.t.Helper()
	var err error
	h.store, err = store.Open(h.opts)
	h.must(err)
	h.Service, err = New(h.store, Options{Now: h.clock.Now})
	h.must(err)
	h.hasher = newHasher(64) // KiB; the tests do not depend on it
}

func (h *house) reopen() {
	h.t.Helper()
	h.must(h.store.Close())
	h.open()
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

const (
	goodPassword  = "seven green kettles"
	otherPassword = "nine quiet lanterns"
)

// first creates the first admin and returns this person's session.
func (h *house) first(name string) (User, string) {
	h.t.Helper()
	token, err := h.FirstRun()
	h.must(err)
	session, u, err := h.Redeem(token, Redemption{Name: name, Password: goodPassword})
	h.must(err)
	return u, session
}

// person creates an account whose password is goodPassword.
func (h *house) person(by User, name string, role Role) (User, string) {
	h.t.Helper()
	_, token, err := h.Create(by, name, role)
	h.must(err)
	session, u, err := h.Redeem(token, Redemption{Password: goodPassword})
	h.must(err)
	return u, session
}

func (h *house) wantLive(session string, want bool) {
	h.t.Helper()
	_, _, err := h.Peek(session)
	if want && err != nil || !want && !errors.Is(err, ErrSession) {
		h.t.Errorf("session live %v: got %v", want, err)
	}
}

func wantError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestFirstRunMakesAnAdmin(t *testing.T) {
	h := newHouse(t)
	if empty, err := h.Empty(); !empty || err != nil {
		t.Fatalf("empty: got %v, %v", empty, err)
	}
	u, session := h.first("Anna")
	if u.Role != Admin || u.Name != "Anna" || u.Disabled {
		t.Errorf("got %+v", u)
	}
	got, _, err := h.Session(session)
	if err != nil || got != u {
		t.Errorf("session: got %+v, %v", got, err)
	}
	_, err = h.FirstRun()
	wantError(t, "first run with an account", err, ErrNotFirst)
	if empty, _ := h.Empty(); empty {
		t.Error("still empty")
	}
}

func TestFirstRunLinkWorksOnceFor15Minutes(t *testing.T) {
	h := newHouse(t)
	old, err := h.FirstRun()
	h.must(err)
	late, err := h.FirstRun()
	h.must(err)
	_, _, err = h.Redeem(old, Redemption{Name: "a"})
	wantError(t, "replaced link", err, ErrLink)
	h.clock.Advance(15 * time.Minute)
	_, _, err = h.Redeem(late, Redemption{Name: "a"})
	wantError(t, "link after 15 minutes", err, ErrLink)
	good, err := h.FirstRun()
	h.must(err)
	h.clock.Advance(15*time.Minute - time.Second)
	_, _, err = h.Redeem(good, Redemption{Name: ""})
	wantError(t, "no name", err, ErrName)
	_, _, err = h.Redeem(good, Redemption{Name: "a", Password: "short"})
	wantError(t, "weak password", err, ErrWeak)
	_, _, err = h.Redeem(good, Redemption{Name: "a"})
	h.must(err)
	_, _, err = h.Redeem(good, Redemption{Name: "b"})
	wantError(t, "second use", err, ErrLink)
	if len(good) < 22 { // 128 bits in base 64
		t.Errorf("token %q is too short", good)
	}
}

func TestOfManyAtOnceOneRedeemsTheFirstLink(t *testing.T) {
	h := newHouse(t)
	token, err := h.FirstRun()
	h.must(err)
	var wait sync.WaitGroup
	results := make([]error, 8)
	for i := range results {
		wait.Go(func() { _, _, results[i] = h.Redeem(token, Redemption{Name: "a"}) })
	}
	wait.Wait()
	won := 0
	for _, err := range results {
		if err == nil {
			won++
		} else if !errors.Is(err, ErrLink) {
			t.Errorf("got %v, want ErrLink", err)
		}
	}
	if won != 1 {
		t.Errorf("%d of %d succeeded, want 1", won, len(results))
	}
}

func TestInviteWorksOnceForADay(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	u, token, err := h.Create(admin, "Ben", Annotator)
	h.must(err)
	if l, err := h.Link(token); err != nil || l.Kind != LinkInvite || l.Name != "Ben" {
		t.Errorf("peek: got %+v, %v", l, err)
	}
	h.clock.Advance(24 * time.Hour)
	_, _, err = h.Redeem(token, Redemption{})
	wantError(t, "after a day", err, ErrLink)
	first, err := h.Invite(admin, u.ID)
	h.must(err)
	second, err := h.Invite(admin, u.ID)
	h.must(err)
	_, _, err = h.Redeem(first, Redemption{})
	wantError(t, "replaced", err, ErrLink)
	_, got, err := h.Redeem(second, Redemption{Name: "Somebody else", Password: goodPassword})
	if err != nil || got != u {
		t.Errorf("redeem: got %+v, %v, want %+v", got, err, u)
	}
	_, _, err = h.Redeem(second, Redemption{})
	wantError(t, "second use", err, ErrLink)
	_, _, err = h.Login("ben", goodPassword, From{})
	h.must(err)
}

func TestSignInLinkSignsInOnce(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	token, err := h.SignInLink(admin.ID, time.Minute)
	h.must(err)
	_, u, err := h.Redeem(token, Redemption{Password: otherPassword})
	if err != nil || u != admin {
		t.Errorf("got %+v, %v", u, err)
	}
	_, _, err = h.Login("anna", goodPassword, From{})
	h.must(err) // the link has not changed the password
	_, _, err = h.Redeem(token, Redemption{})
	wantError(t, "second use", err, ErrLink)
	token, err = h.SignInLink(admin.ID, time.Minute)
	h.must(err)
	h.clock.Advance(time.Minute)
	_, _, err = h.Redeem(token, Redemption{})
	wantError(t, "late", err, ErrLink)
	_, err = h.SignInLink("nobody", time.Minute)
	wantError(t, "unknown person", err, ErrNotFound)
}

func TestSetPassword(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	u, _ := h.person(admin, "Ben", Annotator)
	_, err := h.SetPassword(u, u.ID, "wrong", otherPassword, From{})
	wantError(t, "wrong present password", err, ErrPassword)
	_, err = h.SetPassword(u, u.ID, goodPassword, "short", From{})
	wantError(t, "weak", err, ErrWeak)
	_, err = h.SetPassword(admin, u.ID, goodPassword, otherPassword, From{})
	wantError(t, "somebody else's", err, ErrForbidden)
	session, err := h.SetPassword(u, u.ID, goodPassword, otherPassword, From{})
	h.must(err)
	h.wantLive(session, true)
	_, _, err = h.Login("ben", goodPassword, From{})
	wantError(t, "old password", err, ErrCredentials)
	_, _, err = h.Login("ben", otherPassword, From{})
	h.must(err)
}

// TestANewPasswordEndsLinks: a stolen one would replace it again. Emergency access goes on.
func TestANewPasswordEndsLinks(t *testing.T) {
	h := newHouse(t)
	anna, _ := h.first("Anna")
	invite, err := h.Invite(anna, anna.ID)
	h.must(err)
	signIn, err := h.SignInLink(anna.ID, time.Hour)
	h.must(err)
	emergency, _, err := h.BreakGlass(anna.ID, "the sign-in is down", time.Hour)
	h.must(err)
	_, err = h.SetPassword(anna, anna.ID, goodPassword, otherPassword, From{})
	h.must(err)
	for what, link := range map[string]string{"an invitation": invite, "a sign-in link": signIn} {
		_, _, err := h.Redeem(link, Redemption{})
		wantError(t, what, err, ErrLink)
	}
	_, _, err = h.Redeem(emergency, Redemption{})
	h.must(err)
}

func TestPasswordSetLater(t *testing.T) {
	h := newHouse(t)
	token, err := h.FirstRun()
	h.must(err)
	_, u, err := h.Redeem(token, Redemption{Name: "Anna"})
	h.must(err)
	_, _, err = h.Login("Anna", "", From{})
	wantError(t, "no password set", err, ErrCredentials)
	_, err = h.SetPassword(u, u.ID, "", goodPassword, From{})
	h.must(err)
	_, _, err = h.Login("Anna", goodPassword, From{})
	h.must(err)
}

func TestNames(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	for _, c := range []struct {
		name string
		want error
	}{
		{"", ErrName}, {"   ", ErrName}, {"a\tb", ErrName}, {"a\nb", ErrName}, {"a  b", ErrName},
		{"zero\u200bwidth", ErrName}, {"turned\u202e", ErrName}, {"\xff\xfe", ErrName},
		{strings.Repeat("x", 65), ErrName}, {strings.Repeat("y", 64), nil}, {"ä", nil},
		{"anna", ErrNameTaken}, {"ANNA", ErrNameTaken}, {"  Anna ", ErrNameTaken}, {"\uff21nna", ErrNameTaken},
		{"Dr. Straße", nil}, {"DR. STRASSE", ErrNameTaken}, {"安娜", nil}, {"Ben O'Neil-Smith", nil},
	} {
		_, _, err := h.Create(admin, c.name, Annotator)
		wantError(t, c.name, err, c.want)
	}
}

func TestIDsAreRandomAndNotReused(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		id := newID()
		if seen[id] || len(id) != 21 {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
}

func TestOnlyAdminsManagePeople(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	victim, _ := h.person(admin, "Victim", Annotator)
	disabled, _ := h.person(admin, "Gone", Admin)
	h.must(h.Disable(admin, disabled.ID))
	broker, _ := h.person(admin, "B", Broker)
	annotator, _ := h.person(admin, "A", Annotator)
	reviewer, _ := h.person(admin, "R", Reviewer)
	claims := User{ID: reviewer.ID, Name: "R", Role: Admin}
	for _, by := range []User{broker, annotator, reviewer, claims, disabled, {}, {ID: "nobody", Role: Admin}} {
		_, _, create := h.Create(by, "x", Admin)
		_, list := h.List(by)
		_, invite := h.Invite(by, victim.ID)
		_, password := h.SetPassword(by, victim.ID, goodPassword, otherPassword, From{})
		for what, err := range map[string]error{
			"create": create, "list": list, "invite": invite, "set password": password,
			"role": h.SetRole(by, victim.ID, Admin), "disable": h.Disable(by, victim.ID),
			"enable": h.Enable(by, disabled.ID), "revoke": h.RevokeAll(by, victim.ID),
		} {
			wantError(t, by.Name+": "+what, err, ErrForbidden)
		}
	}
	if u, err := h.User(victim.ID); err != nil || u != victim {
		t.Errorf("the victim is %+v, %v", u, err)
	}
	h.must(h.SetRole(Operator(), victim.ID, Broker))
}

func TestLastActiveAdminStays(t *testing.T) {
	h := newHouse(t)
	anna, session := h.first("Anna")
	wantError(t, "disable", h.Disable(anna, anna.ID), ErrLastAdmin)
	wantError(t, "demote", h.SetRole(anna, anna.ID, Broker), ErrLastAdmin)
	wantError(t, "by operator", h.Disable(Operator(), anna.ID), ErrLastAdmin)
	h.wantLive(session, true)
	ben, _ := h.person(anna, "Ben", Admin)
	h.must(h.Disable(anna, ben.ID))
	wantError(t, "disable with a disabled one beside", h.Disable(anna, anna.ID), ErrLastAdmin)
	h.must(h.Enable(anna, ben.ID))
	h.must(h.SetRole(ben, anna.ID, Reviewer))
	wantError(t, "the other one", h.SetRole(ben, ben.ID, Annotator), ErrLastAdmin)
}

func TestDisabledPersonStaysOut(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	u, _ := h.person(admin, "Ben", Annotator)
	link, err := h.Invite(admin, u.ID)
	h.must(err)
	h.must(h.Disable(admin, u.ID))
	_, _, err = h.Login("Ben", goodPassword, From{})
	wantError(t, "login", err, ErrCredentials)
	_, _, err = h.Redeem(link, Redemption{})
	wantError(t, "old link", err, ErrLink)
	_, err = h.Invite(admin, u.ID)
	wantError(t, "new link", err, ErrNotFound)
	_, err = h.SignInLink(u.ID, time.Hour)
	wantError(t, "sign-in link", err, ErrNotFound)
	_, err = h.SetPassword(u, u.ID, goodPassword, otherPassword, From{})
	wantError(t, "password", err, ErrForbidden)
	h.must(h.Enable(admin, u.ID))
	_, _, err = h.Login("Ben", goodPassword, From{})
	h.must(err)
}

func TestListIsSortedAndSaysWhoHasSignedIn(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("berta")
	_, _, err := h.Create(admin, "Anton", Reviewer)
	h.must(err)
	all, err := h.List(admin)
	h.must(err)
	if len(all) != 2 || all[0].Name != "Anton" || !all[0].SignedIn.IsZero() || all[0].HasPassword || !all[1].HasPassword || all[1].SignedIn.IsZero() {
		t.Errorf("got %+v", all)
	}
	u, err := h.Find("BERTA")
	if err != nil || u != admin {
		t.Errorf("find: got %+v, %v", u, err)
	}
	_, err = h.Find("nobody")
	wantError(t, "find", err, ErrNotFound)
	_, err = h.User("nobody")
	wantError(t, "user", err, ErrNotFound)
}

func TestRolesGrantWhatTheySay(t *testing.T) {
	for _, c := range []struct {
		role Role
		p    Permission
		want bool
	}{
		{Admin, ManagePeople, true}, {Broker, ManagePeople, false}, {Annotator, Sanitize, false},
		{Reviewer, ReadNotes, false}, {Reviewer, SeeFigures, true}, {"", SeeFigures, false}, {"root", ManagePeople, false},
	} {
		if got := c.role.Can(c.p); got != c.want {
			t.Errorf("%s can %s: got %v", c.role, c.p, got)
		}
	}
}

func TestUnknownRoleIsRefused(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	_, _, err := h.Create(admin, "Ben", "root")
	wantError(t, "create", err, ErrRole)
	wantError(t, "set", h.SetRole(admin, admin.ID, ""), ErrRole)
}
