// SPDX-License-Identifier: Apache-2.0

package account

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"hide/internal/store"
)

// Buckets of the system space.
const (
	bucketUsers    = "account.user"    // id: record
	bucketNames    = "account.name"    // keyed hash of the folded name: id
	bucketSessions = "account.session" // SHA-256 of the token: sessionRecord
	bucketLinks    = "account.link"    // SHA-256 of the token: link
)

// record is an account as it is stored.
type record struct {
	User
	Created  time.Time     `json:"created"`
	SignedIn time.Time     `json:"signed_in"` // last time
	Password *passwordHash `json:"password"`  // nil: none set, sign in by link
}

// Account is an account as an admin sees it.
type Account struct {
	User
	Created     time.Time
	SignedIn    time.Time // last time; zero when never
	HasPassword bool
}

func newID() string {
	b := make([]byte, 10)
	rand.Read(b)
	return "u" + hex.EncodeToString(b)
}

// newToken gives 256 random bits as text for links and cookies, and the key that
// they are stored under.
func newToken() (token string, key []byte) {
	b := make([]byte, 32)
	rand.Read(b)
	token = base64.RawURLEncoding.EncodeToString(b)
	return token, tokenKey(token)
}

func tokenKey(token string) []byte {
	h := sha256.Sum256([]byte(token))
	return h[:]
}

// load reads a JSON value; ok is false when there is none.
func load(tx *store.Tx, bucket string, key []byte, into any) (ok bool, err error) {
	b, err := tx.Get(bucket, key)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return false, fmt.Errorf("%s: unreadable record", bucket)
	}
	return true, nil
}

func save(tx *store.Tx, bucket string, key []byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", bucket, err)
	}
	return tx.Put(bucket, key, b)
}

// each calls fn with every value of the bucket.
func each[T any](tx *store.Tx, bucket string, fn func(key []byte, v T) error) error {
	return tx.Scan(bucket, nil, func(key, b []byte) error {
		var v T
		if err := json.Unmarshal(b, &v); err != nil {
			return fmt.Errorf("%s: unreadable record", bucket)
		}
		return fn(key, v)
	})
}

func loadRecord(tx *store.Tx, id string) (*record, error) {
	r := new(record)
	ok, err := load(tx, bucketUsers, []byte(id), r)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrNotFound
	}
	return r, nil
}

func (r *record) save(tx *store.Tx) error { return save(tx, bucketUsers, []byte(r.ID), r) }

func nameKey(tx *store.Tx, name string) []byte { return tx.HMAC([]byte("name:" + foldName(name))) }

// findName is nil when no account has this name.
func findName(tx *store.Tx, name string) (*record, error) {
	id, err := tx.Get(bucketNames, nameKey(tx, name))
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return loadRecord(tx, string(id))
}

// add stores a new account under a free name.
func add(tx *store.Tx, r *record) error {
	taken, err := findName(tx, r.Name)
	if err != nil {
		return err
	}
	if taken != nil {
		return ErrNameTaken
	}
	return errors.Join(tx.Put(bucketNames, nameKey(tx, r.Name), []byte(r.ID)), r.save(tx))
}

// activeAdmins counts the accounts that are left to manage people.
func activeAdmins(tx *store.Tx) (int, error) {
	n := 0
	err := each(tx, bucketUsers, func(_ []byte, r record) error {
		if r.Role == Admin && !r.Disabled {
			n++
		}
		return nil
	})
	return n, err
}
