// SPDX-License-Identifier: Apache-2.0

package message

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"hide/internal/tabular"
)

// maxValues bounds the values of one resource, which are held in memory.
const maxValues = 1_000_000

// jsonValue is a value of JSON: an object, a list, or a scalar as it is written.
type jsonValue struct {
	kind   byte // '{', '[', '"', '0' for a number, 'l' for true, false and null
	raw    string
	fields []jsonField
	items  []*jsonValue
}

type jsonField struct {
	name  string
	value *jsonValue
}

// field returns the value of a field of an object, nil if there is none.
func (v *jsonValue) field(name string) *jsonValue {
	if v == nil {
		return nil
	}
	for _, f := range v.fields {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

// str is the text of a string, empty for other values.
func (v *jsonValue) str() string {
	if v == nil || v.kind != '"' {
		return ""
	}
	return unquote(v.raw)
}

// list returns the items of a list; another value is a list of itself, as some servers
// write single values.
func (v *jsonValue) list() []*jsonValue {
	switch {
	case v == nil:
		return nil
	case v.kind == '[':
		return v.items
	}
	return []*jsonValue{v}
}

// void reports whether there is nothing in v.
func (v *jsonValue) void() bool {
	return v == nil || v.kind == '{' && len(v.fields) == 0 || v.kind == '[' && len(v.items) == 0 || v.raw == "null" || v.raw == `""`
}

func unquote(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var s string
	_ = json.Unmarshal([]byte(raw), &s) // has been checked
	return s
}

// jsonString is a value with this text.
func jsonString(s string) *jsonValue {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be written
	return &jsonValue{kind: '"', raw: strings.TrimSuffix(b.String(), "\n")}
}

func object(fields ...jsonField) *jsonValue { return &jsonValue{kind: '{', fields: fields} }

// write writes v without white space.
func (v *jsonValue) write(w *bufio.Writer) {
	switch v.kind {
	case '{':
		_ = w.WriteByte('{')
		writeFields(w, v.fields)
		_ = w.WriteByte('}')
	case '[':
		_ = w.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				_ = w.WriteByte(',')
			}
			item.write(w)
		}
		_ = w.WriteByte(']')
	default:
		_, _ = w.WriteString(v.raw)
	}
}

func writeFields(w *bufio.Writer, fields []jsonField) {
	for i, f := range fields {
		if i > 0 {
			_ = w.WriteByte(',')
		}
		jsonString(f.name).write(w)
		_ = w.WriteByte(':')
		f.value.write(w)
	}
}

// jsonParser reads one value strictly: no field twice, no lone surrogates, at most 256
// values inside one another.
type jsonParser struct {
	text   string
	at     int
	values int
}

// parseJSON reads a value that begins at a byte of the stream.
func parseJSON(raw string, offset int64) (*jsonValue, *Error) {
	if at := invalidUTF8(raw); at >= 0 {
		return nil, &Error{Offset: offset + int64(at), Code: "encoding", Reason: "the byte is not valid UTF-8", Hint: "choose the encoding of the file, or convert it to UTF-8"}
	}
	p := jsonParser{text: raw}
	p.space()
	v, err := p.value(0)
	if err == nil {
		if p.space(); p.at < len(p.text) {
			err = badJSON("there is text after the end of the resource")
		}
	}
	if err != nil {
		err.Offset = offset + int64(p.at)
		return nil, err
	}
	return v, nil
}

func badJSON(reason string) *Error {
	return &Error{Code: "json", Reason: reason, Hint: "correct the resource at this byte, or export the file again"}
}

func (p *jsonParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *jsonParser) space() {
	for p.at < len(p.text) && isXMLSpace(rune(p.text[p.at])) {
		p.at++
	}
}

func (p *jsonParser) value(depth int) (*jsonValue, *Error) {
	if depth == maxDepth {
		return nil, badJSON("nesting deeper than 256")
	}
	if p.values++; p.values > maxValues {
		return nil, &Error{Code: "document-too-large", Reason: "the resource has more than 1,000,000 values", Hint: "split the resource"}
	}
	switch c := p.peek(); {
	case p.at == len(p.text):
		return nil, &Error{Code: "truncated", Reason: "the JSON ends too early", Hint: "copy the file again"}
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		raw, err := p.quoted()
		return &jsonValue{kind: '"', raw: raw}, err
	case c == '-' || c >= '0' && c <= '9':
		return p.scalar('0')
	}
	return p.scalar('l')
}

func (p *jsonParser) object(depth int) (*jsonValue, *Error) {
	v := object()
	seen := map[string]bool{}
	for first := true; ; first = false {
		done, err := p.next('}', first)
		if done || err != nil {
			return v, err
		}
		if p.peek() != '"' {
			return nil, badJSON("not valid JSON: the name of a field is missing")
		}
		raw, err := p.quoted()
		if err != nil {
			return nil, err
		}
		name := unquote(raw)
		if folded := tabular.Fold(name); seen[folded] {
			return nil, badJSON("an object has two fields with the same name, or they differ only in upper and lower case")
		} else {
			seen[folded] = true
		}
		if p.space(); p.peek() != ':' {
			return nil, badJSON("not valid JSON: a colon is missing")
		}
		p.at++
		p.space()
		inner, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		v.fields = append(v.fields, jsonField{name, inner})
	}
}

func (p *jsonParser) array(depth int) (*jsonValue, *Error) {
	v := &jsonValue{kind: '['}
	for first := true; ; first = false {
		done, err := p.next(']', first)
		if done || err != nil {
			return v, err
		}
		inner, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		v.items = append(v.items, inner)
	}
}

// next moves to the next part of an object or list, past the bracket that opens it or a
// comma; done at the bracket that closes it.
func (p *jsonParser) next(bracket byte, first bool) (done bool, err *Error) {
	if first {
		p.at++
	}
	p.space()
	switch c := p.peek(); {
	case p.at == len(p.text):
		return false, &Error{Code: "truncated", Reason: "the JSON ends too early", Hint: "copy the file again"}
	case c == bracket:
		p.at++
		return true, nil
	case first:
		return false, nil
	case c != ',':
		return false, badJSON("not valid JSON: a comma or bracket is missing")
	}
	p.at++
	p.space()
	if c := p.peek(); c == '}' || c == ']' {
		return false, badJSON("not valid JSON: a comma before a bracket")
	}
	return false, nil
}

// quoted returns a string as it is written.
func (p *jsonParser) quoted() (string, *Error) {
	start := p.at
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return p.checked(p.text[start:p.at])
		case c == '\\':
			p.at++
		case c < 0x20:
			return "", badJSON("not valid JSON: a control character in a string")
		}
	}
	p.at = len(p.text)
	return "", &Error{Code: "truncated", Reason: "the JSON ends within a string", Hint: "copy the file again"}
}

// checked refuses escapes that stand for no character. Package json would replace them.
func (p *jsonParser) checked(raw string) (string, *Error) {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw, nil
	}
	var s string
	if json.Unmarshal([]byte(raw), &s) != nil {
		return "", badJSON("not valid JSON: an unknown escape in a string")
	}
	if loneSurrogate(raw) {
		return "", badJSON("a string has one half of a surrogate pair")
	}
	return raw, nil
}

// loneSurrogate reports whether a valid string has half a pair. Package json would put
// U+FFFD there.
func loneSurrogate(raw string) bool {
	high := false // the escape just before is the first half
	for i := 0; i < len(raw); {
		var half rune
		n := 1
		if raw[i] == '\\' {
			n = 2
			if raw[i+1] == 'u' {
				n = 6
				code, _ := strconv.ParseUint(raw[i+2:i+6], 16, 16) // is valid
				half = rune(code)
			}
		}
		low := half >= 0xdc00 && half <= 0xdfff
		if low != high {
			return true
		}
		high = half >= 0xd800 && half <= 0xdbff
		i += n
	}
	return high
}

// scalar reads a number, true, false or null.
func (p *jsonParser) scalar(kind byte) (*jsonValue, *Error) {
	start := p.at
	for p.at < len(p.text) && !strings.ContainsRune(" \t\r\n,:[]{}\"", rune(p.text[p.at])) {
		p.at++
	}
	raw := p.text[start:p.at]
	if raw == "" || !json.Valid([]byte(raw)) {
		p.at = start
		return nil, badJSON("not valid JSON: a value is missing or wrong")
	}
	return &jsonValue{kind: kind, raw: raw}, nil
}
