// SPDX-License-Identifier: Apache-2.0

package classes

import "slices"

// merge joins two nodes of a tree into a new one.
type merge struct {
	left, right int32
	cost        float64
}

// ward joins points by pairs until one node is left (Ward 1963): the next pair is the one
// whose join adds least to the sum of squared distances to the means,
//
//	|A| |B| / (|A| + |B|) * |mean(A) - mean(B)|^2.
//
// Chains of nearest neighbours (Murtagh 1983) find the same tree as a search among all
// pairs. Points have numbers from 0, and the new nodes those after them.
func ward(points Vectors, weights []float64) []merge {
	w := &warder{weights: slices.Clone(weights)}
	for i := range points.Len() {
		mean := make([]float64, points.Width)
		for j, v := range points.row(i) {
			mean[j] = float64(v)
		}
		w.means, w.alive = append(w.means, mean), append(w.alive, int32(i))
	}
	var merges []merge
	var chain []int32
	for len(w.alive) > 1 {
		if len(chain) == 0 {
			chain = append(chain, w.alive[0])
		}
		last := chain[len(chain)-1]
		before := int32(-1)
		if len(chain) > 1 {
			before = chain[len(chain)-2]
		}
		next, cost := w.neighbour(last, before)
		if next != before {
			chain = append(chain, next)
			continue
		}
		chain = chain[:len(chain)-2]
		merges = append(merges, merge{min(last, next), max(last, next), cost})
		w.join(last, next)
	}
	return merges
}

// warder has the nodes of ward, alive and dead.
type warder struct {
	means   [][]float64
	weights []float64
	alive   []int32
}

// neighbour is the node with the cheapest join. preferred wins among equals, so that
// chains end.
func (w *warder) neighbour(of, preferred int32) (best int32, least float64) {
	best = -1
	for _, other := range w.alive {
		if other == of {
			continue
		}
		c := w.cost(of, other)
		if best < 0 || c < least || c == least && other == preferred {
			best, least = other, c
		}
	}
	return best, least
}

func (w *warder) cost(a, b int32) float64 {
	sum, other := 0.0, w.means[b]
	for j, v := range w.means[a] {
		d := v - other[j]
		sum += d * d
	}
	return w.weights[a] * w.weights[b] / (w.weights[a] + w.weights[b]) * sum
}

func (w *warder) join(a, b int32) {
	total := w.weights[a] + w.weights[b]
	mean := make([]float64, len(w.means[a]))
	for j := range mean {
		mean[j] = (w.weights[a]*w.means[a][j] + w.weights[b]*w.means[b][j]) / total
	}
	w.alive = slices.DeleteFunc(w.alive, func(n int32) bool { return n == a || n == b })
	w.alive = append(w.alive, int32(len(w.means)))
	w.means, w.weights = append(w.means, mean), append(w.weights, total)
}

// codes are the ways from the root to the points: 0 for left, 1 for right. Chains find
// merges out of order, so that the tree is read in order of cost.
func codes(points int, merges []merge) []string {
	out := make([]string, points)
	if points == 1 {
		out[0] = "0"
		return out
	}
	children := map[int32]merge{}
	for i, m := range merges {
		children[int32(points+i)] = m
	}
	var walk func(node int32, code string)
	walk = func(node int32, code string) {
		m, inner := children[node]
		if !inner {
			out[node] = code
			return
		}
		walk(m.left, code+"0")
		walk(m.right, code+"1")
	}
	walk(int32(points+len(merges)-1), "")
	return out
}
