// SPDX-License-Identifier: Apache-2.0

package crf

import "hide/internal/annotate"

// gap is the white space before a token.
type gap uint8

const (
	glued   gap = iota // none
	spaced             // on the same line
	newLine            // at least one line break
	newPart            // an empty line, or the start of the document
)

// gapsOf looks at the white space before each token. It is all that features see
// of a document's text beside the words.
func gapsOf(d sequence, to []gap) []gap {
	for i := range d.words {
		switch {
		case i == 0:
			to = append(to, newPart)
		case len(d.tokens) != len(d.words):
			to = append(to, spaced)
		default:
			to = append(to, gapBetween(d.text, d.tokens[i-1].End, d.tokens[i].Start))
		}
	}
	return to
}

func gapBetween(text string, from, to annotate.ByteOff) gap {
	if from >= to || int(to) > len(text) || from < 0 {
		return glued
	}
	breaks := 0
	for _, c := range []byte(text[from:to]) {
		if c == '\n' {
			breaks++
		}
	}
	return spaced + gap(min(breaks, 2))
}
