// SPDX-License-Identifier: Apache-2.0

package surrogate

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"hide/internal/annotate/dictionary"
)

const consonants = "bcdfghjklmnpqrstvwxz"

const patternTries = 600

// tags are letters in front of numbers that say what they are. They stay.
var tags = []string{"mrn", "no", "nr", "id", "sn", "nhc", "dni", "nif", "nie", "cip", "nuss", "nss", "enc", "acct", "mr", "apt", "rm", "bed", "ext", "ssn", "fin", "csn", "npi", "dea", "st", "nd", "rd", "th", "mo", "er", "ro", "vo", "eme",
	"pager", "beeper", "tel", "phone", "fax", "cell", "mobile", "home", "work", "office", "telefono", "tfno", "movil", "fijo", "portable", "telephone", "telefon", "handy"}

// pattern replaces each digit by a digit and each letter by a letter, and keeps all else.
// Letters in front of a long number are those of an institution, so they are the same
// for all patients. The result fails the check of every scheme that it has the form of.
func (p *Patient) pattern(kind Kind, text string, draw int) (string, error) {
	canonical := squash(text)
	if canonical == "" {
		return "", formless(kind, "it has no letters and no digits")
	}
	if p.isProse(text) {
		return "", formless(kind, "it is free text")
	}
	shape, numbers := p.shape(text), longNumbers(text, 2)
	s, err := p.assign(wish{
		kind: kind, part: "number." + string(kind), code: true, canonical: canonical, draw: draw, tries: patternTries,
		candidate: func(r *rand.Rand, _ int) string { return fill(r, shape) },
		usable:    func(s string) bool { return !checks(s) && !shows(overlay(text, s), numbers) },
	})
	if err != nil {
		return "", err
	}
	return overlay(text, s), nil
}

// longNumbers are the numbers in a text that have at least so many digits.
func longNumbers(text string, least int) map[string]bool {
	found := map[string]bool{}
	for _, run := range runs(text) {
		if len(run) >= least && unicode.IsDigit(run[0]) {
			found[string(run)] = true
		}
	}
	return found
}

// shows reports whether a value has one of the numbers of another: "54/8121" shows the 54 of
// "54/3699".
func shows(s string, numbers map[string]bool) bool {
	return len(numbers) > 0 && slices.ContainsFunc(runs(s), func(run []rune) bool { return numbers[string(run)] })
}

// isWord reports whether letters are a word that says what a number is, as in "plate 123": a
// tag or a longer word of the dictionary that is no real name. Such words stay; capitals can be
// a code, as in the plate "DOG 123".
func (p *Patient) isWord(letters string) bool {
	f := dictionary.Fold(letters)
	return slices.Contains(tags, f) || len(f) > 3 && strings.ToUpper(letters) != letters && usualWords()[f] && !p.maker.o.Real.names[f]
}

// isProse reports whether a text has no number and more than a code, or words of which nobody
// knows whether they identify, as "Hurricane Katrina 2" has. Random letters would not read
// as their surrogate.
func (p *Patient) isProse(text string) bool {
	digits := hasDigit(text)
	return slices.ContainsFunc(runs(text), func(run []rune) bool {
		s := string(run)
		return len(run) > 3 && unicode.IsLetter(run[0]) && strings.ToUpper(s) != s && !(digits && p.isWord(s))
	})
}

var usualWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, list := range []string{"words", "records"} {
		for _, w := range dictionary.Terms(list) {
			set[dictionary.Fold(w)] = true
		}
	}
	return set
})

// small replaces a number or letter inside of a name or address: that of a house, a floor or
// a ward. It identifies nobody alone, so it may be one that occurs.
func (p *Patient) small(kind Kind, text string, draw int) (string, error) {
	shape, numbers := p.shape(text), longNumbers(text, 2)
	s, err := p.assign(wish{
		kind: kind, part: "small", canonical: squash(text), draw: draw, tries: patternTries, closed: true, shared: true,
		candidate: func(r *rand.Rand, _ int) string { return fill(r, shape) },
		usable:    func(s string) bool { return !shows(s, numbers) },
	})
	return ordinal(overlay(text, s)), err
}

// ordinal mends the letters of an English ordinal: "32th" becomes "32nd".
func ordinal(s string) string {
	n := len(s) - 2
	if n < 1 || !isDigits(s[:n]) || !slices.Contains([]string{"st", "nd", "rd", "th"}, strings.ToLower(s[n:])) {
		return s
	}
	end := "th"
	if n < 2 || s[n-2] != '1' {
		switch s[n-1] {
		case '1':
			end = "st"
		case '2':
			end = "nd"
		case '3':
			end = "rd"
		}
	}
	return s[:n] + likeCase(s[n:], end)
}

// shape has a rune per letter and digit of a text: '0' for any digit, '1' for one that is not
// 0, 'a' for a letter, and a capital for a letter that is fixed.
func (p *Patient) shape(text string) []rune {
	var out []rune
	for _, run := range runs(text) {
		letters := unicode.IsLetter(run[0])
		switch {
		case letters && p.isWord(string(run)):
			out = append(out, []rune(strings.ToUpper(dictionary.Fold(string(run))))...)
		case letters && len(out) == 0 && len(run) > 1 && len(digitsOf(text)) >= 4:
			r := p.maker.o.Key.random("prefix", dictionary.Fold(string(run)))
			for range run {
				out = append(out, rune(consonants[r.IntN(len(consonants))]-'a'+'A'))
			}
		default:
			for i, c := range run {
				switch {
				case letters:
					out = append(out, 'a')
				case i == 0 && digit(c) != 0:
					out = append(out, '1')
				default:
					out = append(out, '0')
				}
			}
		}
	}
	return out
}

// runs are the runs of letters and the runs of digits of a text.
func runs(text string) [][]rune {
	var out [][]rune
	last := ' '
	for _, c := range text {
		switch {
		case !isSign(c):
		case len(out) > 0 && unicode.IsLetter(c) == unicode.IsLetter(last) && unicode.IsDigit(c) == unicode.IsDigit(last):
			out[len(out)-1] = append(out[len(out)-1], c)
		default:
			out = append(out, []rune{c})
		}
		last = c
	}
	return out
}

// isSign reports whether a letter or digit is replaced: the signs of ordinals stay.
func isSign(c rune) bool {
	return unicode.IsDigit(c) || unicode.IsLetter(c) && c != 'º' && c != 'ª'
}

// fill draws a letter or digit for each place of a shape.
func fill(r *rand.Rand, shape []rune) string {
	out := make([]byte, len(shape))
	for i, c := range shape {
		switch {
		case c == '0':
			out[i] = byte('0' + r.IntN(10))
		case c == '1':
			out[i] = byte('1' + r.IntN(9))
		case c == 'a':
			out[i] = consonants[r.IntN(len(consonants))] - 'a' + 'A'
		case c < unicode.MaxASCII:
			out[i] = byte(c)
		default:
			out[i] = 'X'
		}
	}
	return string(out)
}

// overlay writes letters and digits over those of a text, in its capitals, digits and
// punctuation. What does not fit is left out or stands behind.
func overlay(text, s string) string {
	var b strings.Builder
	rest := []rune(s)
	for _, c := range text {
		if !isSign(c) {
			b.WriteRune(c)
			continue
		}
		if len(rest) == 0 {
			break
		}
		next := rest[0]
		rest = rest[1:]
		switch {
		case unicode.IsDigit(c) && unicode.IsDigit(next):
			next += c - rune('0'+digit(c))
		case unicode.IsLower(c):
			next = unicode.ToLower(next)
		}
		b.WriteRune(next)
	}
	b.WriteString(string(rest))
	return b.String()
}

// digit is the value of a digit of any script.
func digit(c rune) int {
	if c >= '0' && c <= '9' {
		return int(c - '0')
	}
	zero := c
	for unicode.IsDigit(zero-1) && c-zero < 9 {
		zero--
	}
	return int(c - zero)
}

// digitsOf are the digits of a text as ASCII.
func digitsOf(text string) string {
	var b strings.Builder
	for _, c := range text {
		if unicode.IsDigit(c) {
			b.WriteByte(byte('0' + digit(c)))
		}
	}
	return b.String()
}

// ssn replaces a social security number, or the last four digits of one.
func (p *Patient) ssn(kind Kind, text string, draw int) (string, error) {
	digits := digitsOf(text)
	if p.maker.o.Locale == Fr && (len(digits) == 13 || len(digits) == 15) && !hasLetter(text) {
		return p.nir(kind, text, draw)
	}
	if len(digits) != 9 || hasLetter(text) {
		return p.pattern(kind, text, draw)
	}
	numbers := longNumbers(text, 2)
	s, err := p.assign(wish{
		kind: kind, part: "ssn", code: true, canonical: digits, draw: draw, tries: nameTries,
		candidate: func(r *rand.Rand, _ int) string {
			group := 1 + r.IntN(49)
			return "9" + fill(r, []rune("00")) + string(rune('0'+group/10)) + string(rune('0'+group%10)) + fill(r, []rune("1000"))
		},
		usable: func(s string) bool { return !shows(overlay(text, s), numbers) },
	})
	return overlay(text, s), err
}

// nir replaces the number of the French register: sex, year, month, department, and six digits
// with a key that does not fit.
func (p *Patient) nir(kind Kind, text string, draw int) (string, error) {
	digits := digitsOf(text)
	s, err := p.assign(wish{
		kind: kind, part: "ssn", code: true, canonical: digits, draw: draw, tries: nameTries,
		candidate: func(r *rand.Rand, _ int) string {
			month, department := 101+r.IntN(12), 101+r.IntN(95)
			return digits[:1] + random(r, 2) + strconv.Itoa(month)[1:] + strconv.Itoa(department)[1:] + random(r, len(digits)-7)
		},
		usable: func(s string) bool { return !checks(s) },
	})
	return overlay(text, s), err
}
