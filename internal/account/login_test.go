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
			if l.begin(now, nameSubject("a")) == nil {
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
		{"aaaaaaaaaaaaaaaaaa", "x", ErrWeak}, {"abcdabcdabcdabcd", "x", ErrWeak},
		{"Anna Anderson Smith", "anna anderson smith", ErrWeak},
		{strings.Repeat("abcdef", 43), "x", ErrWeak}, {"\xff23456789012", "x", ErrWeak}, {"пароль-длинный", "x", nil},
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

// TestAFloodOfNamesTakesBoundedMemoryAndForgetsNoAttackedName: the tries of an attacked
// name remain when many others are tried.
func TestAFloodOfNamesTakesBoundedMemoryAndForgetsNoAttackedName(t *testing.T) {
	l, now := newLockout(), time.Now()
	for range maxTries {
		if err := l.begin(now, nameSubject("Anna")); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 * maxTracked {
		l.begin(now, nameSubject(strconv.Itoa(i)))
	}
	if n := len(l.tries); n > maxTracked {
		t.Errorf("%d subjects are kept, want at most %d", n, maxTracked)
	}
	var locked *LockoutError
	if err := l.begin(now, nameSubject("Anna")); !errors.As(err, &locked) {
		t.Errorf("the attacked name is forgotten: %v", err)
	}
}

func TestLongNamesAreRefusedLikeUnknownOnes(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	long := strings.Repeat("\ufdfa", 60) // 180 bytes, which fold to far more
	_, _, err := h.Login(strings.Repeat("x", 1<<20), goodPassword, "")
	wantError(t, "sign in", err, ErrCredentials)
	_, _, err = h.Create(admin, long, Annotator)
	wantError(t, "create", err, ErrName)
}

func TestAFloodOfSignInsIsRefused(t *testing.T) {
	h := newHouse(t)
	h.first("Anna")
	for range maxSignIns {
		if !h.hasher.enter() {
			t.Fatal("no room for the first ones")
		}
	}
	_, _, err := h.Login("Anna", goodPassword, "")
	wantError(t, "one too many", err, ErrBusy)
	h.hasher.leave()
	_, _, err = h.Login("Anna", goodPassword, "")
	h.must(err)
}
