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
	"hide/internal/lab"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/internal/publish"
)

// sanitizeFlags are the flags besides those of [sanitize.Options].
type sanitizeFlags struct {
	data         *dataFlags
	project, out string
	resume       int
	choose       float64
	chooseTarget bool
	passages     bool
	attackWith   []string
	params       sanitize.Params
}

func (e *env) sanitizeFlags(f *flag.FlagSet) *sanitizeFlags {
	v := &sanitizeFlags{data: e.dataFlags(f)}
	f.StringVar(&v.project, "project", "", "`PROJECT` to sanitize, by id or name")
	sanitize.Options.Bind(f, &v.params)
	f.IntVar(&v.resume, "resume", 0, "continue the interrupted run `N` instead of starting one")
	f.BoolVar(&v.passages, "passages", false, "with --json: include the words of missed PHI, over-redacted words and contextual identifiers")
	f.Func("attack-with", "also attack with this `LEARNER`, which was trained elsewhere: outside:COMMAND or onnx:FOLDER; may be given again. It redacts nothing, and figures of notes that it was trained on mean nothing", func(name string) error {
		v.attackWith = append(v.attackWith, name)
		return nil
	})
	f.Float64Var(&v.choose, "choose", 0, "freeze this `L/C` into a redaction model when the run is done")
	f.BoolVar(&v.chooseTarget, "choose-target", false, "freeze the threshold that the run chose for --target into a redaction model when the run is done")
	f.StringVar(&v.out, "out", "", "also write the redaction model of --choose or --choose-target to this `FILE`, which must not exist")
	return v
}

func runSanitize(ctx context.Context, e *env, args []string) error {
	f := e.flags()
	v := e.sanitizeFlags(f)
	if _, err := e.parse(f, args, 0, 0, "project"); err != nil {
		return err
	}
	if err := e.checkSanitize(f, v); err != nil {
		return err
	}
	if len(v.attackWith) > 0 && e.shared != nil {
		return withHint(errors.New("--attack-with starts a program, and a server has the data folder open, which starts none"), "stop the server first, or leave it out")
	}
	outside, programs, err := lab.Elsewhere(v.attackWith)
	if err != nil {
		return e.usage("--attack-with: %v", err)
	}
	v.params.Outside = outside
	ctx, stop := lab.Within(ctx, programs)
	defer stop()
	err = v.data.withProject(ctx, v.project, func(f *folder, p project.Overview) error {
		if err := e.sayTarget(ctx, f, p.ID, v.params); err != nil {
			return err
		}
		begin := func() (int, error) { return f.projects.StartSanitize(ctx, operator(ctx), p.ID, v.params) }
		if v.resume != 0 {
			begin = func() (int, error) { return v.resume, f.projects.ResumeSanitize(ctx, operator(ctx), p.ID, v.resume) }
		}
		return e.sanitizeProject(ctx, f, p.ID, begin, v)
	})
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause // a tagger failed: its figures would be too low
	}
	return err
}

// sayTarget says before a run how many notes it sets aside for its target.
func (e *env) sayTarget(ctx context.Context, f *folder, id project.ID, p sanitize.Params) error {
	t := p.Target()
	if t == nil {
		return nil
	}
	plan, err := f.projects.TargetPlan(ctx, operator(ctx), id, *t)
	if err == nil {
		fmt.Fprintln(e.stderr, plan.Words(*t))
	}
	return err
}

// checkSanitize refuses invalid combinations of flags.
func (e *env) checkSanitize(f *flag.FlagSet, v *sanitizeFlags) error {
	if err := e.refuseZero(f, "resume", "to start a run"); err != nil {
		return err
	}
	if v.resume != 0 {
		if err := e.refuseUnused(f, "with --resume", append(sanitize.Options.Names(), "attack-with")...); err != nil {
			return err
		}
	}
	if v.out != "" && v.choose == 0 && !v.chooseTarget {
		return e.usage("--out needs --choose, the L/C of the redaction model, or --choose-target")
	}
	if v.chooseTarget && v.choose != 0 {
		return e.usage("--choose and --choose-target exclude each other")
	}
	if v.chooseTarget && v.resume == 0 && v.params.TargetShare == 0 {
		return e.usage("--choose-target needs --target")
	}
	if unused := sanitize.Options.Unused(f, &v.params); unused != nil {
		return e.usage("%v", unused)
	}
	if !e.json {
		if err := e.refuseUnused(f, "without --json", "passages"); err != nil {
			return err
		}
	}
	if v.choose != 0 && v.resume == 0 && !slices.Contains(v.params.LC, v.choose) {
		return e.usage("--choose %g is not among the values of --lc", v.choose)
	}
	if given(f)["attackers"] && slices.Contains(v.params.Attackers, attack.Stacked) && len(v.params.Learners) == 1 {
		return e.usage("--attackers: stacked combines learners, but there is only one: add others with --learners, or leave stacked out")
	}
	return e.files().CheckNew(v.out)
}

// sanitizeProject follows the run that begin starts.
func (e *env) sanitizeProject(ctx context.Context, f *folder, id project.ID, begin func() (int, error), v *sanitizeFlags) error {
	number, err := begin()
	if asked, ok := errors.AsType[*sanitize.ParamsError](err); ok {
		return &usageError{text: e.command.name + ": " + asked.Error(), hint: hintOf(asked)}
	}
	if err != nil {
		return err
	}
	run, err := e.followRun(ctx, f, id, number)
	if err != nil {
		return err
	}
	if !v.passages {
		run.Context = nil
		for i := range run.Choices {
			run.Choices[i].Leaks, run.Choices[i].Lost = nil, nil
		}
	}
	out := map[string]any{"run": run, "validity": validities(run), "warnings": run.Warnings(), "certificates": certificates(run)}
	if v.choose > 0 || v.chooseTarget {
		bundle, err := e.chooseBundle(ctx, f, id, number, v)
		if err != nil {
			return err
		}
		out["bundle"] = bundle
	}
	return e.result(out, func(w io.Writer) { writeRun(w, run) })
}

// chooseBundle freezes an L/C of the run, or its target, and writes the bundle to --out.
func (e *env) chooseBundle(ctx context.Context, f *folder, id project.ID, run int, v *sanitizeFlags) (bundle sanitize.Bundle, err error) {
	if v.chooseTarget {
		bundle, err = f.projects.ChooseTarget(ctx, operator(ctx), id, run)
	} else {
		bundle, err = f.projects.Choose(ctx, operator(ctx), id, run, v.choose)
	}
	if err != nil || v.out == "" {
		return bundle, err
	}
	return bundle, e.writeTo(v.out, func(w io.Writer) error {
		return f.projects.WriteBundle(ctx, operator(ctx), id, bundle.Number, w)
	})
}

// followRun waits for a run and shows its progress.
func (e *env) followRun(ctx context.Context, f *folder, id project.ID, number int) (*sanitize.Run, error) {
	bar := e.progress(fmt.Sprintf("run %d", number))
	defer bar.End()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		run, err := f.projects.Run(ctx, operator(ctx), id, number)
		if err != nil {
			return nil, err
		}
		switch run.State {
		case sanitize.Finished:
			return run, nil
		case sanitize.Failed:
			return nil, fmt.Errorf("sanitizing run %d: %s", number, run.Error)
		case sanitize.Cancelled, sanitize.Interrupted:
			return nil, withHint(fmt.Errorf("sanitizing run %d was %s", number, run.State), resumeHint(number))
		}
		bar.Step(int(100*run.Progress.Share), 100, run.Progress.Doing)
		select {
		case <-tick.C:
		case <-ctx.Done():
			cancelJob(ctx, id, f.projects.CancelSanitize, func(ctx context.Context) bool {
				run, err := f.projects.Run(ctx, operator(ctx), id, number)
				return err == nil && run.State == sanitize.Running
			})
			return nil, withHint(ctx.Err(), resumeHint(number))
		}
	}
}

func resumeHint(run int) string {
	return fmt.Sprintf("finished work is kept: continue with --resume %d", run)
}

func writeRun(w io.Writer, r *sanitize.Run) {
	only := ""
	if kinds := r.Params.CountedWords(); kinds != "" {
		only = ", counting only " + kinds
	}
	fmt.Fprintf(w, "run %d, %s, over %d finished notes%s\n", r.Number, r.Params.Mode, r.Documents, only)
	if costs := lab.CostWords(r.Params.LossByLabel, r.Params.CostByKind); costs != "" {
		fmt.Fprintln(w, costs)
	}
	writeUnknown(w, r)
	t := lab.Table(w)
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
			span(o.Residual), o.IdentifiersMissed.Value, o.Identifiers, span(o.IdentifiersMissed), 100*o.NonsensitiveKept.Value, found, interval)
	}
	t.Flush()
	for _, c := range r.Choices {
		if says := r.RaisedWords(c); says != "" {
			fmt.Fprintln(w, says)
		}
	}
	if says := r.TargetWords(); says != "" {
		fmt.Fprintln(w, says)
		if r.Target.Done() {
			o := r.Target.Result.Outcome
			fmt.Fprintf(w, "on the %d calibration notes it keeps %.2f %% of the other text, 95 %%: %.2f-%.2f %%\n", r.Target.Notes, 100*o.NonsensitiveKept.Value, 100*o.NonsensitiveKept.Low, 100*o.NonsensitiveKept.High)
		}
	}
	if says := r.HoldingWords(1000); says != "" {
		fmt.Fprintln(w, says)
	}
	if len(r.Params.CostByKind) > 0 {
		lab.WriteOverRedacted(w, []string{"L/C"}, lost)
	}
	var attacked []lab.Attacked
	for _, c := range r.Choices {
		attacked = append(attacked, lab.Attacked{Of: []string{fmt.Sprintf("%g", c.LC)}, By: c.Attackers})
	}
	lab.WriteAttackers(w, []string{"L/C"}, attacked)
	writeLinked(w, r)
	writeCertificates(w, r)
	writeContext(w, r.Params.Context, r.ContextFound)
	writeBounds(w, r)
	for _, warning := range r.Warnings() {
		fmt.Fprintln(w, "warning:", warning)
	}
}

// writeUnknown prints that the figures do not hold for the notes to be published, what is known of
// these, and which notes the figures are about; nothing if they hold.
func writeUnknown(w io.Writer, r *sanitize.Run) {
	v := r.Validity(0)
	if v.Hold {
		return
	}
	fmt.Fprintln(w, v.Unknown())
	for _, says := range v.Known() {
		fmt.Fprintln(w, says)
	}
	for _, c := range r.Choices {
		if says := r.Validity(c.LC).Counted(); says != "" {
			fmt.Fprintf(w, "L/C %g: %s\n", c.LC, says)
		}
	}
	fmt.Fprintf(w, "%s:\n", v.Where())
}

// writeLinked prints what an attacker who goes for the patients links at each L/C.
func writeLinked(w io.Writer, r *sanitize.Run) {
	for _, c := range r.Choices {
		if c.Linked != nil {
			fmt.Fprintf(w, "L/C %g: %s\n", c.LC, c.Linked.Headline())
		}
	}
}

// span is an interval, rounded outwards.
func span(e greedy.Estimate) string {
	return fmt.Sprintf("%.0f-%.0f", math.Floor(e.Low), math.Ceil(e.High))
}

// validityJSON says whether the figures of an L/C hold for the notes to be published.
type validityJSON struct {
	LC float64 `json:"lc"`
	publish.Validity
}

func validities(r *sanitize.Run) []validityJSON {
	out := []validityJSON{}
	for _, c := range r.Choices {
		out = append(out, validityJSON{c.LC, r.Validity(c.LC)})
	}
	return out
}

// certificateJSON is the no-profitable-attack check of an L/C, with the gains of other
// attackers of the run.
type certificateJSON struct {
	LC        float64           `json:"lc"`
	Certified []string          `json:"certified"` // learners that the check covers
	Verdict   string            `json:"verdict"`
	But       string            `json:"but,omitempty"`
	Paying    []sanitize.Paying `json:"paying,omitempty"`
	why       string
}

// certificates are the checks of a run, none in paper mode.
func certificates(r *sanitize.Run) []certificateJSON {
	out := []certificateJSON{}
	for _, c := range r.Choices {
		if len(c.Certificate) == 0 {
			continue
		}
		row := certificateJSON{LC: c.LC, Paying: r.Params.Paying(c)}
		row.Verdict, row.why, row.But = sanitize.CertificateWords(r.Params, c)
		for _, k := range c.Certificate {
			row.Certified = append(row.Certified, k.Learner)
		}
		out = append(out, row)
	}
	return out
}

func writeCertificates(w io.Writer, r *sanitize.Run) {
	for _, c := range certificates(r) {
		fmt.Fprintln(w, strings.TrimSpace(fmt.Sprintf("L/C %g: %s %s %s", c.LC, c.Verdict, c.why, c.But)))
	}
}

// writeBounds prints the theorems' bounds on the papers' algorithm.
func writeBounds(w io.Writer, r *sanitize.Run) {
	if r.Params.Mode != greedy.Paper {
		return
	}
	fmt.Fprintf(w, "\n%s; %s\n", lab.DimensionWords(r.Params.VC), lab.BoundsAbout)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range r.Choices {
		for _, b := range c.Bounds {
			cells := lab.BoundCells(b)
			fmt.Fprintf(t, "L/C %g\t%s\tat most %s\tobserved %s\t%s\t%s\n", c.LC, cells[0], cells[1], cells[2], cells[3], cells[4])
		}
	}
	t.Flush()
}

// writeContext prints how many contextual identifiers were found.
func writeContext(w io.Writer, c *greedy.Context, found int) {
	if c == nil {
		return
	}
	what := "listed on the page of the run, and with --json --passages"
	if c.Redact {
		what = "counted as sensitive, with the label " + string(greedy.ContextLabel)
	}
	fmt.Fprintf(w, "%d pairs of an identifier and a contextual identifier: %s\n", found, what)
}
