// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"math"
	"slices"

	"hide/internal/crf/kernel"
	"hide/internal/parallel"
)

// local finds the approximate optimum after a few documents were added or changed.
// Starting from the old optimum w0, most of the change is in the weights of the
// attributes in those documents. Other documents matter little, except at uncertain
// tokens. So it minimises, over a step d of those weights only,
//
//	phi(d) = new(w0+d) - new(w0) + (f'(w0) - new'(w0)) d + 1/2 sum_t H_t(X_t d) + c2 |d|^2
//	H_t(z) = sum_j p_tj z_j^2 - (sum_j p_tj z_j)^2
//
// where new is the loss of those documents, f the whole objective, t an uncertain token
// of the other documents, X_t d the step's change of the scores of its states and p_t
// their probabilities at w0. The sum over H_t is the Fisher information without
// dependence between tokens. phi is far cheaper than f, and as good until d is almost
// optimal. Transitions stay fixed.
type local struct {
	pass    *pass[float32]
	weights []int32   // the weights that move; the fields below number them from 0
	linear  []float32 // [weights] the coefficient of d
	still   float64   // new(w0)
	c2      float32
	faint   float32 // states of uncertain tokens up to this probability are ignored

	fresh, others []cells     // of the new documents, and of pieces of the uncertain tokens
	parts         [][]float32 // their gradients
	values        []float64   // and values
}

const (
	fewFresh    = 20    // new documents are few if they have at most a 20th of the tokens
	leastDoubt  = 0.002 // a token is uncertain if its state is improbable by at least this much;
	fewDoubtful = 40    // the limit is higher if more than a 40th of all tokens are uncertain
	doubtPieces = 8     // that workers claim; constant, because sums are made in this order
	localSteps  = 20    // maximum number of steps of the search
	localEnough = 0.02  // it ends if ten steps gain less than this share
	localMemory = 20    // correction pairs
)

// cells are the scores of some tokens as sums of weights. A cell is one state of one
// token; states that do not matter may have none.
type cells struct {
	doc    int       // the new document, if the cells are of one,
	scores []float32 // and its rows of scores at w0
	tokens []int32   // token -> its first cell; one more at the end
	places []uint16  // cell -> place in a row
	chance []float32 // cell -> probability at w0, for uncertain tokens
	start  []int32   // cell -> its first item; one more at the end
	items  []addend
}

// addend is a weight and its factor.
type addend struct {
	weight int32
	value  float32
}

// newLocal expects that p has just evaluated w0, to gradient. It returns nil if there
// is nothing to do, or too much.
func newLocal(ctx context.Context, p *pass[float32], fresh []int, w0, gradient []float32) (*local, error) {
	d, tokens := p.data, 0
	for _, doc := range fresh {
		tokens += int(d.docs[doc+1] - d.docs[doc])
	}
	if tokens == 0 || tokens > len(d.gold)/fewFresh {
		return nil, nil
	}
	l := &local{pass: p, c2: float32(p.c2)}
	number := make([]int32, d.weights()) // weight -> its number plus one
	for _, doc := range fresh {
		l.number(doc, number)
	}
	if err := l.collect(ctx, fresh, number); err != nil {
		return nil, err
	}
	n := len(l.weights)
	l.linear = make([]float32, n)
	for i := range l.fresh {
		l.score(&l.fresh[i], w0)
	}
	l.parts, l.values = make([][]float32, len(l.fresh)+len(l.others)), make([]float64, len(l.fresh)+len(l.others))
	for i := range l.parts {
		l.parts[i] = make([]float32, n)
	}
	zero, slope := make([]float32, n), make([]float32, n)
	var err error
	if l.still, err = l.evaluate(ctx, zero, slope); err != nil || !finite(l.still) {
		return nil, err
	}
	for i, k := range l.weights {
		l.linear[i] = gradient[k] - slope[i]
	}
	return l, nil
}

// number numbers the weights of a document's tokens.
func (l *local) number(doc int, number []int32) {
	d := l.pass.data
	for t := d.docs[doc]; t < d.docs[doc+1]; t++ {
		d.each(int(t), func(from, to int32, _ float32) {
			if number[from] > 0 {
				return
			}
			for k := from; k < to; k++ {
				if d.pairs[k] != noState {
					l.weights = append(l.weights, k)
					number[k] = int32(len(l.weights))
				}
			}
		})
	}
}

// each calls yield for the weights of token t with their factor. It passes ranges: all
// weights of an attribute, or a single one.
func (d *dataset) each(t int, yield func(from, to int32, value float32)) {
	if t >= d.tokens() {
		d.late.each(d, t, yield)
		return
	}
	for _, b := range d.wide.row(t) {
		d.eachOf(int(b), yield)
	}
	for _, b := range d.narrow.row(t) {
		d.eachOf(d.wideOf.len()+int(b), yield)
	}
	for _, k := range d.direct.row(t) {
		yield(k, k+1, 1)
	}
	if d.late != nil {
		d.late.others(d, t, yield)
	}
}

// eachOf does the same for a bundle.
func (d *dataset) eachOf(b int, yield func(from, to int32, value float32)) {
	for i := d.terms.start[b]; i < d.terms.start[b+1]; i++ {
		yield(d.terms.index[i], d.terms.index[i]+1, d.terms.value(i))
	}
	for _, a := range d.spreadOf.row(b) {
		yield(d.rows[d.shared+int(a)], d.rows[d.shared+int(a)+1], 1)
	}
	for _, a := range d.rowsOf.row(b) {
		yield(d.rows[d.sparse+int(a)], d.rows[d.sparse+int(a)+1], 1)
	}
}

// collect builds the cells.
func (l *local) collect(ctx context.Context, fresh []int, number []int32) error {
	d := l.pass.data
	isFresh := make([]bool, len(d.docs)-1)
	for _, doc := range fresh {
		isFresh[doc] = true
		f := l.filler(doc, number, 0)
		for t := d.docs[doc]; t < d.docs[doc+1]; t++ {
			f.add(int(t))
		}
		l.fresh = append(l.fresh, f.cells)
	}
	doubtful, err := l.doubtful(ctx, isFresh)
	if err != nil {
		return err
	}
	l.others = make([]cells, doubtPieces)
	return parallel.Do(ctx, l.pass.workers, doubtPieces, func(_, i int) {
		f := l.filler(0, number, l.faint)
		for _, t := range doubtful[i*len(doubtful)/doubtPieces : (i+1)*len(doubtful)/doubtPieces] {
			f.add(int(t.token))
		}
		l.others[i] = f.cells
	})
}

// uncertainty is one minus the probability of the token's state.
type uncertainty struct {
	token int32
	much  float32
}

// doubtful lists tokens of other documents whose state is uncertain; if there are
// many, only the most uncertain ones. It sets faint.
func (l *local) doubtful(ctx context.Context, isFresh []bool) ([]uncertainty, error) {
	p := l.pass
	found := make([][]uncertainty, len(p.data.blocks)-1)
	add := func(to []uncertainty, doc int) []uncertainty {
		for t := p.data.docs[doc]; t < p.data.docs[doc+1] && !isFresh[doc]; t++ {
			if much := -p.row(int(t))[p.gold[t]]; much > leastDoubt {
				to = append(to, uncertainty{t, much})
			}
		}
		return to
	}
	err := p.data.eachBlock(ctx, p.workers, func(_, block, doc int) { found[block] = add(found[block], doc) })
	tokens := slices.Concat(found...)
	for doc := p.data.tableDocs(); doc < len(isFresh); doc++ {
		tokens = add(tokens, doc)
	}
	least := float32(leastDoubt)
	for len(tokens) > len(p.gold)/fewDoubtful {
		least *= 2
		tokens = slices.DeleteFunc(tokens, func(t uncertainty) bool { return t.much <= least })
	}
	l.faint = least / 4
	return tokens, err
}

// filler fills cells.
type filler struct {
	local  *local
	number []int32 // weight -> its number plus one
	least  float32 // minimum probability of a state

	cells cells
	at    []int32  // place -> cell of the current token, plus one
	found []placed // addends of that token
	ends  []int32  // ends of the items of each of its cells
}

// placed is an addend with its place in a row.
type placed struct {
	addend
	place uint16
}

func (l *local) filler(doc int, number []int32, least float32) *filler {
	return &filler{
		local: l, number: number, least: least, at: make([]int32, l.pass.data.layout.Stride),
		cells: cells{doc: doc, tokens: []int32{0}, start: []int32{0}},
	}
}

// add appends the cells of token t. If only probable states are wanted, it omits a
// token that no weight moves.
func (f *filler) add(t int) {
	p, c := f.local.pass, &f.cells
	first := len(c.places)
	f.open(t)
	f.found = f.found[:0]
	p.data.each(t, func(from, to int32, value float32) {
		if f.number[from] == 0 {
			return // all weights of an attribute move, or none
		}
		for k := from; k < to; k++ {
			if n := f.number[k]; n > 0 && f.at[p.places[p.data.pairs[k]]] > 0 {
				f.found = append(f.found, placed{addend{n - 1, value}, p.places[p.data.pairs[k]]})
			}
		}
	})
	if len(f.found) == 0 && f.least > 0 {
		c.places, c.chance = c.places[:first], c.chance[:first]
		return
	}
	f.ends = append(f.ends[:0], make([]int32, len(c.places)-first)...)
	for _, a := range f.found {
		f.ends[f.at[a.place]-1]++
	}
	end := int32(len(c.items))
	for cell, count := range f.ends {
		f.ends[cell], end = end, end+count
		c.start = append(c.start, end)
	}
	c.items = slices.Grow(c.items, int(end)-len(c.items))[:end]
	for _, a := range f.found {
		cell := f.at[a.place]
		c.items[f.ends[cell-1]] = a.addend
		f.ends[cell-1]++
	}
	c.tokens = append(c.tokens, int32(len(c.places)))
}

// open appends a cell for each state of token t that matters.
func (f *filler) open(t int) {
	p, c := f.local.pass, &f.cells
	first, row := len(c.places), p.row(t)
	clear(f.at)
	for state, place := range p.places {
		chance := row[place]
		if place == p.gold[t] {
			chance++
		}
		if (f.least == 0 || chance > f.least) && !p.data.states.isAbsent(state) {
			c.places, c.chance = append(c.places, place), append(c.chance, chance)
			f.at[place] = int32(len(c.places) - first)
		}
	}
}

// search fills to with the result of the search from w0.
func (l *local) search(ctx context.Context, w0, to []float32) error {
	m := minimizer[float32]{
		evaluate: l.evaluate, memory: localMemory, limit: localSteps, tolerance: localEnough, workers: l.pass.workers,
	}
	step := make([]float32, len(l.weights))
	if _, err := m.minimize(ctx, step); err != nil {
		return err
	}
	copy(to, w0)
	for i, k := range l.weights {
		to[k] += step[i]
	}
	return nil
}

// evaluate is phi and its gradient.
func (l *local) evaluate(ctx context.Context, step, gradient []float32) (float64, error) {
	err := parallel.Do(ctx, l.pass.workers, len(l.parts), func(worker, i int) {
		clear(l.parts[i])
		if i < len(l.fresh) {
			l.values[i] = l.loss(&l.fresh[i], &l.pass.workbench[worker], step, l.parts[i])
		} else {
			l.values[i] = l.others[i-len(l.fresh)].information(step, l.parts[i]) / 2
		}
	})
	if err != nil {
		return 0, err
	}
	kernel.AddScaled(gradient, l.linear, 2*l.c2, step)
	for _, part := range l.parts {
		kernel.Axpy(1, part, gradient)
	}
	return total(l.values) - l.still + kernel.Dot(l.linear, step) + float64(l.c2)*kernel.Dot(step, step), nil
}

// score computes the scores of a new document at w0.
func (l *local) score(c *cells, w0 []float32) {
	stride := l.pass.data.layout.Stride
	c.scores = make([]float32, 0, (len(c.tokens)-1)*stride)
	for t := range len(c.tokens) - 1 {
		c.scores = append(c.scores, l.pass.bias...)
		for cell := c.tokens[t]; cell < c.tokens[t+1]; cell++ {
			for _, a := range c.items[c.start[cell]:c.start[cell+1]] {
				c.scores[t*stride+int(c.places[cell])] += a.value * w0[l.weights[a.weight]]
			}
		}
	}
}

// sum is the change of a cell by a step.
func (c *cells) sum(cell int32, step []float32) float32 {
	sum := float32(0)
	for _, a := range c.items[c.start[cell]:c.start[cell+1]] {
		sum += a.value * step[a.weight]
	}
	return sum
}

// loss is, for a new document after a step, log Z minus the score of the gold path,
// without its transitions. It adds the gradient. It is NaN if numbers leave the chain's
// range.
func (l *local) loss(c *cells, b *workbench[float32], step, gradient []float32) float64 {
	p, stride := l.pass, l.pass.data.layout.Stride
	rows := slices.Clone(c.scores)
	gold, score := p.gold[p.data.docs[c.doc]:], 0.0
	for t := range len(c.tokens) - 1 {
		row := rows[t*stride : (t+1)*stride]
		for cell := c.tokens[t]; cell < c.tokens[t+1]; cell++ {
			row[c.places[cell]] += c.sum(cell, step)
		}
		score += float64(row[gold[t]])
	}
	logZ, ok := b.chain.Run(rows, p.transitions, nil)
	if !ok {
		return math.NaN()
	}
	for t := range len(c.tokens) - 1 {
		rows[t*stride+int(gold[t])]--
		for cell := c.tokens[t]; cell < c.tokens[t+1]; cell++ {
			c.scatter(cell, rows[t*stride+int(c.places[cell])], gradient)
		}
	}
	return logZ - score
}

// information returns the sum of H_t over tokens, and adds half its gradient.
func (c *cells) information(step, gradient []float32) float64 {
	sum, scores := 0.0, []float32(nil)
	for t := range len(c.tokens) - 1 {
		from, to := c.tokens[t], c.tokens[t+1]
		mean := float32(0)
		scores = scores[:0]
		for cell := from; cell < to; cell++ {
			z := c.sum(cell, step)
			scores, mean = append(scores, z), mean+c.chance[cell]*z
		}
		for i, z := range scores {
			cell := from + int32(i)
			r := c.chance[cell] * (z - mean)
			sum += float64(r) * float64(z)
			c.scatter(cell, r, gradient)
		}
	}
	return sum
}

// scatter adds a cell's contribution to a gradient.
func (c *cells) scatter(cell int32, part float32, gradient []float32) {
	for _, a := range c.items[c.start[cell]:c.start[cell+1]] {
		gradient[a.weight] += a.value * part
	}
}
