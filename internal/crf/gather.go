// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"

	"hide/internal/crf/kernel"
	"hide/internal/parallel"
)

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
		clear(p.narrow[from:to])
		kernel.AddItems(p.narrow[from:to], 1, &p.narrowOfLists, from, to, p.plain, p.workbench[worker].sums)
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
		b.addRows(gradient, valued, spread, &p.termsOfLists, p.sums)
		b.addRows(gradient, from, spread, &p.directOfLists, p.plain)
		b.addRows(gradient, alone, min(to, once), &p.directOfLists, p.plain)
		if once < to {
			kernel.AddSingles(gradient[once:to], &p.directOfLists, once, to, p.plain)
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
	if from < to {
		clear(gradient[from:to])
		kernel.Axpy(F(2*p.c2), w[from:to], gradient[from:to])
	}
}

// addRows adds to the numbers from up to to what their rows name.
func (b *workbench[F]) addRows(into []F, from, to int, l *kernel.Lists, x []F) {
	if from >= to {
		return
	}
	kernel.AddItems(into[from:to], 1, l, from, to, x, b.sums)
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
