// SPDX-License-Identifier: Apache-2.0

package classes

import (
	"encoding/binary"
	"errors"
	"fmt"

	"hide/internal/crf/intern"
	"hide/internal/wire"
)

// The file of a table, version 1. Integers are unsigned varints, a text is its length and
// its bytes:
//
//	magic "HIDEWCL\n", version
//	codes: count, texts in increasing order
//	words: count; each, in increasing order: the number of bytes it shares with the one
//	  before, the rest as a text, the number of its code
//	SHA-256 of everything before it, 32 bytes
//
// A table has one file.
const version = 1

// Magic is how the file of a table begins.
const Magic = "HIDEWCL\n"

// Append adds the file of the table to b. Equal tables give equal bytes.
func (t *Table) Append(b []byte) []byte {
	file := binary.AppendUvarint([]byte(Magic), version)
	file = binary.AppendUvarint(file, uint64(len(t.codes)))
	for _, c := range t.codes {
		file = wire.AppendSection(file, []byte(c))
	}
	file = binary.AppendUvarint(file, uint64(t.words.Len()))
	before := ""
	for i := range t.words.Len() {
		word := t.words.At(i)
		shared := commonPrefix(before, word)
		file = binary.AppendUvarint(file, uint64(shared))
		file = wire.AppendSection(file, []byte(word[shared:]))
		file = binary.AppendUvarint(file, uint64(t.class[i]))
		before = word
	}
	return append(b, wire.Seal(file)...)
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Decode reads what [Table.Append] wrote, to the end, and refuses anything else. Errors
// wrap [ErrTable] and give a byte.
func Decode(b []byte) (*Table, error) {
	r, err := wire.Open(b, Magic)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	}
	d := &decoder{r}
	t := d.table()
	d.End()
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTable, err)
	}
	return t, nil
}

// decoder reads a table.
type decoder struct{ *wire.Reader }

var errOrder = errors.New("its words or codes are not in order, or not allowed")

func (d *decoder) table() *Table {
	d.Version(version)
	t := &Table{codes: make([]string, d.Count(min(MaxClasses, d.Left()/2)))}
	for i := range t.codes {
		t.codes[i] = string(d.Section())
		if check("w", t.codes[i]) != nil || i > 0 && t.codes[i] <= t.codes[i-1] {
			d.Fail(errOrder)
		}
	}
	n := d.Count(min(MaxWords, d.Left()/3))
	if len(t.codes) == 0 {
		d.Fail(errors.New("it has no class"))
	}
	if d.Err() != nil {
		return nil
	}
	t.class = make([]uint16, n)
	words, used, unused := intern.NewPacker(n), make([]bool, len(t.codes)), len(t.codes)
	var word []byte
	for i := range n {
		word = d.word(word, i == 0)
		t.class[i] = uint16(d.Uint(uint64(max(len(t.codes)-1, 0))))
		if d.Err() != nil {
			return nil
		}
		words.Add(word)
		if c := t.class[i]; !used[c] {
			used[c] = true
			unused--
		}
	}
	if unused > 0 || n == 0 {
		d.Fail(errors.New("a class has no word"))
	}
	t.words, t.tree = words.Done(), isTree(t.codes)
	return t
}

// word reads the word after another one.
func (d *decoder) word(before []byte, first bool) []byte {
	shared, rest := d.Count(len(before)), d.Section()
	word := append(append(make([]byte, 0, shared+len(rest)), before[:min(shared, len(before))]...), rest...)
	s := string(word)
	if check(s, "0") != nil || lower(s) != s || !first && (s <= string(before) || commonPrefix(string(before), s) != shared) {
		d.Fail(errOrder)
	}
	return word
}
