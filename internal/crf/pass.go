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
// It gathers and never scatters: weights are summed per bundle, bundles per
// token; after forward-backward the residuals P - gold of the tokens are summed
// per bundle and those per attribute. Every sum is made by one goroutine in a
// fixed order, so the result is the same bits for any number of workers.
//
// With F = float32 a document whose numbers leave its range is computed in
// float64. Rows are laid out as [kernel.Layout] says.
type pass[F kernel.Float] struct {
	data    *dataset
	c2      float64
	workers int
	places  []uint16 // state -> place in a row
	gold    []uint16 // place of each token's state
	frozen  []bool   // transitions without a weight

	w        []F // of the evaluation under way, or the last one,
	gradient []F // and where its gradient is
	sums     []F // summed weights of each bundle, later summed residuals:
	wide     []F // [wide][stride] of the wide ones, in sums,
	narrow   []F // [narrow] and then of the narrow ones
	residual []F // [tokens of the tables][stride] scores, then marginals, then P - gold; then the subtotals
	lateRows []F // [late tokens][stride] the same
	plain    []F // [tokens] residual of O, when there is what only O has
	bias     []F
	spread   []F // [spread attributes][stride] their weights

	wideLists, wideOfLists  kernel.Lists // of the tables of data
	subtotalLists           kernel.Lists
	rowsLists, bundlesLists kernel.Lists
	spreadLists, inLists    kernel.Lists

	losses      []float64        // per block
	expected    []*kernel.Counts // per block
	observed    []float64        // transitions
	transitions *kernel.Transitions[F]
	scores      []float64 // transitions as the kernel has them: log of their rounded exponentials
	workbench   []workbench[F]
}

// workbench is the scratch space of one worker.
type workbench[F kernel.Float] struct {
	chain *kernel.Chain[F]
	exact *lattice // for documents out of the chain's range; nil until needed
	rows  []F      // of some bundles or attributes
	sums  []float64
	run   running

	stopped func() bool // whether nobody wants the results any more
}

// Sizes of the pieces that workers claim. They are constants because the order
// of summation depends on them.
const (
	bundlePiece    = 512
	weightPiece    = 4096
	documentBlocks = 64
)

func newPass[F kernel.Float](d *dataset, o Options) *pass[F] { return newPassIn(d, o, &room[F]{}) }

// room is memory that a pass leaves to the next one. What it holds does not matter.
type room[F kernel.Float] struct{ sums, residual []F }

// take makes room for n numbers, and for some more next time when it was too small.
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

// newPassIn makes a pass of what is in a room.
func newPassIn[F kernel.Float](d *dataset, o Options, r *room[F]) *pass[F] {
	l, stride := d.states.count(), d.layout.Stride
	p := &pass[F]{
		data: d, c2: o.C2, workers: o.Workers,
		sums:      take(&r.sums, d.wideOf.len()*stride+d.narrowOf.len()),
		residual:  take(&r.residual, (len(d.gold)+d.subtotals.of.len())*stride),
		bias:      kernel.Bias[F](d.layout),
		wideLists: d.wide.lists(), wideOfLists: d.wideOf.lists(),
		rowsLists: d.rowsOf.lists(), bundlesLists: d.bundlesOf.lists(),
		spreadLists: d.spreadOf.lists(), inLists: d.spreadIn.lists(),
		spread:        make([]F, d.spreadIn.len()*stride),
		subtotalLists: d.subtotals.of.lists(),
		scores:        make([]float64, d.states.transitions()),
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
			rows:  make([]F, bundlePiece*stride), sums: make([]float64, weightPiece),
			stopped: func() bool { return false },
		})
	}
	return p
}

// connect looks which transitions the documents have.
func (p *pass[F]) connect(o Options) {
	d := p.data
	p.observed = observed(d)
	if p.frozen = d.frozen; p.frozen == nil {
		p.frozen = make([]bool, len(p.observed))
		for i, n := range p.observed {
			p.frozen[i] = o.Pairs == Observed && n == 0
		}
	}
	p.transitions = kernel.NewSparseTransitions[F](d.layout, func(from, to int) bool {
		arc := d.states.arc(from, to)
		return arc >= 0 && !p.frozen[arc]
	})
	for state := range p.places {
		if d.states.isAbsent(state) {
			p.transitions.Exclude(state)
		}
	}
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
	n := d.states.count()
	met := make([]int32, n*n)
	for i := range len(d.docs) - 1 {
		for t := d.docs[i] + 1; t < d.docs[i+1]; t++ {
			met[int(d.gold[t-1])*n+int(d.gold[t])]++
		}
	}
	counts := make([]float64, d.states.transitions())
	for i, times := range met {
		if times > 0 {
			counts[d.states.arc(i/n, i%n)] = float64(times)
		}
	}
	return counts
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

// value is the objective once the losses are known.
func (p *pass[F]) value(w []F) float64 {
	return total(p.losses) - p.goldTransitions() + p.c2*kernel.Dot(w, w)
}

// setTransitions hands exp(w) to the kernel and remembers what w that is, exactly:
// the gold path must be scored by the same numbers as all the others.
func (p *pass[F]) setTransitions(w []F) {
	p.data.states.each(func(from, to, arc int) {
		v := F(math.Exp(min(max(float64(w[arc]), -steepest), steepest)))
		p.transitions.Set(from, to, float64(v))
		p.scores[arc] = math.Log(float64(v))
	})
}

// steepest bounds a transition's weight during training; float32 holds exp(80).
const steepest = 80

// spreadWeights writes the weights of spread attributes into rows.
func (p *pass[F]) spreadWeights(ctx context.Context, w, _ []F) error {
	d, stride, n := p.data, p.data.layout.Stride, p.data.spreadIn.len()
	return parallel.Do(ctx, p.workers, pieces(bundlePiece, n), func(_, i int) {
		from, to := piece(i, bundlePiece, n)
		for a := from; a < to; a++ {
			weights, places, row := spreadPart(d, a, w), d.spreadPlaces(a), p.spread[a*stride:(a+1)*stride]
			for i, place := range places {
				row[place] = weights[i]
			}
		}
	})
}

// sumWeights is sums[b] = sum_a value[b][a] w[a].
func (p *pass[F]) sumWeights(ctx context.Context, w, _ []F) error {
	wide, n := p.data.wideOf.len(), p.data.bundles()
	return parallel.Do(ctx, p.workers, pieces(bundlePiece, n), func(worker, i int) {
		from, to := piece(i, bundlePiece, n)
		p.sumWide(from, min(to, wide), w, p.workbench[worker].rows)
		for b := max(from, wide); b < to; b++ {
			p.narrow[b-wide] = F(sumTerms(&p.data.terms, b, w))
		}
	})
}

// sumWide does so for wide bundles. scratch is room for as many rows.
func (p *pass[F]) sumWide(from, to int, w, scratch []F) {
	if from >= to {
		return
	}
	d, stride := p.data, p.data.layout.Stride
	rows, dense := p.wide[from*stride:to*stride], w[d.rowsAt():d.tableWeights()]
	switch {
	case len(p.spread) == 0:
		kernel.Gather(rows, dense, p.rowsLists.Rows(from, to), stride, nil)
	case d.bundlesOf.len() == 0:
		kernel.Gather(rows, p.spread, p.spreadLists.Rows(from, to), stride, nil)
	default:
		kernel.Gather(rows, dense, p.rowsLists.Rows(from, to), stride, nil)
		kernel.Gather(scratch, p.spread, p.spreadLists.Rows(from, to), stride, nil)
		kernel.Axpy(1, scratch[:len(rows)], rows)
	}
	t := &d.terms
	for b := from; b < to; b++ {
		start, end := t.start[b], t.start[b+1]
		if start == end {
			continue
		}
		row := p.wide[b*stride : (b+1)*stride]
		index, places := t.index[start:end], d.place[start:end]
		if int(start) >= len(t.values) {
			for i, k := range index {
				row[places[i]] += w[k]
			}
			continue
		}
		for i, k := range index {
			row[places[i]] += F(t.values[int(start)+i]) * w[k]
		}
	}
	if d.late != nil {
		p.addLateSums(from, to, w)
	}
}

// sumTerms is row i of t over x.
func sumTerms[F kernel.Float](t *terms, i int, x []F) float64 {
	start, end := t.start[i], t.start[i+1]
	if int(start) >= len(t.values) {
		return sumItems(t.index[start:end], x)
	}
	sum, values := 0.0, t.values[start:end]
	for j, k := range t.index[start:end] {
		sum += float64(values[j]) * float64(x[k])
	}
	return sum
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
	for doc := from; doc < to; doc++ {
		if p.data.docs[doc] < p.data.docs[doc+1] {
			p.losses[i] += p.document(b, doc, p.expected[i])
		}
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

// document returns log Z - score of the gold path, without its transitions.
func (p *pass[F]) document(b *workbench[F], doc int, expected *kernel.Counts) float64 {
	from, to := int(p.data.docs[doc]), int(p.data.docs[doc+1])
	stride, rows := p.data.layout.Stride, p.rowsOf(from, to)
	p.score(b, from, to, rows)
	gold := p.goldScore(from, rows)
	logZ, ok := b.chain.Run(rows, p.transitions, expected)
	if !ok && !b.stopped() {
		p.score(b, from, to, rows)
		logZ = p.carefully(b, rows, expected)
	}
	at := 0
	for t := from; t < to; t++ {
		rows[at+int(p.gold[t])]--
		if t < len(p.plain) {
			p.plain[t] = rows[at]
		}
		at += stride
	}
	return logZ - gold
}

// score sums the bundles of the tokens, as many at a time as addItems does.
func (p *pass[F]) score(b *workbench[F], from, to int, rows []F) {
	stride := p.data.layout.Stride
	for ; from < to && !b.stopped(); from += weightPiece {
		n := min(to-from, weightPiece)
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
	if len(p.narrow) > 0 {
		b.addItems(rows, stride, d.narrow.start[from:to+1], d.narrow.items, p.narrow)
	}
	if len(d.direct.items) > 0 {
		b.addItems(rows, stride, d.direct.start[from:to+1], d.direct.items, p.w)
	}
	if d.late != nil {
		p.scoreLate(from, to, rows)
	}
}

// addItems adds to the first number of each row what its items name.
func (b *workbench[F]) addItems(rows []F, stride int, start, items []int32, x []F) {
	for at := 0; len(start) > 1; {
		n := min(len(start)-1, len(b.sums))
		for _, sum := range sumRows(&b.run, b.sums, start[:n+1], items, x) {
			rows[at] += F(sum)
			at += stride
		}
		start = start[n:]
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

// goldTransitions is the score of the transitions of all gold paths.
func (p *pass[F]) goldTransitions() float64 {
	sum := 0.0
	for arc, n := range p.observed {
		if n != 0 {
			sum += n * p.scores[arc]
		}
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

// gatherBundles replaces each bundle's weights by its residuals summed over its
// tokens.
func (p *pass[F]) gatherBundles(ctx context.Context, _, _ []F) error {
	wide, narrow, stride := p.data.wideOf, p.data.narrowOf, p.data.layout.Stride
	err := parallel.Do(ctx, p.workers, pieces(bundlePiece, wide.len()), func(_, i int) {
		from, to := piece(i, bundlePiece, wide.len())
		kernel.Gather(p.wide[from*stride:to*stride], p.residual, p.wideOfLists.Rows(from, to), stride, nil)
	})
	if err != nil {
		return err
	}
	return parallel.Do(ctx, p.workers, pieces(bundlePiece, narrow.len()), func(worker, i int) {
		from, to := piece(i, bundlePiece, narrow.len())
		b := &p.workbench[worker]
		for i, sum := range sumRows(&b.run, b.sums, narrow.start[from:to+1], narrow.items, p.plain) {
			p.narrow[from+i] = F(sum)
		}
	})
}

// gatherAttributes fills the attributes' part of the gradient.
func (p *pass[F]) gatherAttributes(ctx context.Context, w, gradient []F) error {
	d := p.data
	if err := p.gatherSpread(ctx, w, gradient); err != nil {
		return err
	}
	first, n := d.states.transitions(), d.rowsAt()
	err := parallel.Do(ctx, p.workers, pieces(weightPiece, n), func(worker, i int) {
		from, to := piece(i, weightPiece, n)
		b, from := &p.workbench[worker], max(from, first)
		valued := min(max(from, int(d.rows[d.scaled])), to)
		spread, alone, once := min(to, d.spreadAt()), max(from, d.aloneAt()), max(from, d.onceAt())
		p.penalise(w, gradient, from, spread)
		p.penalise(w, gradient, alone, to)
		for k := from; k < valued; k++ {
			gradient[k] += F(sumTerms(&d.termsOf, k, p.sums))
		}
		b.addRows(gradient, valued, spread, table{d.termsOf.start, d.termsOf.index}, p.sums)
		b.addRows(gradient, from, spread, d.directOf, p.plain)
		b.addRows(gradient, alone, min(to, once), d.directOf, p.plain)
		for k := once; k < to; k++ {
			gradient[k] += p.plain[d.directOf.items[d.directOf.start[k]]]
		}
	})
	if err != nil {
		return err
	}
	return parallel.Do(ctx, p.workers, pieces(bundlePiece, d.bundlesOf.len()), func(_, i int) {
		from, to := piece(i, bundlePiece, d.bundlesOf.len())
		begin, end := n+from*d.layout.Stride, n+to*d.layout.Stride
		kernel.Gather(gradient[begin:end], p.wide, p.bundlesLists.Rows(from, to), d.layout.Stride, nil)
		kernel.Axpy(F(2*p.c2), w[begin:end], gradient[begin:end])
	})
}

// penalise sets part of the gradient to that of the penalty.
func (p *pass[F]) penalise(w, gradient []F, from, to int) {
	for k := from; k < to; k++ {
		gradient[k] = F(2*p.c2) * w[k]
	}
}

// addRows adds to the numbers from up to to what their rows name.
func (b *workbench[F]) addRows(into []F, from, to int, t table, x []F) {
	if from >= to {
		return
	}
	b.addItems(into[from:], 1, t.start[from:to+1], t.items, x)
}

// gatherSpread fills the part of spread attributes.
func (p *pass[F]) gatherSpread(ctx context.Context, w, gradient []F) error {
	d, stride, n := p.data, p.data.layout.Stride, p.data.spreadIn.len()
	return parallel.Do(ctx, p.workers, pieces(bundlePiece, n), func(worker, i int) {
		from, to := piece(i, bundlePiece, n)
		rows := p.workbench[worker].rows
		kernel.Gather(rows, p.wide, p.inLists.Rows(from, to), stride, nil)
		for a := from; a < to; a++ {
			weights, into, row := spreadPart(d, a, w), spreadPart(d, a, gradient), rows[(a-from)*stride:]
			for i, place := range d.spreadPlaces(a) {
				into[i] = row[place] + F(2*p.c2)*weights[i]
			}
		}
	})
}

// transitionGradient fills the transitions' part of the gradient.
func (p *pass[F]) transitionGradient(w, gradient []F) {
	p.data.states.each(func(from, to, arc int) {
		if p.frozen[arc] {
			gradient[arc] = 0
			return
		}
		sum := 0.0
		for _, expected := range p.expected {
			sum += expected.At(from, to)
		}
		gradient[arc] = F(sum*math.Exp(p.scores[arc]) - p.observed[arc] + 2*p.c2*float64(w[arc]))
	})
}

// finite reports whether an evaluation can be used.
func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
