// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"fmt"
	"io"
)

// Limits of a CSV file.
const (
	maxColumns = 1000
	maxRow     = MaxDocument + 4<<20 // bytes of all fields of a row
)

// csvScanner cuts a file into rows by RFC 4180. Unlike encoding/csv it keeps line breaks
// inside quotes unchanged and never holds more than one row of maxRow bytes.
type csvScanner struct {
	in        *bufio.Reader
	delimiter byte
	offset    int64 // bytes read
	line      int   // line number of the next byte, from 1
	column    int   // bytes of that line already read

	start     int64 // where the row last read starts
	startLine int
	size      int // bytes of fields held
	field     []byte
	row       []string
}

func newCSVScanner(in *bufio.Reader, delimiter byte, offset int64) *csvScanner {
	return &csvScanner{in: in, delimiter: delimiter, offset: offset, line: 1}
}

// read gives the next row. Its problems end the file: after a wrong quote, the start of the
// next row is unknown. Empty lines are skipped.
func (s *csvScanner) read() ([]string, error) {
	for {
		s.row, s.size = nil, 0
		s.start, s.startLine = s.offset, s.line
		blank, err := s.readRow()
		if err != nil || !blank {
			return s.row, err
		}
	}
}

// readRow reads the fields of a row.
func (s *csvScanner) readRow() (blank bool, err error) {
	if _, err := s.in.Peek(1); err != nil {
		return false, err
	}
	for {
		s.field = s.field[:0]
		quoted, last, err := s.readField()
		if err != nil {
			return false, err
		}
		if len(s.row) == maxColumns {
			p := s.problem("csv", fmt.Sprintf("more than %d columns", maxColumns), "check the delimiter")
			p.Record = fmt.Sprintf("line %d", s.startLine)
			return false, p
		}
		s.row = append(s.row, string(s.field))
		if last {
			return len(s.row) == 1 && !quoted && s.row[0] == "", nil
		}
	}
}

// readField reads one field and its separator; last means that the row ends too.
func (s *csvScanner) readField() (quoted, last bool, err error) {
	c, err := s.next()
	if err == nil && c == '"' {
		last, err = s.readQuoted()
		return true, last, err
	}
	for ; err == nil; c, err = s.next() {
		switch {
		case c == s.delimiter:
			return false, false, nil
		case c == '\n':
			return false, true, nil
		case c == '\r' && s.lineFeedFollows():
			s.next()
			return false, true, nil
		case c == '"':
			return false, false, s.problem("csv-quote", "a quote inside a field that does not begin with one", "quote the whole field and double the quotes in it")
		}
		if err := s.keep(c); err != nil {
			return false, false, err
		}
	}
	return false, true, atEnd(err)
}

// readQuoted reads a field after its opening quote.
func (s *csvScanner) readQuoted() (last bool, err error) {
	opened := s.problem("csv-quote", fmt.Sprintf("the quote opened at line %d, column %d never closes", s.line, s.column), "close it, or double the quotes inside the field")
	for {
		c, err := s.next()
		if err == io.EOF {
			return false, opened
		}
		if err != nil {
			return false, err
		}
		if c != '"' {
			if s.keep(c) != nil {
				opened.Code, opened.Reason = "document-too-large", opened.Reason+" or its field is too large"
				return false, opened
			}
			continue
		}
		if following, err := s.in.Peek(1); err != nil || following[0] != '"' {
			return s.afterQuote()
		}
		s.next()
		if err := s.keep('"'); err != nil {
			return false, err
		}
	}
}

// afterQuote reads what ends a quoted field.
func (s *csvScanner) afterQuote() (last bool, err error) {
	c, err := s.next()
	switch {
	case err != nil:
		return true, atEnd(err)
	case c == s.delimiter:
		return false, nil
	case c == '\n':
		return true, nil
	case c == '\r' && s.lineFeedFollows():
		s.next()
		return true, nil
	}
	return false, s.problem("csv-quote", "text after the quote that closes a field", "double the quotes inside a quoted field")
}

func (s *csvScanner) lineFeedFollows() bool {
	following, err := s.in.Peek(1)
	return err == nil && following[0] == '\n'
}

func (s *csvScanner) keep(c byte) error {
	if s.size++; s.size > maxRow {
		return s.problem("document-too-large", "the row is too large", "split the document")
	}
	s.field = append(s.field, c)
	return nil
}

func (s *csvScanner) next() (byte, error) {
	c, err := s.in.ReadByte()
	if err != nil {
		return 0, err
	}
	s.offset++
	s.column++
	if c == '\n' {
		s.line, s.column = s.line+1, 0
	}
	return c, nil
}

func (s *csvScanner) problem(code, reason, hint string) *Problem {
	return &Problem{
		Code: code, Reason: reason, Hint: hint, Offset: max(s.offset-1, 0), located: true,
		Record: fmt.Sprintf("line %d, column %d", s.line, s.column),
	}
}

// atEnd turns the end of the file into nil.
func atEnd(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
