// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"math"
)

// pass evaluates the objective and its gradient (dissertation, eq. 4.8 and 4.11,
// negated and with a penalty):
//
//	f(w) = sum_docs [log Z(x) - score(x, y)] + c2 |w|^2
//	df/dw = expected count - observed count + 2 c2 w
//
// It gathers and never scatters: weights are summed per bundle, bundles per
// token; after forward-backward the residuals P - gold of the tokens are summed
// per bundle and those per attribute. Every sum is made by one goroutine in a
// fixed order, so the result is the same bits for any number of workers.
type pass struct {
	data    *dataset
	c2      float64
	workers int

	wide     []float64 // [wide][L] summed weights of each wide bundle; later summed residuals
	narrow   []float64 // [bundles-wide] the same for narrow ones
	residual []float64 // [tokens][L] scores, then psi, then P - gold

	blocks   []int       // document range of each block
	losses   []float64   // per block
	expected [][]float64 // per block, expected transitions
	observed []float64   // transitions
	lattices []*lattice  // per worker
}

// Sizes of the pieces that workers claim. They are constants because the order
// of summation depends on them.
const (
	bundlePiece    = 512
	attributePiece = 1024
	documentBlocks = 64
)

func newPass(d *dataset, c2 float64, workers int) *pass {
	l := d.states.count()
	p := &pass{
		data: d, c2: c2, workers: workers,
		wide:     make([]float64, d.wide*l),
		narrow:   make([]float64, d.bundles.len()-d.wide),
		residual: make([]float64, len(d.gold)*l),
		blocks:   blocksOf(d.docs, documentBlocks),
		observed: observed(d),
	}
	n := len(p.blocks) - 1
	p.losses, p.expected = make([]float64, n), make([][]float64, n)
	for i := range n {
		p.expected[i] = make([]float64, d.states.transitions())
	}
	for range workers {
		p.lattices = append(p.lattices, newLattice(d.states))
	}
	return p
}

// blocksOf cuts the documents into about n ranges of about equal tokens.
func blocksOf(docs []int32, n int) []int {
	count := len(docs) - 1
	share := max(int(docs[count])/n, 1)
	blocks, from := []int{0}, 0
	for i := 1; i <= count; i++ {
		if int(docs[i]-docs[from]) >= share || i == count {
			blocks, from = append(blocks, i), i
		}
	}
	return blocks
}

func observed(d *dataset) []float64 {
	counts := make([]float64, d.states.transitions())
	for i := range len(d.docs) - 1 {
		for t := d.docs[i] + 1; t < d.docs[i+1]; t++ {
			counts[d.states.arc(int(d.gold[t-1]), int(d.gold[t]))]++
		}
	}
	return counts
}

// evaluate returns f(w) and fills gradient.
func (p *pass) evaluate(ctx context.Context, w, gradient []float64) (float64, error) {
	steps := []func(context.Context, []float64, []float64) error{
		p.sumWeights, p.sweep, p.gatherBundles, p.gatherAttributes,
	}
	for _, step := range steps {
		if err := step(ctx, w, gradient); err != nil {
			return 0, err
		}
	}
	loss := 0.0
	for _, v := range p.losses {
		loss += v
	}
	p.transitions(w, gradient)
	return loss + p.c2*chunkedDot(w, w), nil
}

// sumWeights is wide[b] = sum_a value[b][a] w[a].
func (p *pass) sumWeights(ctx context.Context, w, _ []float64) error {
	n := p.data.bundles.len()
	return parallel(ctx, p.workers, pieces(bundlePiece, n), func(_, i int) {
		from, to := piece(i, bundlePiece, n)
		for b := from; b < to; b++ {
			if b < p.data.wide {
				p.sumWide(b, w)
			} else {
				p.sumNarrow(b, w)
			}
		}
	})
}

func (p *pass) sumWide(b int, w []float64) {
	d, l := p.data, p.data.states.count()
	row := p.wide[b*l : (b+1)*l]
	clear(row)
	for i := d.bundles.start[b]; i < d.bundles.start[b+1]; i++ {
		a := d.bundles.items[i]
		weights := w[d.rows[a]:d.rows[a+1]]
		axpy(d.values[i], weights, row[:len(weights)])
	}
}

func (p *pass) sumNarrow(b int, w []float64) {
	d, sum := p.data, 0.0
	for i := d.bundles.start[b]; i < d.bundles.start[b+1]; i++ {
		sum += d.values[i] * w[d.rows[d.bundles.items[i]]]
	}
	p.narrow[b-d.wide] = sum
}

// sweep runs forward-backward over every document and leaves P - gold in
// residual.
func (p *pass) sweep(ctx context.Context, w, _ []float64) error {
	w = w[:p.data.states.transitions()]
	for _, x := range p.lattices {
		x.setTransitions(w)
	}
	return parallel(ctx, p.workers, len(p.losses), func(worker, i int) {
		p.losses[i] = 0
		clear(p.expected[i])
		for doc := p.blocks[i]; doc < p.blocks[i+1]; doc++ {
			if p.data.docs[doc] < p.data.docs[doc+1] {
				p.losses[i] += p.document(p.lattices[worker], doc, p.expected[i])
			}
		}
	})
}

// document returns log Z - score of the gold path.
func (p *pass) document(x *lattice, doc int, expected []float64) float64 {
	l := x.l
	from, to := int(p.data.docs[doc]), int(p.data.docs[doc+1])
	psi := p.residual[from*l : to*l]
	for t := from; t < to; t++ {
		p.score(t, psi[(t-from)*l:(t-from+1)*l])
	}
	gold := p.data.gold[from:to]
	score := x.pathScore(p.data.states, psi, gold)
	logZ := x.forward(psi)
	x.backward(psi, expected)
	for t, state := range gold {
		psi[t*l+int(state)]--
	}
	return logZ - score
}

func (p *pass) score(t int, row []float64) {
	clear(row)
	for _, b := range p.data.tokens.row(t) {
		if i := int(b) - p.data.wide; i >= 0 {
			row[0] += p.narrow[i]
		} else {
			add(p.wide[int(b)*len(row):], row)
		}
	}
}

// pathScore is the score of one path.
func (x *lattice) pathScore(s states, scores []float64, path []uint16) float64 {
	sum := 0.0
	for t, state := range path {
		sum += scores[t*x.l+int(state)]
		if t > 0 {
			sum += x.w[s.arc(int(path[t-1]), int(state))]
		}
	}
	return sum
}

// gatherBundles replaces each bundle's weights by its residuals summed over its
// tokens.
func (p *pass) gatherBundles(ctx context.Context, _, _ []float64) error {
	d, l := p.data, p.data.states.count()
	n := d.bundles.len()
	return parallel(ctx, p.workers, pieces(bundlePiece, n), func(_, i int) {
		from, to := piece(i, bundlePiece, n)
		for b := from; b < to; b++ {
			if b >= d.wide {
				p.narrow[b-d.wide] = p.gatherNarrow(b)
				continue
			}
			row := p.wide[b*l : (b+1)*l]
			clear(row)
			for _, t := range d.tokensOf.row(b) {
				add(p.residual[int(t)*l:], row)
			}
		}
	})
}

func (p *pass) gatherNarrow(b int) float64 {
	l, sum := p.data.states.count(), 0.0
	for _, t := range p.data.tokensOf.row(b) {
		sum += p.residual[int(t)*l]
	}
	return sum
}

// gatherAttributes fills the attributes' part of the gradient.
func (p *pass) gatherAttributes(ctx context.Context, w, gradient []float64) error {
	d := p.data
	n := len(d.names)
	return parallel(ctx, p.workers, pieces(attributePiece, n), func(_, i int) {
		from, to := piece(i, attributePiece, n)
		for a := from; a < to; a++ {
			p.gatherAttribute(a, gradient[d.rows[a]:d.rows[a+1]])
			axpy(2*p.c2, w[d.rows[a]:], gradient[d.rows[a]:d.rows[a+1]])
		}
	})
}

func (p *pass) gatherAttribute(a int, row []float64) {
	d, l := p.data, p.data.states.count()
	clear(row)
	for i := d.bundlesOf.start[a]; i < d.bundlesOf.start[a+1]; i++ {
		b := int(d.bundlesOf.items[i])
		if b >= d.wide {
			row[0] += d.valuesOf[i] * p.narrow[b-d.wide]
		} else {
			axpy(d.valuesOf[i], p.wide[b*l:], row)
		}
	}
}

// transitions fills the transitions' part of the gradient.
func (p *pass) transitions(w, gradient []float64) {
	m := p.lattices[0].m
	for i := range p.observed {
		sum := 0.0
		for _, expected := range p.expected {
			sum += expected[i]
		}
		gradient[i] = sum*m[i] - p.observed[i] + 2*p.c2*w[i]
	}
}

// finite reports whether an evaluation can be used.
func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
