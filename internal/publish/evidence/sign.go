// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"hide/internal/greedy/audit"
)

// StatusSchema is the version of the file with the status of releases.
const StatusSchema = "hide status 1"

// Prefixes of what is signed, so that one signature cannot pass for another. Each ends with a
// line feed.
const (
	packPrefix   = "hide evidence pack 1\n"
	pagePrefix   = "hide evidence page 1\n"
	statusPrefix = "hide status 1\n"
)

// Status is what has become of a project's releases.
type Status struct {
	Project  string          `json:"project"` // its id
	Issued   time.Time       `json:"issued"`
	Releases []ReleaseStatus `json:"releases"` // by number
}

// ReleaseStatus is the status of one release.
type ReleaseStatus struct {
	Number int    `json:"number"`
	Name   string `json:"name"`
	SHA256 string `json:"manifest_sha256"`
	State
}

// Sign writes a pack as a file:
//
//	{"schema":"hide evidence 1","pack":PACK,"public_key":"KEY","signature":"SIGNATURE"}
//
// and a line feed. The signature is that of ed25519 over "hide evidence pack 1\n" and the
// bytes of PACK as they are in the file. KEY and SIGNATURE are in base64 with padding.
func Sign(p Pack, key ed25519.PrivateKey) ([]byte, error) {
	return sign(Schema, "pack", packPrefix, p, key)
}

// SignStatus writes the status of releases as a file like that of [Sign], with "status" for
// "pack" and the schema "hide status 1", which is also the prefix.
func SignStatus(s Status, key ed25519.PrivateKey) ([]byte, error) {
	return sign(StatusSchema, "status", statusPrefix, s, key)
}

// sign marshals with HTML escapes: no byte of the file is "<", so a page can hold it as it is.
func sign(schema, member, prefix string, v any, key ed25519.PrivateKey) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode the %s: %w", member, err)
	}
	signature := ed25519.Sign(key, append([]byte(prefix), body...))
	return fmt.Appendf(nil, `{"schema":%q,%q:%s,"public_key":%q,"signature":%q}`+"\n", schema, member, body, PublicKey(key), base64.StdEncoding.EncodeToString(signature)), nil
}

// PublicKey is the public part of a key in base64, as people hand it on.
func PublicKey(key ed25519.PrivateKey) string {
	return base64.StdEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
}

// signPage appends the signature of a page to it: of all bytes before the last line.
func signPage(page []byte, key ed25519.PrivateKey) []byte {
	signature := ed25519.Sign(key, append([]byte(pagePrefix), page...))
	return fmt.Appendf(bytes.Clone(page), "<!-- %s -->\n", base64.StdEncoding.EncodeToString(signature))
}

// Decided fills in what follows from a draw whose secret and number are known: the seed and
// the order of the random passages.
func (d *Draw) Decided(secret [32]byte) {
	seed := audit.Seed(secret, d.Given)
	d.Secret, d.Seed = hex.EncodeToString(secret[:]), hex.EncodeToString(seed[:])
	doubtful := map[int]bool{}
	for _, i := range d.Doubtful {
		doubtful[i] = true
	}
	var rest []int
	for i := range d.Parameters.Passages {
		if !doubtful[i] {
			rest = append(rest, i)
		}
	}
	h := sha256.New()
	for _, i := range audit.Order(seed, rest)[:min(d.Parameters.Planned, len(rest))] {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(i)))
	}
	d.Order = hex.EncodeToString(h.Sum(nil))
}
