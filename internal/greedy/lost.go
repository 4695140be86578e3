// SPDX-License-Identifier: Apache-2.0

package greedy

import "hide/internal/annotate"

// kindTally counts the tokens of one kind that are not sensitive.
type kindTally struct {
	words int
	gone  []float64 // by group
}

func newKindTallies(groups int) map[WordKind]*kindTally {
	out := map[WordKind]*kindTally{}
	for _, k := range WordKinds() {
		out[k] = &kindTally{gone: make([]float64, groups)}
	}
	return out
}

// addOthers counts the tokens of v that are not sensitive by what they are and cost.
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

// lost is what goes by kind.
func (t *tally) lost(s *resampler) []Lost {
	var out []Lost
	for _, kind := range WordKinds() {
		if k := t.kinds[kind]; k.words > 0 {
			out = append(out, Lost{kind, k.words, s.count(k.gone, k.words)})
		}
	}
	return out
}
