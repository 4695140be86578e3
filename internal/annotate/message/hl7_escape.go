// SPDX-License-Identifier: Apache-2.0

package message

import (
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"
)

// hl7Separators are the characters that a message declares in MSH-1 and MSH-2.
type hl7Separators struct {
	field, component, repetition, escape, sub byte
	truncation                                byte // 0 where MSH-2 has four characters
}

// hl7Default are the separators of messages that this package makes.
var hl7Default = hl7Separators{field: '|', component: '^', repetition: '~', escape: '\\', sub: '&'}

// hl7Header reads the separators of MSH, FHS or BHS. The reason is empty if they can be used.
func hl7Header(line string) (sep hl7Separators, reason string) {
	if len(line) < 8 {
		return sep, "the header has no separators"
	}
	field := line[3]
	all, _, _ := strings.Cut(line[4:], string(rune(field)))
	if field >= utf8.RuneSelf || len(all) < 4 || len(all) > 5 {
		return sep, "the header must declare four or five separators after the first"
	}
	used := string(rune(field)) + all
	for i := range len(used) {
		c := used[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		if c <= ' ' || c >= 0x7F || letter || strings.IndexByte(used, c) != i {
			return sep, "a separator of the header is a letter, a digit, blank, or used twice"
		}
	}
	sep = hl7Separators{field, all[0], all[1], all[2], all[3], 0}
	if len(all) == 5 {
		sep.truncation = all[4]
	}
	return sep, ""
}

// hl7Escape is what an escape sequence means.
type hl7Escape struct {
	text   string
	layout bool // it sets the layout and is not a character of the text
	length int  // bytes of the sequence, 0 if it is not one and stands for itself
}

// unescape reads the escape sequence that s begins with. Sequences that no table knows stand
// for themselves: texts have backslashes that nobody escaped, and what is shown can be
// redacted.
func (sep hl7Separators) unescape(s string) hl7Escape {
	n := strings.IndexByte(s[1:], sep.escape)
	if n < 1 {
		return hl7Escape{}
	}
	code := s[1 : n+1]
	whole := len(code) + 2
	if c, ok := sep.character(code); ok {
		return hl7Escape{text: string(rune(c)), length: whole}
	}
	if code[0] == 'X' {
		text, length := sep.hexadecimal(s)
		return hl7Escape{text: text, length: length}
	}
	if text, ok := hl7Layout(code); ok {
		return hl7Escape{text: text, layout: true, length: whole}
	}
	return hl7Escape{}
}

// character is the separator that a sequence of one letter stands for.
func (sep hl7Separators) character(code string) (byte, bool) {
	switch code {
	case "F":
		return sep.field, true
	case "S":
		return sep.component, true
	case "T":
		return sep.sub, true
	case "R":
		return sep.repetition, true
	case "E":
		return sep.escape, true
	case "P":
		return sep.truncation, sep.truncation != 0
	}
	return 0, false
}

// hexadecimal reads all sequences \X..\ that s begins with, as a character may be spread over
// several. Bytes that are not UTF-8 are taken as Latin-1, the encoding of old senders.
func (sep hl7Separators) hexadecimal(s string) (text string, length int) {
	var raw []byte
	for length < len(s)-1 && s[length] == sep.escape && s[length+1] == 'X' {
		digits, _, found := strings.Cut(s[length+2:], string(rune(sep.escape)))
		part, err := hex.DecodeString(digits)
		if !found || err != nil || len(part) == 0 {
			break
		}
		raw = append(raw, part...)
		length += len(digits) + 3
	}
	var b strings.Builder
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == utf8.RuneError && size == 1 {
			r = rune(raw[0])
		}
		b.WriteRune(r)
		raw = raw[size:]
	}
	return b.String(), length
}

// hl7Layout gives the text of a formatting sequence. Blanks and lines are limited, so that a
// short sequence does not become a large text.
func hl7Layout(code string) (text string, ok bool) {
	if code == "H" || code == "N" {
		return "", true
	}
	if len(code) < 3 || code[0] != '.' {
		return "", false
	}
	n, count := 0, strings.TrimLeft(code[3:], "+")
	if count != "" {
		var err error
		if n, err = strconv.Atoi(count); err != nil {
			return "", false
		}
	}
	n = min(max(n, 0), 100)
	switch code[1:3] {
	case "br", "ce":
		return "\n", true
	case "sp":
		return strings.Repeat("\n", max(n, 1)), true
	case "sk", "ti":
		return strings.Repeat(" ", n), true
	case "in", "fi", "nf":
		return "", true
	}
	return "", false
}

// encode writes a value so that it reads back as it is. Control characters are written in
// hexadecimal, as they could end the line.
func (sep hl7Separators) encode(value string) string {
	if !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || sep.special(r) != 0 }) {
		return value
	}
	var b strings.Builder
	escape := string(rune(sep.escape))
	for i := range len(value) {
		c := value[i]
		switch letter := sep.special(rune(c)); {
		case letter != 0:
			b.WriteString(escape + string(rune(letter)) + escape)
		case c < ' ' && c != '\t':
			b.WriteString(sep.hexadecimalOf(value[i : i+1]))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// encodeText is encode for the beginning of a text, which must not look like a file.
func (sep hl7Separators) encodeText(value string) string {
	written := sep.encode(value)
	if sep.embedded(written) != "" {
		return sep.hexadecimalOf(value[:1]) + written[1:]
	}
	return written
}

// encodeExact is encode for a value that begins or ends with blanks, which readers remove.
func (sep hl7Separators) encodeExact(value string) string {
	body := strings.TrimSpace(value)
	before, after, _ := strings.Cut(value, body)
	return sep.hexadecimalOf(before) + sep.encode(body) + sep.hexadecimalOf(after)
}

func (sep hl7Separators) hexadecimalOf(s string) string {
	if s == "" {
		return ""
	}
	escape := string(rune(sep.escape))
	return escape + "X" + strings.ToUpper(hex.EncodeToString([]byte(s))) + escape
}

// special is the letter of the sequence that stands for a separator, or 0.
func (sep hl7Separators) special(r rune) byte {
	switch r {
	case rune(sep.field):
		return 'F'
	case rune(sep.component):
		return 'S'
	case rune(sep.sub):
		return 'T'
	case rune(sep.repetition):
		return 'R'
	case rune(sep.escape):
		return 'E'
	}
	return 0
}

// decode gives the value of a component.
func (sep hl7Separators) decode(raw string) string {
	if strings.IndexByte(raw, sep.escape) < 0 {
		return raw
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		if raw[i] == sep.escape {
			if e := sep.unescape(raw[i:]); e.length > 0 {
				b.WriteString(e.text)
				i += e.length
				continue
			}
		}
		b.WriteByte(raw[i])
		i++
	}
	return b.String()
}
