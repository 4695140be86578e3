// SPDX-License-Identifier: Apache-2.0

package account

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trustelem/zxcvbn"
	"golang.org/x/text/unicode/norm"
)

// Limits of a password, in characters.
const (
	MinPassword = 12
	MaxPassword = 256
)

const (
	minScore  = 3  // of zxcvbn, 0 to 4: more than 10^8 guesses
	maxJudged = 64 // characters that zxcvbn reads: its time grows faster than the length
)

// checkPassword returns the password in the form that is hashed, or ErrWeak, or
// ErrGuessable.
func checkPassword(password, name string) (string, error) {
	if !utf8.ValidString(password) || len(password) > 16*MaxPassword {
		return "", ErrWeak
	}
	p := norm.NFKC.String(password)
	different := map[rune]bool{}
	for _, r := range p {
		different[r] = true
	}
	n := utf8.RuneCountInString(p)
	if n < MinPassword || n > MaxPassword || len(different) < 5 || foldName(p) == foldName(name) {
		return "", ErrWeak
	}
	if score(p, name) < minScore {
		return "", ErrGuessable
	}
	return p, nil
}

// score is zxcvbn's for a password of the person with this name, and of what is left of it
// without that name, the program's own and years: attackers try these first, and zxcvbn
// counts every combination of four words or more as hard to guess.
func score(password, name string) int {
	folded := inASCII(foldName(name))
	known := append(strings.Fields(folded), folded, "hide")
	n := minScore + 1
	for _, typed := range slices.Compact([]string{password, russianKeys.Replace(password)}) {
		typed = inASCII(typed)
		n = min(n, zxcvbn.PasswordStrength(typed, known).Score)
		if rest := withoutKnown(typed, known); rest != typed {
			n = min(n, zxcvbn.PasswordStrength(rest, nil).Score)
		}
	}
	return n
}

// aYear is one that is not part of a date.
var aYear = regexp.MustCompile(`(^|[^0-9./-])(?:19|20)[0-9]{2}($|[^0-9./-])`)

// withoutKnown removes words of at least three characters in any case, and years.
func withoutKnown(password string, words []string) string {
	rest := aYear.ReplaceAllString(password, "$1$2")
	for _, w := range words {
		if len(w) >= 3 {
			rest = regexp.MustCompile(`(?i)`+regexp.QuoteMeta(w)).ReplaceAllString(rest, "")
		}
	}
	return rest
}

// russianKeys replaces Russian letters by the Latin ones on the same keys: zxcvbn's
// dictionaries have Russian passwords so, and its keyboards are Latin.
var russianKeys = strings.NewReplacer(keyPairs("йцукенгшщзхъфывапролджэячсмитьбюё", "qwertyuiop[]asdfghjkl;'zxcvbnm,.`")...)

func keyPairs(russian, latin string) []string {
	var pairs []string
	for i, r := range []rune(russian) {
		l := latin[i : i+1]
		pairs = append(pairs, string(r), l, strings.ToUpper(string(r)), strings.ToUpper(l))
	}
	return pairs
}

// inASCII prepares text for zxcvbn, whose Go port mixes up bytes and characters of other
// text. Letters lose their accents, as in its dictionaries. Other characters become
// control characters, which are in no dictionary and on no keyboard: then zxcvbn counts
// repetitions and sequences of them, and the rest by their number. Neighbours in Unicode
// remain neighbours.
func inASCII(s string) string {
	b := make([]byte, 0, maxJudged)
	for _, r := range norm.NFD.String(s) {
		if len(b) == maxJudged {
			break
		}
		switch {
		case unicode.Is(unicode.Mn, r): // an accent
		case r < utf8.RuneSelf:
			b = append(b, byte(r))
		default:
			b = append(b, 1+byte(r%31))
		}
	}
	return string(b)
}
