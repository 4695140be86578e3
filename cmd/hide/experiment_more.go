// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"text/tabwriter"

	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/greedy/detect"
	"hide/internal/greedy/learn"
	"hide/internal/greedy/study"
)

// moreOptions are the studies beside the figures of the papers.
type moreOptions struct {
	ablate, curve bool
	coverage      int
	alarms        int
}

func (o *moreOptions) declare(f *flag.FlagSet) {
	f.BoolVar(&o.ablate, "ablate", false, "also measure what the detector leaves without each of its parts, as --frontier does")
	f.BoolVar(&o.curve, "curve", false, "also measure what each of --learners leaves when it learns from an eighth, a quarter, half and all of the documents")
	f.IntVar(&o.coverage, "coverage", 0, "also learn from a random half of --in and publish the other, `N` times, and count how often the interval holds the true number left, and \"at most\" does; with each of --modes, --learners and --lc")
	f.IntVar(&o.alarms, "alarms", 0, alarmsUsage)
}

// ablation scores the detector, and the detector without each part. The first is
// whole.
func (x *experiment) ablation(ctx context.Context) (*frontierJSON, error) {
	if !x.more.ablate {
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

// curvePart is what one learner leaves with fewer documents.
type curvePart struct {
	Learner   string          `json:"learner"`
	Share     float64         `json:"share"`
	Documents float64         `json:"documents"` // learnt from, the mean over the folds
	Points    []frontierPoint `json:"points"`    // compared with all documents
}

// curves are the learning curves.
func (x *experiment) curves(ctx context.Context) ([]curvePart, error) {
	if !x.more.curve {
		return nil, nil
	}
	var out []curvePart
	p := x.env.progress("learning curve, learner")
	defer p.end()
	for i, l := range x.trial.Learners {
		var whole *study.Frontier
		for _, share := range []float64{1, .5, .25, .125} {
			plan := x.plan().Fewer(share, x.trial.Seed)
			p.step(i, len(x.trial.Learners), fmt.Sprintf("%s with %.0f documents", l.Name(), plan.Learnt()))
			f, err := x.scored(ctx, fmt.Sprintf("curve %g", share), plan, l)
			if err != nil {
				return nil, err
			}
			if whole == nil {
				whole = f
			}
			out = append(out, curvePart{l.Name(), share, plan.Learnt(), frontierPoints(f, whole)})
		}
	}
	return out, nil
}

// coverageRow is how often expectations held.
type coverageRow struct {
	Mode     greedy.Mode `json:"mode"`
	Learner  string      `json:"learner"`
	LC       float64     `json:"lc"`
	Draws    int         `json:"draws"`
	Expected float64     `json:"expected"` // sensitive tokens left, mean
	Width    float64     `json:"width"`    // of the interval, mean
	coverageHeld
	Measured coverageHeld `json:"before_attuning"` // of the classifiers that the expectation is of
}

type coverageHeld struct {
	Covered int     `json:"covered"`      // draws whose 95 % interval held the true number
	AtMost  int     `json:"at_most_held"` // draws in which no more was left than "at most"
	Left    float64 `json:"residual"`     // truly, mean
}

func (x *experiment) coverage(ctx context.Context) ([]coverageRow, error) {
	if x.more.coverage == 0 {
		return nil, nil
	}
	p := x.env.progress("coverage, draw")
	defer p.end()
	var out []coverageRow
	err := x.eachRun(func(params greedy.Params, learner string) error {
		draws, err := drawn(x, "coverage", x.more.coverage, params, learner, p, func(number uint64) ([]study.Drawn, error) {
			return study.Draw(ctx, x.docs, params, number)
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

// eachRun calls do for each mode and class of learners that is possible.
func (x *experiment) eachRun(do func(params greedy.Params, learner string) error) error {
	for _, together := range x.classes {
		for _, class := range classesOf(x.trial.Learners, together) {
			for _, mode := range x.trial.Modes {
				if !mode.Possible(class) {
					continue
				}
				params := x.trial.Params
				params.Learners, params.Mode = class, mode
				if mode != greedy.Default {
					params.First = nil
				}
				if err := do(params, classNames(class, true)[0]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// drawn are n draws of a kind, of which those that are kept are not made anew.
func drawn[T any](x *experiment, kind string, n int, params greedy.Params, learner string, p *progress, draw func(number uint64) (T, error)) ([]T, error) {
	draws := make([]T, n)
	for k := range draws {
		p.step(k, n, fmt.Sprintf("%s, %s", params.Mode, learner))
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

// classesOf are the classes that learners are run in.
func classesOf(learners []greedy.Learner, together bool) [][]greedy.Learner {
	if together {
		return [][]greedy.Learner{learners}
	}
	out := make([][]greedy.Learner, len(learners))
	for i, l := range learners {
		out[i] = []greedy.Learner{l}
	}
	return out
}

// writeMore prints the studies that were made.
func (r experimentJSON) writeMore(w io.Writer) {
	r.Ablation.write(w)
	if r.Curve != nil {
		fmt.Fprint(w, "\nleft, by documents learnt from, when a share of the other tokens is kept\n\n")
		writeRows(w, r.curveTable())
	}
	if r.Coverage != nil {
		fmt.Fprint(w, "\nhow often what half of the documents led to expect held of the other half\n\n")
		writeRows(w, r.coverageTable())
	}
	r.writeAlarms(w)
}

// writeRows prints a table, its columns to the right.
func writeRows(w io.Writer, rows [][]string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		for _, cell := range row {
			fmt.Fprint(t, cell, "\t")
		}
		fmt.Fprintln(t)
	}
	t.Flush() // cannot fail but as w does
}

// curveTable and coverageTable begin with their heads.
func (r experimentJSON) curveTable() [][]string {
	rows := [][]string{{"learner", "documents"}}
	for _, p := range r.Curve[0].Points {
		rows[0] = append(rows[0], fmt.Sprintf("%g %%", percent(p.Kept)))
	}
	for _, c := range r.Curve {
		row := []string{c.Learner, fmt.Sprintf("%.0f", c.Documents)}
		for _, p := range c.Points {
			row = append(row, fmt.Sprint(p.Left))
		}
		rows = append(rows, row)
	}
	return rows
}

func (r experimentJSON) coverageTable() [][]string {
	rows := [][]string{{"mode", "learner", "L/C", "draws", "covered", "at most held", "expected", "left", "width", "before attuning: covered", "at most held", "left"}}
	for _, c := range r.Coverage {
		rows = append(rows, []string{string(c.Mode), c.Learner, csvNumber(c.LC), fmt.Sprint(c.Draws), fmt.Sprint(c.Covered), fmt.Sprint(c.AtMost),
			fmt.Sprintf("%.1f", c.Expected), fmt.Sprintf("%.1f", c.Left), fmt.Sprintf("%.1f", c.Width),
			fmt.Sprint(c.Measured.Covered), fmt.Sprint(c.Measured.AtMost), fmt.Sprintf("%.1f", c.Measured.Left)})
	}
	return rows
}

// moreSections are the charts of the studies that were made.
func (r experimentJSON) moreSections() []chart.Section {
	var out []chart.Section
	if r.Ablation != nil {
		s := r.Ablation.section("Ablation of the detector")
		s.Panels = nil // more lines than a chart can tell apart
		out = append(out, s)
	}
	if r.Curve != nil {
		table := r.curveTable()
		s := chart.Section{Title: "Learning curve", About: "Sensitive tokens left by documents learnt from.", Tables: []chart.Table{{Caption: "Learning curve", Head: table[0], Rows: table[1:]}}}
		for k, kept := range r.Curve[0].Points {
			s.Panels = append(s.Panels, r.curvePanel(k, fmt.Sprintf("%g %% of the other tokens kept", percent(kept.Kept))))
		}
		out = append(out, s)
	}
	if r.Coverage != nil {
		table := r.coverageTable()
		out = append(out, chart.Section{Title: "Coverage of the estimates", About: "Learnt from a random half of the documents, and compared with what the other half leaves.",
			Tables: []chart.Table{{Caption: "Coverage", Head: table[0], Rows: table[1:]}}})
	}
	return append(out, r.alarmSections()...)
}

func (r experimentJSON) curvePanel(point int, title string) chart.Panel {
	panel := chart.Panel{Title: title, XLabel: "documents", YLabel: "left", X: chart.AxisFactors}
	for _, c := range r.Curve {
		n := len(panel.Lines)
		if n == 0 || panel.Lines[n-1].Name != c.Learner {
			panel.Lines = append(panel.Lines, chart.ReportLine{Name: c.Learner})
			n++
		}
		panel.Lines[n-1].Points = append(panel.Lines[n-1].Points, chart.ReportPoint{X: c.Documents, Y: float64(c.Points[point].Left)})
	}
	return panel
}

func (r experimentJSON) csvMore() []csvLine {
	lines := r.Ablation.csvLines("ablation")
	for _, c := range r.Curve {
		for _, p := range c.Points {
			base := csvLine{part: "curve", learner: c.Learner, kept: csvNumber(p.Kept), documents: csvNumber(c.Documents)}
			lines = append(lines, base.with("residual", float64(p.Left)), base.with("informative_left", float64(p.Informative)))
		}
	}
	for _, c := range r.Coverage {
		base := csvLine{part: "coverage", mode: string(c.Mode), learner: c.Learner, lc: csvNumber(c.LC)}
		lines = append(lines, base.with("draws", float64(c.Draws)), base.with("covered", float64(c.Covered)), base.with("at_most_held", float64(c.AtMost)),
			base.with("expected", c.Expected), base.with("residual", c.Left), base.with("width", c.Width))
	}
	return append(lines, r.csvAlarms()...)
}

// detectorOf is the detector of some parts, under a name.
func detectorOf(o learn.Options, parts detect.Parts, name string) greedy.Learner {
	return renamed{detect.Detector{Options: detect.Options{CRF: o.CRF, Seed: o.Seed, Parts: parts}}, name}
}

type renamed struct {
	greedy.Learner
	name string
}

func (r renamed) Name() string { return r.name }
