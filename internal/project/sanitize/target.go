// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/target"
	"hide/internal/project"
	"hide/internal/store"
)

// Targeted is the threshold that a run chose for a target.
type Targeted struct {
	Target target.Target `json:"target"`
	Plan   target.Plan   `json:"plan"`
	Notes  int           `json:"notes"`            // calibration notes, which nothing was trained on
	Choice target.Choice `json:"choice,omitzero"`  // zero before the run has finished
	Result *Result       `json:"result,omitempty"` // measured on the calibration notes; nil before
	// Earlier is the number of earlier runs with a target in this project. They had calibration
	// notes in common with this run, so the promise is weaker for the best of all.
	Earlier int `json:"earlier,omitzero"`
}

// Done reports whether the threshold is chosen.
func (t *Targeted) Done() bool { return t != nil && t.Result != nil }

// Target is the requested target, nil without one.
func (p Params) Target() *target.Target {
	if p.TargetShare == 0 {
		return nil
	}
	return &target.Target{Share: p.TargetShare, Sure: cmp.Or(p.TargetSure, usualSure), Labels: p.TargetLabels}
}

// usualSure is the confidence of a target that names none.
const usualSure = 0.95

// checkTarget refuses labels that the run does not count as sensitive.
func (p Params) checkTarget(labels annotate.LabelSet) error {
	for _, l := range p.TargetLabels {
		switch {
		case p.TargetShare == 0:
			return project.Invalidf("give a target, such as 5 %", "there are labels for a target, but no target")
		case !labels.Has(l):
			return project.Invalidf("use the labels of the project", "the project has no label %q for the target", string(l))
		case p.Labels != nil && !slices.Contains(p.Labels, l):
			return project.Invalidf("count it as sensitive, or leave it out of the target", "the label %s of the target is not sensitive in this run", l)
		}
	}
	return nil
}

// At is the finished or current result for an L/C, which can be that of the target.
func (r *Run) At(lc float64) (Result, bool) {
	for _, c := range r.Choices {
		if c.LC == lc {
			return c, true
		}
	}
	if r.Target.Done() && r.Target.Result.LC == lc {
		return *r.Target.Result, true
	}
	return Result{LC: lc}, false
}

// ChosenWords say what the bundle was chosen for: "L/C 10", "a target of 5 % of the notes".
func (b Bundle) ChosenWords() string {
	if b.Target == nil {
		return "L/C " + ratio(b.LC)
	}
	return b.Target.Short()
}

// ChosenWords say what was last chosen of the run: "L/C 10", "the target", "" for nothing.
func (r *Run) ChosenWords() string {
	switch {
	case r.Chosen == 0:
		return ""
	case r.Target.Done() && r.Target.Result.LC == r.Chosen:
		return "the target"
	}
	return "L/C " + ratio(r.Chosen)
}

// TargetVoid is why the promise of the target does not hold for the notes to be published, ""
// if nothing speaks against it. It holds only for notes like the calibration notes.
func (r *Run) TargetVoid() string { return r.ForecastDoubt() }

// TargetWords state the target, the basis of its threshold, and whether it is void.
func (r *Run) TargetWords() string {
	t := r.Target
	switch {
	case t == nil:
		return ""
	case !t.Done():
		return t.Plan.Words(t.Target)
	case r.TargetVoid() != "":
		return fmt.Sprintf("The target is void: %s. It was: %s", r.TargetVoid(), t.Choice.Words())
	}
	return t.Choice.Words() + " This is a choice of threshold, not a certificate."
}

// calibrationPart divides the finished documents: a keyed part of the random sample is set
// aside, and nothing is trained on it or on other notes of its patients.
type calibrationPart struct {
	train project.Corpus
	aside project.Corpus // empty without a target
	plan  target.Plan
	// allRandom says that every finished document is random, so that the unfinished ones are too.
	allRandom bool
}

// TargetPlan is the plan for a target with the notes finished now. Its error says what is
// missing.
func (s *Service) TargetPlan(ctx context.Context, by account.User, id project.ID, t target.Target) (target.Plan, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return target.Plan{}, err
	}
	return ws.plan(t)
}

// plan counts the units of the random sample among the finished documents.
func (ws *workspace) plan(t target.Target) (target.Plan, error) {
	sample, seen, patients := ws.RandomSample(), map[string]bool{}, false
	for _, doc := range ws.Finished() {
		if !sample.Has(doc) {
			continue
		}
		st, err := ws.Find(doc)
		if project.KindOf(err) == project.NotFound {
			continue // deleted in the meantime
		}
		if err != nil {
			return target.Plan{}, err
		}
		seen[st.Unit()] = true
		patients = patients || annotate.Document{Linked: st.Unit()}.Keyed()
	}
	p, err := target.NewPlan(len(seen), patients, t)
	return p, refusedTarget(err)
}

// refusedTarget makes an error of a target one that pages and commands show.
func refusedTarget(err error) error {
	if few, ok := errors.AsType[*target.TooFew](err); ok {
		return project.Invalidf(few.Hint(), "%v", few)
	}
	return err
}

// divide sets the calibration documents aside.
func (s *Service) divide(ws *workspace, c project.Corpus, t *target.Target) (calibrationPart, error) {
	if t == nil {
		return calibrationPart{train: c}, nil
	}
	var names []string
	patients := false
	seen := map[string]bool{}
	for i, d := range c.Docs {
		if !c.Random[i] || seen[d.Group()] {
			continue
		}
		seen[d.Group()] = true
		names, patients = append(names, d.Group()), patients || d.Keyed()
	}
	plan, err := target.NewPlan(len(names), patients, *t)
	if err != nil {
		return calibrationPart{}, refusedTarget(err)
	}
	var drawn map[string]bool
	err = s.projects.View(ws.ID, func(tx *store.Tx) error {
		drawn = target.Draw(names, plan.Aside, tx.HMAC)
		return nil
	})
	part := calibrationPart{plan: plan, allRandom: c.RandomNotes() == len(c.Docs)}
	part.train = c.Only(func(i int) bool { return !drawn[c.Docs[i].Group()] })
	part.aside = c.Only(func(i int) bool { return c.Random[i] && drawn[c.Docs[i].Group()] })
	if len(part.train.Docs) < sanitizeFrom && err == nil {
		err = project.Invalidf("finish more notes first", "%d finished notes would be left to train on, and %d are needed", len(part.train.Docs), sanitizeFrom)
	}
	return part, err
}

// setAside divides the documents for the current run, and records which it covers.
func (s *Service) setAside(ws *workspace, all project.Corpus) (calibrationPart, error) {
	now, _ := ws.run.State()
	t := now.Params.renamed(all.Names.Since(now.Names)).Target()
	part, err := s.divide(ws, all, t)
	if err != nil {
		return part, err
	}
	earlier, err := s.earlierTargets(ws)
	if err != nil {
		return part, err
	}
	ws.enterCorpus(part.train)
	ws.enterPlan(part, t, earlier)
	return part, nil
}

// enterPlan records in the current run what is set aside.
func (ws *workspace) enterPlan(part calibrationPart, t *target.Target, earlier int) {
	if t == nil {
		return
	}
	ws.run.Change(func(r *Run) {
		r.Target = &Targeted{Target: *t, Plan: part.plan, Notes: len(part.aside.Docs), Earlier: earlier}
	})
}

// earlierTargets is how many runs before this one chose a threshold for a target.
func (s *Service) earlierTargets(ws *workspace) (n int, err error) {
	now, _ := ws.run.State()
	if now.Params.Target() == nil {
		return 0, nil
	}
	err = s.NewestRuns(ws.ID, func(r Run) bool {
		if r.Number < now.Number && r.Target.Done() {
			n++
		}
		return false
	})
	return n, err
}

// calibrate chooses the threshold of the detector for the target of the current run. Nobody
// has looked at the calibration notes before.
func (s *Service) calibrate(ctx context.Context, ws *workspace, part calibrationPart, p Params, params greedy.Params, result *greedy.Result) (*greedy.Accepted, error) {
	t := p.Target()
	if t == nil {
		return nil, nil
	}
	s.sanitizeEvent(ws, part.train, greedy.Event{Doing: "choosing the threshold for the target", Share: shareSanitizing}, foundAt{})
	learner := params.First
	if learner == nil {
		learner = params.Learners[0]
	}
	h, err := trainedFirst(ctx, result, learner, toSanitize(part.train, p.Labels))
	if err != nil {
		return nil, err
	}
	notes := toSanitize(part.aside, p.Labels)
	slices.SortStableFunc(notes, func(a, b annotate.Note) int { return cmp.Compare(a.Group, b.Group) })
	scores := scoredByGroup(h, notes)
	least := target.Least(notes, scores, *t)
	if part.plan.Patients {
		least = target.ByGroup(notes, least)
	}
	choice, err := target.Choose(least, part.plan.Patients, part.others(ws), *t)
	if err != nil {
		return nil, refusedTarget(err)
	}
	choice.Partial = part.plan.Patients && ws.haveMore(part.aside)
	a := &greedy.Accepted{Learner: learner.Name(), Classifier: h, Threshold: choice.Threshold, Whole: true}
	found := targetResult(notes, scores, choice, p, params)
	ws.run.Change(func(r *Run) {
		t := *r.Target
		t.Choice, t.Result = choice, found
		r.Target = &t
	})
	return a, nil
}

// haveMore reports whether patients of some notes have other notes in the project. A patient
// leaks in any note, so that the share of patients who leak in some of their notes is too low.
func (ws *workspace) haveMore(some project.Corpus) bool {
	notes := map[string]int{}
	for _, d := range some.Docs {
		notes[d.Group()]++
	}
	for _, doc := range ws.All() {
		st, err := ws.Find(doc)
		if err != nil {
			continue // deleted in the meantime
		}
		if n, counted := notes[st.Unit()]; counted {
			if n == 0 {
				return true
			}
			notes[st.Unit()] = n - 1
		}
	}
	return false
}

// others is how many notes nobody has read, if they and the calibration notes are one random
// order of the same notes; otherwise 0.
func (part calibrationPart) others(ws *workspace) int {
	if !part.allRandom || part.plan.Patients {
		return 0
	}
	o := ws.Overview()
	return o.Documents - o.Done
}

// trainedFirst is the classifier of the first round, trained on the original documents. The
// run has it already in default mode, if the first round paid.
func trainedFirst(ctx context.Context, result *greedy.Result, l greedy.Learner, docs []annotate.Note) (greedy.Classifier, error) {
	for _, c := range result.Choices {
		if result.Mode == greedy.Default && len(c.Classifiers) > 0 && c.Classifiers[0].Learner == l.Name() && len(result.Context) == 0 {
			return c.Classifiers[0].Classifier, nil
		}
	}
	return greedy.Fit(ctx, l, annotate.Views(docs))
}

// scoredByGroup scores the notes of each patient together, as releases redact them. Notes of
// a patient must be neighbours.
func scoredByGroup(h greedy.Classifier, notes []annotate.Note) [][]float64 {
	var out [][]float64
	for from := 0; from < len(notes); {
		to := from + 1
		for to < len(notes) && notes[to].Group == notes[from].Group {
			to++
		}
		out = append(out, greedy.ScoreAll(h, annotate.Views(notes[from:to]))...)
		from = to
	}
	return out
}

// targetResult measures the calibration notes at the threshold.
func targetResult(notes []annotate.Note, scores [][]float64, c target.Choice, p Params, params greedy.Params) *Result {
	masks := make([][]bool, len(notes))
	for i := range notes {
		masks[i] = make([]bool, len(scores[i]))
		for x, score := range scores[i] {
			masks[i][x] = score >= c.Threshold
		}
	}
	lc := c.Ratio(greedy.MaxLC)
	for slices.Contains(p.LC, lc) { // results are found by their L/C
		lc = math.Nextafter(lc, 0)
	}
	return &Result{LC: lc, Done: true, Outcome: greedy.Measure(notes, masks, lc, params)}
}

// targetKey is where the classifier of a target is stored among those of the values of L/C,
// which are above 0.
const targetKey = 0

// putTarget stores the classifier of the target.
func (m *modelStore) putTarget(a *greedy.Accepted, namer greedy.Classifier) error {
	if a == nil {
		return nil
	}
	return m.putChoice(greedy.Choice{LC: targetKey, Classifiers: greedy.Ensemble{*a}}, namer)
}

// ChooseTarget freezes the threshold that a run chose for its target into a bundle. It is
// refused when the target is void.
func (s *Service) ChooseTarget(ctx context.Context, by account.User, id project.ID, run int) (Bundle, error) {
	ws, r, err := s.enterRun(by, account.Sanitize, id, run)
	if err != nil {
		return Bundle{}, err
	}
	if !r.Target.Done() || r.State != Finished {
		return Bundle{}, project.Invalidf("start a run with a target, and wait for it to finish", "run %d has no threshold for a target", run)
	}
	if void := r.TargetVoid(); void != "" {
		return Bundle{}, project.Invalidf("annotate notes that differ and start another run, or choose an L/C", "the target of run %d is void: %s", run, void)
	}
	names := ws.Names()
	b, err := s.bundle(ws, r, *r.Target.Result, targetKey, names)
	if err != nil {
		return Bundle{}, err
	}
	b.Provenance.Target = &r.Target.Choice
	return s.keepBundle(ws, by, r, r.Target.Result.LC, b, names)
}
