// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"

	"hide/internal/crf/kernel"
	"hide/internal/parallel"
)

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
		return kernel.SumItems(t.index[start:end], x)
	}
	sum, values := 0.0, t.values[start:end]
	for j, k := range t.index[start:end] {
		sum += float64(values[j]) * float64(x[k])
	}
	return sum
}
