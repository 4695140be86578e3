// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"hide/internal/annotate"
)

// Trial configures an [Experiment]. Mode of Params is ignored.
type Trial struct {
	Params
	Modes    []Mode          // nil means Paper, Default and Cost
	Together bool            // one run with all Learners as the class, instead of one run for each
	Test     []annotate.Note // publish these, trained on all others; nil: k folds, each document published once
	Remove   *Context        // redact contextual identifiers in what a fold publishes: see [RemoveContext]; nil: do not

	// Known reports whether a result is known already, for example from an earlier run;
	// nil: none is.
	Known func(mode Mode, learner string, lc float64) bool
	// Done is called with each result before the next begins; it may be nil. Its error
	// ends the experiment.
	Done func(Measured) error
}

// Measured is the publication with one mode, learner and L/C, summed over the folds. The
// intervals of its Outcome resample the published groups; its upper bounds are for a
// publication of as many further documents.
type Measured struct {
	Mode     Mode
	Learner  string    // its name, or those of all with "+" between
	Rounds   []int     // |H| per fold
	At       []float64 // the L/C for which each fold redacts: see [Choice].At
	Attacker Counts    // of the papers' attacker on the published text: TP_A, FP_A and the rest
	measured Counts    // the same on the documents of the estimates
	Removed  int       // tokens that Trial.Remove redacted in addition
	Bounds   []Bound   // of theorems 3 and 4, and with Paper 5 and 6
	Outcome  Outcome
	Views    []annotate.View // the publication
}

// Experiment publishes documents by classifiers that were not trained on them or others
// of their group, and attacks the whole publication. Results come by learner, or once for
// all, then mode as given, then L/C ascending. Known results are skipped, and modes that
// are not [Mode.Possible] with the class. progress is called with the number of finished
// results after every training; it may be nil.
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

// trials returns a trial for each class, with the modes that are possible with it.
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

// results is the number of results of one class.
func (t Trial) results() int { return len(t.Modes) * len(t.LC) }

// classes are the hypothesis classes of the experiment.
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
	if t.Remove != nil {
		if err := t.Remove.Check(); err != nil {
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

// need is the required number of groups: two to train on and cross-fit, besides those of
// the largest published fold.
func (t Trial) need() int {
	switch {
	case t.Test != nil:
		return 2
	case t.Folds == 2:
		return 4
	}
	return 3
}

// checkDisjoint refuses test documents of a training group.
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
			m.Mode, m.Learner, m.At, m.Bounds = mode, t.name(), pub.at, t.bounds(g.lab, mode, lc, m.measured, pub)
			if err := t.done(m); err != nil {
				return nil, err
			}
			all = append(all, m)
		}
	}
	return all, nil
}

// bounds are the theorems' bounds on the papers' attacker.
func (t Trial) bounds(of *lab, mode Mode, lc float64, attacker Counts, pub *publication) []Bound {
	if mode != Paper {
		return of.bounds(lc, attacker)
	}
	return of.paperBounds(lc, t.VC, pub, attacker)
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
		h := newHeldOut(docs, t.Params, work, trained)
		h.remove = t.Remove
		return h, docs
	}
	test := make([]int, len(t.Test))
	for i := range test {
		test[i] = i
	}
	only := part{newLab(docs, t.Params, work), test}
	only.lab.trained = trained
	return &heldOut{docs: t.Test, p: t.Params, parts: []part{only}, work: newPool(1), remove: t.Remove}, t.Test
}

// trialProgress reports results and their trainings.
type trialProgress struct {
	report func(done, total int, doing string) // may be nil
	total  int

	mu        sync.Mutex // guards what follows, and serialises tell
	done      int
	doing     string
	trainings int // since the last result
}

// next reports that a result is done, unless doing is the first, and what comes next.
func (p *trialProgress) next(doing string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.doing, p.trainings = p.done+1, doing, 0
	p.send()
}

// skip reports n known results.
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
