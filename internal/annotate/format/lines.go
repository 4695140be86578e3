// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"bytes"
	"io"
)

// lines reads a file line by line, counting bytes, without ever holding more
// than a line of max bytes.
type lines struct {
	in     *bufio.Reader
	max    int
	number int   // of the line last read, from 1
	start  int64 // its offset in the file
	next   int64 // offset of the line after it
	buf    []byte
}

// newLines looks for a byte order mark, which it removes, and refuses UTF-16.
func newLines(in io.Reader, max int) (l *lines, bom bool, err error) {
	l = &lines{in: bufio.NewReaderSize(in, 64<<10), max: max}
	bom, err = skipBOM(l.in)
	if bom {
		l.next = 3
	}
	return l, bom, err
}

// skipBOM drops a UTF-8 byte order mark and refuses those of UTF-16.
func skipBOM(in *bufio.Reader) (bool, error) {
	head, err := in.Peek(3)
	if err != nil && err != io.EOF {
		return false, err
	}
	switch {
	case bytes.Equal(head, []byte("\xef\xbb\xbf")):
		_, err := in.Discard(3)
		return true, err
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return false, &Problem{Code: "encoding", located: true, Reason: "the file is UTF-16", Hint: "convert the file to UTF-8"}
	}
	return false, nil
}

// read gives the next line without its line feed; ended is false when the file
// stops before one. The bytes hold until the next call. A line longer than max
// is skipped to its end and returned as a *Problem, after which reading can go
// on; io.EOF follows the last line.
func (l *lines) read() (line []byte, ended bool, err error) {
	l.buf = l.buf[:0]
	l.start, l.number = l.next, l.number+1
	long := false
	for {
		part, err := l.in.ReadSlice('\n')
		l.next += int64(len(part))
		long = long || len(l.buf)+len(part) > l.max
		if !long {
			l.buf = append(l.buf, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err == io.EOF && l.next == l.start {
			return nil, false, io.EOF
		}
		if err != nil && err != io.EOF {
			return nil, false, err
		}
		if long {
			return nil, err == nil, tooLarge()
		}
		line, ended = bytes.CutSuffix(l.buf, []byte("\n"))
		return line, ended, nil
	}
}
