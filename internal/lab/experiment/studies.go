// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"context"
	"fmt"
	"math"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/detect"
	"hide/internal/greedy/learners"
	"hide/internal/greedy/study"
	"hide/internal/lab"
)

// frontierJSON is the residual PHI of learners at equal shares of non-PHI text kept.
type frontierJSON struct {
	Against  string         `json:"against"`
	Learners []frontierLine `json:"learners"`
}

type frontierLine struct {
	Learner string          `json:"learner"`
	Points  []frontierPoint `json:"points"`
}

// frontierPoint is the result at one share of text kept.
type frontierPoint struct {
	Kept          float64  `json:"kept"`           // requested share of non-PHI tokens kept
	Redacted      int      `json:"others_lost"`    // over-redacted tokens
	Left          int      `json:"residual"`       // missed PHI tokens
	Informative   int      `json:"informative"`    // of those, neither punctuation nor common words
	Spans         int      `json:"names_left"`     // spans with a missed token
	Documents     int      `json:"documents"`      // with a missed token
	More          float64  `json:"more"`           // missed tokens minus those of the reference learner
	StandardError *float64 `json:"standard_error"` // of more, paired by document or patient; null for a single one
	Ratio         *float64 `json:"ratio"`          // residual over that of the reference learner; null when that is 0
}

// frontierOf scores all documents with each learner, and compares the learners with the
// one named against.
func (x *Experiment) frontierOf(ctx context.Context, kind string, learners []greedy.Learner, against string) (*frontierJSON, error) {
	p := x.progress.Start(kind + ", learner")
	defer p.End()
	plan := x.folded()
	lines := make([]*study.Frontier, len(learners))
	var base *study.Frontier
	for i, l := range learners {
		p.Step(i, len(learners), l.Name())
		var err error
		if lines[i], err = x.scored(ctx, kind, plan, l); err != nil {
			return nil, err
		}
		if l.Name() == against {
			base = lines[i]
		}
	}
	out := &frontierJSON{Against: against}
	for i, f := range lines {
		out.Learners = append(out.Learners, frontierLine{learners[i].Name(), frontierPoints(f, base)})
	}
	return out, nil
}

// scored is the residual PHI of a learner, taken from an earlier run where possible.
func (x *Experiment) scored(ctx context.Context, kind string, plan study.Plan, l greedy.Learner) (*study.Frontier, error) {
	f := &study.Frontier{}
	if x.kept.get(kind, l.Name(), f) {
		return f, nil
	}
	scores, err := study.Score(ctx, plan, l, x.trial.Workers)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", kind, l.Name(), err)
	}
	f = study.NewFrontier(plan.Docs, scores, x.plan.kept)
	return f, x.kept.put(kind, l.Name(), f)
}

func frontierPoints(f, base *study.Frontier) []frontierPoint {
	points := make([]frontierPoint, len(f.Points))
	for k, d := range f.Against(base) {
		p := f.Points[k]
		points[k] = frontierPoint{p.Kept, p.OverRedacted, p.Missed, p.Informative, p.Spans, p.Documents, d.More, numberOrNull(d.Error), numberOrNull(d.Ratio)}
	}
	return points
}

func numberOrNull(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// folded has the notes to train on and the notes to score.
func (x *Experiment) folded() study.Plan {
	return study.Folds(x.Docs, x.trial.Test, x.Folds, x.Seed)
}

// ablation scores the full detector first, then the detector without each part.
func (x *Experiment) ablation(ctx context.Context) (*frontierJSON, error) {
	if !x.Ablate {
		return nil, nil
	}
	learners := []greedy.Learner{detectorOf(x.learn, detect.Default, "detector")}
	for _, part := range detect.PartTable() {
		if detect.Default&part.Parts != 0 {
			learners = append(learners, detectorOf(x.learn, detect.Default&^part.Parts, "without "+part.Name))
		} else {
			learners = append(learners, detectorOf(x.learn, detect.Default|part.Parts, "with "+part.Name))
		}
	}
	return x.frontierOf(ctx, "ablation", learners, "detector")
}

// curvePart is the result of one learner trained on fewer documents.
type curvePart struct {
	Learner   string          `json:"learner"`
	Share     float64         `json:"share"`
	Documents float64         `json:"documents"` // documents trained on, mean over the folds
	Points    []frontierPoint `json:"points"`    // compared with training on all documents
}

// curves are the learning curves.
func (x *Experiment) curves(ctx context.Context) ([]curvePart, error) {
	if !x.Options.Curve {
		return nil, nil
	}
	var out []curvePart
	p := x.progress.Start("learning curve, learner")
	defer p.End()
	for i, l := range x.trial.Learners {
		var whole *study.Frontier
		for _, share := range []float64{1, .5, .25, .125} {
			plan := x.folded().Fewer(share, x.trial.Seed)
			p.Step(i, len(x.trial.Learners), fmt.Sprintf("%s with %.0f documents", l.Name(), plan.TrainedOn()))
			f, err := x.scored(ctx, fmt.Sprintf("curve %g", share), plan, l)
			if err != nil {
				return nil, err
			}
			if whole == nil {
				whole = f
			}
			out = append(out, curvePart{l.Name(), share, plan.TrainedOn(), frontierPoints(f, whole)})
		}
	}
	return out, nil
}

// coverageRow says how often forecasts held.
type coverageRow struct {
	Mode     greedy.Mode `json:"mode"`
	Learner  string      `json:"learner"`
	LC       float64     `json:"lc"`
	Draws    int         `json:"draws"`
	Expected float64     `json:"expected"` // missed PHI tokens, mean
	Width    float64     `json:"width"`    // of the interval, mean
	coverageHeld
	Measured coverageHeld `json:"before_attuning"` // for the classifiers that the forecast was made for
}

type coverageHeld struct {
	Covered int     `json:"covered"`      // samples whose 95 % interval covers the true number
	AtMost  int     `json:"at_most_held"` // samples in which the upper bound (95 %) held
	Missed  float64 `json:"residual"`     // true number, mean
}

func (x *Experiment) coverage(ctx context.Context) ([]coverageRow, error) {
	if x.Coverage == 0 {
		return nil, nil
	}
	p := x.progress.Start("coverage, draw")
	defer p.End()
	var out []coverageRow
	err := x.eachRun(func(params greedy.Params, learner string) error {
		draws, err := drawn(x, "coverage", x.Coverage, params, learner, p, func(number uint64) ([]study.Drawn, error) {
			return study.Draw(ctx, x.Docs, params, number)
		})
		if err != nil {
			return err
		}
		for _, c := range study.Cover(draws) {
			out = append(out, coverageRow{params.Mode, learner, c.LC, c.Draws, c.Expected, c.Width, coverageHeld(c.Held), coverageHeld(c.Measured)})
		}
		return nil
	})
	return out, err
}

// eachRun calls do for each possible mode and class of learners.
func (x *Experiment) eachRun(do func(params greedy.Params, learner string) error) error {
	for _, run := range x.eachClass() {
		params := x.trial.Params
		params.Learners, params.Mode = run.class, run.mode
		if run.mode != greedy.Default {
			params.First = nil
		}
		if err := do(params, lab.ClassName(run.class)); err != nil {
			return err
		}
	}
	return nil
}

// drawn returns n samples of a kind. Samples kept from an earlier run are not repeated.
func drawn[T any](x *Experiment, kind string, n int, params greedy.Params, learner string, p lab.Bar, draw func(number uint64) (T, error)) ([]T, error) {
	draws := make([]T, n)
	for k := range draws {
		p.Step(k, n, fmt.Sprintf("%s, %s", params.Mode, learner))
		key := fmt.Sprintf("%d %s %v %s", k, params.Mode, params.LC, learner)
		if x.kept.get(kind, key, &draws[k]) {
			continue
		}
		var err error
		if draws[k], err = draw(uint64(k)); err != nil {
			return nil, err
		}
		if err := x.kept.put(kind, key, draws[k]); err != nil {
			return nil, err
		}
	}
	return draws, nil
}

// oldAudit is what an audit of earlier versions read: whole documents.
var oldAudit = study.Audit{Random: 20, Selected: 10}

// alarmRow says how often a drift warning was raised, and what the forecast and an audit of
// earlier versions said.
type alarmRow struct {
	Mode      greedy.Mode    `json:"mode"`
	Learner   string         `json:"learner"`
	TrainedOn study.Training `json:"learnt"`
	LC        float64        `json:"lc"`
	Draws     int            `json:"draws"`
	Drift     int            `json:"rang"`     // samples with a drift warning, from the texts only
	Warned    int            `json:"warned"`   // samples with a warning: drift, or notes that are not a random sample
	Left      float64        `json:"residual"` // missed PHI tokens, mean
	Expected  float64        `json:"expected"` // mean
	Predicted heldJSON       `json:"prediction"`
	Found     float64        `json:"audit_expected"` // by audits, mean
	Audited   heldJSON       `json:"audit"`
}

// heldJSON says how often a statement about missed PHI held.
type heldJSON struct {
	Covered int `json:"covered"`
	AtMost  int `json:"at_most_held"`
}

func (x *Experiment) alarms(ctx context.Context) ([]alarmRow, error) {
	if x.Alarms == 0 {
		return nil, nil
	}
	p := x.progress.Start("alarms, draw")
	defer p.End()
	var foreign []annotate.Note
	if x.Test != nil {
		foreign = x.published
	}
	var out []alarmRow
	err := x.eachRun(func(params greedy.Params, learner string) error {
		draws, err := drawn(x, "warnings", x.Alarms, params, learner, p, func(number uint64) ([]study.Warning, error) {
			return study.Warn(ctx, x.Docs, foreign, params, oldAudit, number)
		})
		if err != nil {
			return err
		}
		for _, w := range study.Sum(draws) {
			out = append(out, alarmRow{params.Mode, learner, w.Training, w.LC, w.Draws, w.Drift, w.Warned, w.Predicted.Missed, w.Expected,
				heldJSON{w.Predicted.Covered, w.Predicted.AtMost}, w.Found, heldJSON{w.Audited.Covered, w.Audited.AtMost}})
		}
		return nil
	})
	return out, err
}

// detectorOf is a detector of some parts, under a name.
func detectorOf(o learners.Options, parts detect.Parts, name string) greedy.Learner {
	return renamed{detect.Detector{Options: detect.Options{CRF: o.CRF, Seed: o.Seed, Parts: parts}}, name}
}

type renamed struct {
	greedy.Learner
	name string
}

func (r renamed) Name() string { return r.name }
