// SPDX-License-Identifier: Apache-2.0

package greedy

import "hide/internal/annotate"

func countTokens(docs []annotate.Note) int {
	n := 0
	for i := range docs {
		n += len(docs[i].Words)
	}
	return n
}

func views(docs []annotate.Note, masks [][]bool) []annotate.View {
	out := make([]annotate.View, len(docs))
	for i := range docs {
		out[i] = annotate.View{Note: &docs[i], Redacted: masks[i]}
	}
	return out
}

// nothing is the mask that redacts no token.
func nothing(docs []annotate.Note) [][]bool {
	masks := make([][]bool, len(docs))
	for i, d := range docs {
		masks[i] = make([]bool, len(d.Words))
	}
	return masks
}

// union returns a new mask: P(H u h) = P(H) minus what h marks.
func union(a, b []bool) []bool {
	out := make([]bool, len(a))
	for i := range a {
		out[i] = a[i] || b[i]
	}
	return out
}
