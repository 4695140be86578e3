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

// sample is an audit of an earlier version in the output of commands.
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
	Result    *greedyaudit.Result `json:"result"`  // null unless all were read
}

func newSample(a audit.Audit) sample {
	return sample{a.Number, a.Bundle, a.Run, a.LC, a.Created, a.By, a.Documents, len(a.Notes), a.Read, a.Changed, a.Result}
}

func runSampleList(ctx context.Context, e *env, args []string) error {
	return e.withSamples(ctx, args, nil, func(all []sample) error {
		return e.result(map[string]any{"samples": all}, func(w io.Writer) {
			if len(all) == 0 {
				fmt.Fprintln(w, "this project has no audits of earlier versions")
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
			return withHint(errors.New("this project has no audits of earlier versions"), "hide review and hide certify have taken their place")
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
		audits, err := f.projects.SampleAudits(ctx, operator(ctx), p.ID)
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
		fmt.Fprintf(w, "%d of %d notes were read; it was not read to its end, so it has no result\n", a.Read, a.Notes)
		return
	}
	fmt.Fprintln(w, audit.Words(*a.Result))
}
