// SPDX-License-Identifier: Apache-2.0

package surrogate

import (
	"strconv"
	"strings"
)

// scheme is a kind of numbers whose digits are checked.
type scheme struct {
	name  string
	valid func(s string) bool // s has capitals and digits
}

// schemes are those of numbers that notes hold. A surrogate must fail all of them.
var schemes = []scheme{
	{"Luhn, for cards and accounts", func(s string) bool { return len(s) >= 13 && len(s) <= 19 && isDigits(s) && luhn(s) }},
	{"NPI", func(s string) bool { return len(s) == 10 && isDigits(s) && luhn("80840"+s) }},
	{"NHS number", func(s string) bool { return len(s) == 10 && isDigits(s) && nhs(s) }},
	{"DEA number", func(s string) bool { return len(s) == 9 && isLetters(s[:2]) && isDigits(s[2:]) && dea(s[2:]) }},
	{"DNI", func(s string) bool { return len(s) == 9 && isDigits(s[:8]) && dniLetter(s[:8]) == s[8] }},
	{"NIE", func(s string) bool {
		return len(s) == 9 && s[0] >= 'X' && s[0] <= 'Z' && isDigits(s[1:8]) && dniLetter(string('0'+s[0]-'X')+s[1:8]) == s[8]
	}},
	{"Spanish social security", func(s string) bool { return len(s) == 12 && isDigits(s) && modulo(s[:10], 97) == modulo(s[10:], 97) }},
	{"NIR", func(s string) bool {
		return len(s) == 15 && isDigits(s) && 97-modulo(s[:13], 97) == modulo(s[13:], 100)
	}},
	{"German tax number", func(s string) bool { return len(s) == 11 && isDigits(s) && iso7064(s) }},
	{"IBAN", func(s string) bool {
		return len(s) >= 15 && len(s) <= 34 && isLetters(s[:2]) && isDigits(s[2:4]) && iban(s)
	}},
	{"VIN", func(s string) bool { return len(s) == 17 && vin(s) }},
}

// checks reports whether a number passes the check of a scheme that it has the form of.
func checks(s string) bool {
	s = strings.ToUpper(s)
	for _, one := range schemes {
		if one.valid(s) {
			return true
		}
	}
	return false
}

func isDigits(s string) bool  { return strings.Trim(s, "0123456789") == "" }
func isLetters(s string) bool { return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" }

func modulo(digits string, m int) int {
	n := 0
	for i := range len(digits) {
		n = (10*n + int(digits[i]-'0')) % m
	}
	return n
}

func luhn(s string) bool {
	sum := 0
	for i := range len(s) {
		d := int(s[len(s)-1-i] - '0')
		if i%2 == 1 {
			d = d/5 + d*2%10
		}
		sum += d
	}
	return sum%10 == 0
}

// nhs is the weighted sum modulo 11 of the numbers of the National Health Service.
func nhs(s string) bool {
	sum := 0
	for i := range 9 {
		sum += (10 - i) * int(s[i]-'0')
	}
	return (11-sum%11)%11 == int(s[9]-'0')
}

func dea(s string) bool {
	d := func(i int) int { return int(s[i] - '0') }
	return (d(0)+d(2)+d(4)+2*(d(1)+d(3)+d(5)))%10 == d(6)
}

func dniLetter(digits string) byte { return "TRWAGMYFPDXBNJZSQVHLCKE"[modulo(digits, 23)] }

// iso7064 is the check of ISO 7064, MOD 11,10.
func iso7064(s string) bool {
	product := 10
	for i := range len(s) - 1 {
		sum := (int(s[i]-'0') + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = 2 * sum % 11
	}
	return (11-product)%10 == int(s[len(s)-1]-'0')
}

func iban(s string) bool {
	var b strings.Builder
	for _, c := range s[4:] + s[:4] {
		switch {
		case c >= '0' && c <= '9':
			b.WriteRune(c)
		case c >= 'A' && c <= 'Z':
			b.WriteString(strconv.Itoa(int(c-'A') + 10))
		default:
			return false
		}
	}
	return modulo(b.String(), 97) == 1
}

// vin is the check digit of a vehicle identification number, at its ninth place.
func vin(s string) bool {
	const letters, numbers = "ABCDEFGHJKLMNPRSTUVWXYZ", "12345678123457923456789"
	weights := []int{8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2}
	sum := 0
	for i := range len(s) {
		n := int(s[i] - '0')
		if at := strings.IndexByte(letters, s[i]); at >= 0 {
			n = int(numbers[at] - '0')
		} else if s[i] < '0' || s[i] > '9' {
			return false
		}
		sum += weights[i] * n
	}
	return s[8] == "0123456789X"[sum%11]
}
