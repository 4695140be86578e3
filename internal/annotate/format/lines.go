// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"bytes"
	"io"
	"slices"
)

// lines reads a file line by line and counts bytes. It never holds more than one line of
// max bytes.
type lines struct {
	in     *bufio.Reader
	max    int
	number int   // of the last line read, from 1
	start  int64 // its offset in the file
	next   int64 // offset of the line after it
	buf    []byte
	broken bool                              // the file cannot be read further
	guard  func() func(part []byte) *Problem // makes a check of a long line; nil for none
}

// guardFrom is the length from which a line is checked while it is read.
const guardFrom = 1 << 20

// newLines removes a byte order mark and refuses UTF-16.
func newLines(in io.Reader, max int) (l *lines, bom bool, err error) {
	l = &lines{in: bufio.NewReaderSize(in, 64<<10), max: max}
	bom, err = skipBOM(l.in)
	if bom {
		l.next = 3
	}
	return l, bom, err
}

// skipBOM removes a UTF-8 byte order mark and refuses those of UTF-16.
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

// read gives the next line without its line feed; ended is false when the file stops before
// one. The bytes are valid until the next call. A line longer than max is skipped to its
// end and returned as a *Problem; reading can then continue. io.EOF follows the last line.
func (l *lines) read() (line []byte, ended bool, err error) {
	l.buf = l.buf[:0]
	l.start, l.number = l.next, l.number+1
	var refused *Problem
	var check func(part []byte) *Problem
	for {
		part, err := l.in.ReadSlice('\n')
		l.next += int64(len(part))
		if refused == nil {
			check, refused = l.keep(part, check)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err == io.EOF && l.next == l.start {
			return nil, false, io.EOF
		}
		if err != nil && err != io.EOF {
			l.broken = true
			return nil, false, err
		}
		if refused != nil {
			return nil, err == nil, refused
		}
		line, ended = bytes.CutSuffix(l.buf, []byte("\n"))
		return line, ended, nil
	}
}

// keep appends a part to the line, and refuses the line when it is too long or does not
// pass the check, which starts once the line is long.
func (l *lines) keep(part []byte, check func([]byte) *Problem) (func([]byte) *Problem, *Problem) {
	size := len(l.buf) + len(part)
	if size > l.max {
		return check, tooLarge()
	}
	if size > cap(l.buf) {
		l.buf = slices.Grow(l.buf, min(max(size, 2*cap(l.buf)), l.max)-len(l.buf)) // twice, so that all copies together stay below twice the line
	}
	l.buf = append(l.buf, part...)
	switch {
	case check != nil:
		return check, check(part)
	case l.guard != nil && size > guardFrom:
		check = l.guard()
		return check, check(l.buf)
	}
	return check, nil
}

// whole reads a file of at most MaxDocument bytes and checks that it is text. bom says
// whether it started with a byte order mark.
func whole(in input) (text string, bom bool, p *Problem) {
	w := place{file: in.show, offset: -1}
	file, err := in.open()
	if err != nil {
		return "", false, unreadable(err, w)
	}
	defer file.Close()
	buffered := bufio.NewReader(file)
	bom, err = skipBOM(buffered)
	if err != nil {
		return "", false, unreadable(err, w)
	}
	data, err := io.ReadAll(io.LimitReader(buffered, MaxDocument+1))
	if err != nil {
		return "", false, unreadable(err, w)
	}
	if len(data) > MaxDocument {
		return "", bom, tooLarge()
	}
	text = string(data)
	if p := checkText(text); p != nil {
		return "", bom, p.inFile(bomSize(bom))
	}
	return text, bom, nil
}

// marked adds a remark about a byte order mark.
func (r *reader) marked(bom bool) {
	r.remarks.add(int(bomSize(bom)/3), "file", "byte order mark removed")
}

func bomSize(bom bool) int64 {
	if bom {
		return 3
	}
	return 0
}
