// SPDX-License-Identifier: Apache-2.0

package publishing

import (
	"hide/internal/annotate"
	"hide/internal/project/audit"
)

// Piece is a stretch of redacted text, or a placeholder when Label is set.
type releasedPiece struct {
	Text  string
	Label annotate.Label
}

// Pieces splits a released text around its placeholders. Places that are
// out of order or outside the text are left out: they mark nothing.
func Pieces(d audit.ReleasedText) []releasedPiece {
	text := []rune(d.Text)
	var out []releasedPiece
	done := 0
	for _, r := range d.Redactions {
		start, end := int(r.Start), int(r.End)
		if start < done || end <= start || end > len(text) {
			continue
		}
		if start > done {
			out = append(out, releasedPiece{Text: string(text[done:start])})
		}
		out = append(out, releasedPiece{Text: string(text[start:end]), Label: r.Label})
		done = end
	}
	if done < len(text) {
		out = append(out, releasedPiece{Text: string(text[done:])})
	}
	return out
}
