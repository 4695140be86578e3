// SPDX-License-Identifier: Apache-2.0

package account

import (
	"slices"
	"testing"
)

func TestChangesAreToldAfterTheyAreStored(t *testing.T) {
	h := newHouse(t)
	admin, _ := h.first("Anna")
	u, session := h.person(admin, "Ben", Annotator)
	var told []string
	live := true
	stop := h.Changes(func(id string) {
		told = append(told, id)
		_, _, err := h.Peek(session)
		live = err == nil
	})
	for _, c := range []struct {
		what string
		do   func() error
	}{
		{"sign out", func() error { return h.Logout(session) }},
		{"revoke", func() error { return h.RevokeAll(admin, u.ID) }},
		{"role", func() error { return h.SetRole(admin, u.ID, Reviewer) }},
		{"disable", func() error { return h.Disable(admin, u.ID) }},
		{"enable", func() error { return h.Enable(admin, u.ID) }},
		{"password", func() error { _, err := h.SetPassword(u, u.ID, goodPassword, otherPassword, From{}); return err }},
		{"membership", func() error { h.Changed(u.ID); return nil }},
	} {
		told, live = nil, true
		h.must(c.do())
		if !slices.Equal(told, []string{u.ID}) || live {
			t.Errorf("%s: told %q, session live %v", c.what, told, live)
		}
	}
	stop()
	told = nil
	h.must(h.RevokeAll(admin, u.ID))
	if told != nil {
		t.Errorf("told %q after stop", told)
	}
}
