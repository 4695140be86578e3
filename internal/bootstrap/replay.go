// SPDX-License-Identifier: Apache-2.0

package bootstrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/crf/score"
)

// Order is how notes are handed out.
type Order string

// The orders.
const (
	Active   Order = "active" // same order as the queue of a project
	AtRandom Order = "random"
)

// Options configure a replay. By default it starts with as many notes as the first model of
// a project, trains after every eighth more notes, and compares both orders once.
type Options struct {
	Train   crf.Options // Warm and Progress are not used
	Orders  []Order     // nil means Active and AtRandom
	Start   int         // notes before the first training; 0 means BeforeModel
	Step    int         // notes between trainings; 0 means an eighth of the notes so far, at least one
	Most    int         // notes at which to stop; 0 means all
	Repeats int         // 0 means 1; each uses another random order
	Goal    float64     // share of the F1 with all notes; 0 means 0.95
	Seed    uint64

	// Progress is called before each training with the number of trainings done and in total.
	// May be nil.
	Progress func(done, total int, order Order, documents int)
}

func (o Options) withDefaults() Options {
	if o.Orders == nil {
		o.Orders = []Order{Active, AtRandom}
	}
	o.Start = cmp.Or(o.Start, BeforeModel)
	if o.Repeats == 0 {
		o.Repeats = 1
	}
	o.Goal = cmp.Or(o.Goal, 0.95)
	if o.Progress == nil {
		o.Progress = func(int, int, Order, int) {}
	}
	return o
}

func (o Options) check(pool, test int) error {
	switch {
	case pool == 0 || test == 0:
		return errors.New("there must be training notes and test notes")
	case o.Start < 0 || o.Step < 0 || o.Most < 0 || o.Repeats < 0:
		return errors.New("numbers of notes and of repeats must not be negative")
	case !(o.Goal >= 0 && o.Goal <= 1):
		return fmt.Errorf("the goal %g must be from 0 to 1", o.Goal)
	}
	for _, order := range o.Orders {
		if order != Active && order != AtRandom {
			return fmt.Errorf("unknown order %q", string(order))
		}
	}
	return nil
}

// schedule has the numbers of notes at which a model is trained. A project trains after
// each note; with more notes, waiting for a few matters less.
func (o Options) schedule(pool int) []int {
	end := pool
	if o.Most > 0 {
		end = min(end, o.Most)
	}
	var steps []int
	for n := min(o.Start, end); ; {
		steps = append(steps, n)
		if n == end {
			return steps
		}
		step := o.Step
		step = cmp.Or(step, max(1, n/8))
		n = min(n+step, end)
	}
}

// Replay trains on growing numbers of the pool's notes in each order and tests each model.
// Equal input and seed give equal results, except for times. Cancelling ctx ends it with
// ctx's error.
func Replay(ctx context.Context, pool, test []annotate.Annotated, o Options) (*Result, error) {
	if err := o.check(len(pool), len(test)); err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	o = o.withDefaults()
	r := &replay{Options: o, pool: annotate.Views(annotate.NewNotes(pool)), test: annotate.NewNotes(test), steps: o.schedule(len(pool))}
	r.total = 1 + len(o.Orders)*o.Repeats*len(r.steps)
	full, err := r.full(ctx)
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	result := &Result{Pool: sizeOf(pool), Test: sizeOf(test), Full: full, Goal: o.Goal, Repeats: o.Repeats}
	for _, order := range o.Orders {
		runs := make([][]Point, o.Repeats)
		for n := range runs {
			if runs[n], err = r.run(ctx, order, n); err != nil {
				return nil, fmt.Errorf("replay: %s order: %w", order, err)
			}
		}
		result.Curves = append(result.Curves, newCurve(order, runs, o.Goal*full.F1))
	}
	result.compare()
	return result, nil
}

// replay is one call of Replay.
type replay struct {
	Options
	pool        []annotate.View
	test        []annotate.Note
	steps       []int
	done, total int // trainings
}

// full trains on all notes of the pool from scratch.
func (r *replay) full(ctx context.Context) (Point, error) {
	t, err := r.trainer()
	if err != nil {
		return Point{}, err
	}
	p := Point{}
	for _, d := range r.pool {
		p.read(d, nil)
	}
	_, p, err = r.train(ctx, t, r.pool, p, "")
	return p, err
}

func (r *replay) trainer() (*crf.Trainer, error) {
	o := r.Train
	o.Warm, o.Progress = nil, nil
	return crf.NewTrainer(o)
}

// train trains a model on notes and adds its scores to p, which counts the notes read.
func (r *replay) train(ctx context.Context, t *crf.Trainer, notes []annotate.View, p Point, order Order) (*crf.Model, Point, error) {
	r.Progress(r.done, r.total, order, len(notes))
	m, stats, err := t.Train(ctx, notes)
	if err != nil {
		return nil, p, fmt.Errorf("train on %d notes: %w", len(notes), err)
	}
	r.done++
	docs := make([]score.Prediction, len(r.test))
	for i := range r.test {
		if err := ctx.Err(); err != nil {
			return nil, p, err
		}
		docs[i] = score.Prediction{Note: &r.test[i], Predicted: m.Tag(r.test[i].View())}
	}
	s := score.Of(docs, score.Options{})
	p.F1, p.TokenRecall = s.Entity.Micro.F1, s.Binary.Recall
	p.Leaking, p.Seconds = float64(s.DocumentsWithLeak), stats.Seconds
	return m, p, nil
}

// run replays one order once.
func (r *replay) run(ctx context.Context, order Order, repeat int) ([]Point, error) {
	t, err := r.trainer()
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(r.Seed, streamOrder+uint64(repeat)))
	h := &hand{order: order, pool: r.pool, left: random.Perm(len(r.pool)), random: random}
	var points []Point
	for _, n := range r.steps {
		if err := h.deal(ctx, n); err != nil {
			return nil, err
		}
		m, p, err := r.train(ctx, t, h.notes, h.point, order)
		if err != nil {
			return nil, err
		}
		points = append(points, p)
		h.model = m
	}
	return points, nil
}

// hand selects notes in one order.
type hand struct {
	order  Order
	pool   []annotate.View
	left   []int // indices into the pool, in random order
	random *rand.Rand
	model  *crf.Model      // nil before the first
	notes  []annotate.View // selected, in order
	point  Point           // counts of the notes read
}

// deal selects notes until there are n. All are chosen with the previous model, which scores
// at most [LookSample] notes.
func (h *hand) deal(ctx context.Context, n int) error {
	looks, err := h.look(ctx)
	if err != nil {
		return err
	}
	var since []Look
	for len(h.notes) < n {
		at := 0
		if len(looks) > 0 && !Random(len(h.notes)) {
			open, places := h.open(looks)
			if best := MostUseful(open, since); best >= 0 {
				at = places[best]
			}
		}
		if l, seen := looks[h.left[at]]; seen {
			since = append(since, l)
		}
		h.take(at)
	}
	return nil
}

// look scores a sample of the remaining notes with the model, by number.
func (h *hand) look(ctx context.Context) (map[int]Look, error) {
	if h.order != Active || h.model == nil {
		return nil, nil
	}
	sample := slices.Clone(h.left)
	h.random.Shuffle(len(sample), func(i, j int) { sample[i], sample[j] = sample[j], sample[i] })
	looks := map[int]Look{}
	for _, i := range sample[:min(len(sample), LookSample)] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		looks[i] = LookAt(h.model, h.pool[i])
	}
	return looks, nil
}

// open lists the looks at remaining notes, with their indices.
func (h *hand) open(looks map[int]Look) (open []Look, places []int) {
	for at, i := range h.left {
		if l, seen := looks[i]; seen {
			open, places = append(open, l), append(places, at)
		}
	}
	return open, places
}

// take selects the remaining note at an index.
func (h *hand) take(at int) {
	d := h.pool[h.left[at]]
	h.left = slices.Delete(h.left, at, at+1)
	h.notes = append(h.notes, d)
	h.point.read(d, h.model)
}

// Split holds out a share of notes for testing. It samples whole patients by seed until the
// share is reached. Both parts keep the order of notes.
func Split(notes []annotate.Annotated, share float64, seed uint64) (pool, test []annotate.Annotated, err error) {
	size := map[string]int{}
	for _, n := range notes {
		size[n.Group()]++
	}
	groups := make([]string, 0, len(size))
	for g := range size {
		groups = append(groups, g)
	}
	slices.Sort(groups)
	random := rand.New(rand.NewPCG(seed, streamSplit))
	random.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	held, enough := map[string]bool{}, share*float64(len(notes))
	for n := 0; len(groups) > 0 && float64(n) < enough; groups = groups[1:] {
		held[groups[0]] = true
		n += size[groups[0]]
	}
	for _, n := range notes {
		if held[n.Group()] {
			test = append(test, n)
		} else {
			pool = append(pool, n)
		}
	}
	if len(pool) == 0 || len(test) == 0 {
		return nil, nil, fmt.Errorf("%d notes of %d patients cannot be split into training notes and test notes", len(notes), len(size))
	}
	return pool, test, nil
}

// Streams of random numbers: one seed serves several purposes.
const (
	streamSplit = 0x73706c6974
	streamOrder = 0x6f72646572
	streamBias  = 0x62696173
)

// How the next note is chosen.
const (
	BeforeModel = 3   // the first notes are sampled at random
	RandomShare = 4   // of the later notes, one in RandomShare is random
	LookSample  = 200 // open notes that a model scores after a training
)

// Random reports whether the next note is sampled at random when done notes are
// finished. Ten of the first 29 are, fifteen of the first 49.
func Random(done int) bool { return done < BeforeModel || done%RandomShare == 0 }

// MostUseful is the index of the open note with the greatest uncertainty per reading time,
// the first of equals; -1 when there is none. since are notes scored but not yet in the
// model's training: those finished meanwhile and those now being annotated.
func MostUseful(open, since []Look) int {
	seen := map[uint64]int{} // in how many notes of since a context is
	for _, s := range since {
		for _, c := range s.contexts {
			seen[c.key]++
		}
	}
	best, most := -1, 0.0
	for i, l := range open {
		if w := l.worth(seen); best < 0 || w > most {
			best, most = i, w
		}
	}
	return best
}

// reading is the fixed cost of opening a note, in tokens.
const reading = 50

// worth sums the doubt about each context of the note, counted once. Each note with the
// same context that was scored since the training halves it, as the model will soon learn
// it. The sum is divided by the square root of the note's length. Divided by the length,
// short notes would always be first; undivided, long notes, which take as long to read as
// several.
func (l Look) worth(seen map[uint64]int) float64 {
	sum := 0.0
	for _, c := range l.contexts {
		sum += math.Ldexp(c.doubt, -seen[c.key])
	}
	return sum / math.Sqrt(float64(l.tokens+reading))
}
