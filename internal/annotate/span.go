// SPDX-License-Identifier: Apache-2.0

package annotate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Label is a kind of sensitive information, such as "NAME" or "DATE".
type Label string

// Span covers text[Start:End] of a document with a label.
type Span struct {
	Start, End ByteOff
	Label      Label
}

// Len is the number of bytes covered.
func (s Span) Len() int { return int(s.End - s.Start) }

// Overlaps reports whether the two spans share a byte.
func (s Span) Overlaps(t Span) bool { return s.Start < t.End && t.Start < s.End }

// Surface is the text covered. The span must have passed [CheckSpans].
func (s Span) Surface(text string) string { return text[s.Start:s.End] }

// CompareSpans orders spans by start, then end, then label.
func CompareSpans(a, b Span) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Label, b.Label))
}

// Span errors that callers tell apart.
var (
	// ErrSpanRange is returned when a span is empty or reaches outside its text.
	ErrSpanRange = errors.New("span out of range")
	// ErrSpanCut is returned when a span begins or ends inside a code point.
	ErrSpanCut = errors.New("span cuts a character")
	// ErrSpanOverlap is returned when two spans of one layer share text.
	ErrSpanOverlap = errors.New("spans overlap")
)

// CheckSpans sorts spans in place and reports the first that does not fit text
// or overlaps another. Its errors give offsets, never text.
func CheckSpans(text string, spans []Span) error {
	slices.SortFunc(spans, CompareSpans)
	for i, s := range spans {
		if err := checkSpan(text, s); err != nil {
			return err
		}
		if i > 0 && spans[i-1].Overlaps(s) {
			return fmt.Errorf("%w: bytes %d to %d and %d to %d", ErrSpanOverlap, spans[i-1].Start, spans[i-1].End, s.Start, s.End)
		}
	}
	return nil
}

func checkSpan(text string, s Span) error {
	if s.Start < 0 || s.End > ByteOff(len(text)) || s.Start >= s.End {
		return fmt.Errorf("%w: bytes %d to %d of %d", ErrSpanRange, s.Start, s.End, len(text))
	}
	if !onBoundary(text, s.Start) || !onBoundary(text, s.End) {
		return fmt.Errorf("%w: bytes %d to %d", ErrSpanCut, s.Start, s.End)
	}
	return nil
}
