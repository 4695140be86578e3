// SPDX-License-Identifier: Apache-2.0

package known

import (
	"strings"
	"unicode/utf8"
)

// numbers holds the numbers of identities by their letters and digits, without leading
// zeros.
type numbers struct {
	byKey  map[string][]numbered
	starts [256]bool // first bytes of keys
	most   int       // bytes of the longest key
}

// numbered is an identity that has a number.
type numbered struct {
	identity int32
	zeros    int // leading zeros that the text must have too; -1 for any
	whole    bool
}

func newNumbers() numbers { return numbers{byKey: map[string][]numbered{}} }

// Lengths of numbers in characters, without leading zeros.
const (
	shortestNumber = 4
	spacedNumber   = 7  // shorter ones are not put together from words with blanks between
	longestNumber  = 64 // longer ones are compared as phrases
)

// addNumber adds a number in any punctuation. It reports false if the value is too long, or
// has too few characters or no digit.
func (x *Index) addNumber(i int32, value string, k kind) bool {
	full := strings.Join(cut(value), "")
	key := strings.TrimLeft(full, "0")
	if len(key) < shortestNumber || len(key) > longestNumber || !hasDigit(key) || k == number && looksLikeYear(key) {
		return false
	}
	zeros := -1
	if k == postal {
		zeros = len(full) - len(key)
	}
	x.numbers.add(key, numbered{i, zeros, true})
	switch {
	case k == phone && isNumber(key):
		for _, short := range shorterPhones(key, strings.HasPrefix(strings.TrimSpace(value), "+")) {
			x.numbers.add(strings.TrimLeft(short, "0"), numbered{i, -1, false})
		}
	case k == postal && isNumber(full) && len(full) == 9: // ZIP+4
		x.addNumber(i, full[:5], postal)
	}
	return true
}

// shorterPhones are the digits of a telephone number without and with the country's code,
// and without the area's.
func shorterPhones(digits string, international bool) (all []string) {
	national := digits
	switch {
	case len(digits) == 11 && digits[0] == '1':
		national = digits[1:]
	case len(digits) == 10 && !international:
		all = append(all, "1"+digits)
	case international:
		for n := 1; n <= 3 && len(digits)-n >= spacedNumber; n++ {
			all = append(all, digits[n:])
		}
	}
	if len(national) == 10 {
		all = append(all, national, national[3:])
	}
	return all
}

func (n *numbers) add(key string, one numbered) {
	if len(key) < shortestNumber {
		return
	}
	for _, old := range n.byKey[key] {
		if old == one || old.zeros == one.zeros && old.whole {
			return
		}
	}
	n.byKey[key] = append(n.byKey[key], one)
	n.starts[key[0]] = true
	n.most = max(n.most, len(key))
}

// numbersAt finds the numbers that begin at a word.
func (r *reader) numbersAt(at int) {
	n := &r.index.numbers
	if n.most == 0 {
		return
	}
	key, zeros, spaced := r.buf[:0], 0, false
	for to := at; to < len(r.words); to++ {
		surface := r.surface(to)
		if len(key)+len(surface) > n.most+zerosMost {
			break
		}
		for i := range len(surface) {
			c := surface[i]
			if c >= utf8.RuneSelf {
				r.buf = key
				return
			}
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c == '0' && len(key) == 0 {
				zeros++
				continue
			}
			key = append(key, c)
		}
		if len(key) > n.most || len(key) > 0 && !n.starts[key[0]] || zeros > zerosMost {
			break
		}
		r.numberIn(at, to+1, key, zeros, spaced)
		joined, blanks := r.joins(to)
		if !joined {
			break
		}
		spaced = spaced || blanks
	}
	r.buf = key
}

// zerosMost is how many leading zeros a number in a text can have.
const zerosMost = 20

func (r *reader) numberIn(from, to int, key []byte, zeros int, spaced bool) {
	for _, one := range r.index.numbers.byKey[string(key)] {
		if one.zeros >= 0 && one.zeros != zeros || spaced && len(key) < spacedNumber {
			continue
		}
		how := Number
		if one.whole && to-from == 1 && zeros <= 0 {
			how = Exact
		}
		r.all = append(r.all, found{from, to, one.identity, how})
	}
}

// joins reports whether a word and the next can be groups of one number, and whether more
// than a hyphen is between them.
func (r *reader) joins(at int) (joined, blanks bool) {
	if at+1 >= len(r.words) {
		return false, false
	}
	gap := r.between(at)
	switch gap {
	case "-", "–":
		return true, false
	}
	return len(gap) <= 4 && strings.Trim(gap, " -–./()#:\u00a0") == "", true
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" && s != "" }

// looksLikeYear reports whether a number of four digits could be a year: it would be found
// in every second note.
func looksLikeYear(key string) bool {
	return len(key) == 4 && isNumber(key) && (strings.HasPrefix(key, "19") || strings.HasPrefix(key, "20"))
}
