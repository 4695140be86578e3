// SPDX-License-Identifier: Apache-2.0

package prefixtree

import (
	"hide/internal/publish/cube"
	"hide/internal/publish/noise"
)

// consistent makes counts agree: z, the best estimate of a node from itself and
// what is below it, with variance v; then h, the best of all. Of a node with noise
// of variance w over children c,
//
//	z = (z_n / w + sum z_c / sum v_c) / (1/w + 1/sum v_c),  v = 1 / (1/w + 1/sum v_c)
//	h_c = z_c + v_c / sum v_c * (h - sum z_c)
//
// and then the children are moved to the nearest point where none is below 0.
func (t *Tree) consistent() {
	v := map[*Node]float64{}
	t.up(t.Root, v)
	t.Root.Count = max(0, t.Root.Count)
	t.down(t.Root, v)
}

func (t *Tree) up(n *Node, v map[*Node]float64) {
	w := noise.Variance(t.Params.Sensitivity(), t.Params.level(n.Depth).Float())
	n.Count = float64(n.Noisy)
	v[n] = w
	if len(n.Children) == 0 {
		return
	}
	sum, sumV := 0.0, 0.0
	for _, c := range n.Children {
		t.up(c, v)
		sum, sumV = sum+c.Count, sumV+v[c]
	}
	v[n] = 1 / (1/w + 1/sumV)
	n.Count = v[n] * (n.Count/w + sum/sumV)
}

func (t *Tree) down(n *Node, v map[*Node]float64) {
	if len(n.Children) == 0 {
		return
	}
	left, sumV := n.Count, 0.0
	counts := make([]float64, len(n.Children))
	for _, c := range n.Children {
		left, sumV = left-c.Count, sumV+v[c]
	}
	for i, c := range n.Children {
		counts[i] = c.Count + v[c]/sumV*left
	}
	for i, x := range cube.SimplexTo(counts, n.Count) {
		n.Children[i].Count = x
		t.down(n.Children[i], v)
	}
}
