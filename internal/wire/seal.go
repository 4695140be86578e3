// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"crypto/sha256"
	"errors"
)

// Seal adds the SHA-256 of everything before it.
func Seal(b []byte) []byte {
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// Open reads what [Seal] sealed, after the magic with which it begins. Nothing else is
// believed before the checksum is right.
func Open(b []byte, magic string) (*Reader, error) {
	end := len(b) - sha256.Size
	if end < len(magic) || string(b[:len(magic)]) != magic {
		return nil, errors.New("it does not begin as one, or ends too early")
	}
	if sum := sha256.Sum256(b[:end]); !bytes.Equal(sum[:], b[end:]) {
		return nil, errors.New("its checksum is wrong: it was damaged or cut short")
	}
	return NewReader(b[len(magic):end]), nil
}
