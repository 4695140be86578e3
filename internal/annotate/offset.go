// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"fmt"
	"sort"
	"unicode/utf8"
)

// ByteOff is a position in a text's UTF-8 bytes. Go code uses no other unit.
type ByteOff int

// RuneOff is a position in a text's Unicode code points. Files and wires use no
// other unit.
type RuneOff int

// offsetStride is how many bytes lie between two remembered positions of an
// Offsets: a conversion scans at most this many.
const offsetStride = 512

// Offsets converts positions in one text between bytes and code points in
// time independent of the text's length, using len(text)/512 integers.
type Offsets struct {
	text  string
	ascii bool
	marks []RuneOff // marks[i] is the number of code points that start before byte i*offsetStride
	total RuneOff
}

// NewOffsets scans text once. The text must be valid UTF-8.
func NewOffsets(text string) *Offsets {
	o := &Offsets{text: text, marks: make([]RuneOff, 0, len(text)/offsetStride+1)}
	var n RuneOff
	for i := 0; i < len(text); i++ {
		if i%offsetStride == 0 {
			o.marks = append(o.marks, n)
		}
		if utf8.RuneStart(text[i]) {
			n++
		}
	}
	o.total, o.ascii = n, int(n) == len(text)
	return o
}

// Runes is the length of the text in code points.
func (o *Offsets) Runes() RuneOff { return o.total }

// Rune converts a byte position, which must lie on a code point boundary.
func (o *Offsets) Rune(b ByteOff) (RuneOff, error) {
	if b < 0 || int(b) > len(o.text) {
		return 0, fmt.Errorf("%w: byte %d of %d", ErrSpanRange, b, len(o.text))
	}
	if !onBoundary(o.text, b) {
		return 0, fmt.Errorf("%w: byte %d", ErrSpanCut, b)
	}
	if o.ascii {
		return RuneOff(b), nil
	}
	if int(b) == len(o.text) {
		return o.total, nil
	}
	mark := int(b) / offsetStride
	n := o.marks[mark]
	for i := mark * offsetStride; i < int(b); i++ {
		if utf8.RuneStart(o.text[i]) {
			n++
		}
	}
	return n, nil
}

// Byte converts a code point position.
func (o *Offsets) Byte(r RuneOff) (ByteOff, error) {
	if r < 0 || r > o.total {
		return 0, fmt.Errorf("%w: character %d of %d", ErrSpanRange, r, o.total)
	}
	if o.ascii {
		return ByteOff(r), nil
	}
	if r == o.total {
		return ByteOff(len(o.text)), nil
	}
	// The last mark with at most r code points before it; the r-th code point
	// starts at or after it.
	mark := sort.Search(len(o.marks), func(i int) bool { return o.marks[i] > r }) - 1
	n := o.marks[mark]
	for i := mark * offsetStride; ; i++ {
		if !utf8.RuneStart(o.text[i]) {
			continue
		}
		if n == r {
			return ByteOff(i), nil
		}
		n++
	}
}

// Span converts a range given in code points.
func (o *Offsets) Span(start, end RuneOff, label Label) (Span, error) {
	if start >= end {
		return Span{}, fmt.Errorf("%w: characters %d to %d", ErrSpanRange, start, end)
	}
	b, err := o.Byte(start)
	if err != nil {
		return Span{}, err
	}
	e, err := o.Byte(end)
	if err != nil {
		return Span{}, err
	}
	return Span{Start: b, End: e, Label: label}, nil
}

// Range gives a span's ends in code points. The span must fit the text: a span
// that passed [CheckSpans] always does, any other panics.
func (o *Offsets) Range(s Span) (start, end RuneOff) {
	start, err := o.Rune(s.Start)
	if err == nil {
		end, err = o.Rune(s.End)
	}
	if err != nil {
		panic("annotate: span was not checked against this text: " + err.Error())
	}
	return start, end
}

func onBoundary(text string, b ByteOff) bool {
	return int(b) == len(text) || utf8.RuneStart(text[b])
}
