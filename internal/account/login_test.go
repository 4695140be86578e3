// SPDX-License-Identifier: Apache-2.0

package account

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// count is the number of hashes computed so far.
func (h *hasher) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.done
}

// TestRefusalsAreAlike compares three kinds of refused sign-ins: the error, the number
// of password hashes, and the audit row.
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
		token, got, err := h.Login(c.name, c.password, From{Peer: "192.0.2.1"})
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

// wantWait is the wait that a sign-in is told.
func wantWait(t *testing.T, what string, err error, want time.Duration) {
	t.Helper()
	slow, ok := errors.AsType[*TooManyTriesError](err)
	if !ok || slow.Wait != want {
		t.Fatalf("%s: got %v, want a wait of %s", what, err, want)
	}
}

func TestFailedTriesForANameWaitLongerAndLonger(t *testing.T) {
	h := newHouse(t)
	h.first("Anna")
	for _, name := range []string{"Anna", "nobody"} {
		for range freeTries {
			_, _, err := h.Login(name, otherPassword, From{})
			wantError(t, name, err, ErrCredentials)
		}
		for wait := firstWait; wait < maxWait; wait *= 2 {
			_, _, err := h.Login(strings.ToUpper(name), goodPassword, From{Peer: "192.0.2.77"})
			wantWait(t, name, err, wait)
			h.clock.Advance(wait)
			_, _, err = h.Login(name, otherPassword, From{})
			wantError(t, name, err, ErrCredentials)
		}
		for range 3 {
			_, _, err := h.Login(name, goodPassword, From{})
			wantWait(t, name, err, maxWait)
			h.clock.Advance(maxWait)
			_, _, err = h.Login(name, otherPassword, From{})
			wantError(t, name, err, ErrCredentials)
		}
	}
	h.clock.Advance(maxWait)
	_, _, err := h.Login("Anna", goodPassword, From{})
	h.must(err)
}

func TestFailedTriesFromAnAddressWait(t *testing.T) {
	h := newHouse(t)
	h.first("Anna")
	for i := range freePeerTries {
		_, _, err := h.Login("name"+strconv.Itoa(i), otherPassword, From{Peer: "2001:db8::" + strconv.Itoa(i)})
		wantError(t, "try", err, ErrCredentials)
	}
	_, _, err := h.Login("Anna", goodPassword, From{Peer: "2001:db8::ffff"})
	wantWait(t, "same network", err, firstWait)
	_, _, err = h.Login("Anna", goodPassword, From{Peer: "2001:db8:0:1::1"})
	h.must(err)
	h.clock.Advance(halveAfter)
	_, _, err = h.Login("Anna", otherPassword, From{Peer: "2001:db8::1"})
	wantError(t, "later", err, ErrCredentials)
}

// TestStrangersDoNotSlowAKnownDevice: whatever is tried elsewhere, the browser that an
// account was used in signs in at once, and is slowed down only by its own tries.
func TestStrangersDoNotSlowAKnownDevice(t *testing.T) {
	h := newHouse(t)
	u, _ := h.first("Anna")
	device, err := h.Device(u.ID)
	h.must(err)
	at := From{Peer: "192.0.2.1", Device: device}
	for range freeTries {
		_, _, err := h.Login("Anna", otherPassword, From{Peer: "192.0.2.1"})
		wantError(t, "stranger", err, ErrCredentials)
	}
	_, _, err = h.Login("Anna", goodPassword, From{Peer: "192.0.2.1"})
	wantWait(t, "stranger", err, firstWait)
	_, _, err = h.Login("Anna", goodPassword, at)
	h.must(err)
	for range freeTries {
		_, _, err := h.Login("Anna", otherPassword, at)
		wantError(t, "own mistake", err, ErrCredentials)
	}
	_, _, err = h.Login("Anna", goodPassword, at)
	wantWait(t, "own mistakes", err, firstWait)
}

func TestADeviceIsKnownForItsAccountAndPasswordAndTime(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	ben, _ := h.person(admin, "Ben", Annotator)
	device, err := h.Device(admin.ID)
	h.must(err)
	known := func(what, name, device string, want bool) {
		t.Helper()
		subjects, got, err := h.tried(name, From{Device: device})
		h.must(err)
		if got != want || got != (subjects[0] != nameSubject(name)) {
			t.Errorf("%s: known %v, want %v", what, got, want)
		}
	}
	known("own", "ANNA", device, true)
	known("another account", "Ben", device, false)
	known("nobody", "nobody", device, false)
	known("changed", "Anna", "A"+device[1:]+"", device[0] == 'A')
	known("longer", "Anna", device+"AAAA", false)
	known("endless", "Anna", strings.Repeat(device, 1000), false)
	h.clock.Advance(-time.Hour)
	known("from the future", "Anna", device, false)
	h.clock.Advance(time.Hour + DeviceFor - time.Second)
	known("just in time", "Anna", device, true)
	h.clock.Advance(time.Second)
	known("too late", "Anna", device, false)
	device, err = h.Device(ben.ID)
	h.must(err)
	_, err = h.SetPassword(Operator(), ben.ID, "", otherPassword, From{})
	h.must(err)
	known("after a new password", "Ben", device, false)
}

// TestClockJumpsNeitherLockNorForgive: a wait is never longer than the longest one, and a
// clock set back gives no free tries.
func TestClockJumpsNeitherLockNorForgive(t *testing.T) {
	h := newHouse(t)
	h.first("Anna")
	for range freeTries {
		_, _, err := h.Login("Anna", otherPassword, From{})
		wantError(t, "try", err, ErrCredentials)
	}
	h.clock.Advance(-10 * 365 * 24 * time.Hour)
	_, _, err := h.Login("Anna", goodPassword, From{})
	wantWait(t, "set back", err, firstWait)
	h.clock.Advance(firstWait)
	_, _, err = h.Login("Anna", goodPassword, From{})
	h.must(err)
}

func TestSuccessForgetsFailures(t *testing.T) {
	h := newHouse(t)
	h.first("Anna")
	for range 3 {
		for range freeTries - 1 {
			_, _, err := h.Login("Anna", otherPassword, From{})
			wantError(t, "wrong", err, ErrCredentials)
		}
		_, _, err := h.Login("Anna", goodPassword, From{})
		h.must(err)
	}
}

func TestManyTriesAtOnceAreCounted(t *testing.T) {
	l, now := newThrottle(), time.Now()
	var wait sync.WaitGroup
	var mu sync.Mutex
	passed := 0
	for range 50 {
		wait.Go(func() {
			if l.begin(now, nameSubject("a")) == nil {
				mu.Lock()
				passed++
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if passed != freeTries {
		t.Errorf("%d passed, want %d", passed, freeTries)
	}
}

// TestPasswordChangeGuessesAreCounted, and strangers' tries do not count here.
func TestPasswordChangeGuessesAreCounted(t *testing.T) {
	h := newHouse(t)
	u, _ := h.first("Anna")
	for range freeTries {
		_, _, err := h.Login("Anna", otherPassword, From{})
		wantError(t, "stranger", err, ErrCredentials)
	}
	for range freeTries {
		_, err := h.SetPassword(u, u.ID, otherPassword, goodPassword, From{})
		wantError(t, "guess", err, ErrPassword)
	}
	_, err := h.SetPassword(u, u.ID, goodPassword, otherPassword, From{})
	wantWait(t, "guesses", err, firstWait)
}

// TestAChangeDoesNotOverwriteAReset that comes while the present password is compared: the
// change reads the clock after it has read that password.
func TestAChangeDoesNotOverwriteAReset(t *testing.T) {
	h := newHouse(t)
	u, _ := h.first("Anna")
	reset := sync.OnceFunc(func() {
		_, err := h.SetPassword(Operator(), u.ID, "", otherPassword, From{})
		h.must(err)
	})
	h.now = func() time.Time { reset(); return h.clock.Now() }
	_, err := h.SetPassword(u, u.ID, goodPassword, goodPassword+" again", From{})
	wantError(t, "change", err, ErrPassword)
	_, _, err = h.Login("Anna", otherPassword, From{})
	h.must(err)
}

func TestAtMostTwoHashesAtOnce(t *testing.T) {
	h := newHasher(64)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() { h.matches(nil, goodPassword) })
	}
	wait.Wait()
	if h.most > maxHashes || h.most == 0 {
		t.Errorf("%d at once, want 1 to %d", h.most, maxHashes)
	}
}

func TestPasswordsAreHashedWith19MiB(t *testing.T) {
	h := newHouse(t)
	s, err := New(h.store, Options{})
	h.must(err)
	p := s.hasher.hash(goodPassword)
	if p.Memory != 19*1024 || p.Time != 2 || p.Threads != 1 || len(p.Salt) != 16 || len(p.Hash) != 32 {
		t.Errorf("got m=%d t=%d p=%d", p.Memory, p.Time, p.Threads)
	}
	if !s.hasher.matches(p, goodPassword) || s.hasher.matches(p, otherPassword) || s.hasher.matches(nil, goodPassword) {
		t.Error("a password matches a wrong hash or does not match its own")
	}
}

func TestPasswords(t *testing.T) {
	for _, c := range []struct {
		password, name string
		want           error
	}{
		{goodPassword, "x", nil}, {"elevenchars", "x", ErrWeak}, {"twelve chars", "x", nil},
		{"password1234", "x", ErrGuessable}, {"qwertyuiop12", "x", ErrGuessable}, {"annamariabell2", "Annamariabell", ErrGuessable},
		{"annamariabell22", "Annamariabell Weiss", ErrGuessable}, {"пароль123456", "x", ErrGuessable}, {"ПРИВЕТпривет1", "x", ErrGuessable}, {"йцукенгшщзхъ", "x", ErrGuessable}, {"абвгдежзиклм", "x", ErrGuessable},
		{"NoraWeber2026!", "Nora Weber", ErrGuessable}, {"Weber Nora 2026", "Nora Weber", ErrGuessable}, {"noraweber1234", "Nora Weber", ErrGuessable},
		{"Summer2026!!", "x", ErrGuessable}, {"Hide2026hide!", "x", ErrGuessable}, {"nora counts 2026 blue teapots", "Nora Weber", nil},
		{"aaaaaaaaaaaaaaaaaa", "x", ErrWeak}, {"abcdabcdabcdabcd", "x", ErrWeak},
		{"Anna Anderson Smith", "anna anderson smith", ErrWeak},
		{strings.Repeat("abcdef", 43), "x", ErrWeak}, {"\xff23456789012", "x", ErrWeak},
		{"лампа тихо поёт рекой", "x", nil}, {"grüne Löffel fließen schräg", "x", nil},
		{"cuatro búhos pintan azúcar", "x", nil}, {"青い猿が月で静かに歌う夜明け", "x", nil}, {"七只绿色茶壶在山上安静地跳舞", "x", nil},
	} {
		_, err := checkPassword(c.password, c.name)
		wantError(t, c.password, err, c.want)
	}
	h := newHasher(64)
	p := h.hash("\u00e9 composed and long")
	if !h.matches(p, "e\u0301 composed and long") || h.matches(p, "e composed and long") {
		t.Error("composed and decomposed characters should be the same, and others not")
	}
}

// TestScoresOfKnownPasswords are those of the passwords in zxcvbn's documentation, at the
// border between refused and accepted.
func TestScoresOfKnownPasswords(t *testing.T) {
	for password, accepted := range map[string]bool{
		"zxcvbn": false, "qwER43@!": false, "Tr0ub4dour&3": false, "D0g..................": false, "abcdefghijk987654321": false,
		"1qaz2wsx3edc": false, "temppass22": false, "briansmith": false, "password1234": false,
		"correcthorsebatterystaple": true, "coRrecth0rseba++ery9.23.2007staple$": true, "neverforget13/3/1997": true,
		"rWibMFACxAUGZmxhVncy": true, "Ba9ZyWABu99[BK#6MBgbH88Tofv)vs$w": true,
	} {
		if n := score(password, "x"); (n >= minScore) != accepted {
			t.Errorf("%s has score %d, accepted should be %v", password, n, accepted)
		}
	}
}

// TestAFloodOfNamesTakesBoundedMemoryAndForgetsNoAttackedName: the tries of an attacked
// name remain when many others are tried.
func TestAFloodOfNamesTakesBoundedMemoryAndForgetsNoAttackedName(t *testing.T) {
	l, now := newThrottle(), time.Now()
	for range freeTries {
		if err := l.begin(now, nameSubject("Anna")); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 * maxTracked {
		_ = l.begin(now, nameSubject(strconv.Itoa(i)))
	}
	if n := len(l.tries); n > maxTracked {
		t.Errorf("%d subjects are kept, want at most %d", n, maxTracked)
	}
	wantWait(t, "the attacked name", l.begin(now, nameSubject("Anna")), firstWait)
}

func TestLongNamesAreRefusedLikeUnknownOnes(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	long := strings.Repeat("\ufdfa", 60) // 180 bytes, which fold to far more
	_, _, err := h.Login(strings.Repeat("x", 1<<20), goodPassword, From{})
	wantError(t, "sign in", err, ErrCredentials)
	_, _, err = h.Create(admin, long, Annotator)
	wantError(t, "create", err, ErrName)
}

// TestAFloodOfSignInsIsRefused at once, and leaves room for known devices.
func TestAFloodOfSignInsIsRefused(t *testing.T) {
	h := newHouse(t)
	u, _ := h.first("Anna")
	device, err := h.Device(u.ID)
	h.must(err)
	for range maxStrangers {
		if !h.hasher.enter(false) {
			t.Fatal("no room for the first ones")
		}
	}
	_, _, err = h.Login("Anna", goodPassword, From{})
	wantError(t, "one too many", err, ErrBusy)
	_, _, err = h.Login("Anna", goodPassword, From{Device: device})
	h.must(err)
	for range maxSignIns - maxStrangers {
		if !h.hasher.enter(true) {
			t.Fatal("no room for known devices")
		}
	}
	_, _, err = h.Login("Anna", goodPassword, From{Device: device})
	wantError(t, "no room at all", err, ErrBusy)
	for range maxSignIns - maxStrangers + 1 {
		h.hasher.leave()
	}
	_, _, err = h.Login("Anna", goodPassword, From{})
	h.must(err)
}
