// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	secretPrefix = "whsec_"
	secretBytes  = 32
)

// NewSecret makes a secret: "whsec_" and 32 random bytes in base64.
func NewSecret() string {
	b := make([]byte, secretBytes)
	rand.Read(b) // never fails: it ends the program instead
	return secretPrefix + base64.StdEncoding.EncodeToString(b)
}

// Sign is the signature of a message at a time: "v1," and, in base64, the HMAC-SHA256 of
// id.time.body with the bytes of the secret. The time counts in seconds since 1970.
func Sign(secret, id string, at time.Time, body []byte) (string, error) {
	encoded, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if !ok || err != nil || len(key) == 0 {
		return "", errors.New("the secret of the webhook is not whsec_ with base64")
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, stamp(at))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}

func stamp(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
