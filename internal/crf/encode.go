// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
)

// The file of a model, version 2. Integers are unsigned varints unless a size is
// given; strings are a length and bytes.
//
//	magic "HIDECRF\n", version
//	families, binary (0 or 1)
//	labels: count, strings in order
//	dictionaries: count; each: name, count of phrases, phrases
//	transitions: L*(K+1)+2K float32, little endian
//	attributes: count; each: bytes shared with the name before, the rest as a
//	string, number of weights, their states in order, the weights as float32
//	SHA-256 of everything before it, 32 bytes
//
// Attribute names are in strictly increasing order, so one model has one file.
const (
	magic   = "HIDECRF\n"
	version = 2
)

// Encode writes the model. Equal models give equal bytes.
func (m *Model) Encode(w io.Writer) error {
	hash := sha256.New()
	e := encoder{w: bufio.NewWriter(io.MultiWriter(w, hash))}
	e.header(m)
	e.floats(m.weights[:m.states.transitions()])
	e.attributes(m)
	if err := e.w.Flush(); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	if _, err := w.Write(hash.Sum(nil)); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	return nil
}

// encoder relies on bufio remembering the first error until Flush.
type encoder struct {
	w   *bufio.Writer
	buf [binary.MaxVarintLen64]byte
}

func (e *encoder) number(n int) {
	_, _ = e.w.Write(e.buf[:binary.PutUvarint(e.buf[:], uint64(n))])
}

func (e *encoder) text(s string) {
	e.number(len(s))
	_, _ = e.w.WriteString(s)
}

func (e *encoder) floats(values []float32) {
	for _, v := range values {
		binary.LittleEndian.PutUint32(e.buf[:4], math.Float32bits(v))
		_, _ = e.w.Write(e.buf[:4])
	}
}

func (e *encoder) header(m *Model) {
	_, _ = e.w.WriteString(magic)
	e.number(version)
	e.number(int(m.families))
	flag := 0
	if m.binary {
		flag = 1
	}
	e.number(flag)
	e.number(len(m.states.labels))
	for _, l := range m.states.labels {
		e.text(string(l))
	}
	var lists []DictionaryList
	if m.gazette != nil {
		lists = m.gazette.lists
	}
	e.number(len(lists))
	for _, list := range lists {
		e.text(list.Name)
		e.number(len(list.Phrases))
		for _, phrase := range list.Phrases {
			e.text(phrase)
		}
	}
}

func (e *encoder) attributes(m *Model) {
	e.number(len(m.attrs))
	before := ""
	for _, name := range slices.Sorted(maps.Keys(m.attrs)) {
		shared := commonPrefix(before, name)
		e.number(shared)
		e.text(name[shared:])
		a := m.attrs[name]
		from, to := m.rows[a], m.rows[a+1]
		e.number(int(to - from))
		for _, state := range m.pairs[from:to] {
			e.number(int(state))
		}
		e.floats(m.weights[from:to])
		before = name
	}
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
