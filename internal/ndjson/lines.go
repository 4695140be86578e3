// SPDX-License-Identifier: Apache-2.0

package ndjson

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// lineLimit bounds one line that a filter reads.
const lineLimit = 64 << 20

// ErrTooLong is the error of a line that is longer than lines may be. Others can come
// after it.
var ErrTooLong = fmt.Errorf("longer than %d bytes", lineLimit)

// Line is one line of input without its end, or why there is none.
type Line struct {
	Text   []byte
	Offset int64 // byte of the input where it begins
	Err    error
}

// ReadLines sends the lines of in to lines, the error or io.EOF that ends them as the last,
// until ctx ends.
func ReadLines(ctx context.Context, in io.Reader, lines chan<- Line) {
	s := lineReader{in: bufio.NewReaderSize(in, 1<<16), limit: lineLimit}
	for {
		l := s.next()
		select {
		case lines <- l:
		case <-ctx.Done():
			return
		}
		if l.Err != nil && l.Err != ErrTooLong {
			return
		}
	}
}

// lineReader cuts a stream into lines.
type lineReader struct {
	in    *bufio.Reader
	limit int
	at    int64
}

// next reads a line. It passes over a line that is too long without keeping it.
func (s *lineReader) next() Line {
	l, read := Line{Offset: s.at}, 0
	for {
		piece, err := s.in.ReadSlice('\n')
		read += len(piece)
		s.at += int64(len(piece))
		if read > s.limit {
			l.Text, l.Err = nil, ErrTooLong
		} else {
			l.Text = append(l.Text, piece...)
		}
		switch {
		case err == nil:
			l.Text = withoutEnd(l.Text)
			return l
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && read > 0:
			l.Text = bytes.TrimSuffix(l.Text, []byte("\r"))
			return l
		default:
			return Line{Offset: s.at, Err: err}
		}
	}
}

func withoutEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}
