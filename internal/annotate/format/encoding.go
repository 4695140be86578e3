// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Encodings are the values of Options.Encoding besides "". UTF-16 with a byte order mark,
// and what an XML file declares, is recognised without them.
func Encodings() []string {
	return []string{"utf-8", "windows-1252", "latin-1", "utf-16le", "utf-16be"}
}

// next reads one character of an encoding and tells its size in bytes.
type next func(*bufio.Reader) (r rune, size int, err error)

var decoders = map[string]next{
	"windows-1252": func(in *bufio.Reader) (rune, int, error) { return oneByte(in, charmap.Windows1252) },
	"latin-1":      func(in *bufio.Reader) (rune, int, error) { return oneByte(in, charmap.ISO8859_1) },
	"utf-16le":     func(in *bufio.Reader) (rune, int, error) { return twoBytes(in, 0) },
	"utf-16be":     func(in *bufio.Reader) (rune, int, error) { return twoBytes(in, 1) },
}

// declared are the names of encodings in XML declarations, in lower case.
var declared = map[string]string{
	"utf-8": "utf-8", "utf8": "utf-8", "us-ascii": "utf-8", "ascii": "utf-8",
	"iso-8859-1": "latin-1", "latin1": "latin-1", "latin-1": "latin-1", "iso8859-1": "latin-1",
	"windows-1252": "windows-1252", "cp1252": "windows-1252",
	"utf-16": "utf-8", "utf-16le": "utf-8", "utf-16be": "utf-8", // a mark decides; without one the declaration could not have been read
}

func oneByte(in *bufio.Reader, table *charmap.Charmap) (rune, int, error) {
	c, err := in.ReadByte()
	if err != nil {
		return 0, 0, err
	}
	return table.DecodeByte(c), 1, nil
}

// twoBytes reads a character of UTF-16; order is the index of the low byte of a unit.
func twoBytes(in *bufio.Reader, order int) (rune, int, error) {
	unit := func() (rune, error) {
		var b [2]byte
		if n, err := io.ReadFull(in, b[:]); err != nil {
			if n == 1 {
				return 0, halfPair()
			}
			return 0, err
		}
		return rune(b[1-order])<<8 | rune(b[order]), nil
	}
	first, err := unit()
	if err != nil {
		return 0, 0, err
	}
	if !utf16.IsSurrogate(first) {
		return first, 2, nil
	}
	second, err := unit()
	if err != nil {
		return 0, 0, halfPair()
	}
	if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
		return r, 4, nil
	}
	return 0, 0, halfPair()
}

func halfPair() *Problem {
	return &Problem{Code: "encoding", Offset: -1, Reason: "half a character of UTF-16", Hint: "the program that wrote the file cut a character in two, or the file is not UTF-16"}
}

// decodedFile gives a file's text as UTF-8.
type decodedFile struct {
	file io.Closer
	in   *bufio.Reader
	next next
	at   int64  // in the file, of the next character
	rest []byte // of a character that did not fit into the caller's slice
	err  error
}

func (d *decodedFile) Read(p []byte) (int, error) {
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	for n < len(p) && d.err == nil {
		var r rune
		if r, d.err = d.character(); d.err != nil {
			break
		}
		var buf [utf8.UTFMax]byte
		size := utf8.EncodeRune(buf[:], r)
		fit := copy(p[n:], buf[:size])
		n += fit
		d.rest = append(d.rest[:0], buf[fit:size]...)
	}
	if n > 0 || len(p) == 0 {
		return n, nil
	}
	return 0, d.err
}

// character reads the next character. A problem is where the file has it.
func (d *decodedFile) character() (rune, error) {
	r, size, err := d.next(d.in)
	if p := (*Problem)(nil); errors.As(err, &p) {
		p.Offset, p.located, p.source = d.at, true, true
	}
	d.at += int64(size)
	return r, err
}

func (d *decodedFile) Close() error { return d.file.Close() }

// decode makes an input give UTF-8, by the encoding that was chosen, by a byte order mark,
// or by an XML declaration.
func (r *reader) decode(in input) (input, *Problem) {
	encoding, skip, p := r.encodingOf(in)
	if p != nil {
		return in, p.at(place{file: in.show, offset: -1})
	}
	step, found := decoders[encoding]
	if !found {
		return in, nil
	}
	r.remarks.add(1, "file", "converted from "+encoding)
	raw := in.open
	start := func() (*decodedFile, error) {
		file, err := raw()
		if err != nil {
			return nil, err
		}
		buffered := bufio.NewReaderSize(file, 64<<10)
		if _, err := buffered.Discard(skip); err != nil {
			file.Close()
			return nil, err
		}
		return &decodedFile{file: file, in: buffered, next: step, at: int64(skip)}, nil
	}
	in.raw = raw
	in.open = func() (io.ReadCloser, error) { return start() }
	r.converted[in.show] = func(offset int64) int64 {
		d, err := start()
		if err != nil {
			return -1
		}
		defer d.Close()
		return d.source(offset)
	}
	return in, nil
}

// Decode gives a stream as UTF-8. encoding is one of [Encodings]; "" and "utf-8" change
// nothing. An unknown encoding is a [*Problem].
func Decode(in io.Reader, encoding string) (io.Reader, error) {
	step, found := decoders[encoding]
	switch {
	case found:
		return &decodedFile{file: io.NopCloser(in), in: bufio.NewReaderSize(in, 64<<10), next: step}, nil
	case encoding == "" || encoding == "utf-8":
		return in, nil
	}
	return nil, unknownEncoding(encoding)
}

// source is the place in the file of a place in its text.
func (d *decodedFile) source(offset int64) int64 {
	for done := int64(0); done < offset; {
		r, err := d.character()
		if err != nil {
			break
		}
		done += int64(utf8.RuneLen(r))
	}
	return d.at
}

var xmlDeclaration = regexp.MustCompile(`^\s*<\?xml[^>]{0,100}encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']`)

// encodingOf is the encoding of a file and the size of its mark; "" for UTF-8.
func (r *reader) encodingOf(in input) (name string, skip int, p *Problem) {
	file, err := in.open()
	if err != nil {
		return "", 0, unreadable(err, place{file: in.show, offset: -1})
	}
	defer file.Close()
	head := make([]byte, 300)
	n, err := io.ReadFull(file, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", 0, unreadable(err, place{file: in.show, offset: -1})
	}
	head = head[:n]
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return "utf-16le", 2, nil
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return "utf-16be", 2, nil
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return "", 0, nil
	case r.opts.Encoding != "":
		return r.opts.Encoding, 0, nil
	}
	if m := xmlDeclaration.FindSubmatch(head); m != nil {
		name, known := declared[strings.ToLower(string(m[1]))]
		if !known {
			return "", 0, &Problem{Code: "encoding", Offset: int64(bytes.Index(head, m[1])), located: true, Reason: "the encoding that the file declares is not supported", Hint: "convert the file to UTF-8"}
		}
		return name, 0, nil
	}
	return "", 0, nil
}

// afterMark skips a UTF-8 byte order mark.
func afterMark(in io.Reader) io.Reader {
	buffered := bufio.NewReader(in)
	if head, err := buffered.Peek(3); err == nil && bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		_, _ = buffered.Discard(3) // they are in the buffer
	}
	return buffered
}

func unknownEncoding(name string) *Problem {
	return &Problem{Code: "encoding", Offset: -1, Reason: fmt.Sprintf("unknown encoding %.20q", name), Hint: "encodings are " + strings.Join(Encodings(), ", ")}
}
