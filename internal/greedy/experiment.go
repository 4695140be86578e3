// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"fmt"
	"hide/internal/annotate"
	"slices"
	"strings"
	"sync"
)

// Trial says what an [Experiment] runs. Mode of Params is ignored.
type Trial struct {
	Params
	Modes    []Mode          // nil means Paper, Default and Cost
	Together bool            // one run in which all of Learners are the class, instead of a run for each
	Test     []annotate.Note // publish these, training on all others; nil: k folds, each document published once

	// Known reports whether a result need not be measured, as when an earlier run
	// has it; nil: none.
	Known func(mode Mode, learner string, lc float64) bool
	// Done is given each result when it is there, before the next is begun; it may
	// be nil. Its error ends the experiment.
	Done func(Measured) error
}

// Measured is what was published with one mode, learner and L/C, summed over
// the folds. Its Outcome's intervals resample the published groups; the bounds
// ("at most") in it are for a publication of as many further documents.
type Measured struct {
	Mode     Mode
	Learner  string    // its name, or those of all with "+" between
	Rounds   []int     // |H| per fold
	At       []float64 // the L/C for which each fold redacts: see [Choice].At
	Attacker Counts    // of the papers' attacker on what was published: TP_A, FP_A and the rest
	Bounds   []Bound   // of theorems 3 and 4, and with Params.VC and Paper 5 and 6
	Outcome  Outcome
	Views    []annotate.View // what was published
}

// Experiment publishes documents by classifiers that never saw them or others
// of their group, and attacks all that is published together. Results come by
// learner, or once for all, then mode as given, then L/C ascending; those that are
// corrected are left out, and those of a mode that is not [Mode.Possible] with the class. progress is told how many of the results are done, after
// every training; it may be nil.
func Experiment(ctx context.Context, docs []annotate.Note, t Trial, progress func(done, total int, doing string)) ([]Measured, error) {
	t.Params = t.withDefaults()
	if t.Modes == nil {
		t.Modes = []Mode{Paper, Default, Cost}
	}
	if err := t.check(docs); err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	var all []Measured
	trials, total, before := t.trials(), 0, 0
	for _, one := range trials {
		total += one.results()
	}
	for _, one := range trials {
		results, err := one.run(ctx, docs, &trialProgress{report: progress, done: before - 1, total: total})
		before += one.results()
		if err != nil {
			return nil, fmt.Errorf("experiment with %s: %w", one.name(), err)
		}
		all = append(all, results...)
	}
	return all, nil
}

// trials are a trial for each class, of the modes that are possible with it.
func (t Trial) trials() []Trial {
	var all []Trial
	for _, class := range t.classes() {
		one := t
		one.Learners = class
		one.Modes = slices.DeleteFunc(slices.Clone(t.Modes), func(m Mode) bool { return !m.Possible(class) })
		all = append(all, one)
	}
	return all
}

// results is how many there are of one class.
func (t Trial) results() int { return len(t.Modes) * len(t.LC) }

// classes are the hypothesis classes to run with.
func (t Trial) classes() [][]Learner {
	if t.Together {
		return [][]Learner{t.Learners}
	}
	classes := make([][]Learner, len(t.Learners))
	for i, learner := range t.Learners {
		classes[i] = []Learner{learner}
	}
	return classes
}

// name is the names of the learners: "crf", "crf+bayes".
func (t Trial) name() string {
	names := make([]string, len(t.Learners))
	for i, learner := range t.Learners {
		names[i] = learner.Name()
	}
	return strings.Join(names, "+")
}

func (t Trial) check(docs []annotate.Note) error {
	for _, m := range t.Modes {
		one := t.Params
		one.Mode = m
		if err := one.check(); err != nil {
			return err
		}
	}
	if err := checkDocs(docs); err != nil {
		return err
	}
	if _, n := groups(docs); n < t.need() {
		return fmt.Errorf("%w: %d of at least %d", ErrFewDocuments, n, t.need())
	}
	for i := range t.Test {
		if err := t.Test[i].Check(); err != nil {
			return fmt.Errorf("test document %d: %w", i+1, err)
		}
	}
	return t.checkDisjoint(docs)
}

// need is how many groups it takes: two to train on and cross-fit, beside those of
// the largest of the folds that are published.
func (t Trial) need() int {
	switch {
	case t.Test != nil:
		return 2
	case t.Folds == 2:
		return 4
	}
	return 3
}

// checkDisjoint refuses test documents of a group that is trained on.
func (t Trial) checkDisjoint(docs []annotate.Note) error {
	known := map[string]bool{}
	for _, d := range docs {
		known[d.Group] = true
	}
	if i := slices.IndexFunc(t.Test, func(d annotate.Note) bool { return known[d.Group] }); i >= 0 {
		return fmt.Errorf("test document %d has the name or the patient of a training document: use notes of other patients, or give all notes as one set for cross-validation", i+1)
	}
	return nil
}

// run shares trainings between modes and values of L/C: each fold has one lab.
func (t Trial) run(ctx context.Context, docs []annotate.Note, said *trialProgress) ([]Measured, error) {
	if t.knowsAll() {
		said.skip(t.results())
		return nil, nil
	}
	var closing func()
	var err error
	if t.Params, closing, err = t.share(); err != nil {
		return nil, err
	}
	defer closing()
	work := newPool(t.Workers)
	h, published := t.plan(docs, work, said.trained)
	g := newGauge(published, t.Params, work)
	g.lab.trained = said.trained
	var all []Measured
	for _, mode := range t.Modes {
		for _, lc := range t.LC {
			said.next(fmt.Sprintf("%s, L/C %g", mode, lc))
			if t.knows(mode, lc) {
				continue
			}
			pub, err := h.publish(ctx, mode, lc)
			if err != nil {
				return nil, err
			}
			m, err := g.measure(ctx, pub, lc)
			if err != nil {
				return nil, err
			}
			m.Mode, m.Learner, m.At, m.Bounds = mode, t.name(), pub.at, t.bounds(g.lab, mode, lc, m.Attacker, pub)
			if err := t.done(m); err != nil {
				return nil, err
			}
			all = append(all, m)
		}
	}
	return all, nil
}

// bounds are what the theorems promise of the papers' attacker.
func (t Trial) bounds(of *lab, mode Mode, lc float64, attacker Counts, pub *publication) []Bound {
	if mode != Paper {
		return of.bounds(lc, attacker)
	}
	return of.paperBounds(lc, t.VC, pub.tried, attacker)
}

func (t Trial) knows(mode Mode, lc float64) bool {
	return t.Known != nil && t.Known(mode, t.name(), lc)
}

func (t Trial) knowsAll() bool {
	for _, mode := range t.Modes {
		for _, lc := range t.LC {
			if !t.knows(mode, lc) {
				return false
			}
		}
	}
	return true
}

func (t Trial) done(m Measured) error {
	if t.Done == nil {
		return nil
	}
	return t.Done(m)
}

// plan divides the documents into what is trained on and what is published.
func (t Trial) plan(docs []annotate.Note, work pool, trained func(string, int, int)) (*heldOut, []annotate.Note) {
	if t.Test == nil {
		return newHeldOut(docs, t.Params, work, trained), docs
	}
	test := make([]int, len(t.Test))
	for i := range test {
		test[i] = i
	}
	only := part{newLab(docs, t.Params, work), test}
	only.lab.trained = trained
	return &heldOut{docs: t.Test, p: t.Params, parts: []part{only}, work: newPool(1)}, t.Test
}

// trialProgress tells of results and of the trainings that they take.
type trialProgress struct {
	report func(done, total int, doing string) // may be nil
	total  int

	mu        sync.Mutex // guards what follows, and serialises tell
	done      int
	doing     string
	trainings int // since the last result
}

// next says that a result is done, if doing is not the first, and what the next
// one is.
func (p *trialProgress) next(doing string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.doing, p.trainings = p.done+1, doing, 0
	p.send()
}

// skip says that n results are known.
func (p *trialProgress) skip(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
}

// trained counts a training when done is not 0.
func (p *trialProgress) trained(_ string, done, _ int) {
	if done == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trainings++
	p.send()
}

func (p *trialProgress) send() {
	if p.report != nil {
		p.report(p.done, p.total, fmt.Sprintf("%s: %d trainings", p.doing, p.trainings))
	}
}
