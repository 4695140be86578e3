// SPDX-License-Identifier: Apache-2.0

package classes

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"hide/internal/hint"
)

// MaxFile bounds the file of a table.
const MaxFile = 1 << 28

// textHint says what a table of the user's own looks like.
const textHint = "a table is a file that hide classes learn wrote, or UTF-8 text with a word, a tab and the code of its class on each line; the paths files of Brown clustering have the code, a tab, the word, a tab and a count"

// Read reads a table: a file as [Table.Append] writes it, or text. Each line of text has a
// word and the code of its class, or a code, a word and a count (Liang's paths files). An
// empty line and one that begins with # do not count. Errors give a line, never its content.
func Read(r io.Reader) (*Table, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxFile {
		return nil, fmt.Errorf("%w: it is larger than %d bytes", ErrTable, MaxFile)
	}
	if bytes.HasPrefix(data, []byte(Magic)) {
		return Decode(data)
	}
	t, err := readText(data)
	if err != nil {
		return nil, hint.Add(err, textHint)
	}
	return t, nil
}

func readText(data []byte) (*Table, error) {
	if at := firstInvalid(data); at >= 0 {
		return nil, fmt.Errorf("%w: byte %d is not UTF-8", ErrTable, at)
	}
	var entries []Entry
	lines := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	lines.Buffer(nil, 1<<16)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		e, err := entryOf(strings.Split(line, "\t"))
		if err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrTable, n, err)
		}
		if len(entries) == MaxWords {
			return nil, fmt.Errorf("%w: line %d: a table has up to %d words", ErrTable, n, MaxWords)
		}
		entries = append(entries, e)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%w: a line is longer than %d bytes", ErrTable, 1<<16)
	}
	return New(entries)
}

// firstInvalid is the first byte that is not part of UTF-8, -1 for none.
func firstInvalid(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

func entryOf(fields []string) (Entry, error) {
	var e Entry
	switch len(fields) {
	case 2:
		e = Entry{fields[0], fields[1]}
	case 3:
		e = Entry{fields[1], fields[0]}
		if fields[2] == "" || strings.Trim(fields[2], "0123456789") != "" {
			return e, fmt.Errorf("the third field is not a count")
		}
	default:
		return e, fmt.Errorf("fields between tabs: %d, not two, or three with a count", len(fields))
	}
	return e, check(lower(e.Word), e.Code)
}
