// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"hide/internal/annotate"
	"slices"
)

// leaks lists the runs of tokens of one sensitive span that masks leave, with
// the score of an attacker, highest first.
func leaks(docs []annotate.Note, masks [][]bool, scores [][]float64) []Leak {
	return runs(docs, func(i, x int) int {
		if docs[i].Sensitive[x] && !masks[i][x] {
			return docs[i].SpanOf[x]
		}
		return -1
	}, scores)
}

// lost lists the runs of other tokens that masks redact, highest score first.
func lost(docs []annotate.Note, masks [][]bool, scores [][]float64) []Leak {
	return runs(docs, func(i, x int) int {
		if !docs[i].Sensitive[x] && masks[i][x] {
			return 0
		}
		return -1
	}, scores)
}

// runs collects maximal runs of tokens x of document i with one kind >= 0.
func runs(docs []annotate.Note, kind func(i, x int) int, scores [][]float64) []Leak {
	var out []Leak
	for i, d := range docs {
		last := -1
		for x := range d.Words {
			k := kind(i, x)
			switch {
			case k < 0:
			case k == last:
				run := &out[len(out)-1]
				run.To, run.Score = x+1, max(run.Score, scores[i][x])
			default:
				out = append(out, Leak{i, x, x + 1, scores[i][x]})
			}
			last = k
		}
	}
	slices.SortStableFunc(out, func(a, b Leak) int { return cmp.Compare(b.Score, a.Score) })
	return out
}
