// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"hide/internal/annotate/message"
	"hide/internal/hint"
	"hide/internal/outfile"
)

// keySize is the size of a key in bytes.
const keySize = 32

// ReadKey reads a key from a file: 64 hexadecimal digits. No name gives no key.
func ReadKey(name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read key %s: %w", name, outfile.Cause(err))
	}
	defer f.Close() // only read
	text, err := io.ReadAll(io.LimitReader(f, 1<<10))
	if err != nil {
		return nil, fmt.Errorf("read key %s: %w", name, outfile.Cause(err))
	}
	key, err := hex.DecodeString(string(bytes.TrimSpace(text)))
	if err != nil || len(key) != keySize {
		return nil, hint.Add(fmt.Errorf("read key %s: it does not consist of %d digits from 0 to f", name, 2*keySize), "make a key once, and keep it secret: openssl rand -hex 32 > FILE")
	}
	return key, nil
}

// Fingerprint names a key without showing it.
func Fingerprint(key []byte) string {
	if key == nil {
		return ""
	}
	h := hmac.New(sha256.New, key)
	io.WriteString(h, "fingerprint of a key of hide redact") // never fails
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// ReadPeople reads the people of a file of FHIR resources, and returns them with the SHA-256 of
// the file. No name gives nobody. Their pseudonyms follow from the key, if there is one.
func ReadPeople(name string, key []byte) (*message.People, string, error) {
	if name == "" {
		return nil, "", nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, "", fmt.Errorf("read people %s: %w", name, outfile.Cause(err))
	}
	defer f.Close() // only read
	people, sum := &message.People{}, sha256.New()
	if key != nil {
		people = message.NewPeople(key)
	}
	all := io.TeeReader(f, sum)
	err = people.Collect(all)
	_, rest := io.Copy(io.Discard, all)
	if err := errors.Join(err, rest); err != nil {
		return nil, "", fmt.Errorf("read people %s: %w", name, err)
	}
	return people, hexOf(sum), nil
}
