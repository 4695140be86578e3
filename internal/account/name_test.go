// SPDX-License-Identifier: Apache-2.0

package account

import (
	"errors"
	"testing"
	"time"

	"hide/internal/store"
)

func TestNamesThatMisleadAreRefused(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna Bell")
	for name, want := range map[string]error{
		"system": ErrReserved, "Operator": ErrReserved, "HIDE": ErrReserved, "nobody": ErrReserved, "\u04bbide": ErrReserved,
		"u0123456789abcdef0123": ErrReserved, "shell:root": ErrReserved, "root (command line)": ErrReserved,
		"\u0410nna Weiss": ErrMixed, "Anna B\u03b5ll": ErrMixed,
		"Anna Be1l": ErrLookalike, "Anna BeIl": ErrLookalike, "anna be\u217cl": ErrNameTaken,
		"anna bell": ErrNameTaken, "Anna Ball": nil, "Анна Белова": nil, "山田 Taro": nil, "김 Lee": nil, "O’Neil-Ünal 2": nil,
	} {
		_, _, err := h.Create(admin, name, Annotator)
		wantError(t, name, err, want)
	}
	for _, err := range []error{ErrReserved, ErrMixed} {
		wantError(t, "kind", err, ErrName)
	}
	wantError(t, "kind", ErrLookalike, ErrNameTaken)
}

// TestAnOlderAccountWithSuchANameContinues to sign in and to get links.
func TestAnOlderAccountWithSuchANameContinues(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	u, _ := h.person(admin, "Ben", Annotator)
	h.must(h.update(func(tx *store.Tx) error {
		r, err := loadRecord(tx, u.ID)
		if err != nil {
			return err
		}
		r.Name = "system"
		return errors.Join(r.save(tx), tx.Put(bucketNames, nameKey(tx, r.Name), []byte(r.ID)), audit(tx, operatorID, "account.rename", r.ID, ""))
	}))
	_, _, err := h.Login("system", goodPassword, From{})
	h.must(err)
	_, err = h.Invite(admin, u.ID)
	h.must(err)
}

const tenYears = 10 * 365 * 24 * time.Hour

// TestClockJumpsReviveNothing: after a jump and back, a session that was refused as too
// old stays refused, and sessions and links of a wrong future do not live on.
func TestClockJumpsReviveNothing(t *testing.T) {
	h := newHouse(t)
	admin, session := h.first("Anna")
	h.clock.Advance(tenYears)
	h.wantLive(session, false)
	h.clock.Advance(-tenYears)
	h.wantLive(session, false)

	h.clock.Advance(tenYears)
	future, _, err := h.Login("Anna", goodPassword, From{})
	h.must(err)
	link, err := h.Invite(admin, admin.ID)
	h.must(err)
	h.clock.Advance(-tenYears)
	h.wantLive(future, false)
	if _, err := h.Link(link); !errors.Is(err, ErrLink) {
		t.Errorf("a link of the future: got %v", err)
	}
	present, _, err := h.Login("Anna", goodPassword, From{})
	h.must(err)
	h.wantLive(present, true)
	h.clock.Advance(-tenYears)
	h.wantLive(present, false)
	h.clock.Advance(tenYears + time.Minute)
	h.wantLive(present, true)
	h.clock.Advance(IdleFor)
	h.wantLive(present, false)
}
