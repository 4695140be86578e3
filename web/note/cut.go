// SPDX-License-Identifier: Apache-2.0

package note

import (
	"fmt"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/project"
)

// mark is a span as the page shows it: an annotation, or a suggestion that waits
// for an answer.
type mark struct {
	id         string // "12" for an annotation, "s10-15-DATE" for a suggestion, in code points
	span       annotate.Span
	start, end annotate.RuneOff
	suggested  bool
	score      float64 // of a suggestion, 0 to 1
	rule       bool    // a rule suggests it, no model
	known      bool    // structured data gives it
	source     annotate.Source
}

// noteMarks lists the annotations and open suggestions of a note in text order.
func noteMarks(n *project.Note, offsets *annotate.Offsets) []mark {
	marks := make([]mark, 0, len(n.Layer.Annotations)+len(n.Suggestions))
	for _, a := range n.Layer.Annotations {
		start, end := offsets.Range(a.Span)
		marks = append(marks, mark{id: fmt.Sprint(a.ID), span: a.Span, start: start, end: end, source: a.Source})
	}
	for _, s := range n.Suggestions {
		start, end := offsets.Range(s.Span)
		marks = append(marks, mark{
			id: suggestionID(start, end, s.Span.Label), span: s.Span, start: start, end: end,
			suggested: true, score: s.Score, rule: s.Model == 0 && !s.Known, known: s.Known,
		})
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return annotate.CompareSpans(a.span, b.span) })
	return marks
}

// suggestionID identifies a suggestion, which has no number, by its place and label.
func suggestionID(start, end annotate.RuneOff, label annotate.Label) string {
	return fmt.Sprintf("s%d-%d-%s", start, end, label)
}

// piece is a run of the text that lies in one mark, or in none.
type piece struct {
	text string
	mark *mark
}

// chunk is a run of whole lines. The page shows each as a block of its own, so
// that an edit replaces a little of a long note and not all of it.
type chunk struct {
	start  annotate.ByteOff
	pieces []piece
}

// chunkSize is how many bytes a chunk has at least, unless it is the last.
const chunkSize = 2048

// cutNote cuts the text into chunks, and each chunk along the marks, which are in text
// order. The pieces joined are the text. Where marks overlap, annotations win over
// suggestions and earlier marks over later ones. The rest of the others is shown.
func cutNote(text string, marks []mark) []chunk {
	flat := withoutOverlap(marks)
	var chunks []chunk
	from := annotate.ByteOff(0)
	for _, to := range chunkEnds(text, flat) {
		inside := flat
		if i := slices.IndexFunc(flat, func(m mark) bool { return m.span.Start >= to }); i >= 0 {
			inside = flat[:i]
		}
		chunks = append(chunks, chunk{start: from, pieces: cutPieces(text, from, to, inside)})
		flat = flat[len(inside):]
		from = to
	}
	return chunks
}

// chunkEnds lists where chunks end: behind the first line end that is far enough
// from the last and lies in no mark, and at the end of the text.
func chunkEnds(text string, flat []mark) []annotate.ByteOff {
	var ends []annotate.ByteOff
	start, next := 0, 0
	for at := 0; at < len(text); {
		line := strings.IndexByte(text[at:], '\n')
		if line < 0 {
			break
		}
		at += line + 1
		for next < len(flat) && int(flat[next].span.End) <= at {
			next++
		}
		inMark := next < len(flat) && int(flat[next].span.Start) < at
		if at-start >= chunkSize && !inMark && at < len(text) {
			ends = append(ends, annotate.ByteOff(at))
			start = at
		}
	}
	return append(ends, annotate.ByteOff(len(text)))
}

// cutPieces cuts text[from:to] along marks, which lie in it without overlap.
func cutPieces(text string, from, to annotate.ByteOff, marks []mark) []piece {
	var pieces []piece
	plain := func(end annotate.ByteOff) {
		if from < end {
			pieces = append(pieces, piece{text: text[from:end]})
		}
		from = end
	}
	for i := range marks {
		plain(marks[i].span.Start)
		pieces = append(pieces, piece{text: marks[i].span.Surface(text), mark: &marks[i]})
		from = marks[i].span.End
	}
	plain(to)
	return pieces
}

// withoutOverlap cuts marks so that none overlaps another, in text order.
func withoutOverlap(marks []mark) []mark {
	if !anyOverlap(marks) {
		return marks // as always, when the marks come from one layer and one model
	}
	ranked := slices.Clone(marks)
	slices.SortStableFunc(ranked, func(a, b mark) int {
		if a.suggested != b.suggested {
			if b.suggested {
				return -1
			}
			return 1
		}
		return annotate.CompareSpans(a.span, b.span)
	})
	var flat []mark
	for _, m := range ranked {
		for _, rest := range uncovered(m.span, flat) {
			m.span = rest
			at, _ := slices.BinarySearchFunc(flat, m, func(a, b mark) int { return annotate.CompareSpans(a.span, b.span) })
			flat = slices.Insert(flat, at, m)
		}
	}
	return flat
}

func anyOverlap(marks []mark) bool {
	for i := 1; i < len(marks); i++ {
		if marks[i-1].span.Overlaps(marks[i].span) {
			return true
		}
	}
	return false
}

// uncovered lists the parts of span outside flat, which is sorted and without overlap.
func uncovered(span annotate.Span, flat []mark) []annotate.Span {
	var left []annotate.Span
	at, _ := slices.BinarySearchFunc(flat, span.Start, func(m mark, start annotate.ByteOff) int {
		return int(m.span.End) - int(start) - 1 // the first that ends behind start
	})
	for _, m := range flat[at:] {
		if m.span.Start >= span.End {
			break
		}
		if span.Start < m.span.Start {
			left = append(left, annotate.Span{Start: span.Start, End: m.span.Start, Label: span.Label})
		}
		span.Start = max(span.Start, m.span.End)
	}
	if span.Start < span.End {
		left = append(left, span)
	}
	return left
}
