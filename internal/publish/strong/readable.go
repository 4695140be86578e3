// SPDX-License-Identifier: Apache-2.0

package strong

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// readable refuses a file that is no UTF-8 text. Whoever it names would count again
// under the same name written in another encoding.
func readable(raw []byte) error {
	if bytes.HasPrefix(raw, []byte("\xff\xfe")) || bytes.HasPrefix(raw, []byte("\xfe\xff")) {
		return errors.New("byte 0: the file is UTF-16: convert it to UTF-8")
	}
	if at := bytes.IndexByte(raw, 0); at >= 0 {
		return fmt.Errorf("byte %d: a zero byte, which no text has: take it out, or convert the file to UTF-8", at)
	}
	if !utf8.Valid(raw) {
		return fmt.Errorf("byte %d: this is not UTF-8: convert the file; it may be Latin-1 or Windows-1252", validUpTo(raw))
	}
	return nil
}

// validUpTo is where the first byte is that belongs to no character.
func validUpTo(raw []byte) int {
	at := 0
	for at < len(raw) {
		r, size := utf8.DecodeRune(raw[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at
}
