// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"

	"hide/internal/crf/kernel"
	"hide/internal/parallel"
)

// late holds the additions to a dataset after its tables were made: documents, and
// weights of attributes that are new, or newly seen with a state, or newly frequent. The
// tables do not change. The weights of an attribute are then in several entries: one in
// the tables, and late ones, numbered from 0 here.
type late struct {
	first          int   // the first late entry in attributes
	again          int   // late entries of attributes that had others
	docs           int   // of the tables,
	tokens         int   // and their tokens
	wide, wideIn   table // wide bundle -> late entries, and the inverse
	token, tokenIn table // token -> late entries not already in its wide bundles, and the inverse
	own            terms // late token -> entries
}

// attributesNumber is the number of attributes.
func (d *dataset) attributesNumber() int {
	if d.late != nil {
		return len(d.attributes) - d.late.again
	}
	return len(d.attributes)
}

// tableWeights is the number of weights in the tables.
func (d *dataset) tableWeights() int {
	if d.late != nil {
		return int(d.rows[d.late.first])
	}
	return d.weights()
}

// tokens is the number of tokens in the tables.
func (d *dataset) tokens() int {
	if d.late != nil {
		return d.late.tokens
	}
	return len(d.gold)
}

// tableDocs is the number of documents in the tables.
func (d *dataset) tableDocs() int { return d.blocks[len(d.blocks)-1] }

// each yields the weights of t, a token outside the tables.
func (l *late) each(d *dataset, t int, yield func(from, to int32, value float32)) {
	t -= l.tokens
	for i := l.own.start[t]; i < l.own.start[t+1]; i++ {
		entry := l.own.index[i]
		yield(d.rows[entry], d.rows[entry+1], l.own.values[i])
	}
}

// others yields the late weights of a token in the tables.
func (l *late) others(d *dataset, t int, yield func(from, to int32, value float32)) {
	late := func(entries []int32) {
		for _, entry := range entries {
			yield(d.rows[l.first+int(entry)], d.rows[l.first+int(entry)+1], 1)
		}
	}
	for _, b := range d.wide.row(t) {
		late(l.wide.row(int(b)))
	}
	late(l.token.row(t))
}

// row returns the scores of token t, or its residuals.
func (p *pass[F]) row(t int) []F { return p.rowsOf(t, t+1) }

// rowsOf returns the rows of the tokens from up to to: all in the tables, or none.
func (p *pass[F]) rowsOf(from, to int) []F {
	rows, stride := p.residual, p.data.layout.Stride
	if n := p.data.tokens(); from >= n {
		rows, from, to = p.lateRows, from-n, to-n
	}
	return rows[from*stride : to*stride]
}

// addLateSums adds late weights to the sums of wide bundles.
func (p *pass[F]) addLateSums(from, to int, w []F) {
	d := p.data
	for b := from; b < to; b++ {
		for _, entry := range d.late.wide.row(b) {
			p.addSpan(p.wide[b*d.layout.Stride:], d.late.first+int(entry), 1, w)
		}
	}
}

// addSpan adds the weights of an entry, times value, to a row.
func (p *pass[F]) addSpan(row []F, entry int, value F, w []F) {
	d := p.data
	from, to := d.rows[entry], d.rows[entry+1]
	weights := w[from:to]
	for i, state := range d.pairs[from:to] {
		if state != noState {
			row[p.places[state]] += value * weights[i]
		}
	}
}

// scoreLate sums the late weights of tokens in the tables, or all the weights of others.
func (p *pass[F]) scoreLate(from, to int, rows []F) {
	l, stride := p.data.late, p.data.layout.Stride
	for t := from; t < to; t++ {
		row := rows[(t-from)*stride:]
		if t < l.tokens {
			for _, entry := range l.token.row(t) {
				p.addSpan(row, l.first+int(entry), 1, p.w)
			}
			continue
		}
		copy(row, p.bias)
		for i := l.own.start[t-l.tokens]; i < l.own.start[t-l.tokens+1]; i++ {
			p.addSpan(row, int(l.own.index[i]), F(l.own.values[i]), p.w)
		}
	}
}

// gatherLate fills in the late weights' part of the gradient for tokens in the tables,
// and adds the late documents' part to all of it.
func (p *pass[F]) gatherLate(ctx context.Context, w, gradient []F) error {
	l := p.data.late
	if l == nil {
		return nil
	}
	if err := p.gatherEntries(ctx, w, gradient); err != nil {
		return err
	}
	return p.scatterLate(ctx, l.docs, len(p.data.docs)-1, gradient, 0)
}

// entryPiece is how many late entries a worker claims.
const entryPiece = 64

func (p *pass[F]) gatherEntries(ctx context.Context, w, gradient []F) error {
	d, l, stride := p.data, p.data.late, p.data.layout.Stride
	n := l.wideIn.len()
	return parallel.Do(ctx, p.workers, pieces(entryPiece, n), func(_, i int) {
		sums := make([]float64, stride)
		from, to := piece(i, entryPiece, n)
		for entry := from; entry < to; entry++ {
			clear(sums)
			addRows(sums, p.wide, l.wideIn.row(entry))
			addRows(sums, p.residual, l.tokenIn.row(entry))
			for k := d.rows[l.first+entry]; k < d.rows[l.first+entry+1]; k++ {
				gradient[k] = F(sums[p.places[d.pairs[k]]]) + F(2*p.c2)*w[k]
			}
		}
	})
}

// addRows adds the listed rows.
func addRows[F kernel.Float](sums []float64, rows []F, list []int32) {
	for _, item := range list {
		for i, v := range rows[int(item)*len(sums) : (int(item)+1)*len(sums)] {
			sums[i] += float64(v)
		}
	}
}

// scatterLate adds the residuals of some late documents to the gradient of the weights
// from least on.
func (p *pass[F]) scatterLate(ctx context.Context, doc, end int, gradient []F, least int) error {
	d, l := p.data, p.data.late
	for t := int(d.docs[doc]); t < int(d.docs[end]); t++ {
		if t%weightPiece == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row := p.row(t)
		for i := l.own.start[t-l.tokens]; i < l.own.start[t-l.tokens+1]; i++ {
			entry, value := l.own.index[i], F(l.own.values[i])
			from, to := d.rows[entry], d.rows[entry+1]
			if int(from) < least {
				continue
			}
			into := gradient[from:to]
			for i, state := range d.pairs[from:to] {
				if state != noState {
					into[i] += value * row[p.places[state]]
				}
			}
		}
	}
	return nil
}

// extend makes room for new documents, states and transitions. It reports whether p's
// last evaluation is still valid.
func (p *pass[F]) extend(o Options) (same bool) {
	d := p.data
	for _, state := range d.gold[len(p.gold):] {
		p.gold = append(p.gold, p.places[state])
	}
	p.lateRows = append(p.lateRows, make([]F, (len(d.gold)-d.late.tokens)*d.layout.Stride-len(p.lateRows))...)
	for len(p.losses) < p.blocks() {
		p.losses, p.expected = append(p.losses, 0), append(p.expected, kernel.NewCounts(d.layout))
	}
	before := p.frozen
	p.connect(o)
	for arc, frozen := range p.frozen {
		if before[arc] && !frozen {
			return false
		}
	}
	return true
}

// blocks is the number of parts of a sweep: those of the tables, and one for each late
// document.
func (p *pass[F]) blocks() int {
	n := len(p.data.blocks) - 1
	if l := p.data.late; l != nil {
		n += len(p.data.docs) - 1 - l.docs
	}
	return n
}

// block returns the documents of a part of a sweep, and whether they are in the tables.
func (d *dataset) block(i int) (from, to int, known bool) {
	if n := len(d.blocks) - 1; i >= n {
		doc := d.late.docs + i - n
		return doc, doc + 1, false
	}
	return d.blocks[i], d.blocks[i+1], true
}

// revise evaluates the contribution of documents from doc on to the previous evaluation.
// w has its weights, with zeros for new ones, and gradient begins with its gradient.
func (p *pass[F]) revise(ctx context.Context, doc int, w, gradient []F) (float64, error) {
	d := p.data
	p.setTransitions(w)
	p.w, p.gradient = w, gradient
	first := len(d.blocks) - 1 + doc - d.late.docs
	err := parallel.Do(ctx, p.workers, p.blocks()-first, func(worker, i int) {
		p.block(ctx, &p.workbench[worker], first+i)
	})
	if err != nil {
		return 0, err
	}
	if err := p.gatherEntries(ctx, w, gradient); err != nil {
		return 0, err
	}
	if err := p.scatterLate(ctx, d.late.docs, doc, gradient, d.tableWeights()); err != nil {
		return 0, err
	}
	if err := p.scatterLate(ctx, doc, len(d.docs)-1, gradient, 0); err != nil {
		return 0, err
	}
	p.transitionGradient(w, gradient)
	return p.value(w), nil
}
