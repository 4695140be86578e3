// SPDX-License-Identifier: Apache-2.0

package boost

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"hide/internal/wire"
)

// ErrOneKind is returned when all rows have the same class.
var ErrOneKind = errors.New("all rows have the same class")

// Train boosts the logistic loss. y[r] says which kind row r of x is. It returns ctx's
// error soon after ctx ends.
func Train(ctx context.Context, x Matrix, y []bool, o Options) (*Model, error) {
	o = o.withDefaults()
	if err := errors.Join(o.check(), checkRows(x, y)); err != nil {
		return nil, fmt.Errorf("boost: %w", err)
	}
	if o.Start != nil && len(o.Start) != len(y) {
		return nil, fmt.Errorf("boost: %d rows and %d to start from", len(y), len(o.Start))
	}
	base, err := priorOf(y)
	if err != nil {
		return nil, fmt.Errorf("boost: %w", err)
	}
	base += math.Log(o.Weight)
	start := filled(len(y), base)
	if o.Start != nil {
		base, start = 0, slices.Clone(o.Start)
	}
	bins, err := x.bin(ctx, o.Bins, o.Workers)
	if err != nil {
		return nil, err
	}
	b := &booster{Options: o, grower: newGrower(bins, o.Workers, o.Leaves, o.L2, o.MinHessian), y: y,
		f: start, g: make([]float64, len(y)), h: make([]float64, len(y))}
	var trees []Tree
	for len(trees) < o.Trees {
		tree, err := b.tree(ctx)
		if err != nil {
			return nil, err
		}
		if len(tree.Nodes) == 0 {
			break
		}
		trees = append(trees, tree)
		if o.Progress != nil {
			o.Progress(len(trees), b.loss())
		}
	}
	return newModel(len(x), base, trees), nil
}

func checkRows(x Matrix, y []bool) error {
	if err := x.check(); err != nil {
		return err
	}
	if len(y) != x.Rows() {
		return fmt.Errorf("%d rows and %d classes", x.Rows(), len(y))
	}
	return nil
}

// priorOf is the log-odds that suits all rows best.
func priorOf(y []bool) (float64, error) {
	yes, no := 0.0, 0.0
	for _, is := range y {
		if is {
			yes++
		} else {
			no++
		}
	}
	if yes == 0 || no == 0 {
		return 0, ErrOneKind
	}
	return math.Log(yes / no), nil
}

func filled(n int, v float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// booster is the state between trees. f, g and h are by row.
type booster struct {
	Options
	*grower
	y    []bool
	f    []float64 // log-odds so far
	g, h []float64
}

// tree is the next one: a Newton step of the loss in the space of small trees.
func (b *booster) tree(ctx context.Context) (Tree, error) {
	b.derive()
	tree, rows, err := b.grow(ctx, b.g, b.h)
	if err != nil {
		return Tree{}, err
	}
	for i, leaf := range rows {
		g, h := 0.0, 0.0
		for _, r := range leaf {
			g += b.g[r]
			h += b.h[r]
		}
		tree.Values[i] = -b.Rate * g / (h + b.L2)
		for _, r := range leaf {
			b.f[r] += tree.Values[i]
		}
	}
	return tree, nil
}

// derive sets g = w (p - y) and h = w p (1-p).
func (b *booster) derive() {
	for r, f := range b.f {
		p := 1 / (1 + math.Exp(-f))
		b.g[r], b.h[r] = p, p*(1-p)
		if b.y[r] {
			b.g[r], b.h[r] = b.Weight*(p-1), b.Weight*b.h[r]
		}
	}
}

// loss is the sum of w log(1 + e^-f) over rows that are true, and of log(1 + e^f) over
// the rest.
func (b *booster) loss() float64 {
	sum := 0.0
	for r, f := range b.f {
		w := 1.0
		if b.y[r] {
			f, w = -f, b.Weight
		}
		sum += w * (max(f, 0) + math.Log1p(math.Exp(-math.Abs(f))))
	}
	return sum
}

// Limits of what is trained and read.
const (
	maxTrees   = 10000
	maxLeaves  = 256
	maxColumns = 1 << 16
	maxRows    = math.MaxInt32
)

// Options say how to boost. The zero value of each field stands for its default.
type Options struct {
	Trees      int     // 0 means 150
	Leaves     int     // of a tree, at least 2; 0 means 8
	Bins       int     // of a column, from 2 to 256; 0 means 256
	Rate       float64 // what a tree's values are multiplied by; 0 means 0.1
	L2         float64 // added to the second derivative of a leaf; 0 means 1
	MinHessian float64 // sum of p (1-p) that a leaf has at least; 0 means 1
	Weight     float64 // of a row that is true, relative to the others; 0 means 1
	Workers    int     // 0 means GOMAXPROCS; the result does not depend on it

	// Start has log-odds by row that the trees set out from. The model does not know
	// them: who asks it adds those of the rows asked about. nil means the prior.
	Start []float64

	Progress func(trees int, loss float64)
}

func (o Options) withDefaults() Options {
	o.Trees = orElse(o.Trees, 150)
	o.Leaves = orElse(o.Leaves, 8)
	o.Bins = orElse(o.Bins, 256)
	o.Rate = orElse(o.Rate, 0.1)
	o.L2 = orElse(o.L2, 1)
	o.MinHessian = orElse(o.MinHessian, 1)
	o.Weight = orElse(o.Weight, 1)
	o.Workers = orElse(o.Workers, runtime.GOMAXPROCS(0))
	return o
}

func (o Options) check() error {
	switch {
	case o.Trees < 1 || o.Trees > maxTrees:
		return fmt.Errorf("%d trees; 1 to %d are allowed", o.Trees, maxTrees)
	case o.Leaves < 2 || o.Leaves > maxLeaves:
		return fmt.Errorf("%d leaves; 2 to %d are allowed", o.Leaves, maxLeaves)
	case o.Bins < 2 || o.Bins > maxBins:
		return fmt.Errorf("%d bins; 2 to %d are allowed", o.Bins, maxBins)
	case !(o.Rate > 0 && o.Rate <= 1):
		return fmt.Errorf("rate %g must be above 0 and at most 1", o.Rate)
	case !(o.L2 >= 0 && o.MinHessian >= 0 && max(o.L2, o.MinHessian) <= math.MaxFloat32):
		return fmt.Errorf("L2 %g and least second derivative %g must be numbers and not negative", o.L2, o.MinHessian)
	case !(o.Weight > 0 && o.Weight <= math.MaxFloat32):
		return fmt.Errorf("a weight of %g must be above 0", o.Weight)
	case o.Workers < 1:
		return fmt.Errorf("%d workers, at least 1 is needed", o.Workers)
	}
	return nil
}

func orElse[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

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
	columns, base := d.Count(maxColumns), d.value()
	if columns == 0 {
		d.Fail(errNoModel)
	}
	var trees []Tree
	for range d.Count(maxTrees) {
		if d.Err() != nil {
			break
		}
		trees = append(trees, d.tree(columns))
	}
	d.End()
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	return newModel(columns, base, trees), nil
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
