// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/learn"
	"hide/internal/lab"
	"hide/internal/project"
)

// sanitizeFlags are the flags as they were typed.
type sanitizeFlags struct {
	data                                   *dataFlags
	project, mode, learners, first, lcs    string
	labels, out                            string
	costs                                  costFlags
	folds, resume                          int
	seed                                   uint64
	passages                               bool
	choose, vc, share, ceiling             float64
	attackers, transfer, without, sampling string
	context                                contextFlags
}

func (e *env) sanitizeFlags(f *flag.FlagSet) *sanitizeFlags {
	v := &sanitizeFlags{data: e.dataFlags(f)}
	f.StringVar(&v.project, "project", "", "`project` to sanitize, by id or name")
	f.StringVar(&v.mode, "mode", "default", "`mode`: default (the detector, then attacks out of fold until none pays), greedy-union, paper-holdout or paper (training counts), and to compare with cost (by threshold) or cost-weight (by weight of instances: a learner such as svm)")
	f.StringVar(&v.learners, "learners", "crf", "comma-separated `learners` of publisher and attackers: "+strings.Join(learn.Kept(), ", "))
	f.StringVar(&v.first, "first", "detector", "`learner` that redacts before the attacks of mode default, or none")
	v.costs.declare(f)
	f.StringVar(&v.lcs, "lc", "1,2,5,10,20,50,100", "comma-separated `values` of L/C")
	f.IntVar(&v.folds, "folds", 4, "cross-fitting `folds`")
	f.Uint64Var(&v.seed, "seed", 1, "`seed` of folds and resampling")
	f.StringVar(&v.labels, "sensitive", "", "comma-separated sensitive `labels` (default: all)")
	f.IntVar(&v.resume, "resume", 0, "go on with `run` of that number, which was cut short, instead of starting one")
	f.StringVar(&v.attackers, "attackers", usualAttackers, "comma-separated `attackers` on what would be published, beside the papers' and the ranked one, or none: "+attackersHelp()+"; stacked needs two --learners")
	f.StringVar(&v.transfer, "transfer", "", "`project`, by id or name, from whose finished notes the attacker transfer learns")
	f.Float64Var(&v.share, "share", greedy.MaxShare, shareUsage)
	f.Float64Var(&v.ceiling, "ceiling", 0, ceilingUsage)
	f.StringVar(&v.without, "without-part", "", withoutUsage())
	f.StringVar(&v.sampling, "sampling", "", samplingUsage)
	v.context.declare(f)
	f.Float64Var(&v.vc, "vc", 0, "with --mode paper: "+vcUsage)
	f.BoolVar(&v.passages, "passages", false, "with --json: include what would leak and be lost and what --context finds, in words from the notes")
	f.Float64Var(&v.choose, "choose", 0, "freeze this `L/C` into a bundle when the run is done")
	f.StringVar(&v.out, "out", "", "also write the bundle of --choose to this `file`, which must not exist")
	return v
}

func runSanitize(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	v := e.sanitizeFlags(f)
	if _, err := e.parse(f, args, 0, 0); err != nil {
		return err
	}
	if err := e.required(f, "project"); err != nil {
		return err
	}
	if err := e.sanitizeIdle(f, v); err != nil {
		return err
	}
	params, err := e.sanitizeParams(f, v)
	if err != nil {
		return err
	}
	return v.data.withFolder(false, func(f *folder) error {
		p, err := f.projects.Find(ctx, operator(), v.project)
		if err != nil {
			return err
		}
		if params.Transfer != "" {
			other, err := f.projects.Find(ctx, operator(), v.transfer)
			if err != nil {
				return err
			}
			params.Transfer = other.ID
		}
		begin := func() (int, error) { return f.projects.StartSanitize(ctx, operator(), p.ID, params) }
		if v.resume != 0 {
			begin = func() (int, error) { return v.resume, f.projects.ResumeSanitize(ctx, operator(), p.ID, v.resume) }
		}
		return e.sanitizeProject(ctx, f, p.ID, begin, v.choose, v.out, v.passages)
	})
}

// sanitizeIdle refuses flags that would change nothing.
func (e *env) sanitizeIdle(f *flag.FlagSet, v *sanitizeFlags) error {
	if err := e.numbered(f, "resume", "to start a run"); err != nil {
		return err
	}
	if v.resume != 0 {
		if err := e.idle(f, "with --resume", append([]string{"mode", "learners", "first", "loss", "cost", "lc", "folds", "seed", "sensitive", "context", "vc", "attackers", "transfer", "share", "ceiling", "without-part", "sampling"}, contextHow...)...); err != nil {
			return err
		}
	}
	if v.out != "" && v.choose == 0 {
		return e.usage("--out needs --choose: which L/C should the bundle be of?")
	}
	if v.mode != string(greedy.Default) {
		if err := e.idle(f, "without --mode default", "first", "ceiling"); err != nil {
			return err
		}
	}
	if v.mode != string(greedy.Paper) {
		if err := e.idle(f, "without --mode paper", "vc"); err != nil {
			return err
		}
	}
	if !e.json {
		return e.idle(f, "without --json", "passages")
	}
	return nil
}

func (e *env) sanitizeParams(f *flag.FlagSet, v *sanitizeFlags) (none project.SanitizeParams, err error) {
	lcs, err := v.grid(e)
	if err != nil {
		return none, err
	}
	if err := free(v.out); err != nil {
		return none, err
	}
	if err := e.checkShare(v.share); err != nil {
		return none, err
	}
	byLabel, byKind, err := v.costs.costs(e)
	if err != nil {
		return none, err
	}
	near, err := v.context.context(e, f)
	if err != nil {
		return none, err
	}
	attackers, err := v.others(e)
	if err != nil {
		return none, err
	}
	sampling, err := e.sampling(v.sampling)
	if err != nil {
		return none, err
	}
	without, err := e.withoutParts(v.without)
	if err != nil {
		return none, err
	}
	return project.SanitizeParams{Mode: greedy.Mode(v.mode), LC: lcs, Folds: v.folds, Seed: v.seed, Labels: labelList(v.labels),
		Learners: strings.Split(v.learners, ","), First: v.first, LossByLabel: byLabel, CostByKind: byKind, Context: near, VC: v.vc,
		Attackers: attackers, Transfer: project.ID(v.transfer), Share: v.share, Ceiling: v.ceiling, WithoutParts: without, Sampling: sampling}, nil
}

// grid reads --lc, which has to have what is to be chosen.
func (v *sanitizeFlags) grid(e *env) ([]float64, error) {
	lcs, err := numbers(v.lcs)
	if err == nil {
		err = different(lcs)
	}
	if err != nil {
		return nil, e.usage("--lc: %v", err)
	}
	if v.choose != 0 && v.resume == 0 && !slices.Contains(lcs, v.choose) {
		return nil, e.usage("--choose %g is not among the values of --lc", v.choose)
	}
	return lcs, nil
}

// others are the attackers beside the papers' and the ranked one.
func (v *sanitizeFlags) others(e *env) (kinds []attack.Kind, err error) {
	if v.attackers != "none" {
		if kinds, err = e.attackers(v.attackers); err != nil {
			return nil, err
		}
	}
	if v.attackers != usualAttackers && slices.Contains(kinds, attack.Stacked) && !strings.Contains(v.learners, ",") {
		return nil, e.usage("--attackers: stacked joins learners, and there is one: name others with --learners, or leave stacked out")
	}
	if slices.Contains(kinds, attack.Transfer) && v.transfer == "" {
		return nil, e.usage("--attackers: transfer needs finished notes of another project to learn from: add --transfer PROJECT, or leave transfer out")
	}
	return kinds, nil
}

// different refuses a value that is there twice.
func different(values []float64) error {
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return fmt.Errorf("%g is there twice", v)
		}
	}
	return nil
}

// sanitizeProject follows the run that begin begins.
func (e *env) sanitizeProject(ctx context.Context, f *folder, id project.ID, begin func() (int, error), choose float64, path string, passages bool) error {
	number, err := begin()
	var asked *project.ParamsError
	if errors.As(err, &asked) {
		return &usageError{text: e.command.name + ": " + asked.Error(), hint: hintOf(asked)}
	}
	if err != nil {
		return err
	}
	run, err := e.followRun(ctx, f, id, number)
	if err != nil {
		return err
	}
	if !passages {
		run.Context = nil
		for i := range run.Choices {
			run.Choices[i].Leaks, run.Choices[i].Lost = nil, nil
		}
	}
	out := map[string]any{"run": run, "warnings": run.Warnings(), "certificates": certificates(run)}
	if choose > 0 {
		bundle, err := e.chooseBundle(ctx, f, id, number, choose, path)
		if err != nil {
			return err
		}
		out["bundle"] = bundle
	}
	return e.result(out, func(w io.Writer) { writeRun(w, run) })
}

// chooseBundle freezes an L/C of the run and writes the bundle to path, unless
// that is empty.
func (e *env) chooseBundle(ctx context.Context, f *folder, id project.ID, run int, lc float64, path string) (project.BundleInfo, error) {
	bundle, err := f.projects.Choose(ctx, operator(), id, run, lc)
	if err != nil || path == "" {
		return bundle, err
	}
	return bundle, e.writeTo(path, func(w io.Writer) error {
		return f.projects.WriteBundle(ctx, operator(), id, bundle.Number, w)
	})
}

// followRun waits for a run and shows how far it is.
func (e *env) followRun(ctx context.Context, f *folder, id project.ID, number int) (*project.Run, error) {
	bar := e.progress(fmt.Sprintf("run %d", number))
	defer bar.end()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		run, err := f.projects.Run(ctx, operator(), id, number)
		if err != nil {
			return nil, err
		}
		switch run.State {
		case project.RunFinished:
			return run, nil
		case project.RunFailed:
			return nil, fmt.Errorf("sanitizing run %d: %s", number, run.Error)
		case project.RunCancelled, project.RunInterrupted:
			return nil, withHint(fmt.Errorf("sanitizing run %d was %s", number, run.State), resumeHint(number))
		}
		bar.step(int(100*run.Progress.Share), 100, run.Progress.Doing)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, withHint(ctx.Err(), resumeHint(number))
		}
	}
}

func resumeHint(run int) string {
	return fmt.Sprintf("what it has trained and found is kept: go on with --resume %d", run)
}

func writeRun(w io.Writer, r *project.Run) {
	only := ""
	if kinds := r.Params.CountedWords(); kinds != "" {
		only = ", counting only " + kinds
	}
	fmt.Fprintf(w, "run %d, %s, over %d finished notes%s\n", r.Number, r.Params.Mode, r.Documents, only)
	if costs := lab.CostWords(r.Params.LossByLabel, r.Params.CostByKind); costs != "" {
		fmt.Fprintln(w, costs)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "L/C\trounds\ttokens left\t95 %\tnames left\t95 %\tother text kept\tfound in 1000\t95 %\t")
	var lost []lab.OverRedacted
	for _, c := range r.Choices {
		o := c.Outcome.Unseen()
		lost = append(lost, lab.OverRedacted{Of: []string{fmt.Sprintf("%g", c.LC)}, Lost: o.ByKind})
		found, interval := "-", "-" // no ranked attack was made
		if e, ok := o.Attack.Ranked[1000]; ok {
			found, interval = fmt.Sprintf("%.0f", e.Value), span(e)
		}
		fmt.Fprintf(t, "%g\t%d\t%.0f of %d\t%s\t%.0f of %d\t%s\t%.2f %%\t%s\t%s\t\n", c.LC, o.Rounds, o.Residual.Value, o.Sensitive,
			span(o.Residual), o.NamesLeft.Value, o.Names, span(o.NamesLeft), 100*o.NonsensitiveKept.Value, found, interval)
	}
	t.Flush()
	for _, c := range r.Choices {
		if says := r.RaisedWords(c); says != "" {
			fmt.Fprintln(w, says)
		}
	}
	if says := r.HoldingWords(1000); says != "" {
		fmt.Fprintln(w, says)
	}
	if len(r.Params.CostByKind) > 0 {
		lab.WriteOverRedacted(w, []string{"L/C"}, lost)
	}
	writeRunAttackers(w, r)
	writeCertificates(w, r)
	writeContext(w, r.Params.Context, r.ContextFound)
	writeBounds(w, r)
	for _, warning := range r.Warnings() {
		fmt.Fprintln(w, "warning:", warning)
	}
}

// span is an interval, rounded outwards.
func span(e greedy.Estimate) string {
	return fmt.Sprintf("%.0f-%.0f", math.Floor(e.Low), math.Ceil(e.High))
}
