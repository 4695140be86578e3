// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/settings"
	"hide/internal/job"
	"hide/internal/parallel"
	"hide/internal/project"
	"hide/internal/store"
)

// sanitizeFrom is how many finished documents a run needs.
const sanitizeFrom = 4

// Limits of the parameters of a run.
const (
	MaxLCs   = 40 // values of L/C, each with its own rounds and attacks
	MaxFolds = 20
)

// StartSanitize starts a run over the finished documents and returns its number.
// One run at a time.
func (s *Service) StartSanitize(ctx context.Context, by account.User, id project.ID, p Params) (int, error) {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return 0, err
	}
	p.Mode = cmp.Or(p.Mode, greedy.Default)
	names := ws.Names()
	if err := checkSanitize(p, ws.Labels()); err != nil {
		return 0, &ParamsError{err}
	}
	if n := len(ws.Labels()); n > crf.MaxLabels {
		return 0, project.Invalidf("merge labels before import, so that they name kinds of PHI", "the project has %d labels; placeholders can name %d at most", n, crf.MaxLabels)
	}
	if err := s.checkTransfer(ws, by, p.Transfer); err != nil {
		return 0, err
	}
	done, _, _ := ws.FinishedCounts()
	if done < sanitizeFrom {
		return 0, project.Invalidf("finish more notes first", "sanitizing needs at least %d finished notes, there are %d", sanitizeFrom, done)
	}
	if err := ws.checkLabelled(p); err != nil {
		return 0, err
	}
	if t := p.Target(); t != nil {
		if _, err := ws.plan(*t); err != nil {
			return 0, err
		}
	}
	return s.startRun(ws, by, p, names.Version(), done)
}

func (s *Service) startRun(ws *workspace, by account.User, p Params, names, documents int) (int, error) {
	if err := s.projects.CheckRoom(); err != nil {
		return 0, err
	}
	r := Run{Params: p, Names: names, State: Running, Started: s.projects.Now().UTC(), By: by.ID, Documents: documents,
		Progress: Progress{Doing: "reading the finished notes"}, Revisions: ws.Revisions()}
	if err := ws.claim(r); err != nil {
		return 0, err
	}
	number, err := s.recordRun(ws, by, r)
	if err != nil {
		ws.run.Drop()
		return 0, err
	}
	ws.run.Change(func(r *Run) { r.Number = number })
	s.submitRun(ws, p)
	return number, nil
}

// claim makes r the current run unless there is one.
func (ws *workspace) claim(r Run) error {
	if ws.run.Claim(r) {
		return nil
	}
	now, _ := ws.run.State()
	if now.Number == 0 {
		return &project.Error{Kind: project.Stale, Message: "the runs of this project are being changed", Hint: "try again in a moment"}
	}
	return &project.Error{Kind: project.Stale, Message: fmt.Sprintf("run %d is in progress", now.Number), Hint: "wait for it, or cancel it first"}
}

// recordRun writes a run that is about to start and gives it its number.
func (s *Service) recordRun(ws *workspace, by account.User, r Run) (int, error) {
	err := s.projects.Transact(ws.ID, func(tx *store.Tx) error {
		n, err := tx.Next(bucketRuns)
		if err != nil {
			return err
		}
		r.Number = int(n)
		if err := errors.Join(store.PutJSON(tx, bucketRuns, store.Key(n), r), dropTrainings(tx, 0)); err != nil {
			return err
		}
		return tx.Audit(project.EventBy(by, "start run", ws.ID.Object("runs", n), string(r.Params.Mode)))
	})
	return r.Number, err
}

// CancelSanitize cancels the current run; its results so far stay.
func (s *Service) CancelSanitize(ctx context.Context, by account.User, id project.ID) error {
	ws, err := s.enter(by, account.Sanitize, id)
	if err != nil {
		return err
	}
	ws.run.Cancel()
	return nil
}

// runSanitize is the job of a run.
func (s *Service) runSanitize(ctx context.Context, ws *workspace, p Params) error {
	err := parallel.Guard(func() error {
		done, err := s.sanitize(ctx, ws)
		if err != nil {
			return err
		}
		p = ws.asked() // under the names of the notes read
		ws.enterContext(done.result.Context)
		if done.target, err = s.calibrate(ctx, ws, done.part, p, done.params, done.result); err != nil {
			return err
		}
		if err := s.keepDrift(ctx, ws, done.all, p); err != nil {
			return err
		}
		if err := s.foretell(ctx, ws, done.all, p, done.params); err != nil {
			return err
		}
		done.detector = detectorIn(done.result) // it suggests with the classifiers that were measured
		if err := s.correctPrior(ctx, ws, done.all, p, done.result); err != nil {
			return err
		}
		return s.keepClassifiers(ctx, ws, done)
	})
	err = job.Cause(ctx, err)
	r, _ := ws.run.State()
	r.Ended, r.Progress = s.projects.Now().UTC(), Progress{}
	switch {
	case err == nil:
		r.State = Finished
	case errors.Is(err, context.Canceled) && s.projects.Closing():
		r.State, r.Error = Interrupted, interrupted
	case errors.Is(err, context.Canceled):
		r.State = Cancelled
	default:
		r.State, r.Error = Failed, err.Error()
	}
	ev := project.SystemEvent("end run", ws.ID.Object("runs", r.Number), string(r.State))
	err = errors.Join(err, s.projects.Update(ws.ID, ev, func(tx *store.Tx) error {
		if r.CutShort() {
			return putRun(tx, r)
		}
		return errors.Join(putRun(tx, r), dropTrainings(tx, 0))
	}))
	return err
}

// The share of a run's progress that is done after each of its stages.
const (
	shareSanitizing = 0.97
	shareComparing  = 0.98
	shareAttuning   = 0.99
)

// sanitized is what a run has computed.
type sanitized struct {
	all      project.Corpus
	part     calibrationPart
	params   greedy.Params
	result   *greedy.Result
	detector greedy.Classifier
	target   *greedy.Accepted // nil without a target
}

func (s *Service) sanitize(ctx context.Context, ws *workspace) (done sanitized, err error) {
	if done.all, err = ws.Snapshot(ctx); err != nil {
		return done, err
	}
	if done.part, err = s.setAside(ws, done.all); err != nil {
		return done, err
	}
	c, p := done.part.train, ws.asked()
	params, kept, others, err := s.prepare(ctx, ws, p)
	if err != nil {
		return done, err
	}
	done.params = params
	done.result, err = greedy.Sanitize(ctx, toSanitize(c, p.Labels), params, func(e greedy.Event) {
		e.Share *= shareSanitizing
		if e.First != nil || e.Round != nil || e.Choice != nil {
			kept.flush()
		}
		s.sanitizeEvent(ws, c, e, others.found[e.LC])
	})
	kept.flush()
	return done, err
}

// enterCorpus records in the current run which notes it covers, under which names of their
// labels.
func (ws *workspace) enterCorpus(c project.Corpus) {
	newest := ws.Newest()
	ws.run.Change(func(r *Run) {
		r.Params, r.Names = r.Params.renamed(c.Names.Since(r.Names)), c.Names.Version()
		if r.Revisions != c.Revisions {
			r.Choices = nil // the earlier results cover other documents
		}
		r.Documents, r.Random, r.Measured = len(c.Docs), c.RandomNotes(), c.Measured()
		r.Uncounted = uncounted(c, r.Params.Labels)
		r.Revisions, r.Corpus, r.Newest = c.Revisions, c.Content, newest
	})
}

// asked are the parameters of the current run.
func (ws *workspace) asked() Params {
	r, _ := ws.run.State()
	return r.Params
}

// toSanitize converts the documents for the algorithm. If enough of them are a random
// sample, the estimates use only these.
func toSanitize(c project.Corpus, labels []annotate.Label) []annotate.Note {
	docs, some := onlySensitive(c, sensitive(labels)), c.Measured() < len(c.Docs)
	for i := range docs {
		docs[i].Selected = some && !c.Random[i]
	}
	return docs
}

// prepare builds the parameters of the algorithm, with the trainings to reuse and the
// other attackers on the result.
func (s *Service) prepare(ctx context.Context, ws *workspace, p Params) (out greedy.Params, kept *trainings, others *otherAttackers, err error) {
	lists, numbers, err := s.training.DictionaryLists(ws.ID)
	if err != nil {
		return out, nil, nil, err
	}
	options, err := p.learnOptions(lists)
	if err != nil {
		return out, nil, nil, err
	}
	tables, mark, err := s.training.ClassTables(ws.ID)
	if err != nil {
		return out, nil, nil, err
	}
	if options.CRF.Classes = tables; mark != "" {
		numbers += " classes=" + mark
	}
	if out, err = p.greedy(options); err != nil {
		return out, nil, nil, err
	}
	if kept, err = s.newTrainings(ws, p, numbers); err != nil {
		return out, nil, nil, err
	}
	if others, err = s.newAttackers(ctx, ws, p, options); err != nil {
		return out, nil, nil, err
	}
	out.Checkpoint, out.Published = kept, others.attack
	return out, kept, others, nil
}

// contextKept is how many contextual identifiers a run keeps.
const contextKept = 200

// enterContext records the contextual identifiers in the current run.
func (ws *workspace) enterContext(found []greedy.Association) {
	ws.run.Change(func(r *Run) {
		r.Context, r.ContextFound = slices.Clip(found[:min(len(found), contextKept)]), len(found)
	})
}

// sensitive lists the labels that count; nil for all.
func sensitive(labels []annotate.Label) func(annotate.Label) bool {
	if labels == nil {
		return nil
	}
	return func(l annotate.Label) bool { return slices.Contains(labels, l) }
}

// sanitizeEvent updates the in-memory state of a run after an event, with the results of
// the other attackers for a finished L/C.
func (s *Service) sanitizeEvent(ws *workspace, c project.Corpus, e greedy.Event, others foundAt) {
	var finished *Result
	if e.Choice != nil {
		finished = new(lcResult(c, *e.Choice))
		finished.Attackers, finished.Linked = others.words, others.linked
	}
	var now Run
	ws.run.Change(func(r *Run) {
		if e.Doing != "" {
			r.Progress = Progress{Doing: e.Doing, Share: e.Share, Step: e.Step, Steps: e.Steps}
		}
		if e.First != nil || e.Round != nil || finished != nil {
			r.Choices = entered(r.Choices, e, finished)
		}
		now = *r
	})
	if finished != nil {
		s.keepFound(ws, now)
	}
}

// keepFound stores the state of the current run, so that a killed server loses only the
// current L/C. A write error here does not stop the run: the final write will report it.
func (s *Service) keepFound(ws *workspace, r Run) {
	ev := project.SystemEvent("keep run", ws.ID.Object("runs", r.Number), fmt.Sprintf("%d L/C", len(r.Choices)))
	_ = s.saveRun(ws.ID, r, ev)
}

// entered returns old with the event's first figures, its round, or the result of its
// L/C. It shares neither the slice nor its elements with readers of old. An L/C that was
// finished before an interruption stays until it is finished again.
func entered(old []Result, e greedy.Event, finished *Result) []Result {
	out := slices.Clone(old)
	i, found := slices.BinarySearchFunc(out, e.LC, func(c Result, lc float64) int { return cmp.Compare(c.LC, lc) })
	if !found {
		out = slices.Insert(out, i, Result{LC: e.LC})
	}
	switch c := &out[i]; {
	case finished != nil:
		*c = *finished
	case c.Done:
	case e.First != nil:
		c.First, c.Outcome = true, *e.First
	default:
		before := min(len(c.Rounds), e.Round.Number-1) // later rounds belong to the interrupted attempt, or to a smaller L/C
		c.First, c.At, c.Rounds = false, e.At, append(slices.Clip(c.Rounds[:before]), *e.Round)
	}
	return out
}

// ParamsError is an [*Error] about parameters that are invalid for any project.
type ParamsError struct{ err error }

func (e *ParamsError) Error() string { return e.err.Error() }

func (e *ParamsError) Unwrap() error { return e.err }

// checkSanitize refuses parameters that no run can start with.
func checkSanitize(p Params, labels annotate.LabelSet) error {
	if problems := StoredOptions.Check(&p); len(problems) > 0 {
		return project.Invalidf("hide help sanitize says what each option takes", "%s", problems[0].OnPage())
	}
	if len(p.LC) == 0 {
		return project.Invalidf("give numbers such as 1,10,100", "L/C is missing")
	}
	for _, l := range p.Labels {
		if !labels.Has(l) {
			return project.Invalidf("use the labels of the project", "the project has no label %q", string(l))
		}
	}
	if err := p.checkTarget(labels); err != nil {
		return err
	}
	for l := range p.Sampling.Cost {
		if l != "" && !labels.Has(l) {
			return project.Invalidf("use the labels of the project, and O for other words", "the project has no label %q to sample by", string(l))
		}
	}
	for l, times := range p.LossByLabel {
		if !labels.Has(l) {
			return project.Invalidf("use the labels of the project", "the project has no label %q to weigh", string(l))
		}
		if p.Ceiling != 0 && times == 0 {
			return project.Invalidf("give it a positive loss, or remove the ceiling", "the loss of missed PHI with the label %s is 0, so no L/C can satisfy the ceiling", string(l))
		}
	}
	if err := p.Sampling.Check(); err != nil {
		return project.Invalidf("leave it out to train on all words", "%v", err)
	}
	return cmp.Or(p.checkContext(), checkTransfer(p), checkParts(p))
}

func (p Params) checkContext() error {
	if p.Context == nil {
		return nil
	}
	if err := p.Context.Check(); err != nil {
		return project.Invalidf("leave the numbers out to use the defaults", "%v", err)
	}
	return nil
}

// noFirst is the value of First for a run without a detector.
const noFirst = settings.NoFirst

// checkParts refuses combinations that leave no detector or have no effect.
func checkParts(p Params) error {
	options, err := p.learnOptions(nil)
	if err != nil {
		return project.Invalidf("keep a part that finds names", "%v", err)
	}
	learners, err := p.class(options)
	if err != nil {
		return err
	}
	if !p.Mode.Possible(learners) {
		return project.Invalidf("add crf, svm, adaboost or ensemble to the learners", "mode %s needs a learner that weights tokens by cost", p.Mode)
	}
	if detects := p.first() == "detector" || slices.Contains(p.Learners, "detector"); len(p.WithoutParts) > 0 && !detects {
		return project.Invalidf("let the detector redact first, or add it to the learners", "leaving out parts of the detector has no effect: this run does not use the detector")
	}
	return nil
}
