// SPDX-License-Identifier: Apache-2.0

package project

import (
	"strings"
	"unicode/utf8"

	"hide/internal/annotate"
)

// Excerpt is a passage of a note with its context. Only people who may read notes are
// given Text, Before and After.
type Excerpt struct {
	Document annotate.DocumentID `json:"document"`
	Start    annotate.RuneOff    `json:"start"`
	End      annotate.RuneOff    `json:"end"`
	Label    annotate.Label      `json:"label"`
	Text     string              `json:"text"`
	Before   string              `json:"before"` // up to 40 characters
	After    string              `json:"after"`
	Score    float64             `json:"score"`
	Often    int                 `json:"often,omitzero"` // for over-redacted text: how many places have the same text, listed or not
}

// contextLetters is how many characters an excerpt shows on either side.
const contextLetters = 40

// ExcerptOf is the excerpt of a span. It does not retain the text of the note.
func ExcerptOf(doc annotate.DocumentID, text string, offsets *annotate.Offsets, span annotate.Span) Excerpt {
	start, end := offsets.Range(span)
	return Excerpt{
		Document: doc, Start: start, End: end, Label: span.Label, Text: strings.Clone(span.Surface(text)),
		Before: strings.Clone(lastLetters(text[:span.Start], contextLetters)),
		After:  strings.Clone(firstLetters(text[span.End:], contextLetters)),
	}
}

func firstLetters(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func lastLetters(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}
