// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	greedyaudit "hide/internal/greedy/audit"
	"hide/internal/project"
	"hide/internal/project/audit"
)

// sample is an audit in the output of commands. It does not say which notes were drawn at
// random, because readers of the sample may see this.
type sample struct {
	Number    int                 `json:"number"`
	Bundle    int                 `json:"bundle"`
	Run       int                 `json:"run"`
	LC        float64             `json:"lc"`
	Created   time.Time           `json:"created"`
	By        string              `json:"by"`
	Documents int                 `json:"documents"` // that it represents
	Notes     int                 `json:"notes"`     // in it
	Read      int                 `json:"read"`
	Changed   bool                `json:"changed"` // notes have changed since, so the audit is out of date
	Result    *greedyaudit.Result `json:"result"`  // null until all are read
}

func newSample(a audit.Audit) sample {
	return sample{a.Number, a.Bundle, a.Run, a.LC, a.Created, a.By, a.Documents, len(a.Notes), a.Read, a.Changed, a.Result}
}

func runSampleDraw(ctx context.Context, e *env, args []string) error {
	flags := e.flags()
	d := e.dataFlags(flags)
	name := flags.String("project", "", "`project` to audit, by id or name")
	bundle := flags.Int("bundle", 0, "number of the `bundle` (default: the newest)")
	random := flags.Int("random", audit.RandomNotes, "`N` notes drawn at random: the count rests on them")
	picked := flags.Int("picked", audit.DoubtfulNotes, "additional `N` notes that the model is least sure of")
	if _, err := e.parse(flags, args, 0, 0, "project"); err != nil {
		return err
	}
	if err := e.refuseZero(flags, "bundle", "for the newest"); err != nil {
		return err
	}
	if *random < 1 || *random > audit.MostNotes || *picked < 0 || *picked > audit.MostNotes {
		return e.usage("--random is from 1 to %d and --picked from 0 to %d", audit.MostNotes, audit.MostNotes)
	}
	return d.withProject(ctx, *name, func(f *folder, p project.Overview) error {
		number, err := bundleOrNewest(ctx, f, p.ID, *bundle)
		if err != nil {
			return err
		}
		if err := f.projects.StartSampleAudit(ctx, operator(), p.ID, number, *random, *picked); err != nil {
			return err
		}
		drawn, err := e.followDrawing(ctx, f, p.ID)
		if err != nil {
			return err
		}
		if few := audit.Few(drawn.Documents, *random, *picked); few != "" {
			e.warn([]string{few})
		}
		return e.result(drawn, func(w io.Writer) { writeSample(w, drawn) })
	})
}

// followDrawing waits for the sample being drawn.
func (e *env) followDrawing(ctx context.Context, f *folder, id project.ID) (sample, error) {
	var drawn sample
	err := e.follow(ctx, "drawing a sample", func() (done, total int, running bool, err error) {
		all, drawing, err := f.projects.SampleAudits(ctx, operator(), id)
		if err == nil && drawing.Error != "" {
			err = errors.New(drawing.Error)
		}
		running = drawing.Running || len(all) == 0
		if !running {
			drawn = newSample(all[0])
		}
		return drawing.Done, drawing.Total, running, err
	})
	return drawn, err
}

func runSampleList(ctx context.Context, e *env, args []string) error {
	return e.withSamples(ctx, args, nil, func(all []sample) error {
		return e.result(map[string]any{"samples": all}, func(w io.Writer) {
			if len(all) == 0 {
				fmt.Fprintln(w, "no sample has been drawn in this project")
				return
			}
			t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
			fmt.Fprintln(t, "AUDIT\tBUNDLE\tL/C\tDRAWN\tREAD\tLEFT\tAT MOST\t")
			for _, a := range all {
				left, most := "", ""
				if a.Result != nil {
					left, most = fmt.Sprintf("%.0f", a.Result.Remaining.Value), fmt.Sprintf("%.0f", math.Ceil(a.Result.Remaining.AtMost))
				}
				fmt.Fprintf(t, "%d\t%d\t%g\t%s\t%d of %d\t%s\t%s\t%s\n", a.Number, a.Bundle, a.LC, a.Created.Format(time.RFC3339), a.Read, a.Notes, left, most, changedMark(a))
			}
			_ = t.Flush() // a table that cannot be written shows in the next write
		})
	})
}

func changedMark(a sample) string {
	if a.Changed {
		return "notes have changed since"
	}
	return ""
}

func runSampleShow(ctx context.Context, e *env, args []string) error {
	number := 0
	return e.withSamples(ctx, args, &number, func(all []sample) error {
		for _, a := range all {
			if a.Number == number || number == 0 {
				return e.result(a, func(w io.Writer) { writeSample(w, a) })
			}
		}
		if number == 0 {
			return withHint(errors.New("no sample has been drawn in this project"), "run: hide sample draw")
		}
		return withHint(fmt.Errorf("the project has no audit %d", number), "hide sample list shows them")
	})
}

// withSamples calls fn with the audits of --project, newest first. Unless number is nil,
// it declares --audit.
func (e *env) withSamples(ctx context.Context, args []string, number *int, fn func(all []sample) error) error {
	flags := e.flags()
	d := e.dataFlags(flags)
	name := flags.String("project", "", "`project` of the audits, by id or name")
	if number != nil {
		flags.IntVar(number, "audit", 0, "number of the `audit` (default: the newest)")
	}
	if _, err := e.parse(flags, args, 0, 0, "project"); err != nil {
		return err
	}
	if number != nil {
		if err := e.refuseZero(flags, "audit", "for the newest"); err != nil {
			return err
		}
	}
	return d.withProject(ctx, *name, func(f *folder, p project.Overview) error {
		audits, _, err := f.projects.SampleAudits(ctx, operator(), p.ID)
		if err != nil {
			return err
		}
		all := make([]sample, len(audits))
		for i, a := range audits {
			all[i] = newSample(a)
		}
		return fn(all)
	})
}

func writeSample(w io.Writer, a sample) {
	fmt.Fprintf(w, "audit %d of bundle %d, L/C %g: %d of %d notes, drawn %s by %s\n", a.Number, a.Bundle, a.LC, a.Notes, a.Documents, a.Created.Format(time.RFC3339), a.By)
	if a.Changed {
		fmt.Fprintln(w, "notes were edited, finished or added after it: it no longer applies")
	}
	if a.Result == nil {
		fmt.Fprintf(w, "%d of %d notes are read; people read them on the project's page of audits\n", a.Read, a.Notes)
		return
	}
	fmt.Fprintln(w, audit.Words(*a.Result))
}
