// SPDX-License-Identifier: Apache-2.0

package linkage

import (
	"math/rand/v2"
	"strings"
	"time"
)

// typed has the characters of typing errors, for each field that can have them.
var typed = [...]string{
	given: letters, surname: letters, birth: digits, number: digits, street: letters, city: letters, postcode: digits, phone: digits, identifier: digits,
}

const (
	letters = "abcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
)

// keyboard has the keys in rows: the wrong key is often a neighbour of the right one.
const keyboard = "qwertyuiop asdfghjkl zxcvbnm 1234567890"

// spoil makes the errors of a record.
func (w *world) spoil(v []string, rng *rand.Rand) {
	if rng.Float64() < w.Rates.Swapped {
		v[given], v[surname] = v[surname], v[given]
	}
	for i := range v {
		if typed[i] != "" && rng.Float64() < w.Rates.Typo {
			if i == birth {
				v[i] = wrongDate(v[i], rng)
			} else {
				v[i] = mistype(v[i], typed[i], rng)
			}
		}
		if rng.Float64() < w.Rates.Missing {
			v[i] = ""
		}
	}
}

// mistype makes one typing error, so that the value is another one: 40 % a wrong character,
// 20 % each a missing, an added and two swapped characters.
func mistype(s, alphabet string, rng *rand.Rand) string {
	at := rng.IntN(len(s))
	c := string(alphabet[rng.IntN(len(alphabet))])
	switch rng.IntN(5) {
	case 0:
		if len(s) > 1 {
			return s[:at] + s[at+1:]
		}
	case 1:
		return s[:at] + c + s[at:]
	case 2:
		if at+1 < len(s) && s[at] != s[at+1] {
			return s[:at] + s[at+1:at+2] + s[at:at+1] + s[at+2:]
		}
	}
	if next := beside(s[at], rng); next != "" {
		c = next
	}
	if c == strings.ToLower(s[at:at+1]) {
		return s[:at] + s[at:at+1] + c + s[at+1:] // typed twice
	}
	return s[:at] + c + s[at+1:]
}

// beside is a key beside that of a character, "" without one and for half of the errors.
func beside(c byte, rng *rand.Rand) string {
	at := strings.IndexByte(keyboard, strings.ToLower(string(c))[0]) + 1 - 2*rng.IntN(2)
	if rng.IntN(2) == 0 || at < 0 || at >= len(keyboard) || keyboard[at] == ' ' {
		return ""
	}
	return keyboard[at : at+1]
}

// wrongDate is another date: a third of the errors swap day and month where that is a date,
// and the others are one typing error in the digits.
func wrongDate(s string, rng *rand.Rand) string {
	if swapped := s[:5] + s[8:] + "-" + s[5:7]; rng.IntN(3) == 0 && swapped != s && isDate(swapped) {
		return swapped
	}
	for {
		plain := mistype(s[:4]+s[5:7]+s[8:], digits, rng)
		if len(plain) != 8 {
			continue
		}
		if wrong := plain[:4] + "-" + plain[4:6] + "-" + plain[6:]; isDate(wrong) {
			return wrong
		}
	}
}

// isDate is true for a day between 1900 and 2029.
func isDate(s string) bool {
	day, err := time.Parse(time.DateOnly, s)
	return err == nil && day.Year() >= 1900 && day.Year() < 2030
}
