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

// addRows adds the listed numbers of x to into[from:to].
func (b *workbench[F]) addRows(into []F, from, to int, l *kernel.Lists, x []F) {
	if from >= to {
		return
	}
	kernel.AddItems(into[from:to], 1, l, from, to, x, b.sums)
}

// gatherSpread fills in the part of spread attributes.
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

// manyTokens is the number of tokens of short documents that are swept together.
// Starting each separately costs as much as twenty tokens; more rows would not fit in
// the nearest cache.
const manyTokens = 512

// together returns the end of the documents after from that are swept together, at
// least one.
func (d *dataset) together(from, to int) int {
	end := from + 1
	for end < to && d.docs[end+1]-d.docs[from] <= manyTokens {
		end++
	}
	return end
}

// windows are the tokens of the tables that are scored together.
func (d *dataset) windows() []int32 {
	windows := []int32{0}
	for block := range len(d.blocks) - 1 {
		for from, to := d.blocks[block], d.blocks[block+1]; from < to; {
			end := d.together(from, to)
			windows = cut(windows, d.docs[end], tokenPiece)
			from = end
		}
	}
	return windows
}

// windows are the subtotals that are computed together.
func (s *subtotals) windows() []int32 {
	windows := []int32{0}
	for _, end := range s.first[1:] {
		windows = cut(windows, end, bundlePiece)
	}
	return windows
}

// cut appends the ends of pieces, from the last end up to another.
func cut(ends []int32, end int32, piece int) []int32 {
	for from := ends[len(ends)-1]; from < end; {
		from = min(from+int32(piece), end)
		ends = append(ends, from)
	}
	return ends
}

// piece is the i-th range of n in pieces of size; the last one is shorter.
func piece(i, size, n int) (from, to int) { return i * size, min((i+1)*size, n) }

func pieces(size, n int) int { return (n + size - 1) / size }

func total(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum
}

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

// sumWide does the same for wide bundles. scratch has room for as many rows.
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
