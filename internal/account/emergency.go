// SPDX-License-Identifier: Apache-2.0

package account

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"hide/internal/store"
)

// bucketEmergencies holds each emergency access, by the time when it was given.
const bucketEmergencies = "account.emergency"

// LinkEmergency signs a person in when nothing else does: the sign-in of the hospital is down,
// or a second factor is lost.
const LinkEmergency LinkKind = "emergency"

// Limits of an emergency access.
const (
	MinEmergency = time.Minute
	MaxEmergency = AbsoluteFor
	maxReason    = 200 // characters
)

var (
	// ErrReason is returned for a reason that is empty, too long or not visible.
	ErrReason = fmt.Errorf("the reason has 1 to %d visible characters in one line", maxReason)

	// ErrEmergencyTime is returned for a time that is too short or too long.
	ErrEmergencyTime = errors.New("emergency access lasts from 1 minute to 12 hours")
)

// Emergency is an emergency access.
type Emergency struct {
	User   User
	Made   time.Time
	Ends   time.Time
	Used   time.Time // zero: the link was not used
	Reason string
}

type emergencyRecord struct {
	User   string    `json:"user"`
	Made   time.Time `json:"made"`
	Ends   time.Time `json:"ends"`
	Used   time.Time `json:"used"`
	Reason string    `json:"reason"`
}

// BreakGlass returns a token that signs a person in once, even when only an issuer signs people
// in, and without a second factor. The session ends when lifetime is over, counted from now.
// Reason and time are on record, shown on every page of the session, and to administrators. It
// checks no permission: it is for the command line. It fails with ErrNotFound, ErrReason or
// ErrEmergencyTime.
func (s *Service) BreakGlass(id, reason string, lifetime time.Duration) (token string, ends time.Time, err error) {
	reason = strings.TrimSpace(reason)
	if !utf8.ValidString(reason) || utf8.RuneCountInString(reason) > maxReason || reason == "" || strings.ContainsFunc(reason, func(r rune) bool { return r != ' ' && !visible(r) }) {
		return "", ends, ErrReason
	}
	if lifetime < MinEmergency || lifetime > MaxEmergency {
		return "", ends, ErrEmergencyTime
	}
	err = s.manage(Operator(), id, "account.break-glass", func(tx *store.Tx, r *record) (string, error) {
		if r.Disabled {
			return "", ErrNotFound
		}
		now := s.now().UTC()
		ends = now.Add(lifetime)
		key := binary.BigEndian.AppendUint64(nil, uint64(now.UnixNano()))
		if token, err = s.putLink(tx, link{Kind: LinkEmergency, User: id, Emergency: key}, lifetime); err != nil {
			return "", err
		}
		return "EMERGENCY ACCESS until " + ends.Format("2006-01-02 15:04") + " UTC: " + reason,
			save(tx, bucketEmergencies, key, emergencyRecord{User: id, Made: now, Ends: ends, Reason: reason})
	})
	return token, ends, err
}

// useEmergency begins the session of an emergency link.
func (s *Service) useEmergency(tx *store.Tx, l link, r *record, from From) (string, error) {
	var e emergencyRecord
	if ok, err := load(tx, bucketEmergencies, l.Emergency, &e); err != nil || !ok {
		return "", errors.Join(err, ErrLink)
	}
	e.Used = s.now().UTC()
	if err := save(tx, bucketEmergencies, l.Emergency, e); err != nil {
		return "", err
	}
	return s.begin(tx, r, entry{how: "emergency access", detail: "EMERGENCY ACCESS: " + e.Reason + ";", from: from, emergency: e.Reason, ends: e.Ends})
}

// Emergencies lists emergency accesses that began less than since ago, newest first, for
// people who may manage accounts.
func (s *Service) Emergencies(by User, since time.Duration) ([]Emergency, error) {
	var all []Emergency
	err := s.view(func(tx *store.Tx) error {
		if err := mayManage(tx, by); err != nil {
			return err
		}
		from := s.now().Add(-since)
		return each(tx, bucketEmergencies, func(_ []byte, e emergencyRecord) error {
			if e.Made.Before(from) {
				return nil
			}
			r, err := loadRecord(tx, e.User)
			if err == nil {
				all = append(all, Emergency{r.User, e.Made, e.Ends, e.Used, e.Reason})
			}
			return err
		})
	})
	slices.Reverse(all)
	return all, err
}
