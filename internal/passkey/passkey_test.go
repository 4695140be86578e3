// SPDX-License-Identifier: Apache-2.0

package passkey_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-webauthn/webauthn/protocol"

	"hide/internal/account"
	"hide/internal/passkey"
	"hide/internal/store"
)

const origin = "https://hide.example"

// newPasskey is what a browser sends with a new passkey of an authenticator that verifies its
// person; padding makes it longer.
func newPasskey(t *testing.T, c passkey.Ceremony, padding int) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		t.Fatal(err)
	}
	name := sha256.Sum256([]byte("hide.example"))
	const present, verified, withKey = 0x01, 0x04, 0x40
	id := make([]byte, 16)
	rand.Read(id)
	data := bytes.Join([][]byte{
		name[:], {present | verified | withKey}, {0, 0, 0, 1}, make([]byte, 16), {0, byte(len(id))}, id,
		{0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32}, point[1:33], {0x22, 0x58, 32}, point[33:], // COSE: ES256 on P-256
	}, nil)
	object := append([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58"), byte(len(data)))
	client, err := json.Marshal(map[string]string{
		"type": "webauthn.create", "origin": origin,
		"challenge": c.Options.(protocol.PublicKeyCredentialCreationOptions).Challenge.String(),
	})
	if err != nil {
		t.Fatal(err)
	}
	b64 := base64.RawURLEncoding.EncodeToString
	answer, err := json.Marshal(map[string]any{
		"id": b64(id), "rawId": b64(id), "type": "public-key", "padding": strings.Repeat("x", padding),
		"response": map[string]string{"clientDataJSON": b64(client), "attestationObject": b64(append(object, data...))},
	})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// TestALargePasskeyIsRefused: it would be stored with the account.
func TestALargePasskeyIsRefused(t *testing.T) {
	st, err := store.Open(store.Options{Dir: t.TempDir() + "/data", Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	people, err := account.New(st, account.Options{})
	if err != nil {
		t.Fatal(err)
	}
	u, _, err := people.Create(account.Operator(), "Ada", account.Admin)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := passkey.New(origin, people, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	add := func(padding int) error {
		c, err := keys.BeginAdding(u, "")
		if err != nil {
			t.Fatal(err)
		}
		return keys.Add(u, c.Ticket, "phone", newPasskey(t, c, padding))
	}
	if err := add(0); err != nil {
		t.Fatal(err)
	}
	if err := add(1 << 20); !errors.Is(err, passkey.ErrAnswer) {
		t.Errorf("a megabyte: %v", err)
	}
}
