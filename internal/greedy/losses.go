// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"hide/internal/annotate"
)

// losses are L_c/L by category: what a token of category c that stays costs, as a
// multiple of L. A category that is not in it costs L.
type losses map[annotate.Label]float64

// of is L_c/L of the category of a sensitive token, and 0 of another token.
func (l losses) of(d *Doc, token int) float64 {
	if !d.Sensitive[token] {
		return 0
	}
	if w, set := l[d.label(token)]; set {
		return w
	}
	return 1
}

// Loss is L_c/L of a sensitive token of d's by its category, 1 where byLabel does
// not have it, and 0 of another token.
func (d *Doc) Loss(token int, byLabel map[annotate.Label]float64) float64 {
	return losses(byLabel).of(d, token)
}

// marked is sum_c (L_c/L)*TP_c of what after redacts beyond before.
func (l losses) marked(docs []Doc, before, after [][]bool) float64 {
	worth := 0.0
	for i := range docs {
		for x := range docs[i].Words {
			if after[i][x] && !before[i][x] {
				worth += l.of(&docs[i], x)
			}
		}
	}
	return worth
}

// all is sum_c (L_c/L)*|S_c|.
func (l losses) all(docs []Doc) float64 {
	total := 0.0
	for i := range docs {
		for x := range docs[i].Words {
			total += l.of(&docs[i], x)
		}
	}
	return total
}

// mean is the average of L_c/L over the sensitive tokens, 1 when there are none.
func (l losses) mean(docs []Doc) float64 {
	n := 0
	for i := range docs {
		for _, s := range docs[i].Sensitive {
			if s {
				n++
			}
		}
	}
	return share(l.all(docs), float64(n))
}

// least is the smallest L_c/L of any sensitive token, 1 when there are none.
func (l losses) least(docs []Doc) float64 {
	least := math.Inf(1)
	for i := range docs {
		for x, s := range docs[i].Sensitive {
			if s {
				least = min(least, l.of(&docs[i], x))
			}
		}
	}
	if math.IsInf(least, 1) {
		return 1
	}
	return least
}

func (l losses) check() error {
	for _, label := range slices.Sorted(maps.Keys(l)) {
		if w := l[label]; !(w >= 0 && w <= MaxLC) {
			return fmt.Errorf("label %q: the multiple of L is %g; it must be at least 0 and at most %g", label, w, float64(MaxLC))
		}
	}
	return nil
}
