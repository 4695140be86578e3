// SPDX-License-Identifier: Apache-2.0

// Package prefixtree publishes sequences under differential privacy: how many begin with
// each prefix (Gardner, dissertation, 5.2.3, after Chen et al.).
//
//	t, err := prefixtree.Build(ctx, sequences, prefixtree.Params{Alphabet: 4, Height: 7, Epsilon: ledger.One}, noise.Secure{})
//	n := t.Count([]int{0, 2, 2})
//
// Each unit has one sequence, cut to the height. It adds 1 to one node of each level,
// from the root at level 0 to the height, so the total cost is the sum over the levels.
// Levels get equal shares of epsilon, except the root, which gets a twentieth of one: the
// levels below also measure the total. Algorithm 6 as printed gives each of these height
// + 1 levels epsilon/height, and so spends more than epsilon.
//
// The root always has children. Any other node whose noisy count reaches the threshold
// gets a child for every symbol of the alphabet, also for those without a sequence, and
// one for the end: a sequence that ends must count somewhere, or children would not add
// up to their parent. The threshold is two standard deviations of the noise, as in the
// algorithm, and slightly more for large alphabets, where more empty nodes pass by
// chance.
//
// Afterwards counts are made consistent, which costs nothing: a weighted mean of a node
// and its children, from the leaves up; the difference spread over the children, from the
// root down (Hay et al.); and then no count below 0.
package prefixtree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
)

// Limits of the parameters.
const (
	MostSymbols = 100_000
	MostHeight  = 1000
	// DefaultNodes is the default maximum of nodes.
	DefaultNodes = 1_000_000
)

// Params are the parameters of publishing. All are public and chosen before anybody looks
// at the data.
type Params struct {
	Alphabet int          `json:"alphabet"` // number of symbols
	Height   int          `json:"height"`   // sequences are cut to this length
	Epsilon  ledger.Micro `json:"micro_epsilon"`
	// Bound is how many sequences one unit can have (the sensitivity); 0 means 1.
	Bound int64 `json:"bound,omitempty"`
	// Fixed says that every sequence has Height symbols, which is publicly known, so that
	// none needs an end.
	Fixed bool `json:"fixed,omitempty"`
	// Threshold is how many standard deviations of the noise a count must reach for its
	// node to get children; 0 means 2. For large alphabets more is added.
	Threshold float64 `json:"threshold,omitempty"`
	// MostNodes limits the number of nodes; 0 means DefaultNodes.
	MostNodes int `json:"most_nodes,omitempty"`
	// Raw keeps the counts as drawn.
	Raw bool `json:"raw,omitempty"`
}

// Check refuses invalid parameters and fills in the defaults.
func (p Params) Check() (Params, error) {
	p.Threshold = cmp.Or(p.Threshold, 2)
	if p.MostNodes == 0 {
		p.MostNodes = DefaultNodes
	}
	switch {
	case p.Bound < 0:
		return p, errors.New("the bound of sequences of one person must be at least 1")
	case p.Alphabet < 1 || p.Alphabet > MostSymbols:
		return p, fmt.Errorf("an alphabet has 1 to %d symbols", MostSymbols)
	case p.Height < 1 || p.Height > MostHeight:
		return p, fmt.Errorf("the height must be 1 to %d", MostHeight)
	case p.Epsilon < ledger.Micro(rootShare*p.Height+1) || p.Epsilon > ledger.Most:
		return p, fmt.Errorf("epsilon must be at least %d millionths for each level, and at most %v", rootShare, ledger.Most)
	case !(p.Threshold > 0) || math.IsInf(p.Threshold, 0):
		return p, errors.New("the threshold must be above 0")
	case p.MostNodes < p.Alphabet+2 || p.MostNodes > 50*DefaultNodes:
		return p, fmt.Errorf("the most nodes must be from the alphabet's size to %d", 50*DefaultNodes)
	}
	return p, nil
}

// rootShare is the ratio between the epsilon of any other level and of the root. The root
// is one count, and the level below measures the same total.
const rootShare = 20

// level is the epsilon for the nodes of a level. The root also gets the remainder of the
// division.
func (p Params) level(depth int) ledger.Micro {
	share := p.Epsilon * rootShare / ledger.Micro(rootShare*p.Height+1)
	if depth == 0 {
		return p.Epsilon - share*ledger.Micro(p.Height)
	}
	return share
}

// scale is that of the noise at a level.
func (p Params) scale(depth int) float64 {
	return noise.Scale(p.Sensitivity(), p.level(depth).Float())
}

// Sensitivity is how much one unit can change the counts of a level.
func (p Params) Sensitivity() int64 { return max(1, p.Bound) }

// threshold of a count at a level, in counts.
func (p Params) threshold(depth int) float64 {
	b := p.scale(depth)
	return b * (p.Threshold*math.Sqrt2 + math.Log(max(1, float64(p.Alphabet)/8)))
}

// Node is a prefix.
type Node struct {
	Symbol   int // the last symbol of the prefix; the alphabet's size is the end. -1 for the root
	Depth    int
	Noisy    int64   // as drawn
	Count    float64 // consistent
	Children []*Node // none, or one for each symbol and one for the end
}

// Tree is a published prefix tree.
type Tree struct {
	Params Params
	Root   *Node
	Phases []cube.Phase // one per level
	Nodes  int
	// Full says that the limit of nodes stopped the tree: some nodes that reached the
	// threshold have no children.
	Full bool
}

// branch is a node with the sequences that begin with it.
type branch struct {
	node *Node
	seqs [][]int
}

// Build publishes sequences of symbols from 0 to below the alphabet's size, cut to the
// height. It refuses other symbols and names the sequence by its number. The ledger's
// debit must be on disk before.
func Build(ctx context.Context, seqs [][]int, p Params, s noise.Source) (*Tree, error) {
	p, err := p.Check()
	if err != nil {
		return nil, err
	}
	cut, err := p.cut(seqs)
	if err != nil {
		return nil, err
	}
	t := &Tree{Params: p, Root: &Node{Symbol: -1}, Nodes: 1}
	level := []branch{{t.Root, cut}}
	for depth := 0; depth <= p.Height; depth++ {
		if err := p.draw(ctx, level, p.level(depth), s); err != nil {
			return nil, err
		}
		t.Phases = append(t.Phases, cube.NewPhase(fmt.Sprintf("level %d", depth), p.level(depth), p.Sensitivity(), len(level)))
		if depth < p.Height {
			level = t.grow(level, depth)
		}
	}
	if !p.Raw {
		t.consistent()
	}
	return t, nil
}

func (p Params) cut(seqs [][]int) ([][]int, error) {
	out := make([][]int, len(seqs))
	for i, seq := range seqs {
		if p.Fixed && len(seq) < p.Height {
			return nil, fmt.Errorf("sequence %d has %d symbols; all were said to have %d", i+1, len(seq), p.Height)
		}
		for at, c := range seq {
			if c < 0 || c >= p.Alphabet {
				return nil, fmt.Errorf("sequence %d: symbol %d is not in the alphabet", i+1, at+1)
			}
		}
		out[i] = seq[:min(len(seq), p.Height)]
	}
	return out, nil
}

// draw adds noise to the counts of a level.
func (p Params) draw(ctx context.Context, level []branch, e ledger.Micro, s noise.Source) error {
	counts := make([]int64, len(level))
	for i, b := range level {
		counts[i] = int64(len(b.seqs))
	}
	if err := noise.AddAll(ctx, s, counts, p.Sensitivity(), e.Float()); err != nil {
		return err
	}
	for i, b := range level {
		b.node.Noisy, b.node.Count = counts[i], float64(counts[i])
	}
	return nil
}

// grow gives children to the root, and below it to the nodes that reach the threshold,
// highest noisy counts first.
func (t *Tree) grow(level []branch, depth int) []branch {
	p := t.Params
	slices.SortStableFunc(level, func(a, b branch) int { return int(max(-1, min(1, b.node.Noisy-a.node.Noisy))) })
	width := p.Alphabet + 1
	if p.Fixed {
		width--
	}
	var next []branch
	for _, b := range level {
		if depth > 0 && float64(b.node.Noisy) < p.threshold(depth) {
			break
		}
		if b.node.Symbol == p.Alphabet {
			continue // the end
		}
		if t.Nodes+width > p.MostNodes {
			t.Full = true
			break
		}
		t.Nodes += width
		next = append(next, b.split(width, depth)...)
	}
	return next
}

// split sorts the sequences of a node by their next symbol.
func (b branch) split(width, depth int) []branch {
	out := make([]branch, width)
	b.node.Children = make([]*Node, width)
	for c := range out {
		b.node.Children[c] = &Node{Symbol: c, Depth: depth + 1}
		out[c].node = b.node.Children[c]
	}
	for _, seq := range b.seqs {
		c := width - 1
		if len(seq) > depth {
			c = seq[depth]
		}
		out[c].seqs = append(out[c].seqs, seq)
	}
	return out
}

// consistent makes counts consistent: z is the best estimate of a node from itself and
// its descendants, with variance v; then h is the best estimate overall. For a node with
// noise of variance w over children c,
//
//	z = (z_n / w + sum z_c / sum v_c) / (1/w + 1/sum v_c),  v = 1 / (1/w + 1/sum v_c)
//	h_c = z_c + v_c / sum v_c * (h - sum z_c)
//
// and then the children are moved to the nearest point without negative counts.
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

// Markov is the baseline: counts of first symbols and of transitions, wherever they
// occur.
type Markov struct {
	start []float64   // noisy counts, not below 0
	next  [][]float64 // shares
}

// firstShare is the share of epsilon for first symbols.
const firstShare = 0.2

// NewMarkov spends a fifth of epsilon on first symbols, and the rest on transitions: a
// sequence has up to Height - 1 of these, which is their sensitivity. A sequence with a
// transition to the end is shorter than Height.
func NewMarkov(ctx context.Context, seqs [][]int, p Params, s noise.Source) (*Markov, error) {
	p, err := p.Check()
	if err != nil {
		return nil, err
	}
	if p.Alphabet > mostPaired {
		return nil, fmt.Errorf("pairs can be counted of at most %d symbols", mostPaired)
	}
	cut, err := p.cut(seqs)
	if err != nil {
		return nil, err
	}
	start, pairs := p.pairs(cut)
	sensitivity := int64(max(1, p.Height-1)) * p.Sensitivity()
	e := p.Epsilon.Float()
	if err := noise.AddAll(ctx, s, start, p.Sensitivity(), firstShare*e); err != nil {
		return nil, err
	}
	m := &Markov{}
	for _, x := range start {
		m.start = append(m.start, max(0, float64(x)))
	}
	for _, row := range pairs {
		if err := noise.AddAll(ctx, s, row, sensitivity, (1-firstShare)*e); err != nil {
			return nil, err
		}
		m.next = append(m.next, shares(row))
	}
	return m, nil
}

// pairs counts first symbols and neighbours; the last column is the end.
func (p Params) pairs(seqs [][]int) (start []int64, pairs [][]int64) {
	start = make([]int64, p.Alphabet)
	pairs = make([][]int64, p.Alphabet)
	for c := range pairs {
		pairs[c] = make([]int64, p.Alphabet+1)
	}
	for _, seq := range seqs {
		for i, c := range seq {
			if i == 0 {
				start[c]++
			} else {
				pairs[seq[i-1]][c]++
			}
		}
		if n := len(seq); n > 0 && n < p.Height {
			pairs[seq[n-1]][p.Alphabet]++
		}
	}
	return start, pairs
}

func shares(row []int64) []float64 {
	out, sum := make([]float64, len(row)), 0.0
	for i, x := range row {
		out[i] = max(1e-9, float64(x))
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// Count estimates how many sequences begin with the prefix.
func (m *Markov) Count(prefix []int) float64 {
	if len(prefix) == 0 {
		sum := 0.0
		for _, x := range m.start {
			sum += x
		}
		return sum
	}
	x := m.start[prefix[0]]
	for i := 1; i < len(prefix); i++ {
		x *= m.next[prefix[i-1]][prefix[i]]
	}
	return x
}
