// SPDX-License-Identifier: Apache-2.0

// Package wire reads and writes what the files of classifiers are made of: strict
// unsigned varints, floats within bounds, sections that begin with their length, and
// the seal around the whole. Everything is little endian.
package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// AppendFloat adds eight bytes.
func AppendFloat(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// AppendFloat32 adds four bytes.
func AppendFloat32(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}

// AppendSection adds content after its length, an unsigned varint.
func AppendSection(b, content []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(content))), content...)
}

// Reader keeps its first error; from there on everything that it reads is zero and
// nothing is left.
type Reader struct {
	all, rest []byte
	err       error
}

// NewReader reads b, which it does not copy.
func NewReader(b []byte) *Reader { return &Reader{all: b, rest: b} }

// Err is the first error, with the byte at which the reader stood.
func (r *Reader) Err() error { return r.err }

// Left is how many bytes are left, an upper bound of what can still be read.
func (r *Reader) Left() int { return len(r.rest) }

// Fail says why what was read cannot be used. Only the first time counts, and nil
// is no failure.
func (r *Reader) Fail(why error) {
	if r.err == nil && why != nil {
		r.err = fmt.Errorf("%w (byte %d)", why, len(r.all)-len(r.rest))
		r.rest = nil
	}
}

// Failf is [Reader.Fail] with a text.
func (r *Reader) Failf(format string, args ...any) { r.Fail(fmt.Errorf(format, args...)) }

// End fails when something is left.
func (r *Reader) End() {
	if len(r.rest) > 0 {
		r.Fail(errors.New("data follows its end"))
	}
}

// Version fails unless the next number is want.
func (r *Reader) Version(want uint64) {
	if v := r.Uint(math.MaxUint64); r.err == nil && v != want {
		r.Failf("its version is %d and this program reads %d: train it again", v, want)
	}
}

// Uint reads an unsigned varint of at most most. One with more bytes than it needs is
// refused, so that equal values have equal bytes.
func (r *Reader) Uint(most uint64) uint64 {
	v, n := binary.Uvarint(r.rest)
	switch {
	case r.err != nil:
		return 0
	case n <= 0 || n > 1 && r.rest[n-1] == 0:
		r.Fail(errors.New("a number is cut short, too long or padded"))
		return 0
	case v > most:
		r.Fail(errors.New("a number is out of range"))
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// Count is [Reader.Uint] of things, which are at most most.
func (r *Reader) Count(most int) int { return int(r.Uint(uint64(max(most, 0)))) }

// Take reads n bytes, which are those of the file and not a copy; nil after an error.
func (r *Reader) Take(n int) []byte {
	if r.err != nil {
		return nil
	}
	if n > len(r.rest) {
		r.Fail(errors.New("it ends too early"))
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// Section reads what [AppendSection] wrote.
func (r *Reader) Section() []byte { return r.Take(r.Count(len(r.rest))) }

// Uint64 reads eight bytes.
func (r *Reader) Uint64() uint64 {
	if b := r.Take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Float reads a float64 between -most and most. NaN is none.
func (r *Reader) Float(most float64) float64 {
	return r.within(math.Float64frombits(r.Uint64()), most)
}

// Float32 reads a float32 between -most and most. NaN is none.
func (r *Reader) Float32(most float64) float32 {
	if b := r.Take(4); b != nil {
		return float32(r.within(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), most))
	}
	return 0
}

func (r *Reader) within(v, most float64) float64 {
	if !(math.Abs(v) <= most) {
		r.Fail(errors.New("a number is out of range"))
		return 0
	}
	return v
}

// Seal adds the SHA-256 of everything before it.
func Seal(b []byte) []byte {
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// Open reads what [Seal] sealed, after the magic with which it begins. Nothing else is
// believed before the checksum is right.
func Open(b []byte, magic string) (*Reader, error) {
	end := len(b) - sha256.Size
	if end < len(magic) || string(b[:len(magic)]) != magic {
		return nil, errors.New("its header is wrong, or it ends too early")
	}
	if sum := sha256.Sum256(b[:end]); !bytes.Equal(sum[:], b[end:]) {
		return nil, errors.New("its checksum is wrong: it was damaged or cut short")
	}
	return NewReader(b[len(magic):end]), nil
}
