// SPDX-License-Identifier: Apache-2.0

package account

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/store"
)

// TestEveryChangeIsAudited checks for each change its name, who made it and for whom.
func TestEveryChangeIsAudited(t *testing.T) {
	h := newHouse(t)
	admin, session := h.first("Anna Canary")
	u, _ := h.person(admin, "Ben Canary", Annotator)
	h.must(h.SetRole(admin, u.ID, Broker))
	h.must(h.Disable(admin, u.ID))
	h.must(h.Enable(admin, u.ID))
	h.must(h.RevokeAll(admin, u.ID))
	_, err := h.SetPassword(u, u.ID, goodPassword, otherPassword, From{})
	h.must(err)
	_, _, err = h.Login("ben canary", "wrong Canary password", From{Peer: "192.0.2.9:4000"})
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

// TestNoSecretInTheFile searches for names, passwords and tokens in all files on disk.
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

// TestTokensAreStoredHashed reads the decrypted records: even they contain no valid
// token.
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
