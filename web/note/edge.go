// SPDX-License-Identifier: Apache-2.0

package note

import (
	"unicode/utf8"

	"hide/internal/annotate"
)

// edge is one of the four ways to move an end of a span.
type edge struct{ atEnd, wider bool }

var edges = map[string]edge{
	"widen-left":   {false, true},
	"widen-right":  {true, true},
	"narrow-left":  {false, false},
	"narrow-right": {true, false},
}

// move gives the span after one step, by a token or by a character. It reports false at
// the end of the text, and when the span would be empty.
func (e edge) move(text string, span annotate.Span, exact bool) (annotate.Span, bool) {
	moved := span
	if exact {
		e.moveRune(text, &moved)
	} else {
		e.moveToken(text, &moved)
	}
	return moved, moved != span && moved.Start < moved.End
}

func (e edge) moveRune(text string, s *annotate.Span) {
	_, before := utf8.DecodeLastRuneInString(text[:s.Start])
	_, first := utf8.DecodeRuneInString(text[s.Start:])
	_, last := utf8.DecodeLastRuneInString(text[:s.End])
	_, after := utf8.DecodeRuneInString(text[s.End:])
	switch e {
	case edge{false, true}:
		s.Start -= annotate.ByteOff(before)
	case edge{true, true}:
		s.End += annotate.ByteOff(after)
	case edge{false, false}:
		s.Start += annotate.ByteOff(first)
	default:
		s.End -= annotate.ByteOff(last)
	}
}

func (e edge) moveToken(text string, s *annotate.Span) {
	tokens := annotate.Tokenize(text)
	from, to := annotate.Covered(tokens, *s)
	if from == to {
		return
	}
	switch e {
	case edge{false, true}:
		if tokens[from].Start < s.Start {
			s.Start = tokens[from].Start
		} else if from > 0 {
			s.Start = tokens[from-1].Start
		}
	case edge{true, true}:
		if tokens[to-1].End > s.End {
			s.End = tokens[to-1].End
		} else if to < len(tokens) {
			s.End = tokens[to].End
		}
	case edge{false, false}:
		if to-from > 1 {
			s.Start = tokens[from+1].Start
		}
	default:
		if to-from > 1 {
			s.End = tokens[to-2].End
		}
	}
}
