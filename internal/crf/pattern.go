// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// chunk is a run of tokens without white space between them, such as
// "12/03/1984" or "ana.ruiz@example.org,". Its shape is the language-neutral
// form of the usual expressions for dates, numbers and addresses.
type chunk struct {
	joint    int32
	at, left int8 // tokens before and after in the chunk, up to 7
}

// joint is the shape of a chunk, and the pattern that it has.
type joint struct{ text, kind string }

// chunkShape bounds the length of a chunk's shape.
const chunkShape = 48

func (x *extractor) preparePatterns() {
	x.doc.chunks = x.chunk(x.doc.chunks[:0])
	x.doc.digits = x.digitRuns(x.doc.digits[:0])
}

func (x *extractor) chunk(to []chunk) []chunk {
	ids, gaps := x.doc.ids, x.doc.gaps
	for start := 0; start < len(ids); {
		end := start + 1
		for end < len(ids) && gaps[end] == glued {
			end++
		}
		c := chunk{joint: x.infos[ids[start]].joint}
		if end > start+1 {
			c.joint = x.jointOf(start, end)
		}
		for t := start; t < end; t++ {
			c.at, c.left = int8(min(t-start, 7)), int8(min(end-1-t, 7))
			to = append(to, c)
		}
		start = end
	}
	return to
}

// jointOf joins the shapes, letters collapsed.
func (r *reader) jointOf(start, end int) int32 {
	r.key = r.key[:0]
	for t := start; t < end && len(r.key) < chunkShape; t++ {
		r.key = solid(r.key, r.infos[r.doc.ids[t]].shape)
	}
	return r.jointID(r.key)
}

// solid appends a shape without plus signs.
func solid(to []byte, shape string) []byte {
	for i := range len(shape) {
		if shape[i] != '+' {
			to = append(to, shape[i])
		}
	}
	return to
}

// jointID interns the shape of a chunk.
func (r *reader) jointID(shape []byte) int32 {
	if id, ok := r.jointIDs[string(shape)]; ok {
		return id
	}
	id, text := int32(len(r.joints)), string(shape)
	r.jointIDs[text], r.joints = id, append(r.joints, joint{text, chunkKind(text)})
	return id
}

// chunkKind names the patterns that every language writes alike.
func chunkKind(shape string) string {
	trimmed := strings.Trim(shape, ".,;:()[]<>\"'")
	switch {
	case strings.Contains(trimmed, "@") && strings.Contains(trimmed, "."):
		return "EMAIL"
	case strings.Contains(trimmed, "://"), strings.HasPrefix(trimmed, "x.x.x"):
		return "URL"
	case isDate(trimmed):
		return "DATE"
	case isAddress(trimmed):
		return "IP"
	}
	return ""
}

// isDate reports three numbers of a date's lengths with one separator.
func isDate(shape string) bool {
	for _, separator := range []string{"/", "-", "."} {
		parts := strings.Split(shape, separator)
		if len(parts) == 3 && allDigits(parts, 1, 4) && (len(parts[2]) != 3 && len(parts[1]) <= 2) {
			return true
		}
	}
	return false
}

func isAddress(shape string) bool {
	parts := strings.Split(shape, ".")
	return len(parts) == 4 && allDigits(parts, 1, 3)
}

func allDigits(parts []string, least, most int) bool {
	for _, p := range parts {
		if len(p) < least || len(p) > most || strings.Trim(p, "d") != "" {
			return false
		}
	}
	return true
}

// digitRuns counts, for each token of a run of numbers and of the marks that
// telephone and record numbers are written with, the digits of the whole run;
// 0 outside runs.
func (x *extractor) digitRuns(to []int32) []int32 {
	ids := x.doc.ids
	for start := 0; start < len(ids); {
		end, digits := start, 0
		for end < len(ids) && (end == start || x.doc.gaps[end] < newLine) && x.infos[ids[end]].numeric {
			digits += int(x.infos[ids[end]].digits)
			end++
		}
		if end == start || digits == 0 {
			end, digits = max(end, start+1), 0
		}
		for range end - start {
			to = append(to, int32(digits))
		}
		start = end
	}
	return to
}

// numeric reports whether a shape is all digits or a mark that joins them, and the number
// of digits.
func numeric(shape string) (is bool, digits int32) {
	return strings.Trim(shape, "d") == "" || len(shape) == 1 && strings.Contains("-/.()+", shape), int32(strings.Count(shape, "d"))
}

func (x *extractor) patterns(t int, to []int32) []int32 {
	c := &x.doc.chunks[t]
	if c.at > 0 || c.left > 0 {
		to = keep(to, x.keyed(bundleKey{chunkBundle, c.joint, int32(c.at), int32(c.left)}, func(a *attributes) {
			x.chunkAttributes(a, c)
		}))
	}
	digits := x.doc.digits[t]
	if digits == 0 {
		return to
	}
	own := &x.infos[x.doc.ids[t]]
	return keep(to, x.keyed(bundleKey{digitsBundle, digits, own.shapeID, 0}, func(a *attributes) {
		run := strconv.Itoa(int(min(digits, 20)))
		a.add("run=", run)
		a.add("run|s=", run, "|", own.shape)
	}))
}

func (x *extractor) chunkAttributes(a *attributes, c *chunk) {
	at, left, p := string('0'+byte(c.at)), string('0'+byte(c.left)), x.joints[c.joint]
	a.add("c=", p.text)
	a.add("c@=", p.text, "|", at)
	a.add("c-=", at)
	a.add("c+=", left)
	if p.kind != "" {
		a.add("k=", p.kind)
	}
}

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
