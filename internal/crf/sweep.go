// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"math"

	"hide/internal/crf/kernel"
	"hide/internal/parallel"
)

// workbench is the scratch space of one worker.
type workbench[F kernel.Float] struct {
	chain *kernel.Chain[F]
	exact *lattice  // for documents out of the chain's range; nil until needed
	rows  []F       // of some bundles or attributes
	sums  []float64 // scratch of kernel.AddItems

	stopped func() bool // whether nobody wants the results any more
}

// sweep runs forward-backward over every document and leaves P - gold in
// residual.
func (p *pass[F]) sweep(ctx context.Context, _, _ []F) error {
	return parallel.Do(ctx, p.workers, p.blocks(), func(worker, i int) { p.block(ctx, &p.workbench[worker], i) })
}

// block does a part of it: some documents of the tables, or one that is late.
func (p *pass[F]) block(ctx context.Context, b *workbench[F], i int) {
	b.until(func() bool { return ctx.Err() != nil })
	p.losses[i] = 0
	p.expected[i].Clear()
	from, to, known := p.data.block(i)
	for from < to {
		end := p.data.together(from, to)
		p.losses[i] += p.documents(b, from, end, p.expected[i])
		from = end
	}
	if known {
		p.subtotal(b, i)
	}
}

// until has the work on long documents end soon after stopped begins to be true.
func (b *workbench[F]) until(stopped func() bool) {
	b.stopped = stopped
	b.chain.Until(stopped)
}

// subtotal makes the subtotals of a block, which stand behind the tokens' rows.
func (p *pass[F]) subtotal(b *workbench[F], block int) {
	first, stride := p.data.subtotals.first, p.data.layout.Stride
	rows := p.residual[p.data.tokens()*stride:]
	for from, end := int(first[block]), int(first[block+1]); from < end && !b.stopped(); from += bundlePiece {
		to := min(from+bundlePiece, end)
		kernel.Gather(rows[from*stride:to*stride], p.residual, p.subtotalLists.Rows(from, to), stride, nil)
	}
}

// documents returns the sum of log Z - score of the gold paths, without their
// transitions, of documents that follow each other.
func (p *pass[F]) documents(b *workbench[F], from, to int, expected *kernel.Counts) float64 {
	docs := p.data.docs[from : to+1]
	first, last := int(docs[0]), int(docs[len(docs)-1])
	rows := p.rowsOf(first, last)
	p.score(b, first, last, rows)
	gold := p.goldScore(first, rows)
	logZ, ok := b.chain.RunAll(rows, docs, p.transitions, expected)
	if !ok && !b.stopped() {
		p.score(b, first, last, rows)
		logZ = p.oneByOne(b, docs, rows, expected)
	}
	p.subtractGold(first, rows)
	return logZ - gold
}

// oneByOne turns the scores of documents into marginals, those of which one was out of
// the chain's range.
func (p *pass[F]) oneByOne(b *workbench[F], docs []int32, rows []F, expected *kernel.Counts) float64 {
	logZ, stride := 0.0, p.data.layout.Stride
	for i, start := range docs[:len(docs)-1] {
		end := docs[i+1]
		own := rows[int(start-docs[0])*stride : int(end-docs[0])*stride]
		one, ok := b.chain.Run(own, p.transitions, expected)
		if !ok && !b.stopped() {
			p.score(b, int(start), int(end), own)
			one = p.carefully(b, own, expected)
		}
		logZ += one
	}
	return logZ
}

// subtractGold turns marginals into residuals.
func (p *pass[F]) subtractGold(from int, rows []F) {
	stride := p.data.layout.Stride
	for at, places := 0, p.gold[from:from+len(rows)/stride]; len(places) > 0; places = places[1:] {
		rows[at+int(places[0])]--
		at += stride
	}
	if from < len(p.plain) {
		for i, plain := 0, p.plain[from:from+len(rows)/stride]; i < len(plain); i++ {
			plain[i] = rows[i*stride]
		}
	}
}

// score sums the bundles of the tokens, some at a time so that it can be stopped.
func (p *pass[F]) score(b *workbench[F], from, to int, rows []F) {
	stride := p.data.layout.Stride
	for ; from < to && !b.stopped(); from += tokenPiece {
		n := min(to-from, tokenPiece)
		p.scorePiece(b, from, from+n, rows[:n*stride])
		rows = rows[n*stride:]
	}
}

func (p *pass[F]) scorePiece(b *workbench[F], from, to int, rows []F) {
	d, stride := p.data, p.data.layout.Stride
	if from >= d.tokens() {
		p.scoreLate(from, to, rows)
		return
	}
	kernel.Gather(rows, p.wide, p.wideLists.Rows(from, to), stride, p.bias)
	kernel.AddItems(rows, stride, &p.narrowLists, from, to, p.narrow, b.sums)
	kernel.AddItems(rows, stride, &p.directLists, from, to, p.w, b.sums)
	if d.late != nil {
		p.scoreLate(from, to, rows)
	}
}

// goldScore is the score of the gold path without its transitions.
func (p *pass[F]) goldScore(from int, rows []F) float64 {
	sum, at := 0.0, 0
	for _, place := range p.gold[from : from+len(rows)/p.data.layout.Stride] {
		sum += float64(rows[at+int(place)])
		at += p.data.layout.Stride
	}
	return sum
}

// carefully does what Chain.Run does with scores of any size.
func (p *pass[F]) carefully(b *workbench[F], rows []F, expected *kernel.Counts) float64 {
	if b.exact == nil {
		b.exact = newLattice(p.data.states)
	}
	b.exact.stopped = b.stopped
	b.exact.setTransitions(p.scores)
	l, stride := len(p.places), p.data.layout.Stride
	n := len(rows) / stride
	psi, arcs := make([]float64, n*l), make([]float64, len(p.scores))
	for t := range n {
		for state, place := range p.places {
			psi[t*l+state] = float64(rows[t*stride+int(place)])
			if p.data.states.isAbsent(state) {
				psi[t*l+state] = math.Inf(-1)
			}
		}
	}
	logZ := b.exact.forward(psi)
	b.exact.backward(psi, logZ, arcs)
	clear(rows)
	for t := range n {
		for state, place := range p.places {
			rows[t*stride+int(place)] = F(psi[t*l+state])
		}
	}
	p.data.states.each(func(from, to, arc int) { expected.Count(from, to, arcs[arc]*math.Exp(-p.scores[arc])) })
	return logZ
}
