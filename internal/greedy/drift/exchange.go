// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// exchanges is how often the sides are permuted: the smallest p-value is 1/(exchanges +
// 1).
const exchanges = 999

// strata are lists of units, each unit a list of documents; units are exchanged within
// their list. Documents of one patient are alike, so patients are units. A patient on
// both sides is a list of her own, of single documents; her documents are then exchanged
// only among each other.
func strata(docs []Profile, target []bool) [][][]int {
	at := map[string]int{}
	var groups [][]int
	for i, d := range docs {
		g, seen := at[d.Group]
		if !seen {
			g = len(groups)
			at[d.Group], groups = g, append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	var whole [][]int
	var out [][][]int
	for _, members := range groups {
		if onBothSides(members, target) {
			out = append(out, slices.Collect(slices.Chunk(members, 1)))
		} else {
			whole = append(whole, members)
		}
	}
	return append(out, whole)
}

func onBothSides(members []int, target []bool) bool {
	return slices.ContainsFunc(members, func(i int) bool { return target[i] != target[members[0]] })
}

// pValues are the p-values of the statistics under exchange of units between the sides,
// each corrected for all of them: the share of exchanges in which the largest of all
// standardized statistics is at least this one (Westfall and Young's single step). The
// actual labels count as one of the exchanges.
func pValues(ctx context.Context, stats []statistic, strata [][][]int, target []bool, seed uint64) ([]float64, error) {
	random := rand.New(rand.NewPCG(seed, streamExchange))
	values := make([][]float64, exchanges+1) // [exchange][statistic]; 0 is the actual labelling
	labels := append([]bool(nil), target...)
	for r := range values {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r > 0 {
			for _, units := range strata {
				exchange(random, units, target, labels)
			}
		}
		values[r] = make([]float64, len(stats))
		for k, s := range stats {
			values[r][k] = s(labels)
		}
	}
	standardize(values)
	return corrected(values), nil
}

const streamExchange = 1 // of the seeded generator

// exchange gives the target the same number of units, chosen at random.
func exchange(random *rand.Rand, units [][]int, target, labels []bool) {
	for u, from := range random.Perm(len(units)) {
		for _, i := range units[u] {
			labels[i] = target[units[from][0]]
		}
	}
}

// standardize turns each column into (value - mean)/deviation; constant columns become
// zeros.
func standardize(values [][]float64) {
	n := float64(len(values))
	for k := range values[0] {
		sum, squares := 0.0, 0.0
		for _, row := range values {
			sum += row[k]
		}
		for _, row := range values {
			squares += (row[k] - sum/n) * (row[k] - sum/n)
		}
		deviation := math.Sqrt(squares / n)
		for _, row := range values {
			if row[k] -= sum / n; deviation > 1e-12 {
				row[k] /= deviation
			} else {
				row[k] = 0
			}
		}
	}
}

func corrected(values [][]float64) []float64 {
	counts := make([]float64, len(values[0]))
	for _, row := range values {
		greatest := math.Inf(-1)
		for _, z := range row {
			greatest = math.Max(greatest, z)
		}
		for k, z := range values[0] {
			if greatest >= z-1e-9 {
				counts[k]++
			}
		}
	}
	for k := range counts {
		counts[k] /= float64(len(values))
	}
	return counts
}
