// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"hide/internal/greedy"
	"hide/internal/greedy/study"
)

// frontierOptions say what is left at which shares kept.
type frontierOptions struct {
	on      bool
	kept    []float64
	against string // "" means the first learner

	typed string
}

func (o *frontierOptions) declare(f *flag.FlagSet) {
	f.BoolVar(&o.on, "frontier", false, "also measure what each of --learners leaves when given shares of the other tokens are kept, read off the order of its scores of documents it did not see, with differences paired by document or patient")
	f.StringVar(&o.typed, "kept", ".999,.995,.99,.98", "`SHARES` kept, for --frontier, --ablate and --curve")
	f.StringVar(&o.against, "against", "", "with --frontier, `LEARNER` of --learners that the others are compared with; without it the first")
}

func (o *frontierOptions) check(e *env, learners []greedy.Learner) error {
	for s := range strings.SplitSeq(o.typed, ",") {
		v, err := number(s)
		if err != nil || !(v > 0 && v <= 1) {
			return e.usage("--kept: %q is not a share above 0 and at most 1", s)
		}
		o.kept = append(o.kept, v)
	}
	slices.Sort(o.kept)
	slices.Reverse(o.kept)
	o.kept = slices.Compact(o.kept)
	if o.against == "" {
		o.against = learners[0].Name()
	}
	if !slices.ContainsFunc(learners, func(l greedy.Learner) bool { return l.Name() == o.against }) {
		return e.usage("--against: %s is not one of --learners", o.against)
	}
	return nil
}

// frontierJSON is what learners leave at equal shares kept.
type frontierJSON struct {
	Against  string         `json:"against"`
	Learners []frontierLine `json:"learners"`
}

type frontierLine struct {
	Learner string          `json:"learner"`
	Points  []frontierPoint `json:"points"`
}

// frontierPoint is one share kept.
type frontierPoint struct {
	Kept          float64  `json:"kept"`           // the share of other tokens asked for
	Redacted      int      `json:"others_lost"`    // other tokens redacted
	Left          int      `json:"residual"`       // sensitive tokens left
	Informative   int      `json:"informative"`    // of those, neither signs nor common words
	Spans         int      `json:"names_left"`     // spans with a token left
	Documents     int      `json:"documents"`      // with a token left
	More          float64  `json:"more"`           // than the learner compared with
	StandardError *float64 `json:"standard_error"` // of more, paired by document or patient; null for one alone
	Ratio         *float64 `json:"ratio"`          // residual over that of the learner compared with; null when that is 0
}

// frontierOf scores all documents with each learner, and compares them with the
// one of a name.
func (x *experiment) frontierOf(ctx context.Context, kind string, learners []greedy.Learner, against string) (*frontierJSON, error) {
	p := x.env.progress(kind + ", learner")
	defer p.end()
	plan := x.plan()
	lines := make([]*study.Frontier, len(learners))
	var base *study.Frontier
	for i, l := range learners {
		p.step(i, len(learners), l.Name())
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

// scored is what a learner leaves, from an earlier run if there was one.
func (x *experiment) scored(ctx context.Context, kind string, plan study.Plan, l greedy.Learner) (*study.Frontier, error) {
	f := &study.Frontier{}
	if x.kept.get(kind, l.Name(), f) {
		return f, nil
	}
	scores, err := study.Score(ctx, plan, l, x.trial.Workers)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", kind, l.Name(), err)
	}
	f = study.NewFrontier(plan.Docs, scores, x.frontier.kept)
	return f, x.kept.put(kind, l.Name(), f)
}

func frontierPoints(f, base *study.Frontier) []frontierPoint {
	points := make([]frontierPoint, len(f.Points))
	for k, d := range f.Against(base) {
		p := f.Points[k]
		points[k] = frontierPoint{p.Kept, p.Lost, p.Left, p.Informative, p.Spans, p.Documents, d.More, numberOrNull(d.Error), numberOrNull(d.Ratio)}
	}
	return points
}

func numberOrNull(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

func (f *frontierJSON) write(w io.Writer) {
	if f == nil {
		return
	}
	fmt.Fprintf(w, "\nleft when a share of the other tokens is kept, and how many more than %s leaves\n\n", f.Against)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "learner\tkept\tleft\tsay something\tspans\tdocuments\tmore\tstandard error\tratio\t\n")
	for _, line := range f.Learners {
		for _, p := range line.Points {
			fmt.Fprintf(t, "%s\t%g %%\t%d\t%d\t%d\t%d\t%+.0f\t%s\t%s\t\n", line.Learner, percent(p.Kept), p.Left, p.Informative, p.Spans, p.Documents,
				p.More, orDash("%.1f", p.StandardError), orDash("%.2f", p.Ratio))
		}
	}
	t.Flush() // cannot fail but as w does
}

// percent is 99.9 for .999.
func percent(share float64) float64 { return math.Round(share*1e6) / 1e4 }

func orDash(format string, v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf(format, *v)
}

func (f *frontierJSON) csvLines(part string) []csvLine {
	if f == nil {
		return nil
	}
	var lines []csvLine
	for _, line := range f.Learners {
		for _, p := range line.Points {
			base := csvLine{part: part, learner: line.Learner, kept: csvNumber(p.Kept)}
			lines = append(lines, base.with("residual", float64(p.Left)), base.with("informative_left", float64(p.Informative)), base.with("names_left", float64(p.Spans)),
				base.with("documents_with_leak", float64(p.Documents)), base.with("false_positives", float64(p.Redacted)), base.with("more", p.More))
			if p.StandardError != nil {
				lines = append(lines, base.with("standard_error", *p.StandardError))
			}
			if p.Ratio != nil {
				lines = append(lines, base.with("ratio", *p.Ratio))
			}
		}
	}
	return lines
}

// plan is what is learnt from and scored.
func (x *experiment) plan() study.Plan {
	return study.Folds(x.docs, x.trial.Test, x.trial.Folds, x.trial.Seed)
}
