// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// expressions lists which expressions of Table 4.3 (dissertation, section 4.4.1)
// match a token, as they were meant rather than as they were printed:
//
//   - ALPHA is printed without its "+" and so equals SINGLECHAR; here it is one
//     or more letters, and nothing else.
//   - HASQUOTE is printed as a comma; here it is ' or ", and HASCOMMA is the comma.
//   - HASDASH, HASQUOTE, HASSLASH and ENDPERCENT ran on tokens cut at every
//     punctuation mark and could match only the mark itself. They are kept: they
//     do match callers' placeholders.
//   - The two ALPHANUMERIC rows are one feature: a letter and a digit, in any order.
//   - ISPUNCT's character class is broken in print; here it is punctuation and
//     symbols only.
//   - REALNUMBER's sign is printed "(- \+)?"; here an optional - or +.
//   - ISSPACE is left out: white space is never a token.
//
// Letters are Unicode's, so that "Núñez" is INITCAPS and ALPHA.
func expressions(s string) []string {
	p, names := profileOf(s), make([]string, 0, 8)
	on := func(name string, holds bool) {
		if holds {
			names = append(names, name)
		}
	}
	letters, digits := p.upper+p.lower+p.caseless, p.digits
	on("ALPHA", letters == p.runes)
	on("INITCAPS", p.firstUpper)
	on("UPPER-LOWER", p.firstUpper && p.secondLower)
	on("ALLCAPS", p.upper == p.runes)
	on("MIXEDCAPS", p.firstUpper && p.secondLower && letters == p.runes && p.upper > 1)
	on("SINGLECHAR", letters == 1 && p.runes == 1)
	on("SINGLEDIGIT", digits == 1 && p.runes == 1)
	on("DOUBLEDIGIT", digits == 2 && p.runes == 2)
	on("TRIPLEDIGIT", digits == 3 && p.runes == 3)
	on("QUADDIGIT", digits == 4 && p.runes == 4)
	on("NUMBER", digits+p.commas == p.runes)
	on("HASDIGIT", digits > 0)
	on("ALPHANUMERIC", digits > 0 && letters > 0)
	on("NUMBERS_LETTERS", digits > 0 && letters == 1 && digits+1 == p.runes && p.lastLetter)
	on("LETTERS_NUMBERS", digits > 0 && letters > 0 && digits+letters == p.runes && p.lettersFirst)
	on("HASDASH", strings.IndexByte(s, '-') >= 0)
	on("HASCOMMA", p.commas > 0)
	on("HASQUOTE", strings.IndexByte(s, '\'') >= 0 || strings.IndexByte(s, '"') >= 0)
	on("HASSLASH", strings.IndexByte(s, '/') >= 0)
	on("ISPUNCT", p.marks == p.runes)
	on("REALNUMBER", realNumber(s))
	on("STARTMINUS", strings.HasPrefix(s, "-"))
	on("STARTPLUS", strings.HasPrefix(s, "+"))
	on("ENDPERCENT", strings.HasSuffix(s, "%"))
	on("ROMAN", consistsOf(s, "IVXDLCM"))
	return names
}

// profile counts what a token is made of.
type profile struct {
	runes, upper, lower, caseless, digits, commas, marks int
	firstUpper, secondLower, lastLetter                  bool
	lettersFirst                                         bool // no letter after the first digit
}

func profileOf(s string) profile {
	p := profile{lettersFirst: true}
	for _, r := range s {
		p.lastLetter = false
		switch kindOf(r) {
		case 'X':
			p.upper++
			p.firstUpper = p.firstUpper || p.runes == 0
			p.letter()
		case 'x':
			p.lower++
			p.secondLower = p.secondLower || p.runes == 1
			p.letter()
		case 'a':
			p.caseless++
			p.letter()
		case 'd':
			p.digits++
		default:
			p.mark(r)
		}
		p.runes++
	}
	return p
}

func (p *profile) letter() {
	p.lastLetter = true
	p.lettersFirst = p.lettersFirst && p.digits == 0
}

func (p *profile) mark(r rune) {
	if r == ',' {
		p.commas++
	}
	if unicode.IsPunct(r) || unicode.IsSymbol(r) {
		p.marks++
	}
}

// realNumber is ^[-+]?[0-9,]+(\.[0-9]*)?%?$.
func realNumber(s string) bool {
	if r, size := utf8.DecodeRuneInString(s); r == '-' || r == '+' {
		s = s[size:]
	}
	s = strings.TrimSuffix(s, "%")
	whole, fraction, _ := strings.Cut(s, ".")
	return whole != "" && consistsOf(whole, "0123456789,") && consistsOf(fraction, "0123456789")
}

// consistsOf reports whether every byte of s is one of some.
func consistsOf(s, some string) bool {
	for i := range len(s) {
		if strings.IndexByte(some, s[i]) < 0 {
			return false
		}
	}
	return true
}
