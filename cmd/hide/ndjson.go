// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// lineLimit bounds one line that a filter reads.
const lineLimit = 64 << 20

// wireDoc is one line that a filter reads.
type wireDoc struct {
	ID    *string  `json:"id"`
	Text  *string  `json:"text"`
	Known []string `json:"known,omitempty"` // identifiers of the patient that structured fields gave
}

// line is one line of input, or why there is none.
type line struct {
	text []byte
	err  error
}

// filter answers each line of standard input with one on standard output, as
// soon as it has it. It stops at the first bad line and says which it is; all
// answers before it have then been written.
func (e *env) filter(ctx context.Context, answer func(wireDoc) any) error {
	lines := make(chan line, 16)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // lets readLines end, unless it waits for input that never comes
	go readLines(ctx, e.stdin, lines)
	out := bufio.NewWriterSize(e.stdout, 1<<16)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for n := 1; ; n++ {
		if len(lines) == 0 {
			if err := out.Flush(); err != nil {
				return fmt.Errorf("write answers: %w", err)
			}
		}
		text, err := nextLine(ctx, lines)
		if errors.Is(err, io.EOF) {
			return out.Flush()
		}
		if err == nil {
			err = answerLine(enc, text, answer)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("line %d of standard input: %w", n, err), out.Flush())
		}
	}
}

func nextLine(ctx context.Context, lines <-chan line) ([]byte, error) {
	select {
	case l := <-lines:
		return l.text, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func readLines(ctx context.Context, in io.Reader, lines chan<- line) {
	s := bufio.NewScanner(in)
	s.Buffer(make([]byte, 1<<16), lineLimit)
	for s.Scan() {
		select {
		case lines <- line{text: bytes.Clone(s.Bytes())}:
		case <-ctx.Done():
			return
		}
	}
	end := line{err: io.EOF}
	if err := s.Err(); err != nil {
		end.err = err
	}
	if errors.Is(end.err, bufio.ErrTooLong) {
		end.err = fmt.Errorf("longer than %d bytes", lineLimit)
	}
	select {
	case lines <- end:
	case <-ctx.Done():
	}
}

func answerLine(enc *json.Encoder, text []byte, answer func(wireDoc) any) error {
	d, err := parseDoc(text)
	if err != nil {
		return err
	}
	return enc.Encode(answer(d))
}

// parseDoc is strict: what it does not know could be what must not get out.
func parseDoc(text []byte) (wireDoc, error) {
	var d wireDoc
	if !utf8.Valid(text) {
		return d, errors.New("not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(&d); err != nil {
		return d, notADoc(dec)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return d, fmt.Errorf("something follows the object: see byte %d", dec.InputOffset())
	}
	if err := eachOnce(text); err != nil {
		return d, err
	}
	if d.ID == nil || d.Text == nil {
		return d, errors.New("\"id\" or \"text\" is missing")
	}
	if halfPair(text, *d.ID+*d.Text+strings.Join(d.Known, "")) {
		return d, errors.New("half of a surrogate pair is no character")
	}
	return d, nil
}

func notADoc(dec *json.Decoder) error {
	return fmt.Errorf("not an object of \"id\", \"text\" and perhaps \"known\": see byte %d", dec.InputOffset())
}

// eachOnce refuses an object with a field that a document does not have, or has only
// once: encoding/json takes names in any case, and of two texts the last.
func eachOnce(object []byte) error {
	dec := json.NewDecoder(bytes.NewReader(object))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return notADoc(dec)
	}
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		name, _ := token.(string)
		if err != nil || !slices.Contains([]string{"id", "text", "known"}, name) {
			return notADoc(dec)
		}
		if seen[name] {
			return fmt.Errorf("%q comes twice: see byte %d", name, dec.InputOffset())
		}
		seen[name] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return notADoc(dec)
		}
	}
	return nil
}

// halfPair reports whether decoding put a replacement character in the place of
// an escape such as \ud800.
func halfPair(line []byte, decoded string) bool {
	if !strings.ContainsRune(decoded, utf8.RuneError) {
		return false
	}
	written := bytes.Count(line, []byte("\ufffd")) + bytes.Count(bytes.ToLower(line), []byte(`\ufffd`))
	return strings.Count(decoded, "\ufffd") > written
}
