// SPDX-License-Identifier: Apache-2.0

package account

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hide/internal/store"
)

// house is a service with a clock that the test moves.
type house struct {
	*Service
	t     *testing.T
	store *store.Store
	opts  store.Options
	mu    sync.Mutex // guards clock
	clock time.Time
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, clock: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}
	h.opts = store.Options{Dir: filepath.Join(t.TempDir(), "data"), Create: true, Now: h.time}
	h.open()
	t.Cleanup(func() { h.must(h.store.Close()) })
	return h
}

func (h *house) open() {
	h.t.Helper()
	var err error
	h.store, err = store.Open(h.opts)
	h.must(err)
	h.Service, err = New(h.store, Options{Now: h.time})
	h.must(err)
}

func (h *house) reopen() {
	h.t.Helper()
	h.must(h.store.Close())
	h.open()
}

func (h *house) time() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.clock
}

func (h *house) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clock = h.clock.Add(d)
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

// first makes the first admin and gives this person's session.
func (h *house) first(name string) (User, string) {
	h.t.Helper()
	token, err := h.FirstRun()
	h.must(err)
	session, u, err := h.Redeem(token, Redemption{Name: name, Password: goodPassword})
	h.must(err)
	return u, session
}

// person makes an account whose password is goodPassword.
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
	h.pass(15 * time.Minute)
	_, _, err = h.Redeem(late, Redemption{Name: "a"})
	wantError(t, "link after 15 minutes", err, ErrLink)
	good, err := h.FirstRun()
	h.must(err)
	h.pass(15*time.Minute - time.Second)
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
	h.pass(24 * time.Hour)
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
	_, _, err = h.Login("ben", goodPassword, "")
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
	_, _, err = h.Login("anna", goodPassword, "")
	h.must(err) // the link has not changed the password
	_, _, err = h.Redeem(token, Redemption{})
	wantError(t, "second use", err, ErrLink)
	token, err = h.SignInLink(admin.ID, time.Minute)
	h.must(err)
	h.pass(time.Minute)
	_, _, err = h.Redeem(token, Redemption{})
	wantError(t, "late", err, ErrLink)
	_, err = h.SignInLink("nobody", time.Minute)
	wantError(t, "unknown person", err, ErrNotFound)
}

func TestSessionEndsWhenIdle(t *testing.T) {
	h := newHouse(t)
	_, session := h.first("Anna")
	for range 10 {
		h.pass(IdleFor - time.Second)
		_, _, err := h.Session(session)
		h.must(err)
	}
	h.pass(IdleFor - time.Second)
	h.wantLive(session, true) // looking is not using
	h.pass(time.Second)
	h.wantLive(session, false)
}

func TestSessionEndsAfter12HoursInAnyCase(t *testing.T) {
	h := newHouse(t)
	_, session := h.first("Anna")
	for range 12*6 - 1 {
		h.pass(10 * time.Minute)
		_, _, err := h.Session(session)
		h.must(err)
	}
	h.pass(10 * time.Minute)
	_, _, err := h.Session(session)
	wantError(t, "after 12 hours", err, ErrSession)
}

func TestUseSurvivesARestart(t *testing.T) {
	h := newHouse(t)
	_, session := h.first("Anna")
	h.pass(10 * time.Minute)
	_, _, err := h.Session(session)
	h.must(err)
	h.reopen()
	h.pass(10 * time.Minute)
	h.wantLive(session, true)
	h.pass(5 * time.Minute)
	h.wantLive(session, false)
}

func TestUseIsWrittenEveryFiveMinutes(t *testing.T) {
	h := newHouse(t)
	_, session := h.first("Anna")
	before := h.rows()
	for range 60 {
		h.pass(10 * time.Second)
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
	h.pass(IdleFor)
	h.wantLive(session, false)
	h.pass(-24 * time.Hour)
	h.wantLive(session, false)
	h.pass(10 * 365 * 24 * time.Hour)
	h.wantLive(session, false)
}

func TestSignInRotatesAndLogoutEnds(t *testing.T) {
	h := newHouse(t)
	_, one := h.first("Anna")
	two, _, err := h.Login("ANNA", goodPassword, "127.0.0.1")
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
			_, err := h.SetPassword(u, u.ID, goodPassword, otherPassword)
			return err
		}},
		{"password set by operator", func(h *house, _, u User) error {
			_, err := h.SetPassword(Operator(), u.ID, "", otherPassword)
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
			second, _, err := h.Login("Ben", goodPassword, "")
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

func TestSetPassword(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	u, _ := h.person(admin, "Ben", Annotator)
	_, err := h.SetPassword(u, u.ID, "wrong", otherPassword)
	wantError(t, "wrong present password", err, ErrPassword)
	_, err = h.SetPassword(u, u.ID, goodPassword, "short")
	wantError(t, "weak", err, ErrWeak)
	_, err = h.SetPassword(admin, u.ID, goodPassword, otherPassword)
	wantError(t, "somebody else's", err, ErrForbidden)
	session, err := h.SetPassword(u, u.ID, goodPassword, otherPassword)
	h.must(err)
	h.wantLive(session, true)
	_, _, err = h.Login("ben", goodPassword, "")
	wantError(t, "old password", err, ErrCredentials)
	_, _, err = h.Login("ben", otherPassword, "")
	h.must(err)
}

func TestPasswordSetLater(t *testing.T) {
	h := newHouse(t)
	token, err := h.FirstRun()
	h.must(err)
	_, u, err := h.Redeem(token, Redemption{Name: "Anna"})
	h.must(err)
	_, _, err = h.Login("Anna", "", "")
	wantError(t, "no password set", err, ErrCredentials)
	_, err = h.SetPassword(u, u.ID, "", goodPassword)
	h.must(err)
	_, _, err = h.Login("Anna", goodPassword, "")
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
		_, password := h.SetPassword(by, victim.ID, goodPassword, otherPassword)
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
	_, _, err = h.Login("Ben", goodPassword, "")
	wantError(t, "login", err, ErrCredentials)
	_, _, err = h.Redeem(link, Redemption{})
	wantError(t, "old link", err, ErrLink)
	_, err = h.Invite(admin, u.ID)
	wantError(t, "new link", err, ErrNotFound)
	_, err = h.SignInLink(u.ID, time.Hour)
	wantError(t, "sign-in link", err, ErrNotFound)
	_, err = h.SetPassword(u, u.ID, goodPassword, otherPassword)
	wantError(t, "password", err, ErrForbidden)
	h.must(h.Enable(admin, u.ID))
	_, _, err = h.Login("Ben", goodPassword, "")
	h.must(err)
}

// count is the number of hashes computed so far.
func (h *hasher) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.done
}

// TestRefusalsAreAlike compares what three kinds of refused sign-ins say and do:
// the error, the number of password hashes, and the audit row.
func TestRefusalsAreAlike(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	u, _ := h.person(admin, "Gone", Annotator)
	h.must(h.Disable(admin, u.ID))
	for _, c := range []struct{ what, name, password string }{
		{"unknown name", "nobody", goodPassword},
		{"wrong password", "Anna", otherPassword},
		{"disabled", "Gone", goodPassword},
		{"disabled, wrong password", "Gone", otherPassword},
		{"no name", "", goodPassword},
		{"endless password", "Anna", strings.Repeat("x", 1<<20)},
	} {
		before, hashes := h.rows(), h.hasher.count()
		token, got, err := h.Login(c.name, c.password, "192.0.2.1")
		if token != "" || got != (User{}) || err != ErrCredentials {
			t.Errorf("%s: got %q, %+v, %v", c.what, token, got, err)
		}
		if n := h.hasher.count() - hashes; n != 1 {
			t.Errorf("%s: %d hashes, want 1", c.what, n)
		}
		if n := h.rows() - before; n != 1 {
			t.Errorf("%s: %d audit rows, want 1", c.what, n)
		}
	}
}

func TestLockoutByName(t *testing.T) {
	h := newHouse(t)
	h.first("Anna")
	for _, name := range []string{"Anna", "nobody"} {
		for range maxTries {
			_, _, err := h.Login(name, otherPassword, "")
			wantError(t, name, err, ErrCredentials)
			h.pass(time.Second)
		}
		var locked *LockoutError
		_, _, err := h.Login(strings.ToUpper(name), goodPassword, "192.0.2.77")
		if !errors.As(err, &locked) {
			t.Fatalf("%s: got %v, want a lockout", name, err)
		}
		if wait := locked.Until.Sub(h.time()); wait != tryWindow-maxTries*time.Second {
			t.Errorf("%s: locked for %s", name, wait)
		}
	}
	h.pass(tryWindow)
	_, _, err := h.Login("Anna", goodPassword, "")
	h.must(err)
}

func TestLockoutByPeer(t *testing.T) {
	h := newHouse(t)
	h.first("Anna")
	for i := range maxTries {
		_, _, err := h.Login("name"+string(rune('a'+i)), otherPassword, "192.0.2.1")
		wantError(t, "try", err, ErrCredentials)
	}
	var locked *LockoutError
	_, _, err := h.Login("Anna", goodPassword, "192.0.2.1")
	if !errors.As(err, &locked) {
		t.Errorf("same peer: got %v, want a lockout", err)
	}
	_, _, err = h.Login("Anna", goodPassword, "192.0.2.2")
	h.must(err)
}

func TestSuccessForgetsFailures(t *testing.T) {
	h := newHouse(t)
	h.first("Anna")
	for range 3 {
		for range maxTries - 1 {
			_, _, err := h.Login("Anna", otherPassword, "")
			wantError(t, "wrong", err, ErrCredentials)
		}
		_, _, err := h.Login("Anna", goodPassword, "")
		h.must(err)
	}
}

func TestManyTriesAtOnceAreCounted(t *testing.T) {
	l, now := newLockout(), time.Now()
	var wait sync.WaitGroup
	var mu sync.Mutex
	passed := 0
	for range 50 {
		wait.Go(func() {
			if l.begin(now, "name:a") == nil {
				mu.Lock()
				passed++
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if passed != maxTries {
		t.Errorf("%d passed, want %d", passed, maxTries)
	}
}

func TestPasswordChangeGuessesAreCounted(t *testing.T) {
	h := newHouse(t)
	u, _ := h.first("Anna")
	for range maxTries {
		_, err := h.SetPassword(u, u.ID, otherPassword, goodPassword)
		wantError(t, "guess", err, ErrPassword)
	}
	var locked *LockoutError
	if _, err := h.SetPassword(u, u.ID, goodPassword, otherPassword); !errors.As(err, &locked) {
		t.Errorf("got %v, want a lockout", err)
	}
}

func TestAtMostTwoHashesAtOnce(t *testing.T) {
	h := newHasher()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() { h.matches(nil, goodPassword) })
	}
	wait.Wait()
	if h.most > maxHashes || h.most == 0 {
		t.Errorf("%d at once, want 1 to %d", h.most, maxHashes)
	}
}

func TestPasswords(t *testing.T) {
	for _, c := range []struct {
		password, name string
		want           error
	}{
		{goodPassword, "x", nil}, {"elevenchars", "x", ErrWeak}, {"twelve chars", "x", nil},
		{"aaaaaaaaaaaaaaaaaa", "x", ErrWeak}, {"abcdabcdabcdabcd", "x", ErrWeak},
		{"Anna Anderson Smith", "anna anderson smith", ErrWeak},
		{strings.Repeat("abcdef", 43), "x", ErrWeak}, {"\xff23456789012", "x", ErrWeak}, {"пароль-длинный", "x", nil},
	} {
		_, err := checkPassword(c.password, c.name)
		wantError(t, c.password, err, c.want)
	}
	h := newHasher()
	p := h.hash("\u00e9 composed and long")
	if !h.matches(p, "e\u0301 composed and long") || h.matches(p, "e composed and long") {
		t.Error("composed and decomposed characters should be the same, and others not")
	}
}

// TestEveryChangeIsAudited names each change, who did it and to whom.
func TestEveryChangeIsAudited(t *testing.T) {
	h := newHouse(t)
	admin, session := h.first("Anna Canary")
	u, _ := h.person(admin, "Ben Canary", Annotator)
	h.must(h.SetRole(admin, u.ID, Broker))
	h.must(h.Disable(admin, u.ID))
	h.must(h.Enable(admin, u.ID))
	h.must(h.RevokeAll(admin, u.ID))
	_, err := h.SetPassword(u, u.ID, goodPassword, otherPassword)
	h.must(err)
	_, _, err = h.Login("ben canary", "wrong Canary password", "192.0.2.9:4000")
	wantError(t, "login", err, ErrCredentials)
	h.must(h.Logout(session))
	rows, err := h.store.AuditRows(0, 1000, nil)
	h.must(err)
	got := map[string]bool{}
	for _, r := range rows {
		got[r.Actor+" "+r.Action+" "+r.Object+" "+r.Detail] = true
		if strings.Contains(strings.ToLower(r.Actor+r.Action+r.Object+r.Detail), "canary") {
			t.Errorf("row %d holds a name: %+v", r.Seq, r)
		}
	}
	for _, want := range []string{
		"system account.first-link  ",
		"system account.create " + admin.ID + " role admin, first",
		admin.ID + " session.begin " + admin.ID + " by link, first",
		admin.ID + " account.create " + u.ID + " role annotator",
		u.ID + " account.password " + u.ID + " ",
		u.ID + " session.begin " + u.ID + " by link, invite",
		admin.ID + " account.role " + u.ID + " from annotator to broker",
		admin.ID + " account.disable " + u.ID + " ",
		admin.ID + " account.enable " + u.ID + " ",
		admin.ID + " session.revoke-all " + u.ID + " ",
		u.ID + " session.begin " + u.ID + " new password",
		"system session.refused " + u.ID + "  from 192.0.2.9",
		admin.ID + " session.end " + admin.ID + " ",
	} {
		if !got[want] {
			t.Errorf("no row %q", want)
		}
	}
}

// TestNoSecretInTheFile looks for names, passwords and tokens in everything that
// is on disk.
func TestNoSecretInTheFile(t *testing.T) {
	h := newHouse(t)
	admin, session := h.first("Anna Canary")
	_, invite, err := h.Create(admin, "Ben Canary", Annotator)
	h.must(err)
	h.must(h.store.Close())
	found := 0
	h.must(filepath.WalkDir(filepath.Dir(h.opts.Dir), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		found++
		for _, secret := range []string{"Canary", "canary", goodPassword, session, invite} {
			if bytes.Contains(b, []byte(secret)) {
				t.Errorf("%s holds a secret", filepath.Base(path))
			}
		}
		return err
	}))
	if found < 3 {
		t.Errorf("looked at %d files only", found)
	}
}

// TestTokensAreStoredHashed reads the sealed records: not even whoever opens them
// finds a token that works.
func TestTokensAreStoredHashed(t *testing.T) {
	h := newHouse(t)
	admin, session := h.first("Anna")
	_, invite, err := h.Create(admin, "Ben", Annotator)
	h.must(err)
	h.must(h.view(func(tx *store.Tx) error {
		for _, bucket := range []string{bucketUsers, bucketNames, bucketSessions, bucketLinks} {
			n := 0
			err := tx.Scan(bucket, nil, func(k, v []byte) error {
				n++
				for _, secret := range []string{session, invite, goodPassword} {
					if bytes.Contains(append(k, v...), []byte(secret)) {
						t.Errorf("%s holds a secret", bucket)
					}
				}
				return nil
			})
			if err != nil || n == 0 {
				t.Errorf("%s: %d entries, %v", bucket, n, err)
			}
		}
		return nil
	}))
}

func TestEndedSessionsAndLinksAreClearedAway(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	for range 5 {
		_, err := h.SignInLink(admin.ID, time.Minute)
		h.must(err)
		_, _, err = h.Login("Anna", goodPassword, "")
		h.must(err)
	}
	h.pass(13 * time.Hour)
	_, _, err := h.Login("Anna", goodPassword, "")
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
