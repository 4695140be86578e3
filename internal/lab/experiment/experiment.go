// SPDX-License-Identifier: Apache-2.0

// Package experiment measures GreedySanitize, its baselines and attackers on annotated
// notes, as in the papers' evaluations, and runs further studies.
//
//	x, err := experiment.New(options, experiment.Input{Docs: docs}, "", nil)
//	err = x.Run(ctx)
//	x.Report().Write(os.Stdout)
//
// An [Experiment] publishes every document with models trained without it. It can keep
// finished results in a file, so that an interrupted run resumes. A [Report] writes itself
// as text, as CSV and as a page; it holds labels and numbers, no text of notes.
package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/lab"
)

// Input is what an experiment works on.
type Input struct {
	Docs    []annotate.Note // to train on
	Test    []annotate.Note // to publish; nil: each of Docs is published once
	Other   []annotate.Note // of another institution or kind; training notes of the transfer attacker
	Version string          // of the program
	Command string          // that repeats the run
}

// Experiment is one run.
type Experiment struct {
	plan
	Options
	Input
	published []annotate.Note // Docs, or Test
	panel     *attack.Panel
	kept      *state
	progress  lab.Progress
	studies   studies
	near      *contextJSON // nil unless the option is set
}

// studies are measured in addition to the results.
type studies struct {
	Frontier *frontierJSON `json:"frontier,omitempty"`
	Ablation *frontierJSON `json:"ablation,omitempty"`
	Curve    []curvePart   `json:"curve,omitempty"`
	Coverage []coverageRow `json:"coverage,omitempty"`
	Alarms   []alarmRow    `json:"alarms,omitempty"`
}

// resultKey identifies a result.
func resultKey(mode greedy.Mode, learner string, lc float64) string {
	return fmt.Sprintf("%s %g %s", mode, lc, learner)
}

// New prepares an experiment. resume is the file that keeps finished results; "" keeps
// none. An error that is an [option.Problem] is about one of the options.
func New(o Options, in Input, resume string, progress lab.Progress) (*Experiment, error) {
	p, err := newPlan(o)
	if err != nil {
		return nil, err
	}
	x := &Experiment{plan: p, Options: o, Input: in, published: in.Docs, progress: progress}
	if in.Test != nil {
		x.published = in.Test
	}
	if err := x.checkInput(); err != nil {
		return nil, err
	}
	if err := x.labelContext(); err != nil {
		return nil, err
	}
	if err := x.checkLosses(); err != nil {
		return nil, err
	}
	if in.Test != nil {
		x.trial.Test = x.published
	}
	x.panel = attack.NewPanel(x.attackParams())
	x.kept, err = openState(resume, x.fingerprint())
	return x, err
}

// Check refuses invalid options before any file is read.
func (o Options) Check() error {
	_, err := newPlan(o)
	return err
}

func (x *Experiment) checkInput() error {
	if n := lab.Patients(x.Docs); x.Test == nil && n > 1 && n < x.Folds {
		return refuse("folds", "there are only %d different documents or patients in --in: give at most %d", n, n)
	}
	known := lab.SensitiveLabels(x.Docs)
	for l := range x.Sampling.Cost {
		if l != "" && !slices.Contains(known, l) {
			return refuse("sampling", "no span of the notes has the label %s", l)
		}
	}
	return nil
}

// checkLosses refuses losses for labels without sensitive spans: they are likely misspelt.
func (x *Experiment) checkLosses() error {
	known := lab.SensitiveLabels(slices.Concat(x.Docs, x.published))
	var unknown []annotate.Label
	for l := range x.Losses {
		if !slices.Contains(known, l) {
			unknown = append(unknown, l)
		}
	}
	if len(unknown) > 0 {
		return refuse("loss", "nothing sensitive has the label %s", slices.Min(unknown))
	}
	return nil
}

func (x *Experiment) attackParams() attack.Params {
	t := x.trial
	p := attack.Params{Kinds: x.Attackers, Learners: x.attackLearners, Share: t.Share, Budgets: t.Budgets, Seed: t.Seed, Workers: t.Workers, LossByLabel: t.LossByLabel, CostByKind: t.CostByKind}
	for i := range x.Other {
		p.Other = append(p.Other, x.Other[i].View())
	}
	return p
}

func (x *Experiment) fingerprint() fingerprint {
	return fingerprint{stateVersion, x.Version, hashDocs(x.Docs), hashDocs(x.trial.Test), hashDocs(x.Other), x.flags()}
}

// flags are the remaining options that results depend on.
func (x *Experiment) flags() string {
	more := ""
	if x.trial.Remove != nil {
		more = fmt.Sprintf(" --context remove %+v", *x.trial.Remove)
	}
	if len(x.Stack) > 0 {
		more += fmt.Sprintf(" --stack %q", x.Stack)
	}
	return more + fmt.Sprintf("--first %s --folds %d --seed %d --vc %g --share %g --ceiling %g --without-part %s --preset %s --dictionaries %x --classes %x --budget %v --attackers %q --attack-learners %q --kept %v --sampling %s --loss %v --cost %v",
		x.First, x.Folds, x.Seed, x.VC, x.Share, x.Ceiling, x.learn.Parts, x.Preset, hashLists(x.Dictionaries), hashTables(x.Classes),
		x.trial.Budgets, x.Attackers, lab.ClassName(x.attackLearners), x.plan.kept, x.Sampling, x.Losses, x.Costs)
}

// contextJSON has the options for contextual identifiers and the number of words found. An
// experiment prints no text, so the words are not listed.
type contextJSON struct {
	greedy.Context
	Words int `json:"words"`
}

// labelContext finds contextual identifiers in the training notes. With redaction on they
// are sensitive in all notes for training and publishing.
func (x *Experiment) labelContext() error {
	if x.context == nil {
		return nil
	}
	found, err := greedy.Associations(x.Docs, *x.context)
	if err != nil {
		return err
	}
	words := map[string]bool{}
	for _, a := range found {
		words[a.Word] = true
	}
	x.near = &contextJSON{*x.context, len(words)}
	if x.context.Redact {
		x.Docs, x.published = greedy.LabelContext(x.Docs, found), greedy.LabelContext(x.published, found)
	}
	return nil
}

// Run measures every result that is not stored yet.
func (x *Experiment) Run(ctx context.Context) error {
	ctx, stop := lab.Within(ctx, x.programs)
	defer stop()
	err := x.measure(ctx)
	if err == nil {
		err = x.study(ctx)
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return errors.Join(err, x.kept.close())
}

// measure runs each class of learners.
func (x *Experiment) measure(ctx context.Context) error {
	if len(x.trial.Modes) == 0 {
		return nil
	}
	bar := x.progress.Start("experiment, result")
	defer bar.End()
	x.trial.Known = func(mode greedy.Mode, learner string, lc float64) bool {
		var row Row
		return x.kept.get("result", resultKey(mode, learner, lc), &row)
	}
	x.trial.Done = func(m greedy.Measured) error { return x.keep(ctx, m) }
	for _, together := range x.classes {
		x.trial.Together = together
		if _, err := greedy.Experiment(ctx, x.Docs, x.trial, bar.Step); err != nil {
			return err
		}
	}
	return nil
}

// study runs the requested studies.
func (x *Experiment) study(ctx context.Context) (err error) {
	if x.Frontier {
		if x.studies.Frontier, err = x.frontierOf(ctx, "frontier", x.trial.Learners, x.against); err != nil {
			return err
		}
	}
	if x.studies.Ablation, err = x.ablation(ctx); err != nil {
		return err
	}
	if x.studies.Curve, err = x.curves(ctx); err != nil {
		return err
	}
	if x.studies.Coverage, err = x.coverage(ctx); err != nil {
		return err
	}
	x.studies.Alarms, err = x.alarms(ctx)
	return err
}

// keep attacks the published text and makes a row of the results.
func (x *Experiment) keep(ctx context.Context, m greedy.Measured) error {
	row := rowOf(m, x.trial.Budgets)
	results, err := x.panel.Attack(ctx, m.Views)
	if err != nil {
		return err
	}
	for _, r := range results {
		row.Attackers = append(row.Attackers, attackerRowOf(r))
	}
	return x.kept.put("result", resultKey(m.Mode, m.Learner, m.Outcome.LC), row)
}

// Finished gives the number of finished results and the total.
func (x *Experiment) Finished() (n, all int) {
	for range x.eachClass() {
		all += len(x.trial.LC)
	}
	return len(x.results()), all
}

// classRun is a mode with a class of learners that supports it.
type classRun struct {
	mode  greedy.Mode
	class []greedy.Learner
}

// eachClass lists the possible pairs of mode and class.
func (x *Experiment) eachClass() []classRun {
	var out []classRun
	for _, together := range x.classes {
		for _, class := range lab.Classes(x.trial.Learners, together) {
			for _, mode := range x.trial.Modes {
				if mode.Possible(class) {
					out = append(out, classRun{mode, class})
				}
			}
		}
	}
	return out
}

// results are the finished rows by class, mode and L/C.
func (x *Experiment) results() []Row {
	var out []Row
	for _, run := range x.eachClass() {
		for _, lc := range x.trial.LC {
			var row Row
			if x.kept.get("result", resultKey(run.mode, lab.ClassName(run.class), lc), &row) {
				out = append(out, row)
			}
		}
	}
	return out
}

// warnings say what was left out, and which figures are unreliable.
func (x *Experiment) warnings() []string {
	var out []string
	for _, together := range x.classes {
		for _, class := range lab.Classes(x.trial.Learners, together) {
			if slices.Contains(x.trial.Modes, greedy.CostWeight) && !greedy.CostWeight.Possible(class) {
				out = append(out, fmt.Sprintf("mode %s was skipped for %s, which does not support instance weights", greedy.CostWeight, lab.ClassName(class)))
			}
		}
	}
	for _, program := range x.programs {
		out = append(out, fmt.Sprintf("%s is not trained again for each fold: if it was trained on these notes, what it misses in them is not an estimate, and 0 means nothing", program.Name()))
	}
	return slices.Compact(out)
}

// CheckLabels refuses a label that no note has, which is likely misspelt, and more labels
// than taggers can distinguish.
func CheckLabels(notes []annotate.Annotated, sensitive []annotate.Label) error {
	used := annotate.Labels(notes)
	for _, l := range sensitive {
		if !slices.Contains(used, l) {
			return fmt.Errorf("no span has the label %s", l)
		}
	}
	if sensitive != nil {
		used = sensitive
	}
	if n := len(used); n > crf.MaxLabels {
		return fmt.Errorf("there are %d sensitive labels, at most %d are supported", n, crf.MaxLabels)
	}
	return nil
}
