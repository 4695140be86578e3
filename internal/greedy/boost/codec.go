// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"hide/internal/wire"
)

// ErrModel is wrapped by every error of [Decode].
var ErrModel = errors.New("not a usable model of trees")

// Append adds the model's bytes to b. Integers are unsigned varints, thresholds
// float32 and values float64, little endian:
//
//	columns, base, trees; of each: nodes; of each node: column, threshold, left,
//	right; then one value more than there are nodes
//
// A child is 2n for the node n and 2i+1 for the leaf i. Equal models give equal
// bytes.
func (m *Model) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(m.columns))
	b = wire.AppendFloat(b, m.base)
	b = binary.AppendUvarint(b, uint64(len(m.trees)))
	for _, t := range m.trees {
		b = binary.AppendUvarint(b, uint64(len(t.Nodes)))
		for _, n := range t.Nodes {
			b = binary.AppendUvarint(b, uint64(n.Column))
			b = wire.AppendFloat32(b, n.Threshold)
			b = binary.AppendUvarint(b, childNumber(n.Left))
			b = binary.AppendUvarint(b, childNumber(n.Right))
		}
		for _, v := range t.Values {
			b = wire.AppendFloat(b, v)
		}
	}
	return b
}

func childNumber(child int) uint64 {
	if child < 0 {
		return uint64(^child)*2 + 1
	}
	return uint64(child) * 2
}

// Decode reads what [Model.Append] wrote, to the end, and refuses anything else.
// Memory is in proportion to what there is to read.
func Decode(b []byte) (*Model, error) {
	d := &decoder{wire.NewReader(b)}
	m := &Model{columns: d.Count(maxColumns), base: d.value()}
	if m.columns == 0 {
		d.Fail(errNoModel)
	}
	for range d.Count(maxTrees) {
		if d.Err() != nil {
			break
		}
		m.trees = append(m.trees, d.tree(m.columns))
	}
	d.End()
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	return m, nil
}

// decoder reads trees.
type decoder struct{ *wire.Reader }

var (
	errNoModel = errors.New("it has no columns")
	errNoTree  = errors.New("its nodes are not a tree")
)

func (d *decoder) value() float64 { return d.Float(math.MaxFloat64) }

// tree reads a tree in which every node but the first, and every leaf, has one
// parent, which is a node before it.
func (d *decoder) tree(columns int) Tree {
	nodes := d.Count(maxLeaves - 1)
	t := Tree{Nodes: make([]Node, nodes), Values: make([]float64, nodes+1)}
	seen := make([]bool, 2*nodes+1) // nodes, then leaves
	for i := range t.Nodes {
		n := &t.Nodes[i]
		n.Column, n.Threshold = d.Count(columns-1), d.Float32(math.Inf(1))
		n.Left, n.Right = d.child(i, nodes, seen), d.child(i, nodes, seen)
	}
	for i := range t.Values {
		t.Values[i] = d.value()
	}
	return t
}

func (d *decoder) child(parent, nodes int, seen []bool) int {
	n := d.Count(2*nodes + 1)
	place, child := n/2, n/2
	if n%2 == 1 {
		place, child = nodes+n/2, ^(n / 2)
	}
	if place >= len(seen) || n%2 == 0 && (n/2 <= parent || n/2 >= nodes) || seen[place] {
		d.Fail(errNoTree)
		return -1
	}
	seen[place] = true
	return child
}
