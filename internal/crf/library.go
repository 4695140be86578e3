// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"hide/internal/annotate"
)

// Library trains and tags repeatedly on the same or nearly the same documents: in the
// folds of a cross-fit, and when a few more words are redacted. It keeps their features,
// so that only new documents need extraction. Its results are bit for bit those of
// [Train] and the methods of [Model]: nothing depends on earlier calls. It is safe for
// concurrent use.
//
// It holds words of the documents, about 100 bytes per token.
type Library struct {
	options Options

	mu      sync.Mutex // guards what follows
	suited  Options    // of the last training
	gazette *gazetteer
	corpus  *corpus
	groups  []int32            // bundle -> the first bundle made for the same word
	models  map[*Model][]int32 // the models trained last: attribute -> its row in the model, plus one
	order   []*Model           // the same models, the oldest first
}

// Limits of what is kept.
const (
	shelved  = 16 // a document unused for this many rounds is dropped
	tracked  = 12 // models whose attribute numbers are kept for tagging
	sediment = 4  // everything is dropped if the corpus is this many times larger than a training needs
)

// NewLibrary returns an empty library for trainings with these options.
func NewLibrary(o Options) (*Library, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	l := &Library{options: o}
	l.suit(o.withDefaults().suited(nil))
	return l, nil
}

// suit drops everything if other word classes are used than before.
func (l *Library) suit(o Options) {
	if l.corpus == nil || o.Features != l.suited.Features || !slices.Equal(o.Classes, l.suited.Classes) {
		l.suited, l.gazette = o, o.gazetteer()
		l.renew()
	}
}

func (l *Library) renew() {
	l.corpus, l.groups, l.models, l.order = newCorpus(l.suited.Features, l.gazette), nil, map[*Model][]int32{}, nil
	l.corpus.extract.together = l.together
}

// Close drops all documents. The library remains usable.
func (l *Library) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renew()
}

// together records which bundles were made for one word.
func (l *Library) together(bundles []int32) {
	first := int32(-1)
	for _, b := range bundles {
		if b < 0 {
			continue
		}
		if first < 0 {
			first = b
		}
		l.ownGroup(b)
		l.groups[b] = first
	}
}

// ownGroup puts each new bundle up to b into a group of its own.
func (l *Library) ownGroup(b int32) {
	for len(l.groups) <= int(b) {
		l.groups = append(l.groups, int32(len(l.groups)))
	}
}

// Train is the package's Train with the library's options. Of a second pass it keeps
// nothing.
func (l *Library) Train(ctx context.Context, views []annotate.View) (*Model, Stats, error) {
	docs := labelledAll(views)
	if l.options.withDefaults().Features&Consistency != 0 {
		return trainOn(ctx, docs, l.options)
	}
	o := l.options.withDefaults().suited(docs)
	t, err := NewTrainer(o)
	if err != nil {
		return nil, Stats{}, err
	}
	t.single, t.crowd = true, true
	if t.corpus, err = l.part(ctx, docs, o); err != nil {
		return nil, Stats{}, err
	}
	m, stats, err := t.trainOn(ctx, docs)
	if err == nil {
		l.track(m)
	}
	return m, stats, err
}

// part is a corpus of some documents, numbered as if there were no others, because
// numbers determine the order of sums.
func (l *Library) part(ctx context.Context, docs []sequence, o Options) (*corpus, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.suit(o)
	seen, err := l.recall(ctx, docs)
	if err != nil {
		return nil, err
	}
	p := &corpus{documents: make(map[fingerprint]*occurrences, len(docs))}
	r := newRenumbering(&l.corpus.collector, l.groups, &p.collector)
	for i, d := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.documents[d.fingerprint()] = r.occurrences(seen[i])
	}
	if len(l.corpus.collector.bundles.items) > sediment*len(p.collector.bundles.items)+1<<20 {
		l.renew()
	}
	return p, nil
}

// recall is the corpus's method, for callers that hold mu.
func (l *Library) recall(ctx context.Context, docs []sequence) ([]*occurrences, error) {
	seen, err := l.corpus.recall(ctx, docs)
	l.corpus.dropUnusedSince(l.corpus.round - shelved)
	l.ownGroup(int32(l.corpus.collector.bundles.len()) - 1)
	return seen, err
}

// track records the numbers of a model's attributes.
func (l *Library) track(m *Model) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := &l.corpus.collector
	rows := make([]int32, len(c.names))
	for a := range m.attrs.Len() {
		id, known := c.ids[m.attrs.At(a)]
		if !known {
			return // trained before everything was dropped
		}
		rows[id] = int32(a) + 1
	}
	if l.models[m], l.order = rows, append(l.order, m); len(l.order) > tracked {
		delete(l.models, l.order[0])
		l.order = slices.Clone(l.order[1:])
	}
}

// Label returns, for each document, the result of [Model.Sensitive], and which tokens are
// in spans of the most probable path.
func (l *Library) Label(ctx context.Context, m *Model, views []annotate.View) (p [][]float64, inside [][]bool, err error) {
	docs := make([]sequence, len(views))
	for i, v := range views {
		docs[i] = unlabelled(v)
	}
	p, inside = make([][]float64, len(docs)), make([][]bool, len(docs))
	r, err := l.reader(ctx, m, docs)
	if err != nil {
		return nil, nil, err
	}
	for i, d := range docs {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		p[i], inside[i] = make([]float64, len(d.words)), make([]bool, len(d.words))
		say := func(t *tagger) { t.label(p[i], inside[i]) }
		switch {
		case len(d.words) == 0:
		case r == nil:
			m.with(d, say)
		default:
			r.read(r.seen[i])
			say(r.tagger)
		}
	}
	return p, inside, nil
}

// label fills in the results for the scores in rows.
func (t *tagger) label(p []float64, inside []bool) {
	for i, state := range t.path() {
		inside[i] = state != 0
	}
	t.marginal()
	l := t.exact.l
	for i := range p {
		p[i] = min(total(t.psi[i*l+1:(i+1)*l]), 1)
	}
}

// numbered tags by the library's numbers instead of names.
type numbered struct {
	*tagger
	seen    []*occurrences
	rows    []int32 // attribute -> row of the model, plus one
	bundles table
	values  []float32
	known   []int32 // bundles of the current token that the model knows
	sumOf   []int32 // bundle -> its sum, plus one; 0 if not computed, -1 if there is none
}

// reader is nil for a model without recorded numbers.
func (l *Library) reader(ctx context.Context, m *Model, docs []sequence) (*numbered, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rows := l.models[m]
	if rows == nil {
		return nil, nil
	}
	seen, err := l.recall(ctx, docs)
	if err != nil {
		return nil, err
	}
	// Existing data stay in place while others add to them.
	c := &l.corpus.collector
	return &numbered{tagger: m.bench(), seen: seen, rows: rows, bundles: c.bundles, values: c.values, sumOf: make([]int32, c.bundles.len())}, nil
}

// read fills rows with the scores of a document.
func (r *numbered) read(d *occurrences) {
	r.sums.begin()
	for i := range d.bundles.len() {
		r.known = r.known[:0]
		for _, b := range d.bundles.row(i) {
			if r.sumOf[b] == 0 {
				r.sumOf[b] = r.bundle(b) + 1
			}
			if r.sumOf[b] > 0 {
				r.known = append(r.known, r.sumOf[b]-1)
			}
		}
		r.sums.token(r.known)
	}
	r.sum(d.bundles.len())
}

// bundle sums the weights of a bundle; -2 if the model has none of its attributes.
func (r *numbered) bundle(b int32) int32 {
	known := false
	clear(r.row)
	for k := r.bundles.start[b]; k < r.bundles.start[b+1]; k++ {
		a := r.bundles.items[k]
		if int(a) < len(r.rows) && r.rows[a] > 0 {
			known = true
			r.addWeights(r.rows[a]-1, r.values[k])
		}
	}
	if sum := r.sums.add(r.row); known && sum >= 0 {
		return sum
	}
	return -2
}

// addWeights adds the weights of an attribute of the model to the row of a bundle.
func (r *numbered) addWeights(a int32, value float32) {
	m := r.model
	if m.bayes != nil {
		m.bayes.add(r.row, r.layout, value)
	}
	for k := m.rows[a]; k < m.rows[a+1]; k++ {
		r.row[r.layout.Place(int(m.pairs[k]))] += value * m.weights[k]
	}
}

// renumbering gives bundles and attributes the numbers that they would have if only
// these documents existed, in this order. All bundles of a word are numbered together,
// an attribute with its first bundle.
type renumbering struct {
	from, to            *collector
	groups              []int32
	bundles, attributes []int32 // old number -> new one, plus one
}

func newRenumbering(from *collector, groups []int32, to *collector) *renumbering {
	to.bundles = newTable(0, 0)
	return &renumbering{from, to, groups, make([]int32, from.bundles.len()), make([]int32, len(from.names))}
}

func (r *renumbering) occurrences(o *occurrences) *occurrences {
	items := make([]int32, len(o.bundles.items))
	for i, b := range o.bundles.items {
		if r.bundles[b] == 0 {
			r.addGroup(r.groups[b])
		}
		items[i] = r.bundles[b] - 1
	}
	return &occurrences{bundles: table{o.bundles.start, items}}
}

func (r *renumbering) addGroup(first int32) {
	for b := first; int(b) < len(r.groups) && r.groups[b] == first; b++ {
		for k := r.from.bundles.start[b]; k < r.from.bundles.start[b+1]; k++ {
			r.to.bundles.items = append(r.to.bundles.items, r.attribute(r.from.bundles.items[k]))
			r.to.values = append(r.to.values, r.from.values[k])
		}
		r.to.bundles.end()
		r.bundles[b] = int32(r.to.bundles.len())
	}
}

func (r *renumbering) attribute(a int32) int32 {
	if r.attributes[a] == 0 {
		r.to.names = append(r.to.names, r.from.names[a])
		r.attributes[a] = int32(len(r.to.names))
	}
	return r.attributes[a] - 1
}
