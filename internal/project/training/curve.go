// SPDX-License-Identifier: Apache-2.0

package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/crf/trade"
	"hide/internal/greedy/learners"
	"hide/internal/project"
	"hide/internal/store"
)

// Limits and defaults of one measurement.
const (
	curveFolds    = 5
	maxCurveFolds = 20
	maxCurveLines = 6
	maxCurvePoint = 60 // different settings
	curveSeed     = 1
)

// curveRecordKey is the key of the last curves, next to the newest model.
var curveRecordKey = []byte("curves")

// curveEarlierKey is the key of the earlier curves, newest first.
var curveEarlierKey = []byte("curves before")

// curveState is the current measurement, or how the last one ended.
type curveState struct {
	done, total int
	failure     string
}

// StartCurves starts a job that measures how sampling trades precision against recall on
// the finished notes. Only one runs at a time. Everything but the sampling is as in the
// project's training.
func (s *Service) StartCurves(ctx context.Context, by account.User, id project.ID, p CurveParams) error {
	ws, err := s.enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	p, lines, err := ws.checkCurves(p)
	if err != nil {
		return err
	}
	return startAlone(ws, ws.measure, curveState{total: trade.Count(lines)},
		func(ctx context.Context) error { return s.measureCurves(ctx, ws, by, p, lines) },
		func(c *curveState, err error) {
			c.failure = project.Failure(err, "measuring was cancelled; the earlier curves are kept", "measuring failed: ")
		},
		&project.Error{Kind: project.Stale, Message: "curves are already being measured", Hint: "wait for them, or cancel them first"})
}

// checkCurves refuses invalid parameters and fills in the defaults.
func (ws *workspace) checkCurves(p CurveParams) (CurveParams, []trade.Line, error) {
	notes, people, spans := ws.FinishedCounts()
	switch {
	case notes < trainFrom || people < checkFolds:
		return p, nil, project.Invalidf("finish more notes first", "curves need %d finished notes of %d patients; there are %d of %d", trainFrom, checkFolds, notes, people)
	case spans == 0:
		return p, nil, project.Invalidf("annotate the PHI first", "the finished notes have no annotations to score")
	}
	if len(p.Lines) == 0 {
		p.Lines = trade.Usual()
	}
	p.Learner = cmp.Or(p.Learner, string(crf.Chain))
	p.Folds = cmp.Or(p.Folds, min(curveFolds, people))
	switch {
	case !slices.Contains(learners.Names(), p.Learner):
		return p, nil, project.Invalidf("", "unknown learner; choose one of %s", project.Joined(learners.Names()))
	case p.Folds < 2 || p.Folds > maxCurveFolds || p.Folds > people:
		return p, nil, project.Invalidf("", "the number of folds must be from 2 to %d, and at most the number of patients, %d", maxCurveFolds, people)
	case len(p.Lines) > maxCurveLines:
		return p, nil, project.Invalidf("measure some of them later", "%d curves are more than the %d that can be measured at once", len(p.Lines), maxCurveLines)
	}
	lines, err := ws.curveLines(p.Lines)
	return p, lines, err
}

func (ws *workspace) curveLines(texts []string) ([]trade.Line, error) {
	labels := ws.Labels()
	lines := make([]trade.Line, len(texts))
	for i, text := range texts {
		line, err := trade.ParseLine(text, curveSeed)
		if err != nil {
			return nil, project.Invalidf("", "curve %d: %v", i+1, err)
		}
		for _, s := range line.Samplings {
			for l := range s.Cost {
				if l != "" && !labels.Has(l) {
					return nil, project.Invalidf("the label O stands for words that are not sensitive", "curve %d: one of the labels is not a label of this project", i+1)
				}
			}
		}
		lines[i] = line
	}
	if n := trade.Count(lines); n > maxCurvePoint {
		return nil, project.Invalidf("leave some out", "%d settings are more than the %d that can be measured at once", n, maxCurvePoint)
	}
	return lines, nil
}

// CancelCurves cancels the current measurement; the last complete one stays.
func (s *Service) CancelCurves(ctx context.Context, by account.User, id project.ID) error {
	ws, err := s.enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	ws.measure.Cancel()
	return nil
}

// Curves returns the state of the measurement and the last result. Figures contain no
// text.
func (s *Service) Curves(ctx context.Context, by account.User, id project.ID) (CurveStatus, error) {
	ws, err := s.enter(by, account.SeeFigures, id)
	if err != nil {
		return CurveStatus{}, err
	}
	notes, people, _ := ws.FinishedCounts()
	c, running := ws.measure.State()
	st := CurveStatus{
		Running: running, Done: c.done, Total: c.total, Error: c.failure,
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
	st.Last.By = s.projects.PersonName(st.Last.By)
	if st.Earlier, err = s.earlierCurves(ws); err != nil {
		return st, err
	}
	for i := range st.Earlier {
		st.Earlier[i].By = s.projects.PersonName(st.Earlier[i].By)
	}
	return st, nil
}

func (s *Service) earlierCurves(ws *workspace) (all []CurveRecord, err error) {
	all, err = project.GetJSON[[]CurveRecord](s.projects, ws.ID, bucketModels, curveEarlierKey)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return all, err
}

// putCurves stores the newest measurement. It keeps the previous one for comparison,
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

// repeats reports whether r measures the same as old.
func (r CurveRecord) repeats(old CurveRecord) bool {
	return r.Learner == old.Learner && r.Options == old.Options && r.Params.Folds == old.Params.Folds && slices.Equal(r.Params.Lines, old.Params.Lines)
}

// lastCurves is nil before the first.
func (s *Service) lastCurves(ws *workspace) (*CurveRecord, error) {
	r, err := project.GetJSON[CurveRecord](s.projects, ws.ID, bucketModels, curveRecordKey)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &r, err
}

// curveOptions are the project's training options without sampling, and with the
// iterations of a check.
func (s *Service) curveOptions(ws *workspace) (trainOptions, error) {
	o, err := s.trainOptions(ws)
	o.Sampling, o.MaxIterations = crf.Sampling{}, checkIterations
	return o, err
}

// learningNow is the fingerprint of curveOptions, computed without reading phrases.
func (s *Service) learningNow(ws *workspace) (string, error) {
	o, err := s.withClasses(ws, optionsOf(ws.Settings()))
	o.Sampling = crf.Sampling{}
	if err != nil || !o.heedsDictionaries() {
		return o.fingerprint(), err
	}
	err = s.projects.View(ws.ID, func(tx *store.Tx) error {
		all, err := store.ListJSON[dictionaryRecord](tx, bucketDictionaries)
		for _, d := range all {
			o.dictionaries = joinNumber(o.dictionaries, d.Number)
		}
		return err
	})
	return o.fingerprint(), err
}

func (s *Service) measureCurves(ctx context.Context, ws *workspace, by account.User, p CurveParams, lines []trade.Line) error {
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
	o.Now = s.projects.Now
	measured := trade.Options{Options: o.Options, Folds: p.Folds, Seed: curveSeed, Begin: func(done, _ int, _ crf.Sampling) { ws.measure.Change(func(c *curveState) { c.done = done }) }}
	if learners.PredictsLabels(p.Learner) {
		measured.Learner = crf.Learner(p.Learner)
	} else if measured.Marker, err = learners.Marker(p.Learner, notes, learners.Options{CRF: o.Options, Seed: curveSeed}); err != nil {
		return err
	}
	if r.Curves, err = trade.Measure(ctx, notes, lines, measured); err != nil {
		return err
	}
	r.At = s.projects.Now().UTC()
	ev := project.EventBy(by, "measure curves", ws.ID.Object("curves"), fmt.Sprintf("%d settings on %d documents", len(r.Settings), r.Documents))
	return s.projects.Update(ws.ID, ev, func(tx *store.Tx) error { return putCurves(tx, r) })
}

// UseSampling makes the project train with one of the last measured settings, by its
// index.
func (s *Service) UseSampling(ctx context.Context, by account.User, id project.ID, setting int) error {
	ws, err := s.enter(by, account.ManageWork, id)
	if err != nil {
		return err
	}
	last, err := s.lastCurves(ws)
	if err != nil {
		return err
	}
	if last == nil || setting < 0 || setting >= len(last.Settings) {
		return project.NotFoundf("project %s has measured no such setting", id)
	}
	set := ws.Settings()
	set.Sampling = last.Settings[setting].Sampling
	return s.projects.SetSettings(ctx, by, id, set)
}

// Names of measured sampling results, as pages use them.
type (
	Curves       = trade.Curves
	CurveSetting = trade.Setting
)

// CurveParams say which precision-recall curves to measure.
type CurveParams struct {
	Lines   []string `json:"lines"`   // settings as [trade.ParseLine] reads them; none means [trade.Usual]
	Learner string   `json:"learner"` // a name of [learners.Table]; "" means the CRF
	Folds   int      `json:"folds"`   // 0 means 5
}

// CurveStatus is the state of the current or last measurement, and the result of the last
// complete one.
type CurveStatus struct {
	Running     bool
	Done, Total int          // settings measured, and to measure
	Error       string       // of the last measurement, in words
	Last        *CurveRecord // nil before the first
	Changed     bool         // finished notes, settings or dictionaries have changed since Last

	Earlier    []CurveRecord // the last of each other learner, settings and options, newest first, at most [MostCurves]-1
	NeedNotes  int           // finished notes still missing
	NeedPeople int           // patients whose notes are still missing
	InUse      string        // the project's current sampling
}

// MostCurves is how many measurements a project keeps to compare.
const MostCurves = 6

// CurveRecord is the result of one measurement.
type CurveRecord struct {
	Curves
	Params    CurveParams `json:"params"`
	At        time.Time   `json:"at"`
	By        string      `json:"by"`        // name of the person
	Revisions string      `json:"revisions"` // of the finished documents it was measured on
	Options   string      `json:"options"`   // fingerprint of the training options, without sampling
	Random    bool        `json:"random"`    // all documents were drawn at random
}
