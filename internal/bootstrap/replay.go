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
	Active   Order = "active" // as the queue of a project does
	AtRandom Order = "random"
)

// Options say how to replay. The zero value starts with as many notes as the first
// model of a project, trains whenever an eighth more is read, and compares both
// orders once.
type Options struct {
	Train   crf.Options // Warm and Progress are not used
	Orders  []Order     // nil means Active and AtRandom
	Start   int         // notes before the first training; 0 means BeforeModel
	Step    int         // notes between trainings; 0 means an eighth of those there are, at least one
	Most    int         // notes at which to stop; 0 means all
	Repeats int         // 0 means 1; each draws another order
	Goal    float64     // share of the F1 that all notes give; 0 means 0.95
	Seed    uint64

	// Progress is called before each training with how many there were and will
	// be. May be nil.
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

// schedule is the numbers of notes at which a model is trained. A project trains
// after each note; the more there are, the less it matters to wait for a few.
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

// Replay trains on growing numbers of the pool's notes in each order and tests
// each model. Equal input and seed give equal results but for what took time.
// Cancelling ctx ends it with ctx's error.
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

// full is what all notes give, trained from nothing.
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

// train makes a model of notes, and the point it stands for of p, which knows what
// was read.
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

// run is one order, once.
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

// hand deals notes out in one order.
type hand struct {
	order  Order
	pool   []annotate.View
	left   []int // of the pool, in drawn order
	random *rand.Rand
	model  *crf.Model      // nil before the first
	notes  []annotate.View // dealt, in order
	point  Point           // what was read
}

// deal goes on until n notes are out. All of them are chosen by what the model of
// before the first made of them; the model reads no more than [LookSample].
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

// look is the model's view of a sample of the notes that are left, by number.
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

// open lists the looks at notes that are left, with their places among them.
func (h *hand) open(looks map[int]Look) (open []Look, places []int) {
	for at, i := range h.left {
		if l, seen := looks[i]; seen {
			open, places = append(open, l), append(places, at)
		}
	}
	return open, places
}

// take deals the note at a place among those that are left.
func (h *hand) take(at int) {
	d := h.pool[h.left[at]]
	h.left = slices.Delete(h.left, at, at+1)
	h.notes = append(h.notes, d)
	h.point.read(d, h.model)
}

// Split holds a share of notes out for testing: whole patients, drawn by seed,
// until share of the notes are held out. Both parts keep the order of notes.
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

// Streams of random numbers, so that one seed serves several purposes.
const (
	streamSplit = 0x73706c6974
	streamOrder = 0x6f72646572
	streamBias  = 0x62696173
)

// How the next note is chosen.
const (
	BeforeModel = 3   // the first notes are sampled at random
	RandomShare = 4   // of those after, one in RandomShare
	LookSample  = 200 // open notes that a model looks at after a training
)

// Random reports whether the next note is sampled at random when done notes are
// finished. Ten of the first 29 are, fifteen of the first 49.
func Random(done int) bool { return done < BeforeModel || done%RandomShare == 0 }

// MostUseful is the index of the open note from which a model learns most for the
// time it takes to read, the first of equals; -1 when there is none. since are
// notes that the model looked at and does not know yet: those that people have
// finished meanwhile, and those they have in hand.
func MostUseful(open, since []Look) int {
	best, most := -1, 0.0
	for i, l := range open {
		if w := l.worth(since); best < 0 || w > most {
			best, most = i, w
		}
	}
	return best
}

// reading is what opening a note costs, in tokens.
const reading = 50

// worth is the doubt about each context of the note, once however often it occurs,
// and half of it for each of the notes since that hold the context too: the model
// is about to learn that. It is set against the root of the note's length. Against
// the length itself, short notes would be worth most, whatever is in them; against
// nothing, long ones, which take as long to read as several.
func (l Look) worth(since []Look) float64 {
	sum := 0.0
	for _, c := range l.contexts {
		doubt := c.doubt
		for _, s := range since {
			if s.in(c.key) {
				doubt /= 2
			}
		}
		sum += doubt
	}
	return sum / math.Sqrt(float64(l.tokens+reading))
}
