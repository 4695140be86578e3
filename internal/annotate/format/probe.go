// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"bytes"
	"io"
	"path"
	"slices"
	"strings"
)

// headSize is how much of a file is looked at to tell its format.
const headSize = 64 << 10

// probe is what detection knows of a file: its ending, its first bytes, and the shape of
// its first JSON record.
type probe struct {
	in     input
	ending string // in lower case, with its dot; "" for none
	head   []byte // at most headSize, converted to UTF-8, without a byte order mark
	all    bool   // head is the whole file
	record *shape // nil unless the file starts with { or [
}

func newProbe(in input) (*probe, error) {
	p := &probe{in: in, ending: strings.ToLower(path.Ext(in.name))}
	file, err := in.open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(file, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	p.all = err != nil
	p.head = bytes.TrimPrefix(head[:n], []byte("\xef\xbb\xbf"))
	if start := bytes.TrimLeft(p.head, " \t\r\n"); len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		p.record = p.shape()
	}
	return p, nil
}

// named reports whether the file has one of the endings.
func (p *probe) named(endings ...string) bool { return slices.Contains(endings, p.ending) }

// begins reports whether the file starts with s, after white space.
func (p *probe) begins(s string) bool {
	return bytes.HasPrefix(bytes.TrimLeft(p.head, " \t\r\n"), []byte(s))
}

// contains reports whether s is in the first bytes of the file.
func (p *probe) contains(s string) bool { return bytes.Contains(p.head, []byte(s)) }

// root is the name of the first XML element, without its namespace prefix; "" if the file
// does not look like XML. Comments, declarations and instructions before it are skipped.
func (p *probe) root() string {
	rest := p.head
	for {
		rest = bytes.TrimLeft(rest, " \t\r\n")
		if len(rest) < 2 || rest[0] != '<' {
			return ""
		}
		end := ">"
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			end = "-->"
		case rest[1] == '?':
		case rest[1] == '!':
			if i := bytes.IndexAny(rest, "[>"); i >= 0 && rest[i] == '[' {
				end = "]>" // a DOCTYPE with declarations
			}
		default:
			name := rest[1:]
			if i := bytes.IndexAny(name, " \t\r\n/>"); i >= 0 {
				name = name[:i]
			}
			if i := bytes.LastIndexByte(name, ':'); i >= 0 {
				name = name[i+1:]
			}
			if len(name) == 0 || len(name) > 40 || !asciiName(name) {
				return ""
			}
			return string(name)
		}
		i := bytes.Index(rest, []byte(end))
		if i < 0 {
			return ""
		}
		rest = rest[i+len(end):]
	}
}

func asciiName(name []byte) bool {
	for i, c := range name {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '-' || c == '.')) {
			return false
		}
	}
	return true
}

// shape is the outline of the first record of a JSON file.
type shape struct {
	list  bool              // the records are the elements of an array
	tuple bool              // the record is itself an array
	items []kindOf          // of the first elements of a tuple
	types map[string]kindOf // of the record's fields
	whole bool              // the record could be read to its end
}

// kindOf is the type of a JSON value: "string", "object", or "other" for numbers, true, false
// and null; of an array "[]" and the type of its first element, such as "[]object" and
// "[][]string"; "[]" for an empty one; "" if the file ends inside the value.
type kindOf string

// maxShape bounds how much of a record is read for its outline.
const maxShape = 4 * MaxDocument

// shape reads the first record of a JSON file. It keeps the names of fields and no value,
// so that a record of any size costs no memory.
func (p *probe) shape() *shape {
	s := &shape{types: map[string]kindOf{}}
	file, err := p.in.open()
	if err != nil {
		return s
	}
	defer file.Close()
	o := &outline{in: bufio.NewReaderSize(afterMark(io.LimitReader(file, maxShape)), 16<<10)}
	if isList(o.in) {
		s.list = true
		_, _ = o.peek()
		_, _ = o.in.ReadByte()
	}
	c, err := o.peek()
	if err != nil {
		return s
	}
	switch c {
	case '[':
		s.tuple = true
		err = o.list(']', func() error {
			of, err := o.value()
			if len(s.items) < 4 {
				s.items = append(s.items, of)
			}
			return err
		})
	case '{':
		err = o.object(func(name string, of kindOf) { s.types[name] = of })
	}
	s.whole = err == nil
	return s
}

// has reports whether the record has all fields.
func (s *shape) has(fields ...string) bool {
	if s == nil {
		return false
	}
	for _, f := range fields {
		if _, found := s.types[f]; !found {
			return false
		}
	}
	return true
}

// hasAny reports whether the record has one of the fields.
func (s *shape) hasAny(fields ...string) bool {
	return slices.ContainsFunc(fields, func(f string) bool { return s.has(f) })
}
