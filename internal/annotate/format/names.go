// SPDX-License-Identifier: Apache-2.0

package format

import (
	"crypto/sha256"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// names remembers which documents there were, at 16 bytes each.
type names map[[16]byte]struct{}

// add reports whether the name is new.
func (n names) add(name string) bool {
	sum := sha256.Sum256([]byte(SameName(name)))
	key := [16]byte(sum[:16])
	if _, found := n[key]; found {
		return false
	}
	n[key] = struct{}{}
	return true
}

// SameName is equal for two names that count as one: those that differ only in
// case or in Unicode normal form, which many file systems do not tell apart.
func SameName(name string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
}

func duplicate() *Problem {
	return &Problem{
		Code:   "duplicate-id",
		Reason: "another document has this id",
		Hint:   "ids that differ only in case or in Unicode normal form count as the same",
	}
}
