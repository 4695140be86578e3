// SPDX-License-Identifier: Apache-2.0

package release

import (
	"context"
	"strings"
	"unicode"

	"hide/internal/annotate"
	"hide/internal/publish/joint"
)

// elsewhere counts the sensitive places whose words also stand unmarked in some note of
// the same patient: when such a term is redacted, it can be read there. It fails only
// when ctx has ended.
func elsewhere(ctx context.Context, rows []joint.Row) (n int, err error) {
	prose := map[string]*strings.Builder{}
	for _, r := range rows {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if prose[r.Values[jointPerson]] == nil {
			prose[r.Values[jointPerson]] = &strings.Builder{}
		}
		for _, t := range r.Texts {
			proseOf(prose[r.Values[jointPerson]], t)
		}
	}
	known := make(map[string]string, len(prose))
	for person, b := range prose {
		known[person] = b.String()
	}
	for _, r := range rows {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		for _, t := range r.Texts {
			for _, term := range t.Terms {
				words := wordsApart(term.Surface(t.Text))
				if len(words) > 1 && strings.Contains(known[r.Values[jointPerson]], words) {
					n++
				}
			}
		}
	}
	return n, nil
}

// proseOf writes the words of a text outside the places, with an extra NUL at each end of
// a place or of the text.
func proseOf(b *strings.Builder, t joint.Text) {
	at := annotate.ByteOff(0)
	for _, term := range t.Terms {
		b.WriteString(wordsApart(t.Text[at:max(at, term.Start)]))
		at = max(at, term.End)
	}
	b.WriteString(wordsApart(t.Text[at:]))
}

// wordsApart returns the words of a text, each between NULs; one NUL if it has none.
func wordsApart(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return "\x00"
	}
	return "\x00" + strings.Join(words, "\x00") + "\x00"
}
