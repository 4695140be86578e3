// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"

	"hide/internal/annotate"
)

// lab trains on one set of training documents under different masks and caches every
// result, so that several values of L/C share trainings. It is used by one goroutine at a
// time.
type lab struct {
	docs     []annotate.Note
	group    []int // per document; uncounted for a selected one
	groups   int   // number of groups in the estimates
	fold     []int // per document
	folds    int
	tariff   tariff
	learners []Learner
	shops    []SharedTraining // of learners; nil, or nil where one has none
	first    Learner          // Params.First, nil for none; its index is one above the last
	work     pool
	keeper   *keeper
	trained  func(what string, done, total int) // progress

	full    map[job]Classifier
	out     map[job]*scored
	orders  map[[sha256.Size]byte]reading // ranked attacks, by publication
	lasting map[[sha256.Size]byte]bool    // masks that do not depend on L/C, besides those of the trace
	recent  map[[sha256.Size]byte]bool    // masks used since the last call of dropOldTrainings
	tooLow  map[float64]bool              // values of L/C whose H exceeds the ceiling
	trace   *trace                        // of Algorithm 1, nil until asked for
}

// job names a training: a learner, by index, under a mask.
type job struct {
	learner int
	mask    [sha256.Size]byte
}

// scored is the classifiers' scores of each token of each document.
type scored struct {
	scores [][]float64
	hard   [][]bool
}

func newScored(docs int) *scored { return &scored{make([][]float64, docs), make([][]bool, docs)} }

func newLab(docs []annotate.Note, p Params, work pool) *lab {
	l := &lab{docs: docs, tariff: p.tariff(), learners: p.Learners, shops: p.shared, first: p.First, work: work, keeper: newKeeper(p.Checkpoint, docs), trained: func(string, int, int) {},
		full: map[job]Classifier{}, out: map[job]*scored{}, orders: map[[sha256.Size]byte]reading{}, lasting: map[[sha256.Size]byte]bool{}, recent: map[[sha256.Size]byte]bool{}, tooLow: map[float64]bool{}}
	l.group, l.groups = countedGroups(docs)
	l.fold, l.folds = assign(docs, p.Folds, p.Seed, streamFolds)
	return l
}

func (l *lab) jobOf(learner int, masks [][]bool) job { return job{learner, l.asked(masks)} }

// asked returns the key of masks and records their use.
func (l *lab) asked(masks [][]bool) [sha256.Size]byte {
	key := HashMasks(masks)
	l.recent[key] = true
	return key
}

// HashMasks identifies masks of the same documents.
func HashMasks(masks [][]bool) [sha256.Size]byte {
	h := sha256.New()
	for _, mask := range masks {
		line := make([]byte, len(mask), len(mask)+1)
		for i, hidden := range mask {
			if hidden {
				line[i] = 1
			}
		}
		h.Write(append(line, 2))
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// classifier is the learner's h on all documents under the masks. For a [CrossFitter] it
// is always the one of its cross-fit: it must not depend on whether scores were requested
// before.
func (l *lab) classifier(ctx context.Context, learner int, masks [][]bool) (Classifier, error) {
	key := l.jobOf(learner, masks)
	if h, done := l.full[key]; done {
		return h, nil
	}
	if c, can := l.crossFits(learner, masks); can {
		_, err := l.crossFitter(ctx, c, key, masks, true)
		return l.full[key], err
	}
	h, err := l.fit(ctx, l.trainee(learner), masks)
	if err != nil {
		return nil, err
	}
	l.full[key] = h
	return h, nil
}

// fit trains on all documents under the masks.
func (l *lab) fit(ctx context.Context, t trainee, masks [][]bool) (h Classifier, err error) {
	doing := t.Name() + ", all documents"
	l.trained(doing, 0, 1)
	key := l.keeper.keys(t, masks, trainedOutside, nil)(everything)
	if h = l.keeper.loadClassifier(key, t.Learner); h == nil {
		err = l.work.each(ctx, 1, func(ctx context.Context, _ int) (err error) {
			h, err = train(ctx, t.learner(), views(l.docs, masks))
			return err
		})
		if err != nil {
			return nil, err
		}
		l.keeper.saveClassifier(key, t.Learner, h)
	}
	l.trained(doing, 1, 1)
	return h, nil
}

// trainee is a learner with its identity in the run.
type trainee struct {
	Learner
	id     string
	shared SharedTraining // nil for none
}

// trainee returns the learner of an index, which may be [lab.detector].
func (l *lab) trainee(index int) trainee {
	t := trainee{Learner: l.first}
	if index != l.detector() {
		t.Learner = l.learners[index]
	}
	if index < len(l.shops) {
		t.shared = l.shops[index]
	}
	t.id = fmt.Sprintf("%d %s", index, t.Name())
	return t
}

// detector is the index of the learner that only round 1 uses.
func (l *lab) detector() int { return len(l.learners) }

func (l *lab) detects() bool { return l.first != nil }

// opening is the index of a learner whose scores of unredacted documents round 1 made.
func (l *lab) opening(s *solution) int {
	if len(s.from) > 0 && s.from[0] == l.detector() {
		return l.detector()
	}
	return 0
}

// outOfFold scores each document by a classifier trained on the other folds, under the
// masks.
func (l *lab) outOfFold(ctx context.Context, learner int, masks [][]bool) (*scored, error) {
	key := l.jobOf(learner, masks)
	if s, done := l.out[key]; done {
		return s, nil
	}
	if l.folds < 2 {
		return nil, ErrFewDocuments
	}
	if c, can := l.crossFits(learner, masks); can {
		return l.crossFitter(ctx, c, key, masks, false)
	}
	s, err := l.crossFit(ctx, l.trainee(learner), masks, l.fold, l.folds)
	if err != nil {
		return nil, err
	}
	l.out[key] = s
	return s, nil
}

// crossFit scores the documents of each fold by what the trainee trains on all
// others.
func (l *lab) crossFit(ctx context.Context, t trainee, masks [][]bool, fold []int, folds int) (*scored, error) {
	return l.fitFolds(ctx, t, masks, folds, l.keeper.keys(t, masks, trainedOutside, fold), func(all []annotate.View, f int) ([]annotate.View, []int) { return split(all, fold, f) })
}

// rotate scores the documents of each part by a trainee trained on the part before it.
// With two parts that is crossFit.
func (l *lab) rotate(ctx context.Context, t trainee, masks [][]bool, part []int, parts int) (*scored, error) {
	if parts == 2 {
		return l.crossFit(ctx, t, masks, part, parts)
	}
	return l.fitFolds(ctx, t, masks, parts, l.keeper.keys(t, masks, trainedBefore, part), func(all []annotate.View, f int) ([]annotate.View, []int) {
		_, held := split(all, part, f)
		var labelled []annotate.View
		for i, v := range all {
			if (part[i]+1)%parts == f {
				labelled = append(labelled, v)
			}
		}
		return labelled, held
	})
}

// fitFolds trains for each fold on the documents that deal keeps for it, and scores those
// that deal holds out.
func (l *lab) fitFolds(ctx context.Context, t trainee, masks [][]bool, folds int, key func(f int) [sha256.Size]byte, deal func(all []annotate.View, f int) (kept []annotate.View, held []int)) (*scored, error) {
	s := newScored(len(l.docs))
	all, count := views(l.docs, masks), newCounter(t.Name()+", folds", folds, l.trained)
	err := l.work.each(ctx, folds, func(ctx context.Context, f int) error {
		kept, held := deal(all, f)
		if !l.keeper.loadScores(key(f), s, all, held) {
			h, err := train(ctx, t.learner(), kept)
			if err != nil {
				return err
			}
			if err := t.predict(ctx, s, h, all, held); err != nil {
				return err
			}
			l.keeper.saveScores(key(f), s, held)
		}
		count.tick()
		return ctx.Err()
	})
	return s, err
}

// score fills in the scores of h for the documents of held.
func (s *scored) score(h Classifier, all []annotate.View, held []int) {
	together := make([]annotate.View, len(held))
	for k, i := range held {
		together[k] = all[i]
	}
	scores, hard := ScoreAll(h, together), HardAll(h, together)
	for k, i := range held {
		s.scores[i], s.hard[i] = scores[k], visible(all[i], hard[k])
	}
}

// split returns the views outside fold f and the indices of those inside.
func split(all []annotate.View, fold []int, f int) (kept []annotate.View, held []int) {
	for i, v := range all {
		if fold[i] == f {
			held = append(held, i)
		} else {
			kept = append(kept, v)
		}
	}
	return kept, held
}

// tally counts missed and over-redacted tokens under masks.
func (l *lab) tally(masks [][]bool) *tally {
	return newTally(l.docs, masks, l.group, l.groups, l.tariff)
}

// measuredNonsensitive is (1-alpha)*n of the documents of the estimates.
func (l *lab) measuredNonsensitive() int {
	n := 0
	for i, d := range l.docs {
		if l.group[i] != uncounted {
			n += len(d.Words) - d.CountSensitive()
		}
	}
	return n
}

// dropOldTrainings drops results that no other L/C is likely to need: all but the
// trainings on unredacted documents, those of Algorithm 1 and those since its last call,
// as neighbouring L/C often redact the same. A model can take 20 MB.
func (l *lab) dropOldTrainings() {
	known := maps.Clone(l.lasting)
	maps.Copy(known, l.recent)
	known[HashMasks(nothing(l.docs))] = true
	if l.trace != nil {
		for _, masks := range l.trace.masks {
			known[HashMasks(masks)] = true
		}
	}
	maps.DeleteFunc(l.full, func(j job, _ Classifier) bool { return !known[j.mask] })
	maps.DeleteFunc(l.out, func(j job, _ *scored) bool { return !known[j.mask] })
	maps.DeleteFunc(l.orders, func(mask [sha256.Size]byte, _ reading) bool { return !known[mask] })
	clear(l.recent)
}

func isCancel(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
