// SPDX-License-Identifier: Apache-2.0

package account

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"hide/internal/store"
)

// DeviceFor is how long a browser is known after a sign-in.
const DeviceFor = 90 * 24 * time.Hour

const (
	nonceSize  = 16
	signedSize = nonceSize + 8 // with the time in seconds
	deviceSize = signedSize + sha256.Size
)

// Device returns a token for the browser of a person who has just signed in, "" for an
// account without a password. A browser that sends it at sign-in does not wait for strangers'
// failed tries. It grants nothing else. It holds for this account, for [DeviceFor], and
// until the password changes.
func (s *Service) Device(id string) (string, error) {
	var token string
	err := s.view(func(tx *store.Tx) error {
		r, err := loadRecord(tx, id)
		if err != nil || r.Password == nil {
			return err
		}
		b := make([]byte, nonceSize, deviceSize)
		rand.Read(b)
		b = binary.BigEndian.AppendUint64(b, uint64(s.now().Unix()))
		token = base64.RawURLEncoding.EncodeToString(append(b, r.deviceMAC(tx, b)...))
		return nil
	})
	return token, err
}

// deviceMAC ties a device to the account and, by the salt, to its present password.
func (r *record) deviceMAC(tx *store.Tx, signed []byte) []byte {
	data := append([]byte("device:"+r.ID+":"), r.Password.Salt...)
	return tx.HMAC(append(data, signed...))
}

// knownDevice returns the device's name in counts; ok is false if the token is not one
// of this account.
func (r *record) knownDevice(tx *store.Tx, token string, now time.Time) (nonce string, ok bool) {
	if r == nil || r.Password == nil || len(token) > 2*deviceSize {
		return "", false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(b) != deviceSize || !hmac.Equal(b[signedSize:], r.deviceMAC(tx, b[:signedSize])) {
		return "", false
	}
	age := now.Sub(time.Unix(int64(binary.BigEndian.Uint64(b[nonceSize:signedSize])), 0))
	return string(b[:nonceSize]), age >= -clockSlack-time.Second && age < DeviceFor
}

// tried returns what a sign-in counts for: a known device alone, or else the name and the
// address. A stranger's tries and those of the owner's own browser do not add up.
func (s *Service) tried(name string, from From) (subjects []subject, known bool, err error) {
	subjects = append(peerSubjects(from.Peer), nameSubject(name))
	if from.Device == "" {
		return subjects, false, nil
	}
	err = s.view(func(tx *store.Tx) error {
		r, err := findName(tx, name)
		if err != nil {
			return err
		}
		var nonce string
		if nonce, known = r.knownDevice(tx, from.Device, s.now()); known {
			subjects = []subject{deviceSubject(nonce)}
		}
		return nil
	})
	return subjects, known, err
}
