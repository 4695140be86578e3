// SPDX-License-Identifier: Apache-2.0

package dp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// Sequences are what prefix trees count: a file ([Lines]) or records in memory
// ([SequenceRecords]).
type Sequences interface {
	lines(c SequencesConfig) iter.Seq2[line, error]
	// The ledger recognizes the same data by the bytes that WriteTo writes.
	io.WriterTo
}

// line is one sequence.
type line struct {
	key     string // of the person; "" when unknown
	symbols []string
	in      func(error) error // adds the line's place to an error
}

// SequenceRecords are sequences that were not read from a file.
type SequenceRecords struct {
	Keys    []string   // of the person of each; "" when unknown
	Symbols [][]string // of each
}

func (s SequenceRecords) lines(SequencesConfig) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		for i, key := range s.Keys {
			in := func(err error) error { return fmt.Errorf("row %d: %w", i+1, err) }
			if !yield(line{key, s.Symbols[i], in}, nil) {
				return
			}
		}
	}
}

// WriteTo writes a line for each sequence: its key and its symbols, with tabs between.
func (s SequenceRecords) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	for i, key := range s.Keys {
		b.WriteString(key)
		for _, symbol := range s.Symbols[i] {
			b.WriteString("\t" + symbol)
		}
		b.WriteByte('\n')
	}
	return b.WriteTo(w)
}

// Lines is a file with a sequence a line.
type Lines []byte

// WriteTo writes the file as it is.
func (s Lines) WriteTo(w io.Writer) (int64, error) { return CSV(s).WriteTo(w) }

const byteOrderMark = "\ufeff"

// mostLine bounds a line, in bytes.
const mostLine = 16 << 20

func (s Lines) lines(c SequencesConfig) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		if err := readable(s); err != nil {
			yield(line{}, err)
			return
		}
		text := bytes.TrimPrefix(s, []byte(byteOrderMark))
		n, at := 0, len(s)-len(text)
		for raw := range bytes.Lines(text) {
			n++
			number, begin := n, at
			in := func(err error) error { return fmt.Errorf("line %d, byte %d: %w", number, begin, err) }
			one, err := c.line(raw)
			if one.in = in; err != nil {
				err = in(err)
			}
			if !yield(one, err) || err != nil {
				return
			}
			at += len(raw)
		}
	}
}

func (c SequencesConfig) line(raw []byte) (line, error) {
	text := strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
	switch {
	case len(text) > mostLine:
		return line{}, fmt.Errorf("it has more than %d bytes", mostLine)
	case strings.Contains(text, "\r"):
		return line{}, errors.New("it contains a carriage return: end lines with line feeds")
	}
	fields := c.split(text)
	if !c.KeyFirst {
		return line{symbols: fields}, nil
	}
	// A line that begins with a blank has no key: its first word may be a symbol.
	if len(fields) == 0 || c.Separator == "" && !strings.HasPrefix(text, fields[0]) {
		return line{}, nil
	}
	return line{key: strings.TrimSpace(fields[0]), symbols: fields[1:]}, nil
}

func (c SequencesConfig) split(line string) []string {
	if c.Separator == "" {
		return strings.Fields(line)
	}
	if line == "" {
		return nil
	}
	return strings.Split(line, c.Separator)
}
