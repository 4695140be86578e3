// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"fmt"
)

// Trainer trains on a collection of documents that changes little from one time
// to the next, as while somebody annotates. It keeps the features of the documents
// it has seen and the weights it ended with: only what is new costs extraction,
// and the weights start where they were. For one goroutine at a time.
//
// It holds words of the documents, about 100 bytes per token, and the memory of the
// last training's sums: 4 bytes per token and state. With a second pass it holds twice
// that.
type Trainer struct {
	Progress func(Iteration) // Options.Progress, may be set anew between trainings

	options Options
	gazette *gazetteer
	corpus  *corpus
	single  bool      // it trains once, and need not remember features for the next time
	crowd   bool      // it is one of many at the same time
	last    *snapshot // of the last training
	first   *Model    // of the last training, nil without a second pass
	before  *Trainer  // of the first pass, nil until there is one
	room    room[float32]
}

// NewTrainer returns a trainer without documents. Options.Warm is where the first
// training starts from.
func NewTrainer(o Options) (*Trainer, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	o = o.withDefaults()
	t := &Trainer{Progress: o.Progress, options: o, gazette: o.gazetteer()}
	t.begin()
	return t, nil
}

// Train fits a model to docs, all that there are now. The errors are those of the
// function of the same name; after one the trainer can be used again.
func (t *Trainer) Train(ctx context.Context, docs []Doc) (*Model, Stats, error) {
	o := t.options
	o.Progress = t.Progress
	took := o.Stopwatch()
	if o.Features&Consistency != 0 {
		var err error
		if t.first, docs, err = t.firstPass(ctx, docs); err != nil {
			return nil, Stats{}, err
		}
	}
	ready, err := prepared(docs, o)
	if err != nil {
		return nil, Stats{}, fmt.Errorf("train: %w", err)
	}
	d, seen, err := t.dataset(ctx, ready)
	if err != nil {
		return nil, Stats{}, err
	}
	if t.single {
		t.corpus, seen = t.corpus.named(), nil
	}
	warm := t.last != nil || o.warm()
	f := fitting{data: d, options: o, names: t.corpus.collector.names, gazette: t.gazette, first: t.first, took: took, seen: seen, cold: !warm && t.first == nil, crowd: t.crowd, room: &t.room}
	m, stats, err := t.learn(ctx, &f)
	if err != nil {
		return nil, Stats{}, err
	}
	stats.Documents, stats.Tokens = len(docs), len(d.gold)
	m.card = cardOf(m, docs, o, warm, stats)
	return m, stats, nil
}

// learn makes a model of what the documents have become.
func (t *Trainer) learn(ctx context.Context, f *fitting) (*Model, Stats, error) {
	if f.options.Learner == Bayes {
		return f.count(ctx)
	}
	w := make([]float32, f.data.weights())
	if t.last == nil { // for another training somebody waits
		f.tidy(w)
	}
	var err error
	if f.past, err = t.start(ctx, f.data, w); err != nil {
		return nil, Stats{}, err
	}
	if t.last != nil {
		f.fresh = t.last.fresh(f.data, f.seen)
	}
	stats, err := f.fit(ctx, w)
	if err != nil {
		return nil, Stats{}, err
	}
	t.last = &snapshot{f.data.legend(), w, f.past, f.data.learnt(f.seen)}
	f.tidy(w)
	return f.model(w), stats, nil
}

// dataset looks at the documents, in a new corpus when most of the old one is
// about documents that are gone.
func (t *Trainer) dataset(ctx context.Context, docs []Doc) (*dataset, []*occurrences, error) {
	seen, err := t.corpus.look(ctx, docs)
	if err != nil {
		return nil, nil, err
	}
	if t.corpus.stale() {
		t.renew()
		if seen, err = t.corpus.look(ctx, docs); err != nil {
			return nil, nil, err
		}
	}
	s := states{labels: labelsOf(docs), free: t.options.AnyTransition}
	d, err := newDataset(ctx, &t.corpus.collector, docs, seen, s, t.options)
	return d, seen, err
}

// renew begins a new corpus. The weights go on by their names.
func (t *Trainer) renew() {
	if t.last != nil {
		f := fitting{data: t.last.data, options: t.options, names: t.corpus.collector.names}
		t.options.Warm = f.model(t.last.w)
	}
	t.begin()
	t.last = nil
}

// begin makes an empty corpus.
func (t *Trainer) begin() {
	t.corpus = newCorpus(t.options.Features, t.gazette)
	t.corpus.workers = t.options.Workers
}
