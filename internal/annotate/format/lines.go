// SPDX-License-Identifier: Apache-2.0

package format

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"hide/internal/annotate"
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
}

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

// walkObject calls see for each member of a JSON object, in order. It compares names
// exactly and refuses duplicate names; encoding/json into a struct does neither.
func walkObject(raw []byte, see func(key string, value json.RawMessage) *Problem) *Problem {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if p := open(dec, '{', "an object"); p != nil {
		return p
	}
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return syntax(err, dec)
		}
		key, _ := token.(string)
		if seen[key] {
			return &Problem{Code: "json", Offset: dec.InputOffset(), located: true, Reason: "a field comes twice"}
		}
		seen[key] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return syntax(err, dec)
		}
		if p := see(key, value); p != nil {
			return p
		}
	}
	return end(dec)
}

// walkArray calls see for each element of a JSON array, in order.
func walkArray(raw []byte, see func(value json.RawMessage) *Problem) *Problem {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if p := open(dec, '[', "a list"); p != nil {
		return p
	}
	for dec.More() {
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return syntax(err, dec)
		}
		if p := see(value); p != nil {
			return p
		}
	}
	return end(dec)
}

func open(dec *json.Decoder, want json.Delim, kind string) *Problem {
	token, err := dec.Token()
	if err != nil {
		return syntax(err, dec)
	}
	if token != want {
		return &Problem{Code: "json", Reason: "not " + kind, Hint: "each line is an object with id, text and spans"}
	}
	return nil
}

// end reads the closing bracket and checks that nothing follows it.
func end(dec *json.Decoder) *Problem {
	if _, err := dec.Token(); err != nil {
		return syntax(err, dec)
	}
	if _, err := dec.Token(); err != io.EOF {
		return &Problem{Code: "json", Offset: dec.InputOffset(), located: true, Reason: "there is text after the end of the object", Hint: "put each object on a line of its own"}
	}
	return nil
}

// syntax gives the position of a mistake but not the character there.
func syntax(err error, dec *json.Decoder) *Problem {
	p := &Problem{Code: "json", Offset: dec.InputOffset(), located: true, Reason: "not valid JSON", Hint: "correct the line at this byte, or export the file again"}
	if s := (*json.SyntaxError)(nil); errors.As(err, &s) {
		p.Offset = s.Offset
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		p.Reason, p.Hint = "the JSON ends too early", "close the brackets and quotes of the line; if it is the last one, copy the file again"
	}
	return p
}

// text reads a file that is one document.
func (r *reader) text(in input) error {
	r.used("text", "")
	w := place{file: in.show, offset: -1}
	text, bom, p := whole(in)
	if p != nil {
		return r.refuse(p.at(w))
	}
	r.marked(bom)
	return r.deliver(annotate.Annotated{Document: annotate.Document{Name: in.name, Text: text}}, w)
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
