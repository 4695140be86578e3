// SPDX-License-Identifier: Apache-2.0

package message

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// fhirPart is a part of a stream of FHIR: a resource, or a part of a Bundle, which is never
// in memory as a whole.
type fhirPart struct {
	kind   fhirPartKind
	raw    string // an object
	record string
	offset int64
}

type fhirPartKind int

const (
	wholeResource fhirPartKind = iota
	bundleHead                 // an object of the fields up to the list of entries
	bundleEntry
	bundleTail // an object of the fields after the list of entries
)

// fhirStream cuts a stream into parts. A resource may have line breaks if the first one
// has; otherwise each line is a resource, and after a mistake reading goes on with the next
// line.
type fhirStream struct {
	in     *bufio.Reader
	at     int64 // bytes read
	line   int
	values int  // begun so far
	inside bool // a value
	lines  bool // each line is a value
	broken bool // the first value has line breaks
	open   bool // the head of a Bundle was given, its tail was not

	raw     strings.Builder // of the part that is read
	tooLong bool            // raw lacks bytes, as there are more than MaxMessage
	yield   func(fhirPart, *Error) bool
	stopped bool
}

var errBrokenLine = errors.New("the line ends within a value")

func newFHIRStream(r io.Reader) *fhirStream {
	return &fhirStream{in: bufio.NewReaderSize(r, 64<<10), line: 1}
}

// each calls yield for each part or mistake, until it returns false. It returns an error of
// the reader.
func (s *fhirStream) each(yield func(fhirPart, *Error) bool) error {
	s.yield = yield
	if mark, _ := s.in.Peek(3); string(mark) == "\ufeff" {
		_, _ = s.in.Discard(3) // peeked
		s.at = 3
	}
	for !s.stopped {
		c, err := s.space(false)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = s.next(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// next reads the value that begins with c.
func (s *fhirStream) next(c byte) error {
	s.values++
	s.lines = s.lines || s.values == 2 && !s.broken
	start := fhirPart{record: s.name(), offset: s.at}
	s.inside = true
	err := s.resource(c, start)
	s.inside = false
	if err == nil || s.stopped {
		return nil
	}
	return s.recover(start, err)
}

func (s *fhirStream) name() string {
	if s.values == 1 && s.line == 1 || s.lines {
		return fmt.Sprintf("line %d", s.line)
	}
	return fmt.Sprintf("resource %d", s.values)
}

// recover reports a mistake, and moves to the next line if each line is a resource.
func (s *fhirStream) recover(start fhirPart, err error) error {
	var e *Error
	switch {
	case errors.As(err, &e):
	case err == io.EOF:
		e = &Error{Offset: s.at, Code: "truncated", Reason: "the file ends within a resource", Hint: "copy the file again", Fatal: true}
	case err == errBrokenLine:
		e = &Error{Offset: s.at - 1, Code: "truncated", Reason: "the line ends within a resource", Hint: "copy the file again; each line is one resource"}
	default:
		return err
	}
	e.Record = start.record
	e.Fatal = e.Fatal || s.open
	if !e.Fatal && err != errBrokenLine {
		if err := s.nextLine(e); err != nil {
			return err
		}
	}
	s.stop(fhirPart{}, e)
	s.stopped = s.stopped || e.Fatal
	return nil
}

// nextLine moves to the next line. The mistake e is fatal if the file is not one of lines:
// if its first value has line breaks, or the second line does not begin a resource.
func (s *fhirStream) nextLine(e *Error) error {
	if s.broken && !s.lines {
		e.Fatal = true
		return nil
	}
	for {
		c, err := s.read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if c == '\n' {
			break
		}
	}
	if !s.lines {
		c, err := s.space(false)
		e.Fatal = err == nil && c != '{'
	}
	return nil
}

func (s *fhirStream) stop(p fhirPart, e *Error) bool {
	s.stopped = s.stopped || !s.yield(p, e)
	return s.stopped
}

// give yields the part in raw, or that it is too large.
func (s *fhirStream) give(p fhirPart) {
	if s.tooLong {
		s.stop(fhirPart{}, &Error{Record: p.record, Offset: p.offset, Code: "document-too-large", Reason: "the resource is larger than 16 MB", Hint: "leave it out, or split the Bundle"})
		return
	}
	p.raw = s.raw.String()
	s.stop(p, nil)
}

// resource reads an object. If it turns out to be a Bundle before its entries come, they
// are read one by one.
func (s *fhirStream) resource(c byte, p fhirPart) error {
	if c != '{' {
		return &Error{Offset: s.at, Code: "json", Reason: "there is no resource here, as it does not begin with a brace", Hint: "a file holds a resource, a Bundle, or a resource on each line"}
	}
	s.begin()
	s.take(c)
	entries, err := s.members(true)
	if err != nil || !entries {
		if err == nil {
			s.give(p)
		}
		return err
	}
	head := p
	head.kind = bundleHead
	s.keep("[]}")
	s.give(head)
	return s.bundle(p)
}

// members reads the fields of an object to its end, or to the list of the entries of a
// Bundle.
func (s *fhirStream) members(findEntries bool) (entries bool, err error) {
	isBundle := false
	for {
		c, err := s.space(true)
		if err != nil {
			return false, err
		}
		switch c {
		case '}':
			s.take(c)
			return false, nil
		case ',':
			s.take(c)
			continue
		case '"':
		default:
			return false, s.wrong("the name of a field is missing")
		}
		key, err := s.value()
		if err != nil {
			return false, err
		}
		if c, err = s.space(true); err == nil && c != ':' {
			err = s.wrong("a colon is missing")
		}
		if err != nil {
			return false, err
		}
		s.take(c)
		if c, err = s.space(true); err != nil {
			return false, err
		}
		if findEntries && isBundle && key == `"entry"` && c == '[' {
			return true, nil
		}
		isResourceType := key == `"resourceType"`
		value, err := s.value()
		if err != nil {
			return false, err
		}
		isBundle = isBundle || isResourceType && value == `"Bundle"`
	}
}

func (s *fhirStream) wrong(what string) *Error {
	e := badJSON("not valid JSON: " + what)
	e.Offset = s.at
	return e
}

// bundle reads the entries of a Bundle from the bracket on, and the fields after them.
func (s *fhirStream) bundle(p fhirPart) error {
	s.open = true
	s.take('[')
	name := p.record + ", "
	if !s.lines {
		name = ""
	}
	for n := 0; !s.stopped; {
		c, err := s.space(false)
		if err == nil && c != ']' && n > 0 {
			if c != ',' {
				return s.wrong("a comma between entries is missing")
			}
			s.take(c)
			c, err = s.space(false)
		}
		if err != nil {
			return err
		}
		if c == ']' {
			break
		}
		n++
		s.begin()
		entry := fhirPart{kind: bundleEntry, record: fmt.Sprintf("%sentry %d", name, n), offset: s.at}
		got, err := s.value()
		if err != nil {
			return err
		}
		if len(got) == 0 && !s.tooLong {
			return s.wrong("an entry is missing")
		}
		s.give(entry)
	}
	return s.tail(p)
}

// tail reads the fields after the entries. Its part begins at the bracket that closes them.
func (s *fhirStream) tail(p fhirPart) error {
	if s.stopped {
		return nil
	}
	s.begin()
	p.kind, p.offset = bundleTail, s.at
	s.keep("{")
	_, err := s.read()
	var c byte
	if err == nil {
		c, err = s.space(true)
	}
	if err == nil && c == ',' {
		s.keep(" ")
		_, err = s.read()
	} else if err == nil && c != '}' {
		err = s.wrong("a comma or brace is missing")
	}
	if err != nil {
		return err
	}
	if _, err = s.members(false); err == nil {
		s.open = false
		s.give(p)
	}
	return err
}

func (s *fhirStream) begin() {
	s.raw.Reset()
	s.tooLong = false
}

// value reads a value and returns it as written, as far as it is in raw.
func (s *fhirStream) value() (string, error) {
	start, depth := s.raw.Len(), 0
	for {
		c, err := s.peek()
		if err != nil {
			return "", err
		}
		switch c {
		case '"':
			err = s.quoted()
		case '{', '[':
			depth++
			err = s.take(c)
		case '}', ']':
			if depth == 0 {
				return s.raw.String()[start:], nil
			}
			depth--
			err = s.take(c)
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return s.raw.String()[start:], nil
			}
			err = s.take(c)
		default:
			if err = s.take(c); err == nil {
				continue // a number, or a word
			}
		}
		if err != nil || depth == 0 {
			return s.raw.String()[start:], err
		}
	}
}

// quoted reads a string. Most of a stream is in long strings, so it is read in stretches
// without quotes, escapes and line breaks.
func (s *fhirStream) quoted() error {
	if err := s.take('"'); err != nil {
		return err
	}
	for {
		if _, err := s.peek(); err != nil {
			return err
		}
		stretch, _ := s.in.Peek(s.in.Buffered()) // is there
		if i := bytes.IndexAny(stretch, "\"\\\n"); i != 0 {
			if i > 0 {
				stretch = stretch[:i]
			}
			s.keep(string(stretch))
			s.at += int64(len(stretch))
			_, _ = s.in.Discard(len(stretch)) // is there
			continue
		}
		c := stretch[0]
		if err := s.take(c); err != nil || c == '"' {
			return err
		}
		if c == '\\' {
			next, err := s.peek()
			if err == nil {
				err = s.take(next)
			}
			if err != nil {
				return err
			}
		}
	}
}

// keep appends to raw as much as it may have.
func (s *fhirStream) keep(more string) {
	if room := MaxMessage - s.raw.Len(); len(more) > room {
		more, s.tooLong = more[:room], true
	}
	s.raw.WriteString(more)
}

// take reads the byte that was peeked into raw.
func (s *fhirStream) take(c byte) error {
	s.keep(string([]byte{c}))
	_, err := s.read()
	return err
}

// space moves to the next byte that is not white space, and returns it.
func (s *fhirStream) space(keep bool) (byte, error) {
	for {
		c, err := s.peek()
		if err != nil || !isXMLSpace(rune(c)) {
			return c, err
		}
		if keep {
			err = s.take(c)
		} else {
			_, err = s.read()
		}
		if err != nil {
			return 0, err
		}
	}
}

func (s *fhirStream) peek() (byte, error) {
	c, err := s.in.Peek(1)
	if len(c) == 0 {
		return 0, err
	}
	return c[0], nil
}

func (s *fhirStream) read() (byte, error) {
	c, err := s.in.ReadByte()
	if err != nil {
		return 0, err
	}
	s.at++
	if c == '\n' {
		s.line++
		s.broken = s.broken || s.inside
		if s.inside && s.lines {
			return c, errBrokenLine
		}
	}
	return c, nil
}
