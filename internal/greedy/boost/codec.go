// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
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
	b = appendFloat(b, m.base)
	b = binary.AppendUvarint(b, uint64(len(m.trees)))
	for _, t := range m.trees {
		b = binary.AppendUvarint(b, uint64(len(t.Nodes)))
		for _, n := range t.Nodes {
			b = binary.AppendUvarint(b, uint64(n.Column))
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(n.Threshold))
			b = binary.AppendUvarint(b, childNumber(n.Left))
			b = binary.AppendUvarint(b, childNumber(n.Right))
		}
		for _, v := range t.Values {
			b = appendFloat(b, v)
		}
	}
	return b
}

func appendFloat(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
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
	d := &decoder{rest: b}
	m := &Model{columns: d.number(maxColumns), base: d.float()}
	if m.columns == 0 {
		d.fail()
	}
	trees := d.number(maxTrees)
	for range trees {
		if d.bad {
			break
		}
		m.trees = append(m.trees, d.tree(m.columns))
	}
	if d.bad || len(d.rest) > 0 {
		return nil, fmt.Errorf("%w (byte %d)", ErrModel, len(b)-len(d.rest))
	}
	return m, nil
}

// decoder gives zeros once something is bad.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) fail() { d.bad = true }

func (d *decoder) number(most int) int {
	n, size := binary.Uvarint(d.rest)
	if d.bad || size <= 0 || n > uint64(most) || size > 1 && d.rest[size-1] == 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[size:]
	return int(n)
}

func (d *decoder) take(n int) []byte {
	if d.bad || len(d.rest) < n {
		d.fail()
		return make([]byte, n)
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) float() float64 {
	v := math.Float64frombits(binary.LittleEndian.Uint64(d.take(8)))
	if math.IsNaN(v) || math.IsInf(v, 0) {
		d.fail()
		return 0
	}
	return v
}

// tree reads a tree in which every node but the first, and every leaf, has one
// parent, which is a node before it.
func (d *decoder) tree(columns int) Tree {
	nodes := d.number(maxLeaves - 1)
	t := Tree{Nodes: make([]Node, nodes), Values: make([]float64, nodes+1)}
	seen := make([]bool, 2*nodes+1) // nodes, then leaves
	for i := range t.Nodes {
		n := &t.Nodes[i]
		n.Column = d.number(columns - 1)
		n.Threshold = math.Float32frombits(binary.LittleEndian.Uint32(d.take(4)))
		if n.Threshold != n.Threshold {
			d.fail()
		}
		n.Left, n.Right = d.child(i, nodes, seen), d.child(i, nodes, seen)
	}
	for i := range t.Values {
		t.Values[i] = d.float()
	}
	return t
}

func (d *decoder) child(parent, nodes int, seen []bool) int {
	n := d.number(2*nodes + 1)
	place, child := n/2, n/2
	if n%2 == 1 {
		place, child = nodes+n/2, ^(n / 2)
	}
	if place >= len(seen) || n%2 == 0 && (n/2 <= parent || n/2 >= nodes) || seen[place] {
		d.fail()
		return -1
	}
	seen[place] = true
	return child
}
