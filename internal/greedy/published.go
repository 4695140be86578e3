// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"strings"

	"hide/internal/annotate"
)

// Published is the text that a reader of the publication has, and where each token
// of v is in it. Neighbouring redacted tokens share a [Placeholder]; a document
// without places has a blank between words.
func (v View) Published() (string, []annotate.Token) {
	var text strings.Builder
	tokens := make([]annotate.Token, len(v.Words))
	for x := range v.Words {
		if v.Hidden(x) && x > 0 && v.Hidden(x-1) {
			tokens[x] = tokens[x-1]
			continue
		}
		text.WriteString(between(v, x))
		start := text.Len()
		text.WriteString(v.Word(x))
		tokens[x] = annotate.Token{Start: annotate.ByteOff(start), End: annotate.ByteOff(text.Len())}
	}
	return text.String(), tokens
}

// between is the space before token x.
func between(v View, x int) string {
	switch {
	case v.Tokens != nil && x == 0:
		return v.Text[:v.Tokens[0].Start]
	case v.Tokens != nil:
		return v.Text[v.Tokens[x-1].End:v.Tokens[x].Start]
	case x == 0:
		return ""
	}
	return " "
}
