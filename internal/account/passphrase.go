// SPDX-License-Identifier: Apache-2.0

package account

import (
	"errors"
	"unicode/utf8"

	"github.com/trustelem/zxcvbn"

	"hide/internal/hint"
)

// passphraseScore is that of zxcvbn for more than 10^10 guesses. A passphrase has to be
// harder to guess than a password: with a copy of the data nothing slows guesses down but
// their own cost.
const passphraseScore = 4

// CheckPassphrase refuses a new passphrase of the data that has less than [MinPassword]
// characters or that is easy to guess. It accepts an empty one, which the store refuses.
func CheckPassphrase(passphrase []byte) error {
	if len(passphrase) == 0 {
		return nil
	}
	long := utf8.RuneCount(passphrase) >= MinPassword
	if long && zxcvbn.PasswordStrength(inASCII(string(passphrase)), []string{"hide"}).Score >= passphraseScore {
		return nil
	}
	return hint.Add(errors.New("the passphrase is too easy to guess: somebody with a copy of the data can try as many as they like"), "take six random words or more")
}
