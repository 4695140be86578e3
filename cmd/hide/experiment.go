// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"hide/internal/annotate"
	"hide/internal/crf"
	"hide/internal/greedy"
)

func runExperiment(ctx context.Context, e *env, args []string) error {
	o, err := e.experimentOptions(args)
	if err != nil {
		return err
	}
	x, err := e.openExperiment(ctx, o)
	if err != nil {
		return err
	}
	return x.finish(ctx)
}

// finish does what is not kept yet, and prints it all.
func (x *experiment) finish(ctx context.Context) error {
	err := errors.Join(x.run(ctx), x.kept.close())
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return x.cutShort(err)
	}
	if errors.Is(err, greedy.ErrFewDocuments) {
		return withHint(err, "an experiment holds some documents out to publish and others to count on: give it notes of more patients")
	}
	if err != nil {
		return err
	}
	report := x.report()
	if err := x.out.write(ctx, report); err != nil {
		return err
	}
	return x.env.result(report, report.write)
}

// cutShort prints what an interrupted run has measured, writes it to the files that
// were asked for, and says how to go on. ctx has ended: the files get one of their own.
func (x *experiment) cutShort(err error) error {
	done, all := len(x.results()), x.wanted()
	if done > 0 {
		report := x.report()
		report.Partial = true
		err = errors.Join(err, x.out.write(context.Background(), report), x.env.result(report, report.write))
	}
	if x.out.resume != "" {
		return withHint(err, fmt.Sprintf("%d of %d results are kept in %s: the same command goes on from there", done, all, x.out.resume))
	}
	return withHint(err, fmt.Sprintf("%d of %d results were there; with --resume FILE a run that is cut short goes on where it was", done, all))
}

// experiment is one run of the command.
type experiment struct {
	experimentOptions
	env       *env
	docs      []annotate.Note // to learn from
	published []annotate.Note // docs, or those of --test
	attackers *attackers
	kept      *state
	made      studies
	near      *contextJSON // nil unless asked for
}

// studies are what was measured beside the results.
type studies struct {
	Frontier *frontierJSON `json:"frontier,omitempty"`
	Ablation *frontierJSON `json:"ablation,omitempty"`
	Curve    []curvePart   `json:"curve,omitempty"`
	Coverage []coverageRow `json:"coverage,omitempty"`
	Alarms   []alarmRow    `json:"alarms,omitempty"`
}

// resultKey names a result.
func resultKey(mode greedy.Mode, learner string, lc float64) string {
	return fmt.Sprintf("%s %g %s", mode, lc, learner)
}

// openExperiment reads the corpora.
func (e *env) openExperiment(ctx context.Context, o experimentOptions) (*experiment, error) {
	x := &experiment{experimentOptions: o, env: e}
	var err error
	if x.docs, err = readSensitive(ctx, o.in, o.labels); err != nil {
		return nil, err
	}
	if n := patientsIn(x.docs); o.test == "" && n > 1 && n < o.trial.Folds {
		return nil, e.usage("--folds is %d, but there are only %d different documents or patients in --in: give at most that many", o.trial.Folds, n)
	}
	if err := e.costsOf(sensitiveLabels(x.docs), o.learn.CRF.Sampling); err != nil {
		return nil, err
	}
	x.published = x.docs
	if o.test != "" {
		if x.published, err = readSensitive(ctx, o.test, o.labels); err != nil {
			return nil, err
		}
	}
	if err := x.labelContext(); err != nil {
		return nil, err
	}
	if err := e.lossesOf(sensitiveLabels(slices.Concat(x.docs, x.published)), o.trial.LossByLabel); err != nil {
		return nil, err
	}
	if o.test != "" {
		x.trial.Test = x.published
	}
	if x.attackers, err = o.openAttackers(ctx); err != nil {
		return nil, err
	}
	x.kept, err = openState(o.out.resume, x.fingerprint())
	return x, err
}

func (x *experiment) fingerprint() fingerprint {
	return fingerprint{stateVersion, toolVersion(), hashDocs(x.docs), hashDocs(x.trial.Test), hashDocs(x.attackers.foreignDocs), x.same}
}

func patientsIn(docs []annotate.Note) int {
	known := map[string]bool{}
	for _, d := range docs {
		known[d.Group] = true
	}
	return len(known)
}

// run does all that was asked for.
func (x *experiment) run(ctx context.Context) error {
	ctx, stop := within(ctx, x.outside)
	defer stop()
	err := x.measure(ctx)
	if err == nil {
		err = x.study(ctx)
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// measure runs each class of learners.
func (x *experiment) measure(ctx context.Context) error {
	if len(x.trial.Modes) == 0 {
		return nil
	}
	p := x.env.progress("experiment, result")
	defer p.end()
	x.trial.Known = func(mode greedy.Mode, learner string, lc float64) bool {
		var row experimentRow
		return x.kept.get("result", resultKey(mode, learner, lc), &row)
	}
	x.trial.Done = func(m greedy.Measured) error { return x.keep(ctx, m) }
	for _, together := range x.classes {
		x.trial.Together = together
		if _, err := greedy.Experiment(ctx, x.docs, x.trial, p.step); err != nil {
			return err
		}
	}
	return nil
}

// study does what was asked for beside the results.
func (x *experiment) study(ctx context.Context) (err error) {
	if x.frontier.on {
		if x.made.Frontier, err = x.frontierOf(ctx, "frontier", x.trial.Learners, x.frontier.against); err != nil {
			return err
		}
	}
	if x.made.Ablation, err = x.ablation(ctx); err != nil {
		return err
	}
	if x.made.Curve, err = x.curves(ctx); err != nil {
		return err
	}
	if x.made.Coverage, err = x.coverage(ctx); err != nil {
		return err
	}
	x.made.Alarms, err = x.alarms(ctx)
	return err
}

// keep attacks what was published and makes a row of it.
func (x *experiment) keep(ctx context.Context, m greedy.Measured) error {
	row := rowOf(m, x.trial.Budgets)
	var err error
	if row.Attackers, err = x.attackers.attack(ctx, m.Views); err != nil {
		return err
	}
	return x.kept.put("result", resultKey(m.Mode, m.Learner, m.Outcome.LC), row)
}

// wanted is how many results there are in the end.
func (x *experiment) wanted() int {
	n := 0
	for _, together := range x.classes {
		for _, class := range classesOf(x.trial.Learners, together) {
			for _, mode := range x.trial.Modes {
				if mode.Possible(class) {
					n += len(x.trial.LC)
				}
			}
		}
	}
	return n
}

// results are the rows that there are by class, mode and L/C.
func (x *experiment) results() []experimentRow {
	var out []experimentRow
	for _, together := range x.classes {
		for _, class := range classNames(x.trial.Learners, together) {
			for _, mode := range x.trial.Modes {
				for _, lc := range x.trial.LC {
					var row experimentRow
					if x.kept.get("result", resultKey(mode, class, lc), &row) {
						out = append(out, row)
					}
				}
			}
		}
	}
	return out
}

// classNames are the names that results bear.
func classNames(learners []greedy.Learner, together bool) []string {
	var names []string
	for _, l := range learners {
		if together && names != nil {
			names[0] += "+" + l.Name()
			continue
		}
		names = append(names, l.Name())
	}
	return names
}

// notes say what was left out, and what figures cannot be trusted for.
func (x *experiment) notes() []string {
	var out []string
	for _, together := range x.classes {
		for _, class := range classesOf(x.trial.Learners, together) {
			if name := classNames(class, true)[0]; slices.Contains(x.trial.Modes, greedy.CostWeight) && !greedy.CostWeight.Possible(class) {
				out = append(out, fmt.Sprintf("mode %s was left out with %s, which does not weigh instances", greedy.CostWeight, name))
			}
		}
	}
	for _, tagger := range x.outside {
		out = append(out, fmt.Sprintf("%s is not trained again for each fold: if it has learnt from these notes, what it leaves of them is no estimate, and 0 means nothing", tagger.Name()))
	}
	return slices.Compact(out)
}

// readSensitive reads a corpus and keeps the spans of the given labels, nil for
// all. A label that the corpus does not use is refused: it is likely misspelt.
func readSensitive(ctx context.Context, name string, labels []annotate.Label) ([]annotate.Note, error) {
	notes, _, err := readNotes(ctx, name)
	if err != nil {
		return nil, err
	}
	used := map[annotate.Label]bool{}
	docs := make([]annotate.Note, len(notes))
	for i, n := range notes {
		for _, s := range n.Spans {
			used[s.Label] = true
		}
		docs[i] = annotate.NewNote(n).Only(func(l annotate.Label) bool { return labels == nil || slices.Contains(labels, l) })
	}
	for _, l := range labels {
		if !used[l] {
			return nil, withHint(fmt.Errorf("%s has no span with the label %s", name, l), "labels are case-sensitive; all takes every one")
		}
	}
	return docs, fewLabels(name, docs)
}

// fewLabels refuses more labels than anything here can tell apart.
func fewLabels(name string, docs []annotate.Note) error {
	if n := len(sensitiveLabels(docs)); n > crf.MaxLabels {
		return withHint(fmt.Errorf("%s has %d sensitive labels, at most %d can be told apart", name, n, crf.MaxLabels), "name those that count with --sensitive, or merge labels")
	}
	return nil
}

// sensitiveLabels are the sensitive labels of documents, sorted.
func sensitiveLabels(docs []annotate.Note) []annotate.Label {
	used := map[annotate.Label]bool{}
	for _, d := range docs {
		for _, l := range d.Labels {
			used[l] = true
		}
	}
	delete(used, "")
	return slices.Sorted(maps.Keys(used))
}
