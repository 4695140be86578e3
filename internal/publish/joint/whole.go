// SPDX-License-Identifier: Apache-2.0

package joint

import "hide/internal/annotate"

// whole widens terms to whole tokens: the rest of a word would reveal the word. Terms that
// share a token become one, with the type of the first that counts.
func (c Config) whole(t Text) []annotate.Span {
	if len(t.Terms) == 0 {
		return nil
	}
	tokens := annotate.Tokenize(t.Text)
	out := make([]annotate.Span, 0, len(t.Terms))
	for _, s := range t.Terms {
		if from, to := annotate.Covered(tokens, s); from < to {
			s.Start, s.End = min(s.Start, tokens[from].Start), max(s.End, tokens[to-1].End)
		}
		last := len(out) - 1
		if last < 0 || !out[last].Overlaps(s) {
			out = append(out, s)
			continue
		}
		out[last].End = max(out[last].End, s.End)
		if !c.Counts(out[last].Label) {
			out[last].Label = s.Label
		}
	}
	return out
}
