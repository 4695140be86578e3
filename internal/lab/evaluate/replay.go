// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"hide/internal/annotate"
	"hide/internal/bootstrap"
	"hide/internal/chart"
	"hide/internal/hint"
	"hide/internal/lab"
	"hide/internal/option"
	"hide/internal/outfile"
)

// Replay says how annotation is replayed, and on which notes.
type Replay struct {
	bootstrap.Options
	Holdout  float64 // share of the notes
	Schedule string
}

// ReplayOptions declare how annotation is replayed.
var ReplayOptions = option.Table[Replay]{
	option.Number(option.About{Name: "holdout", Default: "0.2", Value: "SHARE", Help: "The share of the notes to hold out where there is no --test; a patient is never split."},
		option.Above(0).Below(1), func(v *Replay) *float64 { return &v.Holdout }),
	option.Some(option.About{Name: "order", Default: "active,random", Value: "ORDERS", Help: "Orders to compare."},
		[]option.Choice{{Value: string(bootstrap.Active), Help: "that of a project's queue"}, {Value: string(bootstrap.AtRandom)}}, func(v *Replay) *[]bootstrap.Order { return &v.Orders }),
	option.Whole(option.About{Name: "start", Default: strconv.Itoa(bootstrap.BeforeModel), Value: "N", Help: "Train first when N notes are read."},
		option.AtLeast(1), func(v *Replay) *int { return &v.Start }),
	option.One(option.About{Name: "schedule", Default: "geometric", Value: "WHEN", Help: "When to train."},
		[]option.Choice{{Value: "geometric", Help: "when an eighth more notes are read"}, {Value: "even", Help: "with --step"}}, func(v *Replay) *string { return &v.Schedule }),
	option.Whole(option.About{Name: "step", Value: "N", Help: "Train whenever N more notes are read."}, option.AtLeast(0), func(v *Replay) *int { return &v.Step }),
	option.Whole(option.About{Name: "most", Value: "N", Help: "Stop when N notes are read; 0 means all."}, option.AtLeast(0), func(v *Replay) *int { return &v.Most }),
	option.Whole(option.About{Name: "repeats", Default: "1", Value: "N", Help: "Replay each order N times, drawn anew."}, option.AtLeast(1), func(v *Replay) *int { return &v.Repeats }),
	option.Number(option.About{Name: "goal", Default: "0.95", Value: "SHARE", Help: "The share of the F1 of all notes that is to be reached."}, option.Above(0).AtMost(1), func(v *Replay) *float64 { return &v.Goal }),
	option.Seed(option.About{Name: "seed", Default: "1", Value: "SEED", Help: "The seed decides orders and which notes are held out."}, func(v *Replay) *uint64 { return &v.Seed }),
}

// Replayed is a replay of annotation.
type Replayed struct {
	*bootstrap.Result
	Preset string `json:"preset"`
	Seed   uint64 `json:"seed"`
}

// Read reads the notes to replay, and those to test on. Without a file of these it holds some of
// the notes out. Only spans with counted labels are kept, nil for all.
func (v Replay) Read(ctx context.Context, in, test string, counted []annotate.Label) (pool, tested []annotate.Annotated, err error) {
	if pool, err = ReadNotes(ctx, in, counted, nil); err != nil {
		return nil, nil, err
	}
	if test != "" {
		tested, err = ReadNotes(ctx, test, counted, nil)
		return pool, tested, err
	}
	pool, tested, err = bootstrap.Split(pool, v.Holdout, v.Seed)
	if err == nil && !slices.ContainsFunc(tested, func(n annotate.Annotated) bool { return len(n.Spans) > 0 }) {
		err = fmt.Errorf("%s: the %d documents held out hold no span: there is nothing to score", in, len(tested))
	}
	if err != nil {
		err = hint.Add(err, "give notes of more patients, or notes to test on with --test")
	}
	return pool, tested, err
}

// Run replays annotation. preset is the name of the features of the tagger.
func (v Replay) Run(ctx context.Context, pool, test []annotate.Annotated, preset string, progress lab.Progress) (Replayed, error) {
	bar := progress.Start("training")
	defer bar.End()
	v.Progress = func(done, total int, order bootstrap.Order, documents int) {
		bar.Step(done, total, strings.TrimSpace(fmt.Sprintf("%s %d notes", order, documents)))
	}
	result, err := bootstrap.Replay(ctx, pool, test, v.Options)
	return Replayed{result, preset, v.Seed}, err
}

// Draw draws the curves of F1 into one file and all curves and their numbers into another; ""
// draws nothing.
func (r Replayed) Draw(svg, report string) error {
	_, err1 := outfile.Write(svg, func(w io.Writer) error { return chart.WriteReplayChart(w, r.Result) })
	_, err2 := outfile.Write(report, func(w io.Writer) error { return chart.WriteReplayReport(w, r.Result) })
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Errorf("draw the curves: %w", err)
	}
	return nil
}

// Write prints the replay as text.
func (r Replayed) Write(w io.Writer) {
	fmt.Fprintf(w, "%d notes to read, %d to test on; all of them give F1 %.4f, token recall %.4f, %.0f notes with a leak\n",
		r.Pool.Documents, r.Test.Documents, r.Full.F1, r.Full.TokenRecall, r.Full.Leaking)
	for _, c := range r.Curves {
		fmt.Fprintln(w)
		writeCurve(w, c)
	}
	fmt.Fprintln(w)
	for _, c := range r.Curves {
		fmt.Fprintf(w, "%.0f %% of that F1: %s\n", 100*r.Goal, neededLine(c))
	}
	if r.Saved != nil {
		fmt.Fprintf(w, "random order takes %.2f times the notes and %.2f times the tokens\n", r.Saved.Documents, r.Saved.Tokens)
	}
}

func writeCurve(w io.Writer, c bootstrap.Curve) {
	t := lab.Table(w)
	fmt.Fprintf(t, "%s\ttokens\tF1\ttoken recall\twith a leak\tspans\tby hand\trefused\ttraining\t\n", c.Order)
	for _, p := range c.Points {
		fmt.Fprintf(t, "%.0f\t%.0f\t%.4f\t%.4f\t%.1f\t%.0f\t%.0f\t%.0f\t%.2f s\t\n",
			p.Documents, p.Tokens, p.F1, p.TokenRecall, p.Leaking, p.Spans, p.ByHand, p.Refused, p.Seconds)
	}
	_ = t.Flush() // a write error shows in the next write
}

func neededLine(c bootstrap.Curve) string {
	n := c.Needed
	if !n.Reached {
		return fmt.Sprintf("not reached in %s order", c.Order)
	}
	line := fmt.Sprintf("%.1f notes and %.0f tokens in %s order", n.Documents, n.Tokens, c.Order)
	if n.AtStart {
		line += ", or fewer: it was reached at --start"
	}
	if n.Never == 0 && n.Least < n.Most {
		line += fmt.Sprintf(" (%.1f to %.1f notes over the repeats)", n.Least, n.Most)
	}
	return line
}
