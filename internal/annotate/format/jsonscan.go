// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"hide/internal/strictjson"
)

// walkObject calls see for each member of a JSON object, in order. It compares names
// exactly and refuses names that come twice or differ only in case; encoding/json into a
// struct does neither. The values are parts of raw and are not copied. raw must have
// passed [checkJSON].
func walkObject(raw []byte, see func(key string, value json.RawMessage) *Problem) *Problem {
	s := jsonScan{raw: raw}
	if !s.open('{') {
		return notThe("an object")
	}
	seen := map[string]int{}
	for n := 1; s.more('}'); n++ {
		at := s.at
		key := stringOf(s.value())
		if p := twin(seen, key, n); p != nil {
			return p.inFile(int64(at))
		}
		s.skip(':')
		if p := see(key, s.value()); p != nil {
			return p
		}
	}
	return nil
}

// walkArray calls see for each element of a JSON array, in order. It expects what
// [walkObject] expects.
func walkArray(raw []byte, see func(value json.RawMessage) *Problem) *Problem {
	s := jsonScan{raw: raw}
	if !s.open('[') {
		return notThe("a list")
	}
	for s.more(']') {
		if p := see(s.value()); p != nil {
			return p
		}
	}
	return nil
}

// twin refuses the n-th name of an object if it is one of those seen. Two names that
// differ only in case are one to many programs, and which value counts depends on the
// program.
func twin(seen map[string]int, key string, n int) *Problem {
	folded := SameName(key)
	first, found := seen[folded]
	if !found {
		seen[folded] = n
		return nil
	}
	return &Problem{
		Code:   "json",
		Reason: fmt.Sprintf("fields %d and %d of the object have the same name, or differ only in upper and lower case", first, n),
		Hint:   "keep one of them, or rename it",
	}
}

func notThe(kind string) *Problem {
	return &Problem{Code: "json", Reason: "not " + kind, Hint: "each line is an object with id, text and spans"}
}

// stringOf decodes a JSON string.
func stringOf(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	_ = json.Unmarshal(raw, &s) // is valid
	return s
}

// jsonCut is the reason for refusing half a value.
const jsonCut = "the JSON ends too early"

// checkJSON refuses what is not one JSON value. It gives the position of a mistake but not
// the character there.
func checkJSON(raw []byte) *Problem {
	if json.Valid(raw) {
		return nil
	}
	p := &Problem{Code: "json", located: true, Reason: "not valid JSON", Hint: "correct the line at this byte, or export the file again"}
	var value json.RawMessage
	err := json.Unmarshal(raw, &value)
	if s := (*json.SyntaxError)(nil); errors.As(err, &s) {
		p.Offset = s.Offset
		switch {
		case strings.HasPrefix(s.Error(), "unexpected end"):
			p.Reason, p.Hint = jsonCut, "close the brackets and quotes of the line; if it is the last one, copy the file again"
		case strings.HasSuffix(s.Error(), "after top-level value"):
			p.Reason, p.Hint = "there is text after the end of the object", "put each object on a line of its own"
		}
	}
	return p
}

// jsonScan cuts a valid JSON value into its parts.
type jsonScan struct {
	raw []byte
	at  int
}

// open enters an object or array.
func (s *jsonScan) open(bracket byte) bool {
	s.space()
	if s.raw[s.at] != bracket {
		return false
	}
	s.at++
	return true
}

// more moves to the next element; false at the closing bracket.
func (s *jsonScan) more(bracket byte) bool {
	s.skip(',')
	return s.raw[s.at] != bracket
}

// skip moves past white space and at most one c.
func (s *jsonScan) skip(c byte) {
	s.space()
	if s.raw[s.at] == c {
		s.at++
		s.space()
	}
}

func (s *jsonScan) space() {
	for s.at < len(s.raw) && (s.raw[s.at] == ' ' || s.raw[s.at] == '\t' || s.raw[s.at] == '\n' || s.raw[s.at] == '\r') {
		s.at++
	}
}

// value is the value at the current place.
func (s *jsonScan) value() json.RawMessage {
	start, depth := s.at, 0
	for s.at < len(s.raw) {
		switch c := s.raw[s.at]; c {
		case '"':
			s.at = strictjson.StringEnd(s.raw, s.at)
		case '{', '[':
			depth++
			s.at++
		case '}', ']':
			if depth == 0 {
				return s.raw[start:s.at] // of a number, true, false or null
			}
			depth--
			s.at++
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return s.raw[start:s.at]
			}
			s.at++
		default:
			s.at++
			continue
		}
		if depth == 0 {
			break
		}
	}
	return s.raw[start:s.at]
}

// attributeGuard follows a line of JSON while it is read and refuses one whose attributes or
// identities are too large, so that they are never held in memory. Attributes that it does
// not see, such as those of an escaped name, are refused later.
type attributeGuard struct {
	depth           int
	quoted, escaped bool
	isKey           bool
	field           *guarded // that the line is inside of; nil for none
	key             []byte

	attributes, identities guarded
}

// guarded is the size of one field.
type guarded struct{ size int }

// maxRawAttributes bounds the attributes of a note as written: maxAttributesSize bytes, each
// perhaps as \u0000, and what stands between them. It bounds the identities too.
const maxRawAttributes = 6*maxAttributesSize + 2<<20

func (g *attributeGuard) feed(part []byte) *Problem {
	for _, c := range part {
		switch {
		case g.quoted:
			g.inString(c)
		case c == '"':
			g.quoted, g.key = true, g.key[:0]
		default:
			g.between(c)
		}
		if g.field != nil {
			g.field.size++
		}
	}
	switch {
	case g.attributes.size > maxRawAttributes:
		return attributesTooLarge()
	case g.identities.size > maxRawAttributes:
		return identitiesTooLarge()
	}
	return nil
}

func (g *attributeGuard) inString(c byte) {
	switch {
	case g.escaped:
		g.escaped = false
	case c == '\\':
		g.escaped = true
	case c == '"':
		g.quoted = false
	}
	if g.quoted && g.depth == 1 && g.isKey && len(g.key) < len("attributes")+1 {
		g.key = append(g.key, c)
	}
}

func (g *attributeGuard) between(c byte) {
	switch c {
	case '{', '[':
		g.depth++
		g.isKey = g.isKey || g.depth == 1
	case '}', ']':
		g.depth--
	case ':':
		if g.depth == 1 {
			g.isKey, g.field = false, g.fieldOf(string(g.key))
		}
	case ',':
		if g.depth == 1 {
			g.isKey, g.field = true, nil
		}
	}
}

func (g *attributeGuard) fieldOf(key string) *guarded {
	switch key {
	case "attributes":
		return &g.attributes
	case "identities":
		return &g.identities
	}
	return nil
}
