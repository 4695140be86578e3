// SPDX-License-Identifier: Apache-2.0

package verify

import (
	"errors"
	"regexp"
)

// knownCounts are the claims about identifiers that structured data gave.
type knownCounts struct {
	Found     int `json:"found"`
	Remaining int `json:"remaining"`
}

func (k *knownCounts) impossible() bool {
	return k.Remaining < 0 || k.Found < 1 || k.Remaining > k.Found
}

// identity is one of the "identities" of an original.
type identity struct{ Value string }

// plainValue matches the values that the check looks for as they are written: names, numbers,
// dates and addresses of at least six characters and at most ten words. The writer also finds other forms, so this
// checks less than it claims.
var plainValue = regexp.MustCompile(`^[A-Z0-9][A-Za-z0-9]*(?:[ -](?:[A-Z0-9][A-Za-z0-9]*|[a-z][A-Za-z0-9]+)){0,9}$`)

const (
	shortestValue = 6
	longestValue  = 100
)

// checkKnown refuses a release that claims that no known identifier remains, if one stands in
// the text that it kept of the note.
func (c *textChecker) checkKnown(identities []identity, kept []string) error {
	if k := c.claims.Counts.Known; k == nil || k.Remaining > 0 {
		return nil
	}
	for _, i := range identities {
		if len(i.Value) < shortestValue || len(i.Value) > longestValue || !plainValue.MatchString(i.Value) || !startsHigh(i.Value) {
			continue
		}
		for _, piece := range kept {
			if standsIn(piece, i.Value) {
				return errors.New("it shows a known identifier, and the release claims that none remains")
			}
		}
	}
	return nil
}

// startsHigh reports whether the last word begins with a capital or a digit.
func startsHigh(value string) bool {
	for at := len(value) - 1; at >= 0; at-- {
		if at == 0 || value[at-1] == ' ' || value[at-1] == '-' {
			return value[at] < 'a'
		}
	}
	return false
}
