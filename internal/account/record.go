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
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

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

	TOTP     *totpRecord `json:"totp,omitempty"`     // nil: no app for codes
	Recovery [][]byte    `json:"recovery,omitempty"` // keyed hashes of unused recovery codes
	Passkeys []Passkey   `json:"passkeys,omitempty"`

	Issuer *external `json:"issuer,omitempty"` // nil for an account that signs in here
}

// Account is an account as an admin sees it.
type Account struct {
	User
	Created     time.Time
	SignedIn    time.Time // last time; zero when never
	HasPassword bool
	HasFactor   bool // a second factor is set up
}

func newID() string {
	b := make([]byte, 10)
	rand.Read(b)
	return "u" + hex.EncodeToString(b)
}

// newToken returns 256 random bits as text for links and cookies, and their storage key.
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

// load reads a JSON value; ok is false if there is none.
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

// findName returns nil if no account has this name.
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
	if err := checkUnlike(tx, r.Name); err != nil {
		return err
	}
	return errors.Join(tx.Put(bucketNames, nameKey(tx, r.Name), []byte(r.ID)), r.save(tx))
}

// activeAdmins counts the remaining accounts that can manage people.
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

// Role is what a person may do. The role of an account counts for the installation, and the
// role of a membership in its project. Names are stored: do not change them.
type Role string

// The roles, from most to least allowed.
const (
	Admin     Role = "admin"     // everything, and people
	Broker    Role = "broker"    // projects, import, annotate, train, sanitize, publish
	Annotator Role = "annotator" // read notes and annotate them
	Reviewer  Role = "reviewer"  // released text and figures only, never an identified note
)

// Permission is a kind of action that roles may or may not do.
type Permission string

// The permissions.
const (
	ManagePeople Permission = "manage people"
	ManageWork   Permission = "manage projects, import and export"
	ReadNotes    Permission = "read identified notes"
	Annotate     Permission = "annotate"
	Sanitize     Permission = "sanitize and publish"
	SeeFigures   Permission = "see figures and releases"
	ReadAudit    Permission = "read the audit trail"
)

var granted = map[Role][]Permission{
	Admin:     {ManagePeople, ManageWork, ReadNotes, Annotate, Sanitize, SeeFigures, ReadAudit},
	Broker:    {ManageWork, ReadNotes, Annotate, Sanitize, SeeFigures, ReadAudit},
	Annotator: {ReadNotes, Annotate},
	Reviewer:  {SeeFigures},
}

// Can reports whether the role grants p. An unknown role grants nothing.
func (r Role) Can(p Permission) bool {
	return slices.Contains(granted[r], p)
}

// User is a person with an account.
type User struct {
	ID       string `json:"id"`   // random, never reused; used in audit rows
	Name     string `json:"name"` // for signing in, unique regardless of case
	Role     Role   `json:"role"`
	Disabled bool   `json:"disabled"`
	External bool   `json:"external,omitempty"` // signs in at an issuer, and has neither password nor link here
}

// MaxName is the maximum length of a name in characters.
const MaxName = 64

// maxNameBytes bounds a name and its folded form, which may be many times longer.
const maxNameBytes = 200

// cleanName returns the stored form of a name, or ErrName.
func cleanName(name string) (string, error) {
	if !utf8.ValidString(name) || len(name) > 16*MaxName {
		return "", ErrName
	}
	name = norm.NFC.String(strings.TrimSpace(name))
	n, last := 0, ' '
	for _, r := range name {
		if r != ' ' && !visible(r) || r == ' ' && last == ' ' {
			return "", ErrName
		}
		n, last = n+1, r
	}
	if n == 0 || n > MaxName || len(name) > maxNameBytes || len(foldName(name)) > maxNameBytes {
		return "", ErrName
	}
	return name, checkName(name)
}

// visible excludes white space, controls and the invisible characters that turn or join
// text.
func visible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != unicode.ReplacementChar
}

// foldName is equal for all names that count as the same.
func foldName(name string) string {
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(strings.TrimSpace(name))))
}

var (
	// ErrForbidden is returned if the acting person may not do this.
	ErrForbidden = errors.New("this needs an admin")

	// ErrCredentials is returned by Login for an unknown name, a wrong password or a
	// disabled account.
	ErrCredentials = errors.New("the name or the password is wrong")

	// ErrBusy is returned by Login if too many sign-ins are waiting.
	ErrBusy = errors.New("too many people are signing in at this moment: try again in ten seconds")

	// ErrPassword is returned by SetPassword if the current password is wrong.
	ErrPassword = errors.New("the present password is wrong")

	// ErrSession is returned if the session does not exist or has ended.
	ErrSession = errors.New("not signed in, or signed out after a while without use")

	// ErrLink is returned if a link was used, has expired, was replaced or never existed.
	ErrLink = errors.New("this link has been used, has expired, or was replaced by a newer link: ask for a new one")

	// ErrNotFirst is returned by FirstRun if an account exists.
	ErrNotFirst = errors.New("there are accounts already: an admin can make more")

	// ErrNotFound is returned if there is no such account.
	ErrNotFound = errors.New("there is no such account")

	// ErrNameTaken is returned if another account has this name, in any case.
	ErrNameTaken = errors.New("this name is taken")

	// ErrLastAdmin is returned if a change would leave no active admin.
	ErrLastAdmin = errors.New("this is the last active admin: make another one first")

	// ErrName is returned for a name that is empty, too long or not visible.
	ErrName = fmt.Errorf("a name has 1 to %d visible characters, with single spaces between words", MaxName)

	// ErrWeak is returned for a password that is too short, too long or too plain.
	ErrWeak = fmt.Errorf("a password has %d to %d characters, at least five different ones, and is not the name", MinPassword, MaxPassword)

	// ErrGuessable is returned for a password that attackers try early. It is an ErrWeak.
	ErrGuessable error = guessable{}

	// ErrRole is returned for a role that does not exist.
	ErrRole = errors.New("there is no such role")
)

type guessable struct{}

func (guessable) Error() string {
	return "this password is easy to guess: choose four or more words that do not belong together"
}

func (guessable) Is(target error) bool { return target == ErrWeak }
