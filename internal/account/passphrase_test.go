// SPDX-License-Identifier: Apache-2.0

package account

import (
	"strings"
	"testing"
)

func TestPassphrasesThatCanBeGuessedAreRefused(t *testing.T) {
	for passphrase, good := range map[string]bool{
		"":                                       true, // for the store to refuse
		"word":                                   false,
		"x7!Kq":                                  false,
		"password1234":                           false,
		"aaaaaaaaaaaaaaaaaaaaaaaaa":              false,
		"hidehidehidehide":                       false,
		"correct horse battery staple":           true,
		"quarry lantern mussel tide nine barrel": true,
		"\xff\xfe\x01\x8a\x93\xa7\xc2\x11\x0f\xbb\xd4\x99": false, // not text: nobody could type it
		"o9Y1mQ4nq0i3k7Zb2pVtLw==":                         true,
		strings.Repeat("mussel tide nine barrel ", 400):    true,
	} {
		if err := CheckPassphrase([]byte(passphrase)); (err == nil) != good {
			t.Errorf("%.30q: %v", passphrase, err)
		}
	}
}
