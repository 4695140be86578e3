// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// statistic measures the distance of two sides: target says for each document whether it
// is in the target. It is 0 or more.
type statistic func(target []bool) float64

// middling is the distance between the sides' mean ranks, as a share of the number
// of documents: |P(a target value > a reference value) - 1/2|, ties counting half
// (Mann and Whitney).
func middling(values []float64) statistic {
	ranks := midranks(values)
	return func(target []bool) float64 {
		r, t := means(ranks, target)
		return math.Abs(t-r) / float64(len(ranks))
	}
}

// midranks are the ranks of values from 1; equal values share their mean rank.
func midranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	ranks := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			ranks[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return ranks
}

// means of the values on either side; 0 of none.
func means(values []float64, target []bool) (reference, other float64) {
	var sum, n [2]float64
	for i, v := range values {
		sum[side(target[i])] += v
		n[side(target[i])]++
	}
	return sum[0] / math.Max(1, n[0]), sum[1] / math.Max(1, n[1])
}

func side(target bool) int {
	if target {
		return 1
	}
	return 0
}

// dividing is the total variation distance between how the sides divide into
// categories, half the sum of |share - share|.
func dividing(category []string) statistic {
	number := map[string]int{}
	of := make([]int, len(category))
	for i, c := range category {
		n, seen := number[c]
		if !seen {
			n = len(number)
			number[c] = n
		}
		of[i] = n
	}
	return func(target []bool) float64 {
		counts, all := make([][2]float64, len(number)), [2]float64{}
		for i, c := range of {
			counts[c][side(target[i])]++
			all[side(target[i])]++
		}
		distance := 0.0
		for _, c := range counts {
			distance += math.Abs(c[0]/math.Max(1, all[0])-c[1]/math.Max(1, all[1])) / 2
		}
		return distance
	}
}

// novelty counts which documents have which things (words, line heads).
type novelty struct {
	groups  []int32   // [document]
	things  []int     // [document] how many it has
	alone   []int     // [document] how many of them no other group has
	holders [][]int32 // [thing that several groups have] documents that have it
}

func newNovelty(docs []Profile, of func(Profile) []uint64) *novelty {
	n := &novelty{groups: make([]int32, len(docs)), things: make([]int, len(docs)), alone: make([]int, len(docs))}
	group, number := map[string]int32{}, map[uint64]int{}
	var holders [][]int32
	for i, d := range docs {
		g, seen := group[d.Group]
		if !seen {
			g = int32(len(group))
			group[d.Group] = g
		}
		n.groups[i], n.things[i] = g, len(of(d))
		for _, h := range of(d) {
			id, seen := number[h]
			if !seen {
				id = len(holders)
				number[h], holders = id, append(holders, nil)
			}
			holders[id] = append(holders[id], int32(i))
		}
	}
	for _, docs := range holders {
		n.add(docs)
	}
	return n
}

func (n *novelty) add(docs []int32) {
	if slices.ContainsFunc(docs, func(d int32) bool { return n.groups[d] != n.groups[docs[0]] }) {
		n.holders = append(n.holders, docs)
		return
	}
	for _, d := range docs {
		n.alone[d]++
	}
}

// shares gives, for each document, the share of its things that no reference
// document of another group has. A document without things has none that are new.
func (n *novelty) shares(target []bool) []float64 {
	unseen := slices.Clone(n.alone)
	for _, docs := range n.holders {
		owner := n.owner(docs, target)
		if owner == several {
			continue
		}
		for _, d := range docs {
			if owner == nobody || owner == n.groups[d] {
				unseen[d]++
			}
		}
	}
	out := make([]float64, len(unseen))
	for i, u := range unseen {
		out[i] = float64(u) / float64(max(1, n.things[i]))
	}
	return out
}

const (
	nobody  = -1
	several = -2
)

// owner is the only group with reference documents among docs, or nobody, or several.
func (n *novelty) owner(docs []int32, target []bool) int32 {
	owner := int32(nobody)
	for _, d := range docs {
		switch {
		case target[d]:
		case owner == nobody:
			owner = n.groups[d]
		case owner != n.groups[d]:
			return several
		}
	}
	return owner
}

// distance is how much more is new in the target than in the reference. Less novelty is
// no reason for a warning.
func (n *novelty) distance(target []bool) float64 {
	r, t := means(n.shares(target), target)
	return math.Max(0, t-r)
}

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
