// SPDX-License-Identifier: Apache-2.0

package message

import (
	"fmt"
	"strings"

	"hide/internal/annotate"
)

// joined is a text made of pieces of a message and of filling that is not in it, such as
// line breaks and headings.
type joined struct {
	text   strings.Builder
	pieces []piece
}

// piece is one value of the message as it is in the text.
type piece struct {
	start, end annotate.ByteOff
}

// add appends a value of the message and returns the number of its piece.
func (j *joined) add(value string) int {
	start := annotate.ByteOff(j.text.Len())
	j.text.WriteString(value)
	j.pieces = append(j.pieces, piece{start, annotate.ByteOff(j.text.Len())})
	return len(j.pieces) - 1
}

// fill appends text that is not in the message.
func (j *joined) fill(s string) { j.text.WriteString(s) }

// redacted returns the new value of every piece. A mark that covers several pieces is
// replaced in the first of them that is not empty, and removed from the others; marks on filling have no
// effect. Marks are in order, without overlap, and within the text.
func (j *joined) redacted(marks []Mark) ([]string, error) {
	text := j.text.String()
	if err := checkMarks(text, marks); err != nil {
		return nil, err
	}
	values := make([]string, len(j.pieces))
	told := make([]bool, len(marks)) // the replacement has been written
	first := 0                       // marks before it end before the piece
	for i, p := range j.pieces {
		for first < len(marks) && marks[first].End <= p.start {
			first++
		}
		var b strings.Builder
		at := p.start
		for k := first; k < len(marks) && marks[k].Start < p.end && p.start < p.end; k++ {
			if marks[k].Start > at {
				b.WriteString(text[at:marks[k].Start])
			}
			if !told[k] {
				b.WriteString(marks[k].With)
				told[k] = true
			}
			at = min(p.end, marks[k].End)
		}
		b.WriteString(text[at:p.end])
		values[i] = b.String()
	}
	return values, nil
}

func checkMarks(text string, marks []Mark) error {
	at := annotate.ByteOff(0)
	for _, m := range marks {
		if m.Start < at || m.End <= m.Start || m.End > annotate.ByteOff(len(text)) {
			return fmt.Errorf("redact: bytes %d to %d are out of order or outside a text of %d bytes", m.Start, m.End, len(text))
		}
		at = m.End
	}
	return nil
}
