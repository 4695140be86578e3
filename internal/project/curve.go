// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/crf/trade"
	"hide/internal/greedy/learn"
	"hide/internal/parallel"
	"hide/internal/store"
)

// Limits of one measuring, and what it does when nobody says otherwise.
const (
	curveFolds    = 5
	maxCurveFolds = 20
	maxCurveLines = 6
	maxCurvePoint = 60 // different settings
	curveSeed     = 1
)

// curveRecordKey is where the last curves stand, beside the newest model.
var curveRecordKey = []byte("curves")

// curveEarlierKey is where those before it stand, newest first.
var curveEarlierKey = []byte("curves before")

func curveKey(id ID) string { return "curves/" + string(id) }

// curveState is the measuring under way, or how the last one ended.
type curveState struct {
	running     bool
	done, total int
	sampling    string
	failure     string
}

// StartCurves measures, as a job, what sampling would trade between precision and
// recall on the finished notes. One at a time. The project learns as it does,
// but for the sampling.
func (s *Service) StartCurves(ctx context.Context, by account.User, id ID, p CurveParams) error {
	ws, err := s.Enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	p, lines, err := ws.checkCurves(p)
	if err != nil {
		return err
	}
	ws.mu.Lock()
	busy := ws.curves.running
	if !busy {
		ws.curves = curveState{running: true, total: trade.Count(lines)}
	}
	ws.mu.Unlock()
	if busy {
		return &Error{Kind: Stale, Message: "curves are being measured already", Hint: "wait for them, or cancel them first"}
	}
	ws.measuring.wait()
	ws.measuring.set(s.jobs.Submit(curveKey(id), func(ctx context.Context) error { return s.runCurves(ctx, ws, by, p, lines) }))
	s.Tell(id, TopicCurves)
	return nil
}

// checkCurves refuses what cannot be measured and fills in what nobody said.
func (ws *Workspace) checkCurves(p CurveParams) (CurveParams, []trade.Line, error) {
	notes, people, spans := ws.measurable()
	switch {
	case notes < trainFrom || people < checkFolds:
		return p, nil, Invalidf("finish more notes first", "curves need %d finished notes of %d patients; there are %d of %d", trainFrom, checkFolds, notes, people)
	case spans == 0:
		return p, nil, Invalidf("mark what is sensitive first", "the finished notes hold no span: there is nothing to score")
	}
	if len(p.Lines) == 0 {
		p.Lines = trade.Usual()
	}
	p.Learner = cmp.Or(p.Learner, string(crf.Chain))
	p.Folds = cmp.Or(p.Folds, min(curveFolds, people))
	switch {
	case !slices.Contains(learn.Names(), p.Learner):
		return p, nil, Invalidf("", "unknown learner: there are %s", Joined(learn.Names()))
	case p.Folds < 2 || p.Folds > maxCurveFolds || p.Folds > people:
		return p, nil, Invalidf("", "the number of folds is from 2 to %d, and at most that of patients, %d", maxCurveFolds, people)
	case len(p.Lines) > maxCurveLines:
		return p, nil, Invalidf("measure some of them later", "%d curves are more than the %d that can be measured at once", len(p.Lines), maxCurveLines)
	}
	lines, err := ws.curveLines(p.Lines)
	return p, lines, err
}

func (ws *Workspace) curveLines(texts []string) ([]trade.Line, error) {
	labels := ws.Labels()
	lines := make([]trade.Line, len(texts))
	for i, text := range texts {
		line, err := trade.ParseLine(text, curveSeed)
		if err != nil {
			return nil, Invalidf("", "curve %d: %v", i+1, err)
		}
		for _, s := range line.Samplings {
			for l := range s.Cost {
				if l != "" && !labels.Has(l) {
					return nil, Invalidf("the label O stands for words that are not sensitive", "curve %d: one of the labels is none of this project's", i+1)
				}
			}
		}
		lines[i] = line
	}
	if n := trade.Count(lines); n > maxCurvePoint {
		return nil, Invalidf("leave some out", "%d settings are more than the %d that can be measured at once", n, maxCurvePoint)
	}
	return lines, nil
}

// measurable counts the finished documents, their groups and spans.
func (ws *Workspace) measurable() (notes, people, spans int) {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	var groups []string
	for _, st := range ws.docs {
		if st.State == annotate.Done {
			notes, spans = notes+1, spans+st.Annotations
			groups = append(groups, st.Group)
		}
	}
	return notes, differentGroups(groups), spans
}

// CancelCurves ends the measuring under way; what the last whole one found stays.
func (s *Service) CancelCurves(ctx context.Context, by account.User, id ID) error {
	if _, err := s.Enter(by, account.ManageWork, id); err != nil {
		return err
	}
	s.jobs.Cancel(curveKey(id))
	return nil
}

// Curves says how measuring stands and what the last one found. Figures hold no
// text.
func (s *Service) Curves(ctx context.Context, by account.User, id ID) (CurveStatus, error) {
	ws, err := s.Enter(by, account.SeeFigures, id)
	if err != nil {
		return CurveStatus{}, err
	}
	notes, people, _ := ws.measurable()
	ws.mu.RLock()
	c := ws.curves
	ws.mu.RUnlock()
	st := CurveStatus{
		Running: c.running, Done: c.done, Total: c.total, Sampling: c.sampling, Error: c.failure,
		NeedNotes: max(0, trainFrom-notes), NeedPeople: max(0, checkFolds-people), InUse: ws.Settings().Sampling.String(),
	}
	if st.Last, err = s.lastCurves(ws); err != nil || st.Last == nil {
		return st, err
	}
	now, err := s.learningNow(ws)
	if err != nil {
		return st, err
	}
	st.Changed = st.Last.Revisions != ws.Revisions() || st.Last.Options != now
	st.Last.By = s.opts.PersonName(st.Last.By)
	if st.Earlier, err = s.earlierCurves(ws); err != nil {
		return st, err
	}
	for i := range st.Earlier {
		st.Earlier[i].By = s.opts.PersonName(st.Earlier[i].By)
	}
	return st, nil
}

func (s *Service) earlierCurves(ws *Workspace) (all []CurveRecord, err error) {
	err = s.View(ws.ID, func(tx *store.Tx) (err error) {
		all, err = store.GetJSON[[]CurveRecord](tx, bucketModels, curveEarlierKey)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return all, err
}

// putCurves stores the newest measurement. The one before stays to compare with,
// unless the same was measured again.
func putCurves(tx *store.Tx, r CurveRecord) error {
	last, err := store.GetJSON[CurveRecord](tx, bucketModels, curveRecordKey)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return store.PutJSON(tx, bucketModels, curveRecordKey, r)
	case err != nil:
		return err
	}
	earlier, err := store.GetJSON[[]CurveRecord](tx, bucketModels, curveEarlierKey)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	earlier = slices.DeleteFunc(slices.Insert(earlier, 0, last), r.repeats)
	earlier = earlier[:min(len(earlier), MostCurves-1)]
	return errors.Join(store.PutJSON(tx, bucketModels, curveEarlierKey, earlier), store.PutJSON(tx, bucketModels, curveRecordKey, r))
}

// repeats reports whether r measures what old did.
func (r CurveRecord) repeats(old CurveRecord) bool {
	return r.Learner == old.Learner && r.Options == old.Options && r.Params.Folds == old.Params.Folds && slices.Equal(r.Params.Lines, old.Params.Lines)
}

// lastCurves is nil before the first.
func (s *Service) lastCurves(ws *Workspace) (*CurveRecord, error) {
	var r CurveRecord
	err := s.View(ws.ID, func(tx *store.Tx) (err error) {
		r, err = store.GetJSON[CurveRecord](tx, bucketModels, curveRecordKey)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &r, err
}

// curveOptions are how the project learns, without sampling, and with the
// iterations of a check.
func (s *Service) curveOptions(ws *Workspace) (trainOptions, error) {
	o, err := s.trainOptions(ws)
	o.Sampling, o.MaxIterations = crf.Sampling{}, checkIterations
	return o, err
}

// learningNow is the fingerprint of curveOptions, without reading a phrase.
func (s *Service) learningNow(ws *Workspace) (string, error) {
	o := ws.trainOptions()
	o.Sampling = crf.Sampling{}
	if !o.heedsDictionaries() {
		return o.fingerprint(), nil
	}
	err := s.View(ws.ID, func(tx *store.Tx) error {
		all, err := store.ListJSON[dictionaryRecord](tx, bucketDictionaries)
		for _, d := range all {
			o.dictionaries = joinNumber(o.dictionaries, d.Number)
		}
		return err
	})
	return o.fingerprint(), err
}

// runCurves is the measuring job.
func (s *Service) runCurves(ctx context.Context, ws *Workspace, by account.User, p CurveParams, lines []trade.Line) error {
	err := parallel.Guard(func() error { return s.measureCurves(ctx, ws, by, p, lines) })
	ws.mu.Lock()
	ws.curves.running, ws.curves.failure = false, ""
	switch {
	case errors.Is(err, context.Canceled):
		ws.curves.failure = "measuring was cancelled; what was measured before stays"
	case err != nil:
		ws.curves.failure = "measuring failed: " + err.Error()
	}
	ws.mu.Unlock()
	s.Tell(ws.ID, TopicCurves)
	return err
}

func (s *Service) measureCurves(ctx context.Context, ws *Workspace, by account.User, p CurveParams, lines []trade.Line) error {
	c, err := ws.Snapshot(ctx)
	if err != nil {
		return err
	}
	o, err := s.curveOptions(ws)
	if err != nil {
		return err
	}
	r := CurveRecord{Params: p, By: by.ID, Revisions: c.Revisions, Options: o.fingerprint(), Random: !slices.Contains(c.Random, false)}
	notes := make([]annotate.Annotated, len(c.Docs))
	for i, d := range c.Docs {
		notes[i] = d.Annotated
	}
	o.Now = s.opts.Now
	measured := trade.Options{Options: o.Options, Folds: p.Folds, Seed: curveSeed, Begin: func(done, _ int, now crf.Sampling) { s.curveStep(ws, done, now) }}
	if learn.Tells(p.Learner) {
		measured.Learner = crf.Learner(p.Learner)
	} else if measured.Marker, err = learn.Marker(p.Learner, notes, learn.Options{CRF: o.Options, Seed: curveSeed}); err != nil {
		return err
	}
	if r.Curves, err = trade.Measure(ctx, notes, lines, measured); err != nil {
		return err
	}
	r.At = s.opts.Now().UTC()
	ev := EventBy(by, "measure curves", ws.ID.Object("curves"), fmt.Sprintf("%d settings on %d documents", len(r.Settings), r.Documents))
	return s.Update(ws.ID, ev, func(tx *store.Tx) error { return putCurves(tx, r) })
}

func (s *Service) curveStep(ws *Workspace, done int, now crf.Sampling) {
	now.Seed = 0
	ws.mu.Lock()
	ws.curves.done, ws.curves.sampling = done, now.String()
	ws.mu.Unlock()
	s.Tell(ws.ID, TopicCurves)
}

// UseSampling makes the project learn with one of the settings that were measured
// last, by its index.
func (s *Service) UseSampling(ctx context.Context, by account.User, id ID, setting int) error {
	ws, err := s.Enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	last, err := s.lastCurves(ws)
	if err != nil {
		return err
	}
	if last == nil || setting < 0 || setting >= len(last.Settings) {
		return NotFoundf("project %s has measured no such setting", id)
	}
	set := ws.Settings()
	set.Sampling = last.Settings[setting].Sampling
	return s.SetSettings(ctx, by, id, set)
}
