// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"cmp"

	"hide/internal/account"
)

// SessionWords names a session for a reader: "Firefox on Windows, 192.0.2.7".
func SessionWords(s account.Session) string {
	words := BrowserOf(s)
	if s.Address != "" {
		words += ", " + s.Address
	}
	return words
}

// BrowserOf is the kind of browser of a session.
func BrowserOf(s account.Session) string { return cmp.Or(s.Browser, "Unknown browser") }

// sessionOrigin says how and from where a person signed in: " by password from 192.0.2.7".
func sessionOrigin(s account.Session) (words string) {
	if s.How != "" {
		words = " by " + s.How
	}
	return words + fromAddress(s.Address)
}

// fromAddress is " from 192.0.2.7", or "" for no address.
func fromAddress(address string) string {
	if address == "" {
		return ""
	}
	return " from " + address
}
