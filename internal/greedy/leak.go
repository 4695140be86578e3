// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"slices"

	"hide/internal/annotate"
)

// missedSpans lists the runs of tokens of one sensitive span that masks leave readable,
// with an attacker's score, highest first.
func missedSpans(docs []annotate.Note, masks [][]bool, scores [][]float64) []Leak {
	return runs(docs, func(i, x int) int {
		if docs[i].Sensitive[x] && !masks[i][x] {
			return docs[i].SpanOf[x]
		}
		return -1
	}, scores)
}

// overRedacted lists the runs of other tokens that masks redact, highest score first.
func overRedacted(docs []annotate.Note, masks [][]bool, scores [][]float64) []Leak {
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

// kindTally counts the tokens of one kind that are not sensitive.
type kindTally struct {
	words int
	gone  []float64 // redacted tokens by group
}

func newKindTallies(groups int) map[WordKind]*kindTally {
	out := map[WordKind]*kindTally{}
	for _, k := range WordKinds() {
		out[k] = &kindTally{gone: make([]float64, groups)}
	}
	return out
}

// addOthers counts the tokens of v that are not sensitive by kind and cost.
func (t *tally) addOthers(v annotate.View, g int) {
	for x, s := range v.Sensitive {
		if s {
			continue
		}
		k := t.kinds[KindOf(v.Words[x])]
		k.words++
		if v.Hidden(x) {
			k.gone[g]++
			t.paid[g] += t.tariff.of(v.Note, x)
		}
	}
}

// overRedacted is the redacted other words by kind.
func (t *tally) overRedacted(s *resampler) []OverRedacted {
	var out []OverRedacted
	for _, kind := range WordKinds() {
		if k := t.kinds[kind]; k.words > 0 {
			out = append(out, OverRedacted{kind, k.words, s.count(k.gone, k.words)})
		}
	}
	return out
}

// AtRandom is the average number of sensitive tokens that an attacker finds who inspects
// budget of the published tokens at random, if left of them are sensitive: U_A / L of
// tkde section 3.2,
//
//	U_A/L = min(B, |P|) * FN(H) / |P|.
func AtRandom(budget int, published, left float64) float64 {
	if !(published > 0) {
		return 0
	}
	return min(float64(budget), published) * left / published
}

// Uniform is [AtRandom] where c are the counts of any classifier on the published text.
func (c Counts) Uniform(budget int) float64 {
	return AtRandom(budget, float64(c.TP+c.FP+c.TN+c.FN), float64(c.TP+c.FN))
}

// Prioritized is what she finds who inspects tokens that a classifier with counts c
// marks first, in no order, and others at random: U_A* / L of tkde section 4,
//
//	U_A*/L = TP + (B - TP - FP) * FN / (FN + TN)   when B >= TP + FP,
//	U_A*/L = B * TP / (TP + FP)                    otherwise.
func (c Counts) Prioritized(budget int) float64 {
	marked, rest := c.TP+c.FP, c.FN+c.TN
	if budget < marked {
		return float64(budget) * float64(c.TP) / float64(marked)
	}
	found := float64(c.TP)
	if rest > 0 {
		found += float64(min(budget-marked, rest)) * float64(c.FN) / float64(rest)
	}
	return found
}
