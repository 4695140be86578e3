// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"hide/internal/annotate"
)

// parser makes a document of one record. skip leaves the record out; the parser has said
// why in a remark. Offsets of problems count from the start of the record.
type parser func(r *reader, raw json.RawMessage) (d annotate.Annotated, skip bool, p *Problem)

// jsonReader makes the reader of a format whose files have one record per line, or one array
// of records.
func jsonReader(format string, parse parser) func(*reader, input) error {
	return func(r *reader, in input) error {
		r.used(format, "")
		w := place{file: in.show, offset: -1}
		file, err := in.open()
		if err != nil {
			return r.refuse(unreadable(err, w))
		}
		defer file.Close()
		buffered := bufio.NewReaderSize(file, 64<<10)
		bom, err := skipBOM(buffered)
		if err != nil {
			return r.refuse(unreadable(err, w))
		}
		r.marked(bom)
		j := &jsonRecords{reader: r, in: in, parse: parse}
		if isList(buffered) {
			return j.elements(&elementScanner{in: buffered, at: bomSize(bom)})
		}
		return j.lines(buffered, bomSize(bom))
	}
}

// isList reports whether a file is an array of records. An array that starts with a string
// is a record itself.
func isList(in *bufio.Reader) bool {
	head, _ := in.Peek(4096) // an error comes again
	head = bytes.TrimLeft(head, " \t\r\n")
	if len(head) == 0 || head[0] != '[' {
		return false
	}
	head = bytes.TrimLeft(head[1:], " \t\r\n")
	return len(head) > 0 && (head[0] == '{' || head[0] == '[' || head[0] == ']')
}

// jsonRecords are the records of one file.
type jsonRecords struct {
	*reader
	in    input
	parse parser
	count int
}

func (j *jsonRecords) lines(in io.Reader, start int64) error {
	l, _, err := newLines(in, maxLine)
	if err != nil {
		return j.refuse(unreadable(err, place{file: j.in.show, offset: -1}))
	}
	l.next = start
	for {
		line, ended, err := l.read()
		if err == io.EOF {
			return j.noneIn(j.in, j.count)
		}
		w := place{j.in.show, "line " + strconv.Itoa(l.number), l.start}
		if err == nil && len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := j.record(line, w, err, !ended); err != nil {
			return err
		}
		if l.broken {
			return nil
		}
	}
}

func (j *jsonRecords) elements(s *elementScanner) error {
	for {
		raw, err := s.next()
		if err == io.EOF {
			return j.noneIn(j.in, j.count)
		}
		w := place{j.in.show, "record " + strconv.Itoa(j.count+1), s.start}
		if err := j.record(raw, w, err, false); err != nil {
			return err
		}
		if err != nil && !s.skipped {
			return nil // the file cannot be read further
		}
	}
}

// record reads one record, or refuses it because of err. last says that a line may be cut.
func (j *jsonRecords) record(raw []byte, w place, err error, last bool) error {
	j.count++
	if err != nil {
		return j.refuse(unreadable(err, w))
	}
	d, skip, p := j.document(raw)
	if p != nil {
		if last && p.Reason == jsonCut {
			p.Code, p.Hint = "truncated", "the last line is incomplete: copy the file again"
		}
		if p.located {
			p = p.inFile(w.offset)
		}
		return j.refuse(p.at(w))
	}
	if skip {
		return nil
	}
	if d.Name == "" {
		d.Name = strings.TrimSuffix(j.in.name, path.Ext(j.in.name)) + "-" + strconv.Itoa(j.count)
		j.remarks.add(1, "document", "without an id, named after its place in the file")
	}
	return j.deliver(d, w)
}

func (j *jsonRecords) document(raw []byte) (d annotate.Annotated, skip bool, p *Problem) {
	if p := checkEncoding(raw); p != nil {
		return d, false, p
	}
	if p := checkJSON(raw); p != nil {
		return d, false, p
	}
	d, skip, p = j.parse(j.reader, raw)
	if p == nil && len(d.Text) > MaxDocument {
		p = tooLarge()
	}
	return d, skip, p
}

// elementScanner cuts an array into its elements, without holding more than one of them.
type elementScanner struct {
	in      *bufio.Reader
	at      int64 // of the next byte
	start   int64 // of the last element
	inside  bool  // the bracket has been read
	skipped bool  // the last element was too long, and the next can be read
	buf     []byte
}

// next gives the next element; io.EOF follows the last. The bytes are valid until the next
// call.
func (s *elementScanner) next() ([]byte, error) {
	s.buf, s.skipped = s.buf[:0], false
	c, err := s.space()
	if err != nil {
		return nil, cutOff(err, s.at)
	}
	switch {
	case c == ']':
		return nil, s.nothingFollows()
	case s.inside && c != ',', !s.inside && c != '[':
		return nil, s.problem()
	}
	first := !s.inside
	s.inside = true
	c, err = s.space()
	if err != nil {
		return nil, cutOff(err, s.at)
	}
	if first && c == ']' {
		return nil, s.nothingFollows()
	}
	s.start = s.at - 1
	return s.element(c)
}

// element reads an object or an array from its first byte.
func (s *elementScanner) element(c byte) ([]byte, error) {
	if c != '{' && c != '[' {
		return nil, s.problem()
	}
	depth, quoted, escaped := 0, false, false
	for {
		if len(s.buf) <= maxLine {
			s.buf = append(s.buf, c)
		}
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth == 0 {
			break
		}
		var err error
		if c, err = s.in.ReadByte(); err != nil {
			return nil, cutOff(err, s.at)
		}
		s.at++
	}
	if len(s.buf) > maxLine {
		s.skipped = true
		return nil, tooLarge()
	}
	return s.buf, nil
}

func (s *elementScanner) problem() *Problem {
	return &Problem{Code: "json", Offset: s.at - 1, located: true, Reason: "not a list of records", Hint: "export the file again"}
}

func (s *elementScanner) nothingFollows() error {
	if _, err := s.space(); err != nil {
		return err
	}
	return &Problem{Code: "json", Offset: s.at - 1, located: true, Reason: "there is text after the end of the list", Hint: "make files of one list each"}
}

// space skips white space and reads the byte after it.
func (s *elementScanner) space() (byte, error) {
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			return 0, err
		}
		s.at++
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, nil
		}
	}
}

// jsonSpans collects spans of a record before its text is known.
type jsonSpans struct{ all []given }

// add reads one span: a list [0,5,"NAME"] or an object whose fields have the given names.
func (s *jsonSpans) add(raw json.RawMessage) *Problem {
	n := len(s.all) + 1
	if n > MaxSpans {
		return tooManySpans()
	}
	w := wireSpan{}
	var p *Problem
	if raw[0] == '[' {
		p = w.triple(raw)
	} else {
		p = walkObject(raw, func(key string, value json.RawMessage) *Problem { return w.field(key, value) })
	}
	if p != nil {
		p.located = false
		return p.inSpan(n)
	}
	return s.put(w)
}

// put checks the types of a span.
func (s *jsonSpans) put(w wireSpan) *Problem {
	n := len(s.all) + 1
	if n > MaxSpans {
		return tooManySpans()
	}
	start, fine := position(w.start)
	end, fineToo := position(w.end)
	if !fine || !fineToo {
		return (&Problem{Code: "span-range", Reason: "span out of range: a position that is not a whole number", Hint: "positions are Unicode characters from 0, the end is exclusive"}).inSpan(n)
	}
	var label string
	if len(w.label) == 0 || w.label[0] != '"' || json.Unmarshal(w.label, &label) != nil {
		return notA("label", "string").inSpan(n)
	}
	s.all = append(s.all, given{start: start, end: end, label: annotate.Label(label), surface: w.surface})
	return nil
}

// inSpan names the span of a problem.
func (p *Problem) inSpan(n int) *Problem {
	p.Reason = fmt.Sprintf("span %d: %s", n, p.Reason)
	return p
}

func (w *wireSpan) triple(raw json.RawMessage) *Problem {
	n := 0
	p := walkArray(raw, func(value json.RawMessage) *Problem {
		switch n++; n {
		case 1:
			w.start = value
		case 2:
			w.end = value
		case 3:
			w.label = value
		}
		return nil
	})
	if p == nil && n < 3 {
		p = &Problem{Code: "json", Reason: "a span has a start, an end and a label"}
	}
	return p
}

func (w *wireSpan) field(key string, value json.RawMessage) *Problem {
	switch key {
	case "start", "start_offset":
		w.start = value
	case "end", "end_offset":
		w.end = value
	case "label":
		w.label = value
	case "text":
		if value[0] != '"' || json.Unmarshal(value, &w.surface) != nil {
			return notA("text", "string")
		}
	}
	return nil
}

// list reads a list of spans; null is an empty one.
func (s *jsonSpans) list(raw json.RawMessage) *Problem {
	if raw[0] == 'n' {
		return nil
	}
	return walkArray(raw, func(value json.RawMessage) *Problem {
		if value[0] != '[' && value[0] != '{' {
			return &Problem{Code: "json", Reason: "a label without positions", Hint: "export spans, not classes of whole texts"}
		}
		return s.add(value)
	})
}
