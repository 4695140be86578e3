// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"slices"

	"hide/internal/crf/kernel"
	"hide/internal/parallel"
)

// dataset is the training documents as numbers. Tokens are numbered through all
// documents, without those that training skips. An attribute has weights for some of the
// states, its pairs. A bundle with a weight for a state other than O, or with a value
// other than 1, is wide: it adds a whole row to the scores of its tokens. The others are
// narrow and add one number. Wide bundles come first: [0, wide). Most narrow ones are a
// single weight; these are not bundles here but direct.
//
// Attributes with weights for all states are dense: their weights are whole rows, in
// the layout of the sums, after the weights of the sparse ones. Attributes with weights
// for some states, in addition to O or instead of it, are spread unless they are rare.
// A pass writes their weights into rows as well, because adding a whole row is cheaper
// than looking up the place of each weight.
type dataset struct {
	states states
	layout kernel.Layout
	docs   []int32  // first token of each document, and the number of tokens
	gold   []uint16 // state of each token

	wide, narrow table // token -> bundles, each kind numbered from 0
	direct       table // token -> weights for O

	attributes []int32  // the corpus's number of each attribute, by usage
	scaled     int      // number of attributes that are scaled
	shared     int      // scaled or shared
	spreadEnd  int      // or spread
	alone      int      // or alone
	sparse     int      // number of all sparse attributes
	rows       []int32  // attribute a's weights are x[rows[a]:rows[a+1]]
	pairs      []uint16 // the state of each weight; 0 for transitions, noState for padding

	padding int // number of padding weights

	census *census // the statistics behind the choice of attributes
	number []int32 // the output of numberBundles; nil if the dataset will not grow
	late   *late   // nil, or additions after the tables were made

	frozen []bool // of an excerpt: the transitions without a weight

	wideOf, narrowOf table // bundle -> tokens; for wide ones partly -> subtotals
	directOf         table // weight -> tokens

	blocks    []int // ranges of documents that are processed sequentially
	subtotals subtotals

	spreadOf table    // bundle -> spread attributes, numbered from 0
	spreadIn table    // spread attribute -> bundles
	places   []uint16 // places in a row of the weights of spread attributes

	rowsOf    table // bundle -> rows of dense attributes, numbered from 0
	bundlesOf table // row -> bundles

	terms   terms    // bundle -> weights of scaled and shared attributes
	place   []uint16 // parallel to terms.index: the place in the row of a wide bundle
	termsOf terms    // weight -> places in the bundles' sums: rows of the wide ones, then the narrow ones
}

// terms are sums of products: row i is sum_k value[k] * x[index[k]] for k from start[i]
// to start[i+1]. Missing values are 1.
type terms struct {
	start  []int32
	index  []int32
	values []float32
}

func (t *terms) value(k int32) float32 {
	if int(k) < len(t.values) {
		return t.values[k]
	}
	return 1
}

func (d *dataset) weights() int { return int(d.rows[len(d.rows)-1]) }

// spreadAt, aloneAt, onceAt and rowsAt are the start of the weights of the attributes
// that are spread, alone, of a single token, and dense.
func (d *dataset) spreadAt() int { return int(d.rows[d.shared]) }
func (d *dataset) aloneAt() int  { return int(d.rows[d.spreadEnd]) }
func (d *dataset) onceAt() int   { return int(d.rows[d.alone]) }
func (d *dataset) rowsAt() int   { return int(d.rows[d.sparse]) }

// spreadPart is the part of x, which has a number for each weight, that belongs to a
// spread attribute.
func spreadPart[F kernel.Float](d *dataset, a int, x []F) []F {
	return x[d.rows[d.shared+a]:d.rows[d.shared+a+1]]
}

// spreadPlaces are the places of these weights in a row.
func (d *dataset) spreadPlaces(a int) []uint16 {
	first := d.rows[d.shared]
	return d.places[d.rows[d.shared+a]-first : d.rows[d.shared+a+1]-first]
}

// bundles is the number of bundles with weights.
func (d *dataset) bundles() int { return len(d.terms.start) - 1 }

// errTooLarge is for documents that need numbers of more than 32 bits.
var errTooLarge = errors.New("train: the documents are too many for one model: give it a random part of them")

// newDataset numbers everything in docs, whose occurrences are in seen.
func newDataset(ctx context.Context, c *collector, docs []sequence, seen []*occurrences, s states, o Options) (*dataset, error) {
	d := &dataset{states: s, layout: kernel.NewLayout(len(s.labels)), docs: []int32{0}}
	d.layout.Free = s.free
	if !d.fits(c, seen) {
		return nil, errTooLarge
	}
	lines, err := d.line(ctx, docs, seen, o)
	if err != nil {
		return nil, err
	}
	t, err := d.tally(ctx, lines, c.bundles.len(), o.Workers)
	if err != nil {
		return nil, err
	}
	d.choose(c, lines, t, docs, o)
	number, wide, err := d.numberBundles(ctx, c, byFrequency(t.counts), o.Workers)
	if err != nil {
		return nil, err
	}
	d.number = number
	if err := d.split(ctx, lines, number, int32(wide), o.Workers); err != nil {
		return nil, err
	}
	return d, d.invert(ctx, wide, o.Workers)
}

// invert builds the tables from which the gradient is gathered.
func (d *dataset) invert(ctx context.Context, wide, workers int) error {
	inverse := func(to *table, of table, n int) func() error {
		return func() (err error) {
			*to, err = of.inverse(ctx, n, workers)
			return err
		}
	}
	inversions := []func() error{
		func() error {
			if err := inverse(&d.wideOf, d.wide, wide)(); err != nil {
				return err
			}
			return d.subtotal(ctx, workers)
		},
		inverse(&d.directOf, d.direct, d.weights()),
		func() error { d.invertTerms(wide); return ctx.Err() },
		inverse(&d.narrowOf, d.narrow, d.bundles()-wide),
		inverse(&d.spreadIn, d.spreadOf, d.spreadEnd-d.shared),
		inverse(&d.bundlesOf, d.rowsOf, len(d.attributes)-d.sparse),
	}
	errs := make([]error, len(inversions))
	err := parallel.Do(ctx, workers, len(inversions), func(_, i int) { errs[i] = inversions[i]() })
	return errors.Join(append(errs, err)...)
}

// fits reports whether all numbers stay below 2^31.
func (d *dataset) fits(c *collector, seen []*occurrences) bool {
	items := 0
	for _, o := range seen {
		items += len(o.bundles.items)
	}
	stride := d.layout.Stride
	return max(items, c.bundles.len()*stride, len(c.names)*stride, len(c.bundles.items)*stride) < math.MaxInt32
}

// line concatenates the documents, and returns the bundles of the tokens of each. With
// observed pairs only observed states are used, as in CRFsuite.
func (d *dataset) line(ctx context.Context, docs []sequence, seen []*occurrences, o Options) ([]table, error) {
	lines := make([]table, len(docs))
	for i, doc := range docs {
		lines[i] = seen[i].bundles.without(doc.skip)
		d.docs = append(d.docs, d.docs[i]+int32(lines[i].len()))
	}
	d.blocks = blocksOf(d.docs, documentBlocks)
	d.gold = make([]uint16, d.docs[len(docs)])
	err := d.eachBlock(ctx, o.Workers, func(_, _, doc int) {
		copy(d.gold[d.docs[doc]:], d.states.goldLeft(docs[doc]))
	})
	if o.Pairs == Observed && o.Learner != Bayes {
		d.states.absent = d.states.unseen(d.gold)
	}
	return lines, err
}

// tally counts the tokens of each bundle, and records the states it was seen with.
type tally struct {
	counts []int32
	with   stateSets
}

func (d *dataset) tally(ctx context.Context, lines []table, bundles, workers int) (tally, error) {
	parts := make([]tally, max(workers, 1))
	err := d.eachBlock(ctx, workers, func(worker, _, doc int) {
		part := &parts[worker]
		if part.counts == nil {
			*part = tally{make([]int32, bundles), newStateSets(bundles, d.states.count())}
		}
		for i, state := range d.gold[d.docs[doc]:d.docs[doc+1]] {
			for _, b := range lines[doc].row(i) {
				part.counts[b]++
				part.with.add(int(b), int(state))
			}
		}
	})
	all := tally{make([]int32, bundles), newStateSets(bundles, d.states.count())}
	for _, part := range parts {
		for b, n := range part.counts {
			all.counts[b] += n
		}
		for i, set := range part.with.bits {
			all.with.bits[i] |= set
		}
	}
	return all, err
}

// eachBlock processes the documents of each block in order, one worker per block.
func (d *dataset) eachBlock(ctx context.Context, workers int, do func(worker, block, doc int)) error {
	return parallel.Do(ctx, workers, len(d.blocks)-1, func(worker, block int) {
		for doc := d.blocks[block]; doc < d.blocks[block+1]; doc++ {
			do(worker, block, doc)
		}
	})
}

// numberBundles numbers the bundles that have an attribute with weights, wide ones
// first, in the given order. A direct one gets the number of its weight, from [direct]
// downwards; bundles without weights get nowhere. It returns the numbers and the number
// of wide bundles.
func (d *dataset) numberBundles(ctx context.Context, c *collector, order []int32, workers int) (number []int32, wide int, err error) {
	attribute := make([]int32, len(c.names))
	for i := range attribute {
		attribute[i] = -1
	}
	for a, old := range d.attributes {
		attribute[old] = int32(a)
	}
	number = make([]int32, c.bundles.len())
	widths := make([]width, len(number))
	terms := make([]int, pieces(bundlePiece, len(number)))
	err = parallel.Do(ctx, workers, len(terms), func(_, i int) {
		from, to := piece(i, bundlePiece, len(number))
		for b := from; b < to; b++ {
			w, k := d.widthOf(c, b, attribute)
			number[b], widths[b] = nowhere, w
			if w == isDirect {
				number[b] = direct - k
			}
			terms[i] += d.termsIn(c, b, attribute)
		}
	})
	if err != nil {
		return nil, 0, err
	}
	d.reserve(terms)
	for _, pass := range []width{isValued, isWide, isNarrow} {
		for _, b := range order {
			if widths[b] == pass {
				number[b] = int32(d.bundles())
				d.addTerms(c, int(b), attribute, pass == isValued)
			}
		}
		if pass == isWide {
			wide = d.bundles()
		}
	}
	return number, wide, nil
}

// byFrequency orders the bundles by the logarithm of their number of tokens, most
// frequent first. So the rows added most often are close together and stay in the
// caches. Bundles of one word mostly stay together, too.
func byFrequency(counts []int32) []int32 {
	sizes := [33]int32{}
	for _, count := range counts {
		sizes[32-bits.Len32(uint32(count))]++
	}
	next := int32(0)
	for i, size := range sizes {
		sizes[i], next = next, next+size
	}
	order := make([]int32, len(counts))
	for b, count := range counts {
		i := 32 - bits.Len32(uint32(count))
		order[sizes[i]] = int32(b)
		sizes[i]++
	}
	return order
}

// termsIn is the maximum number of terms of a bundle.
func (d *dataset) termsIn(c *collector, b int, attribute []int32) int {
	terms := int32(0)
	for _, old := range c.bundles.row(b) {
		if a := attribute[old]; a >= 0 && a < int32(d.shared) {
			terms += d.rows[a+1] - d.rows[a]
		}
	}
	return int(terms)
}

// reserve allocates the terms at once: growing them would need as much memory again.
func (d *dataset) reserve(terms []int) {
	sum := 0
	for _, n := range terms {
		sum += n
	}
	d.terms.start, d.rowsOf, d.spreadOf = append(d.terms.start, 0), newTable(0, 0), newTable(0, 0)
	d.terms.index, d.place = make([]int32, 0, sum), make([]uint16, 0, sum)
}

// Special results of number.
const (
	nowhere = -1
	direct  = -2
)

type width uint8

const (
	isEmpty width = iota
	isDirect
	isNarrow
	isWide
	isValued // wide, with values that are not all 1
)

// widthOf classifies a bundle; for a direct one it returns the weight. With minimal rows
// a narrow bundle saves nothing.
func (d *dataset) widthOf(c *collector, b int, attribute []int32) (w width, weight int32) {
	for i := c.bundles.start[b]; i < c.bundles.start[b+1]; i++ {
		a := attribute[c.bundles.items[i]]
		if a < 0 {
			continue
		}
		switch k := d.rows[a]; {
		case c.values[i] != 1:
			return isValued, 0
		case w == isWide || d.rows[a+1] > k+1 || d.pairs[k] != 0:
			w = isWide
		case w == isEmpty:
			w, weight = isDirect, k
		default:
			w = isNarrow
		}
	}
	if w == isNarrow && d.layout.Stride == shortRow {
		w = isWide
	}
	return w, weight
}

const shortRow = 4

func (d *dataset) addTerms(c *collector, b int, attribute []int32, valued bool) {
	for i := c.bundles.start[b]; i < c.bundles.start[b+1]; i++ {
		a := attribute[c.bundles.items[i]]
		if a < 0 {
			continue
		}
		if row := int(a) - d.sparse; row >= 0 {
			d.rowsOf.items = append(d.rowsOf.items, int32(row))
			continue
		}
		if row := int(a) - d.shared; row >= 0 && int(a) < d.spreadEnd {
			d.spreadOf.items = append(d.spreadOf.items, int32(row))
			continue
		}
		for k := d.rows[a]; k < d.rows[a+1]; k++ {
			d.terms.index = append(d.terms.index, k)
			if valued {
				d.terms.values = append(d.terms.values, c.values[i])
			}
			d.place = append(d.place, uint16(d.layout.Place(int(d.pairs[k]))))
		}
	}
	d.terms.start = append(d.terms.start, int32(len(d.terms.index)))
	d.rowsOf.end()
	d.spreadOf.end()
}

// split gives each token its bundles of each kind by their new numbers.
func (d *dataset) split(ctx context.Context, lines []table, number []int32, wide int32, workers int) error {
	ends := make([][kinds]int32, len(d.blocks)) // by block: first the number of items, then their end
	err := d.eachBlock(ctx, workers, func(_, block, doc int) {
		for _, b := range lines[doc].items {
			if kind := classOfBundle(number[b], wide); kind < kinds {
				ends[block+1][kind]++
			}
		}
	})
	if err != nil {
		return err
	}
	for i := range len(ends) - 1 {
		for kind, before := range ends[i] {
			ends[i+1][kind] += before
		}
	}
	into := [kinds]*table{&d.wide, &d.narrow, &d.direct}
	for kind, n := range ends[len(ends)-1] {
		*into[kind] = table{make([]int32, len(d.gold)+1), make([]int32, n)}
	}
	shift := [kinds]int32{0, wide, 0}
	return d.eachBlock(ctx, workers, func(_, block, doc int) {
		at := ends[block]
		for i := range lines[doc].len() {
			for _, b := range lines[doc].row(i) {
				p := number[b]
				if kind := classOfBundle(p, wide); kind < kinds {
					into[kind].items[at[kind]] = max(p, direct-p) - shift[kind]
					at[kind]++
				}
			}
			for kind, t := range into {
				t.start[int(d.docs[doc])+i+1] = at[kind]
			}
		}
		ends[block] = at
	})
}

// The kinds of bundles that a token can have.
const (
	ofWide = iota
	ofNarrow
	ofDirect
	kinds
)

// classOfBundle returns the kind of a bundle by its number; kinds means none.
func classOfBundle(number, wide int32) int {
	switch {
	case number >= wide:
		return ofNarrow
	case number >= 0:
		return ofWide
	case number <= direct:
		return ofDirect
	}
	return kinds
}

// invertTerms lists for each weight its places in the bundles' sums.
func (d *dataset) invertTerms(wide int) {
	t := terms{start: make([]int32, d.weights()+1), index: make([]int32, len(d.terms.index))}
	for _, k := range d.terms.index {
		t.start[k+1]++
	}
	for k := range d.weights() {
		t.start[k+1] += t.start[k]
	}
	t.values = make([]float32, t.start[d.rows[d.scaled]])
	fill := slices.Clone(t.start)
	for b := range d.bundles() {
		row := b * d.layout.Stride
		if b >= wide {
			row = wide*d.layout.Stride + b - wide
		}
		for i := d.terms.start[b]; i < d.terms.start[b+1]; i++ {
			k := d.terms.index[i]
			at := row
			if b < wide {
				at += int(d.place[i])
			}
			t.index[fill[k]] = int32(at)
			if int(fill[k]) < len(t.values) {
				t.values[fill[k]] = d.terms.value(i)
			}
			fill[k]++
		}
	}
	d.termsOf = t
}
