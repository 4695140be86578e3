// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hide/internal/annotate"
)

// Trainer trains repeatedly on a collection of documents that changes little in
// between, for example during annotation. It keeps the features of the documents and
// the last weights. So only new documents need extraction, and training starts from
// those weights. For one goroutine at a time.
//
// New documents are added to the data of the last training; numbers, tables and its
// last evaluation stay. Everything is numbered again if documents are gone or have
// other labels, if a label is new, or if more than a 40th of the tokens are new since
// then.
//
// It holds words of the documents, about 100 bytes per token, and the last training's
// tables and sums: 200 to 300 bytes per token and 4 bytes per token and state. With a second
// pass it holds twice that.
type Trainer struct {
	Progress func(Iteration) // Options.Progress, may be changed between trainings

	options Options
	asked   Options // before the documents decided about word classes
	gazette *gazetteer
	corpus  *corpus
	single  bool      // it trains once, and need not keep features
	crowd   bool      // many trainings run at the same time
	last    *snapshot // of the last training
	kept    *kept     // of it, nil if the next one must start from scratch
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
	asked := o.withDefaults()
	o = asked.suited(nil)
	t := &Trainer{Progress: o.Progress, options: o, asked: asked, gazette: o.gazetteer()}
	t.begin()
	return t, nil
}

// Train fits a model to docs, all current documents. Its errors are those of the
// function of the same name; after an error the trainer can be used again.
func (t *Trainer) Train(ctx context.Context, views []annotate.View) (*Model, Stats, error) {
	return t.trainOn(ctx, labelledAll(views))
}

func (t *Trainer) trainOn(ctx context.Context, docs []sequence) (*Model, Stats, error) {
	t.suit(docs)
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
	f := fitting{options: o, gazette: t.gazette, first: t.first, took: took, crowd: t.crowd, room: &t.room}
	k, err := t.number(ctx, ready, &f)
	if err != nil {
		return nil, Stats{}, err
	}
	warm := t.last != nil || t.options.warm() // number may have turned t.last into Options.Warm
	f.names, f.cold = t.corpus.collector.names, !warm && t.first == nil
	m, stats, err := t.learn(ctx, &f, k)
	if err != nil {
		return nil, Stats{}, err
	}
	stats.Documents, stats.Tokens = len(docs), len(f.data.gold)
	m.card = cardOf(m, docs, o, warm, stats)
	return m, stats, nil
}

// suit chooses the word classes for the documents. After another choice it starts anew,
// with the weights by name.
func (t *Trainer) suit(docs []sequence) {
	o := t.asked.suited(docs)
	if o.Features != t.options.Features || !slices.Equal(o.Classes, t.options.Classes) {
		t.options.Features, t.options.Classes, t.options.foreign = o.Features, o.Classes, o.foreign
		t.gazette, t.before = o.gazetteer(), nil
		t.renew()
	}
}

// learn trains a model on the numbered documents.
func (t *Trainer) learn(ctx context.Context, f *fitting, k *kept) (*Model, Stats, error) {
	if f.options.Learner == Bayes {
		return f.count(ctx)
	}
	w := make([]float32, f.data.weights())
	if t.last == nil { // in later trainings a person is waiting
		f.tidy(w)
	}
	var err error
	if k != nil {
		f.past, err = k.start(ctx, t.last, w)
	} else {
		f.past, err = t.start(ctx, f.data, w)
	}
	if err != nil {
		return nil, Stats{}, err
	}
	if t.last != nil {
		f.fresh = t.last.fresh(f.docs)
	}
	stats, err := f.fit(ctx, w)
	if err != nil {
		return nil, Stats{}, err
	}
	t.last = &snapshot{f.data.legend(), w, f.past, trainedOn(f.docs)}
	t.options.Warm = nil // that model is not needed again
	if t.keeps() {
		t.kept, f.sorted = k.keep(f, w), t.corpus.inOrder()
	}
	f.tidy(w)
	return f.model(w), stats, nil
}

// keeps reports whether a later training will start from the pass and tables of this
// one.
func (t *Trainer) keeps() bool {
	return !t.single && !t.crowd && t.options.Learner != Bayes && !t.options.Polish && t.options.Sampling.Times == 0
}

// number looks up the documents and fills in the training data: those of the last
// training with the new documents added or, if that is not possible, everything
// numbered again.
func (t *Trainer) number(ctx context.Context, docs []sequence, f *fitting) (*kept, error) {
	seen, err := t.look(ctx, docs)
	if err != nil {
		return nil, err
	}
	docs, seen = repeated(docs, seen)
	k := t.kept
	t.kept = nil // useless if anything below fails
	if k != nil {
		if ok, err := k.grow(ctx, &t.corpus.collector, docs, seen, f); ok || err != nil {
			return k, err
		}
	}
	s := states{labels: labelsOf(docs), free: t.options.AnyTransition}
	if f.data, err = newDataset(ctx, &t.corpus.collector, docs, seen, s, t.options); err != nil {
		return nil, err
	}
	if !t.keeps() {
		f.data.census, f.data.number = nil, nil
	}
	if t.single {
		t.corpus = t.corpus.named()
		return nil, nil
	}
	f.docs, err = s.keptDocs(ctx, docs, seen, t.options.Workers)
	return nil, err
}

// look returns the corpus's data about the documents. It starts a new corpus if most of
// the old one is about documents that are gone.
func (t *Trainer) look(ctx context.Context, docs []sequence) ([]*occurrences, error) {
	seen, err := t.corpus.look(ctx, docs)
	if err != nil || !t.corpus.stale() {
		return seen, err
	}
	t.renew()
	return t.corpus.look(ctx, docs)
}

// renew starts a new corpus. The weights are kept by name.
func (t *Trainer) renew() {
	if t.last != nil {
		f := fitting{data: t.last.data, options: t.options, names: t.corpus.collector.names}
		t.options.Warm = f.model(t.last.w)
	}
	t.begin()
	t.last, t.kept = nil, nil
}

// begin creates an empty corpus.
func (t *Trainer) begin() {
	t.corpus = newCorpus(t.options.Features, t.gazette)
	t.corpus.workers = t.options.Workers
}

// ErrNothing is returned if the training documents contain no token.
var ErrNothing = errors.New("nothing to learn from")

// Train fits a model to labelled documents. Cancelling ctx ends it within 100 ms
// with ctx's error. A panic in a worker comes back as an error that says where.
// The model does not depend on the number of workers.
func Train(ctx context.Context, views []annotate.View, o Options) (*Model, Stats, error) {
	return trainOn(ctx, labelledAll(views), o)
}

func trainOn(ctx context.Context, docs []sequence, o Options) (*Model, Stats, error) {
	t, err := NewTrainer(o)
	if err != nil {
		return nil, Stats{}, err
	}
	t.single = true
	m, stats, err := t.trainOn(ctx, docs)
	if err == nil && o.L1 > 0 && anyLabel(docs) && stats.Weights > 0 && stats.Number == 0 && stats.Status == Converged {
		return nil, stats, fmt.Errorf("a penalty of %g on absolute weights leaves all of them 0: take a smaller one", o.L1)
	}
	return m, stats, err
}

// anyLabel reports whether there is a labelled word: without one all weights stay 0 for
// any penalty.
func anyLabel(docs []sequence) bool {
	return slices.ContainsFunc(docs, func(d sequence) bool {
		return slices.ContainsFunc(d.labels, func(l annotate.Label) bool { return l != "" })
	})
}

// prepared checks the documents' shape, samples their words and folds labels.
func prepared(docs []sequence, o Options) ([]sequence, error) {
	out, tokens := make([]sequence, len(docs)), 0
	docs, err := sampled(docs, o.Sampling)
	if err != nil {
		return nil, err
	}
	for i, d := range docs {
		if o.Binary {
			d = d.folded()
		}
		if len(d.labels) == 0 {
			d.labels, d.begins = nil, nil
		}
		out[i] = d
		for t := range d.words {
			if !d.skips(t) {
				tokens++
			}
		}
	}
	if tokens == 0 {
		return nil, ErrNothing
	}
	if labels := labelsOf(out); len(labels) > MaxLabels {
		return nil, fmt.Errorf("%d labels, at most %d", len(labels), MaxLabels)
	}
	return out, nil
}
