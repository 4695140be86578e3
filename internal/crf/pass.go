// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"math"

	"hide/internal/crf/kernel"
	"hide/internal/parallel"
)

// pass evaluates the objective and its gradient (dissertation, eq. 4.8 and 4.11,
// negated and with a penalty):
//
//	f(w) = sum_docs [log Z(x) - score(x, y)] + c2 |w|^2
//	df/dw = expected count - observed count + 2 c2 w
//
// It gathers and never scatters. Weights are summed per bundle, bundles per token;
// after forward-backward the residuals P - gold of the tokens are summed per bundle,
// and these per attribute. Every sum is computed by one goroutine in a fixed order, so
// the result has the same bits for any number of workers.
//
// With F = float32, a document whose numbers leave the range of float32 is computed in
// float64. Rows have the layout of [kernel.Layout].
type pass[F kernel.Float] struct {
	data    *dataset
	c2      float64
	workers int
	places  []uint16 // state -> place in a row
	gold    []uint16 // place of each token's state
	frozen  []bool   // transitions without a weight

	w        []F // of the current or the last evaluation
	gradient []F // where its gradient is stored
	sums     []F // summed weights of each bundle, later summed residuals:
	wide     []F // [wide][stride] of the wide ones, in sums,
	narrow   []F // [narrow] and then of the narrow ones
	residual []F // [tokens of the tables][stride] scores, then marginals, then P - gold; then the subtotals
	lateRows []F // [late tokens][stride] the same
	plain    []F // [tokens] residual of O, if some features have only a weight for O
	bias     []F
	spread   []F // [spread attributes][stride] the weights

	wideLists, wideOfLists  kernel.Lists // of the tables of data
	subtotalLists           kernel.Lists
	rowsLists, bundlesLists kernel.Lists
	spreadLists, inLists    kernel.Lists

	narrowLists, narrowOfLists kernel.Lists // of the tables whose items are single numbers
	directLists, directOfLists kernel.Lists
	termsOfLists               kernel.Lists

	losses      []float64        // per block
	expected    []*kernel.Counts // per block
	observed    []float64        // transitions
	transitions *kernel.Transitions[F]
	scores      []float64 // transitions as the kernel has them: logarithms of their rounded exponentials
	workbench   []workbench[F]
}

// Sizes of the pieces that workers claim. They are constants because the order
// of summation depends on them.
const (
	bundlePiece    = 512
	weightPiece    = 4096
	tokenPiece     = 4096
	documentBlocks = 64
)

func newPass[F kernel.Float](d *dataset, o Options) *pass[F] { return newPassIn(d, o, &room[F]{}) }

// room is memory that a pass leaves to the next one. Its content does not matter.
type room[F kernel.Float] struct{ sums, residual []F }

// take returns room for n numbers; if it was too small, it allocates extra for next
// time.
func take[F kernel.Float](room *[]F, n int) []F {
	switch {
	case *room == nil:
		*room = make([]F, n)
	case n > cap(*room):
		*room = make([]F, n, n+n/16)
	}
	*room = (*room)[:n]
	return *room
}

// newPassIn creates a pass in the memory of a room.
func newPassIn[F kernel.Float](d *dataset, o Options, r *room[F]) *pass[F] {
	l, stride := d.states.count(), d.layout.Stride
	p := &pass[F]{
		data: d, c2: o.C2, workers: o.Workers,
		sums:      take(&r.sums, d.wideOf.len()*stride+d.narrowOf.len()),
		residual:  take(&r.residual, (len(d.gold)+d.subtotals.of.len())*stride),
		bias:      kernel.Bias[F](d.layout),
		wideLists: d.wide.lists().Ordered(d.windows()), wideOfLists: d.wideOf.inPieces(),
		rowsLists: d.rowsOf.inPieces(), bundlesLists: d.bundlesOf.inPieces(),
		spreadLists: d.spreadOf.inPieces(), inLists: d.spreadIn.inPieces(),
		spread:        make([]F, d.spreadIn.len()*stride),
		subtotalLists: d.subtotals.of.lists().Ordered(d.subtotals.windows()),
		narrowLists:   d.narrow.lists(), narrowOfLists: d.narrowOf.lists(),
		directLists: d.direct.lists(), directOfLists: d.directOf.lists(),
		termsOfLists: kernel.NewLists(d.termsOf.start, d.termsOf.index),
		scores:       make([]float64, d.states.transitions()),
	}
	p.wide, p.narrow = p.sums[:d.wideOf.len()*stride], p.sums[d.wideOf.len()*stride:]
	if len(p.narrow)+len(d.direct.items) > 0 {
		p.plain = make([]F, len(d.gold))
	}
	for state := range l {
		p.places = append(p.places, uint16(d.layout.Place(state)))
	}
	p.gold = make([]uint16, len(d.gold))
	for t, state := range d.gold {
		p.gold[t] = p.places[state]
	}
	p.connect(o)
	p.losses, p.expected = make([]float64, len(d.blocks)-1), make([]*kernel.Counts, len(d.blocks)-1)
	for i := range p.expected {
		p.expected[i] = kernel.NewCounts(d.layout)
	}
	for range o.Workers {
		p.workbench = append(p.workbench, workbench[F]{
			chain: kernel.NewChain[F](d.layout),
			rows:  make([]F, bundlePiece*stride), sums: make([]float64, kernel.ItemsScratch),
			stopped: func() bool { return false },
		})
	}
	return p
}

// blocksOf splits the documents into about n ranges with about equal numbers of tokens.
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

// evaluate returns f(w) and fills gradient.
func (p *pass[F]) evaluate(ctx context.Context, w, gradient []F) (float64, error) {
	p.setTransitions(w)
	p.w, p.gradient = w, gradient
	steps := []func(context.Context, []F, []F) error{p.spreadWeights, p.sumWeights, p.sweep, p.gatherBundles, p.gatherAttributes, p.gatherLate}
	for _, step := range steps {
		if err := step(ctx, w, gradient); err != nil {
			return 0, err
		}
	}
	p.transitionGradient(w, gradient)
	return p.value(w), nil
}

// value is the objective, computed from the losses.
func (p *pass[F]) value(w []F) float64 {
	return total(p.losses) - p.goldTransitions() + p.c2*kernel.Dot(w, w)
}

// finite reports whether the results of an evaluation are finite.
func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// workbench is the scratch space of one worker.
type workbench[F kernel.Float] struct {
	chain *kernel.Chain[F]
	exact *lattice  // for documents out of the chain's range; nil until needed
	rows  []F       // for some bundles or attributes
	sums  []float64 // scratch of kernel.AddItems

	stopped func() bool // reports whether the results are no longer needed
}

// sweep runs forward-backward over every document and leaves P - gold in
// residual.
func (p *pass[F]) sweep(ctx context.Context, _, _ []F) error {
	return parallel.Do(ctx, p.workers, p.blocks(), func(worker, i int) { p.block(ctx, &p.workbench[worker], i) })
}

// block processes a part of the sweep: some documents of the tables, or a late one.
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

// until ends work on long documents soon after stopped starts to return true.
func (b *workbench[F]) until(stopped func() bool) {
	b.stopped = stopped
	b.chain.Until(stopped)
}

// subtotal computes the subtotals of a block, stored after the tokens' rows.
func (p *pass[F]) subtotal(b *workbench[F], block int) {
	first, stride := p.data.subtotals.first, p.data.layout.Stride
	rows := p.residual[p.data.tokens()*stride:]
	for from, end := int(first[block]), int(first[block+1]); from < end && !b.stopped(); from += bundlePiece {
		to := min(from+bundlePiece, end)
		kernel.Gather(rows[from*stride:to*stride], p.residual, p.subtotalLists.Rows(from, to), stride, nil)
	}
}

// documents returns the sum of log Z minus the score of the gold paths, without their
// transitions, of consecutive documents.
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

// oneByOne turns the scores of documents into marginals, one document at a time. It is
// used if at least one of them left the range of the chain.
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

// score sums the bundles of the tokens in batches, so that it can be stopped.
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
