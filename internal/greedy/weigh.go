// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"hide/internal/annotate"
)

// mostCopies bounds the copies of a note that [Weigh] makes.
const mostCopies = 16

// Weigh returns views on which each sensitive token counts weight times as much as each
// other one, for a learner that maximizes the likelihood of sequences and cannot weigh
// their tokens. For a weight w above 1, every view becomes k = ceil(w) copies. Each copy
// trains on all sensitive spans, the last one on a share w-(k-1) of them; every other
// token is trained on in one copy, drawn at random. The log-likelihood of the copies is
//
//	sum over tokens: w log p(sensitive token) + log p(other token)
//
// in expectation, where p is given the tokens that the copy trains on. Copies are like
// draws of cost-proportionate rejection sampling (Zadrozny, Langford and Abe 2003), but
// leave no token out. Only above a weight of [mostCopies] other tokens are left out, to
// keep the ratio. For a weight below 1 spans and other tokens change places.
func Weigh(views []annotate.View, weight float64, seed uint64) []annotate.View {
	if weight == 1 {
		return views
	}
	heavy, w := true, weight
	if weight < 1 {
		heavy, w = false, 1/weight
	}
	copies := int(min(math.Ceil(w), mostCopies))
	var out []annotate.View
	for i, v := range views {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		out = append(out, weighed(v, heavy, w, copies, random)...)
	}
	if left, other := taught(out); left > 0 && other > 0 {
		return out
	}
	return append(out, views...)
}

// weighed are the copies of one view. A span is drawn as a whole.
func weighed(v annotate.View, heavy bool, w float64, copies int, random *rand.Rand) []annotate.View {
	out := make([]annotate.View, copies)
	for k := range out {
		out[k] = v
		if out[k].Skip = slices.Clone(v.Skip); v.Skip == nil {
			out[k].Skip = make([]bool, len(v.Words))
		}
	}
	u := 0.0
	for x := range v.Words {
		left := v.Remaining(x)
		if continued := left && x > 0 && v.Remaining(x-1) && v.SpanOf[x] == v.SpanOf[x-1]; !continued {
			u = random.Float64()
		}
		for k := range out {
			if left == heavy {
				out[k].Skip[x] = out[k].Skip[x] || float64(k)+u >= w
			} else {
				out[k].Skip[x] = out[k].Skip[x] || int(u*w) != k
			}
		}
	}
	return out
}

// Weighed is a learner that trains on the views of [Weigh].
type Weighed struct {
	Keeper
	Weight float64
	Seed   uint64
}

// Train implements [Learner].
func (l Weighed) Train(ctx context.Context, all []annotate.View) (Classifier, error) {
	return l.Keeper.Train(ctx, Weigh(all, l.Weight, l.Seed))
}

// Weighted implements [CostSensitive] by [Weigh].
func (l CRF) Weighted(weight float64) Learner { return Weighed{l, weight, l.Options.Sampling.Seed} }
