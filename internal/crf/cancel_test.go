// SPDX-License-Identifier: Apache-2.0

package crf

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"hide/internal/crf/kernel"
)

// countdown is a context that is cancelled after a number of calls of Err, and goes on
// counting them.
type countdown struct {
	context.Context
	asked, most atomic.Int64
}

func newCountdown(t *testing.T, most int64) *countdown {
	c := &countdown{Context: t.Context()}
	c.most.Store(most)
	return c
}

func (c *countdown) Err() error {
	if c.asked.Add(1) > c.most.Load() {
		return context.Canceled
	}
	return nil
}

// longDoc is one document of at least words words.
func longDoc(words int) sequence {
	docs, _ := notes(3, 200)
	var long sequence
	for i := 0; len(long.words) < words; i++ {
		d := manyLabels(docs[i%len(docs) : i%len(docs)+1])[0]
		long.words, long.labels = append(long.words, d.words...), append(long.labels, d.labels...)
	}
	return long
}

func TestCancelEndsTrainingInsideADocument(t *testing.T) {
	const words = 6000
	docs := []sequence{longDoc(words)}
	for _, o := range []Options{
		{Features: HIDE, Pairs: Observed, AnyTransition: true, MaxIterations: 2, Workers: 1},
		{MaxIterations: 2, Workers: 2},
	} {
		all := newCountdown(t, math.MaxInt64)
		if _, stats, err := Train(all, views(docs), o); err != nil || all.asked.Load() < int64(stats.Evaluations*words/100) {
			t.Fatalf("asked %d times in %d evaluations of %d words, error %v", all.asked.Load(), stats.Evaluations, words, err)
		}
		for part := range int64(6) {
			ctx := newCountdown(t, part*all.asked.Load()/6)
			_, _, err := Train(ctx, views(docs), o)
			if late := ctx.asked.Load() - ctx.most.Load(); !errors.Is(err, context.Canceled) || late > 50 {
				t.Errorf("after cancel in part %d it checked the context %d more times, error %v", part, late, err)
			}
		}
	}
}

func TestCancelEndsExactSumsInsideADocument(t *testing.T) {
	const words = 1000
	docs := []sequence{longDoc(words)}
	d := datasetOf(t, docs, Options{MinCount: 1, MinDocuments: 1})
	p := newPass[float32](d, Options{C2: 1}.withDefaults())
	done := 0
	p.workbench[0].until(func() bool { done++; return done > words })
	rows := make([]float32, len(d.gold)*d.layout.Stride)
	p.carefully(&p.workbench[0], rows, kernel.NewCounts(d.layout))
	if done < words || done > words+2 {
		t.Errorf("context checked %d times before %d words were processed twice", done, words)
	}
}

func TestCancelEndsExtractionInsideADocument(t *testing.T) {
	doc := longDoc(10 * restTokens)
	for _, most := range []int{0, 5, 12, 15, 24} {
		c := newCorpus(Default, nil)
		asked, tokens := 0, 0
		c.extract.stopped = func() bool { asked++; return asked > most }
		c.extract.extract(doc, func(int, []int32) { tokens++ })
		if tokens > most*restTokens || tokens == len(doc.words) {
			t.Errorf("%d tokens of %d after %d checks of the context", tokens, len(doc.words), most)
		}
	}
	ctx, c := newCountdown(t, 15), newCorpus(Default, nil)
	if _, err := c.look(ctx, []sequence{doc}); !errors.Is(err, context.Canceled) || len(c.documents) > 0 {
		t.Errorf("%d incomplete documents are kept, error %v", len(c.documents), err)
	}
}

func TestCancelAtAnyTimeIsNoOtherError(t *testing.T) {
	docs := []sequence{longDoc(300)}
	for _, workers := range []int{1, 2} {
		for most := range int64(60) {
			if _, _, err := Train(newCountdown(t, most), views(docs), Options{MaxIterations: 1, Workers: workers}); !errors.Is(err, context.Canceled) {
				t.Errorf("%d workers, cancelled after %d checks of the context: error %v", workers, most, err)
			}
		}
	}
}

func TestTrainerGoesOnAfterACancelInsideADocument(t *testing.T) {
	fresh, _ := notes(5, 3)
	for most := range int64(6) {
		trainer, err := NewTrainer(Options{Features: HIDE, MaxIterations: 1, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := trainer.Train(newCountdown(t, most), views([]sequence{longDoc(2 * restTokens)})); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d checks of the context: error %v", most, err)
		}
		if _, _, err := trainer.Train(t.Context(), views(fresh)); err != nil {
			t.Errorf("other documents, cancelled after %d checks of the context: error %v", most, err)
		}
	}
}
