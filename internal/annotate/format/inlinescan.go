// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// markup is a part of a file with inline tags: a tag, or text between tags.
type markup struct {
	at     int64  // its place in the file
	raw    string // as it is in the file
	name   string // of a tag; "" for text
	labels string // the attributes of a tag, as they are in the file
	end    bool   // an end tag
	empty  bool   // a tag like <x/>
	exact  bool   // text of CDATA, without entities
}

// markupScanner cuts a file into tags and text. It accepts what no XML parser does: any <
// and & that begins no tag and no entity is text. It holds one tag or some kilobytes of text.
type markupScanner struct {
	in    *bufio.Reader
	at    int64
	xml   bool // comments, instructions and CDATA are not text
	ended bool // the rest of the file is in the buffer
}

// markupBuffer is how far a scanner sees. markupRead is what it reads at once: much more, as
// each reading moves what is left in the buffer.
const (
	markupBuffer = 64 << 10
	markupRead   = 4 * markupBuffer
)

// maxTag is the longest tag that is recognised.
const maxTag = 2048

var tagPattern = regexp.MustCompile(`^<(/?)([A-Za-z][A-Za-z0-9_.-]{0,63})((?:\s+[A-Za-z_:][A-Za-z0-9_:.-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(/?)>`)

// next gives the next part; io.EOF follows the last.
func (s *markupScanner) next() (markup, error) {
	head, err := s.peek()
	if err != nil {
		return markup{}, err
	}
	if len(head) == 0 {
		return markup{}, io.EOF
	}
	if head[0] == '<' {
		return s.bracket(head)
	}
	size := bytes.IndexByte(head, '<')
	if size < 0 {
		size = len(head)
		if !s.ended {
			size = safeCut(head)
		}
	}
	return s.take(head, size, markup{}), nil
}

// peek is what can be seen of the file.
func (s *markupScanner) peek() ([]byte, error) {
	size := markupBuffer
	if s.ended {
		size = min(size, s.in.Buffered()) // no reading for each tag that is left
	}
	head, err := s.in.Peek(size)
	if err == io.EOF {
		s.ended, err = true, nil
	}
	return head, err
}

// safeCut is a place near the end of b that cuts no character and no entity.
func safeCut(b []byte) int {
	cut := len(b) - 16
	for cut > 0 && !utf8.RuneStart(b[cut]) {
		cut--
	}
	if i := bytes.LastIndexByte(b[cut-12:cut], '&'); i >= 0 {
		cut += i - 12
	}
	return cut
}

// take returns the first size bytes as a part.
func (s *markupScanner) take(head []byte, size int, m markup) markup {
	m.at, m.raw = s.at, string(head[:size])
	_, _ = s.in.Discard(size) // they are in the buffer
	s.at += int64(size)
	return m
}

// bracket reads what begins with <.
func (s *markupScanner) bracket(head []byte) (markup, error) {
	if m := tagPattern.FindSubmatch(head[:min(len(head), maxTag)]); m != nil {
		return s.take(head, len(m[0]), markup{name: string(m[2]), labels: string(m[3]), end: len(m[1]) > 0, empty: len(m[4]) > 0}), nil
	}
	if s.xml {
		for _, skipped := range []struct{ start, end string }{{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}} {
			if bytes.HasPrefix(head, []byte(skipped.start)) {
				return s.until(skipped.start, skipped.end)
			}
		}
		if len(head) >= 9 && strings.EqualFold(string(head[:9]), "<!DOCTYPE") {
			return markup{}, &Problem{Code: "xml", Offset: s.at, located: true, Reason: "DOCTYPE not allowed", Hint: "remove the DOCTYPE; entities that a file defines are not read"}
		}
	}
	return s.take(head, 1, markup{}), nil
}

// until reads a comment, an instruction or CDATA. Of these only CDATA is text.
func (s *markupScanner) until(start, end string) (markup, error) {
	m := markup{at: s.at, exact: true}
	_, _ = s.in.Discard(len(start))
	s.at += int64(len(start))
	var text []byte
	for !bytes.HasSuffix(text, []byte(end)) {
		c, err := s.in.ReadByte()
		if err != nil {
			return m, cutOff(err, s.at)
		}
		s.at++
		if text = append(text, c); len(text) > MaxDocument {
			return m, tooLarge()
		}
	}
	if start == "<![CDATA[" {
		m.raw = string(text[:len(text)-len(end)])
	}
	return m, nil
}

func cutOff(err error, at int64) error {
	if err != io.EOF {
		return err
	}
	return endsEarly(at)
}

func endsEarly(at int64) *Problem {
	return &Problem{Code: "truncated", Offset: at, located: true, Reason: "the file ends inside a record", Hint: "copy the file again; it seems to be cut off"}
}

// value is an attribute of a tag, without entities; "" if it is not there.
func (m markup) value(name string) string {
	for _, a := range attributePattern.FindAllStringSubmatch(m.labels, -1) {
		if a[1] == name {
			value, _ := decodeEntities(a[2][1 : len(a[2])-1])
			return value
		}
	}
	return ""
}

var attributePattern = regexp.MustCompile(`([A-Za-z_:][A-Za-z0-9_:.-]*)\s*=\s*("[^"<]*"|'[^'<]*')`)

var entityPattern = regexp.MustCompile(`&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});|&`)

// decodeEntities decodes the entities of XML and numbers of characters. It keeps every other
// & and counts them.
func decodeEntities(s string) (text string, odd int) {
	if !strings.Contains(s, "&") {
		return s, 0
	}
	text = entityPattern.ReplaceAllStringFunc(s, func(e string) string {
		if r := entity(e); r >= 0 {
			return string(r)
		}
		odd++
		return e
	})
	return text, odd
}

// entity is the character of an entity; -1 if there is none.
func entity(e string) rune {
	switch e {
	case "&amp;":
		return '&'
	case "&lt;":
		return '<'
	case "&gt;":
		return '>'
	case "&quot;":
		return '"'
	case "&apos;":
		return '\''
	}
	if len(e) < 4 || e[1] != '#' {
		return -1
	}
	digits, base := e[2:len(e)-1], 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || n == 0 || n > utf8.MaxRune || n >= 0xd800 && n <= 0xdfff {
		return -1
	}
	return rune(n)
}
