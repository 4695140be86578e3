// SPDX-License-Identifier: Apache-2.0

package message

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Bytes of the MLLP frame around a message: opened by one, closed by the other and \r.
const (
	mllpOpen  = 0x0B
	mllpClose = 0x1C
)

// hl7Line is a line of a stream without its end.
type hl7Line struct {
	text   string
	offset int64  // of its first byte in the stream
	end    string // "\r", "\n", "\r\n", or "" at the end of the stream
	opens  bool   // it was behind the byte that opens a frame
	long   bool   // only its beginning was read
}

// name is the first three bytes of a line.
func (l *hl7Line) name() string { return l.text[:min(3, len(l.text))] }

func (l *hl7Line) blank() bool { return strings.Trim(l.text, " \t\x1C") == "" }

// close takes the byte that closes a frame off the end of a line, if it is there.
func (l *hl7Line) close() bool {
	text := strings.TrimRight(l.text, string(rune(mllpClose)))
	found := len(text) < len(l.text)
	l.text = text
	return found
}

// hl7Lines reads a stream line by line.
type hl7Lines struct {
	r      io.Reader
	buf    [64 << 10]byte
	unread []byte // part of buf
	err    error
	offset int64 // of unread
}

const byteOrderMark = "\uFEFF"

// next returns the next line. Of a line longer than limit it returns the beginning and
// passes over the rest.
func (s *hl7Lines) next(limit int) (hl7Line, error) {
	var line strings.Builder // not a buffer that is kept: its bytes become the text uncopied
	l := hl7Line{offset: s.offset}
	for l.end == "" && s.fill() {
		n := bytes.IndexAny(s.unread, "\r\n")
		part := s.unread[:max(n, 0)]
		if n < 0 {
			part = s.unread
		}
		room := limit - line.Len()
		l.long = l.long || len(part) > room
		line.Write(part[:min(len(part), room)])
		s.skip(len(part))
		if n >= 0 {
			l.end = s.lineEnd()
		}
	}
	if s.offset == l.offset && s.err != nil {
		if s.err == io.EOF {
			return l, io.EOF
		}
		return l, &Error{Record: "the stream", Offset: s.offset, Code: "read", Reason: fmt.Sprintf("reading failed: %v", s.err), Hint: "try again", Fatal: true}
	}
	l.unframe(line.String())
	return l, nil
}

// unframe takes a byte order mark and the byte that opens a frame off a line.
func (l *hl7Line) unframe(text string) {
	if l.offset == 0 {
		if rest, ok := strings.CutPrefix(text, byteOrderMark); ok {
			text, l.offset = rest, int64(len(byteOrderMark))
		}
	}
	if rest, ok := strings.CutPrefix(text, string(rune(mllpOpen))); ok {
		text, l.opens = rest, true
		l.offset++
	}
	l.text = text
}

// fill makes sure that a byte is unread, and reports whether there is one.
func (s *hl7Lines) fill() bool {
	for len(s.unread) == 0 && s.err == nil {
		var n int
		n, s.err = s.r.Read(s.buf[:])
		s.unread = s.buf[:n]
	}
	return len(s.unread) > 0
}

func (s *hl7Lines) skip(n int) {
	s.unread = s.unread[n:]
	s.offset += int64(n)
}

// lineEnd passes over the end of a line, which is unread.
func (s *hl7Lines) lineEnd() string {
	first := s.unread[0]
	s.skip(1)
	if first == '\n' {
		return "\n"
	}
	if s.fill() && s.unread[0] == '\n' {
		s.skip(1)
		return "\r\n"
	}
	return "\r"
}
