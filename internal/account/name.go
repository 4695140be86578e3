// SPDX-License-Identifier: Apache-2.0

package account

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/mtibben/confusables"
	"golang.org/x/text/cases"

	"hide/internal/store"
)

// A name stands in audit rows and beside other people's work. These rules, of Unicode
// Technical Standard 39, keep one person from passing for another or for the program.
// They hold for new accounts; older ones stay as they are.

var (
	// ErrReserved is returned for a name of the program itself. It is an ErrName.
	ErrReserved error = nameError{ErrName, "this name is reserved for the program: choose another"}

	// ErrMixed is returned for a name in several scripts. It is an ErrName.
	ErrMixed error = nameError{ErrName, "a name is written in one script: the letters of this one come from several, as Latin and Cyrillic"}

	// ErrLookalike is returned for a name that looks like another account's. It is an
	// ErrNameTaken.
	ErrLookalike error = nameError{ErrNameTaken, "this name looks like that of another account: choose one that nobody can confuse with it"}
)

// nameError is a special case of a more general error.
type nameError struct {
	of   error
	text string
}

func (e nameError) Error() string        { return e.text }
func (e nameError) Is(target error) bool { return target == e.of }

// reserved are names of actors that are not people, as pages and commands show them.
var reserved = []string{"system", "operator", "hide", "nobody", "somebody", "command line"}

// actorForm is the form of an id in audit rows, or of a person at the command line.
var actorForm = regexp.MustCompile(`^(u[0-9a-f]{20}|shell:.*|.*\(command line\))$`)

// checkName refuses names that mislead by themselves.
func checkName(name string) error {
	if actorForm.MatchString(foldName(name)) || slices.ContainsFunc(reserved, func(r string) bool { return lookAlike(name, r) }) {
		return ErrReserved
	}
	if !oneScript(name) {
		return ErrMixed
	}
	return nil
}

// lookAlike compares names by their skeletons, as written and in lower case: "I" looks
// like "l", and "i" does not.
func lookAlike(a, b string) bool {
	return confusables.Skeleton(foldName(a)) == confusables.Skeleton(foldName(b)) || writtenSkeleton(a) == writtenSkeleton(b)
}

func writtenSkeleton(name string) string {
	return cases.Fold().String(confusables.Skeleton(strings.TrimSpace(name)))
}

// checkUnlike refuses a name that looks like another account's.
func checkUnlike(tx *store.Tx, name string) error {
	return each(tx, bucketUsers, func(_ []byte, r record) error {
		if lookAlike(name, r.Name) {
			return ErrLookalike
		}
		return nil
	})
}

// together are the scripts that names of one language mix.
var together = [][]string{
	{"Latin", "Han", "Hiragana", "Katakana"},
	{"Latin", "Han", "Hangul"},
	{"Latin", "Han", "Bopomofo"},
}

// oneScript reports whether the letters are of one script, or of scripts that go together.
func oneScript(name string) bool {
	var used []string
	for _, r := range name {
		if s := scriptOf(r); s != "" && !slices.Contains(used, s) {
			used = append(used, s)
		}
	}
	return len(used) <= 1 || slices.ContainsFunc(together, func(set []string) bool {
		return !slices.ContainsFunc(used, func(s string) bool { return !slices.Contains(set, s) })
	})
}

// scriptOf is "" for what all scripts share.
func scriptOf(r rune) string {
	if r < unicode.MaxLatin1 && unicode.IsLetter(r) {
		return "Latin"
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			if name == "Common" || name == "Inherited" {
				return ""
			}
			return name
		}
	}
	return ""
}
