// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"hide/internal/chart"
	"hide/internal/publish/cube"
	"hide/internal/publish/ledger"
	"hide/internal/publish/noise"
	"hide/internal/publish/prefixtree"
)

// figure is a figure of the dissertation's section 5.3, on public data.
type figure struct {
	File   string      `json:"file"`
	Title  string      `json:"title"`
	Note   string      `json:"note,omitempty"`
	XLabel string      `json:"x"`
	YLabel string      `json:"y"`
	Share  bool        `json:"share,omitempty"` // y is a share
	Steps  []string    `json:"steps"`
	Lines  []figureRow `json:"lines"`
	panels []figurePanel
}

// figurePanel has some lines of a figure whose scale would flatten the other lines.
type figurePanel struct {
	title string
	lines []string
}

// figureRow is one line, a value for each step.
type figureRow struct {
	Name   string    `json:"name"`
	Values []float64 `json:"values"`
}

// makeFigures makes all figures.
func (b *DPResult) makeFigures(ctx context.Context, v DPOptions, adult *cube.Counts, made [][]int) error {
	if adult != nil {
		if err := b.cubeFigures(ctx, adult, v.Runs, v.Epsilons); err != nil {
			return err
		}
	}
	for i, t := range b.Sequences {
		b.Figures = append(b.Figures, t.figures(i+1)...)
	}
	return b.slopeFigures(ctx, made, v.Runs, v.Epsilons)
}

// cubeFigures are 5.3 to 5.11: slices of the cube by age and by education, for people who
// earn more.
func (b *DPResult) cubeFigures(ctx context.Context, c *cube.Counts, runs int, epsilons []ledger.Micro) error {
	for _, dim := range []int{0, 3} {
		truth := richBy(c.Domain, dim, asFloats(c.Groups([]int{dim, 2}, func([]int32) bool { return true })))
		name, steps := c.Domain[dim].Name, labelsOf(c.Domain[dim])
		for _, eps := range epsilons {
			lines, err := sliceLines(ctx, c, dim, eps, truth)
			if err != nil {
				return err
			}
			at := fmt.Sprintf("%s-%v", name, eps)
			b.Figures = append(b.Figures,
				figure{File: "5.3-5.8-" + at + ".svg", Title: fmt.Sprintf("Counts by %s of those who earn more, epsilon %v, one run", name, eps), Note: "average slopes: " + slopes(lines),
					XLabel: name, YLabel: "people", Steps: steps, Lines: lines, panels: slicePanels},
				figure{File: "5.9-" + at + ".svg", Title: fmt.Sprintf("Errors of these counts, epsilon %v", eps), XLabel: name, YLabel: "off by", Steps: steps, Lines: offLines(lines, truth)})
		}
	}
	f, err := gainFigure(ctx, c, epsilons, min(runs, gainRuns))
	b.Figures = append(b.Figures, f)
	return err
}

// The lines of slices. The true counts come last, to be drawn over the others.
const (
	lineCut, linePlain, lineBlocks, lineTrue = "each cell, cut off at 0", "each cell", "DPCube", "true"
)

var slicePanels = []figurePanel{{"Each cell noisy (Figures 5.5, 5.6)", []string{lineCut, linePlain, lineTrue}}, {"DPCube (Figures 5.7, 5.8)", []string{lineBlocks, lineTrue}}}

// richBy are the counts of the second of two categories, by the values of a dimension.
func richBy(d cube.Domain, dim int, counts []float64) []float64 {
	out := make([]float64, d[dim].Size())
	for i := range out {
		out[i] = counts[2*i+1]
	}
	return out
}

func asFloats(x []int64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

func labelsOf(d cube.Dimension) []string {
	out := make([]string, d.Size())
	for i := range out {
		out[i] = d.Label(i)
	}
	return out
}

// sliceLines are the counts of each method and the true counts.
func sliceLines(ctx context.Context, c *cube.Counts, dim int, e ledger.Micro, truth []float64) ([]figureRow, error) {
	plain, clamped, err := cube.CellBaseline(ctx, c, e, noise.Secure{})
	if err != nil {
		return nil, err
	}
	r, err := cube.Publish(ctx, c, cube.Params{Method: cube.DPCube, Epsilon: e}, noise.Secure{})
	if err != nil {
		return nil, err
	}
	answers, err := r.Slice([]int{dim, 2})
	if err != nil {
		return nil, err
	}
	blocks := make([]float64, len(answers))
	for i, a := range answers {
		blocks[i] = a.Count
	}
	sliced := func(dense []float64) []float64 {
		return richBy(c.Domain, dim, cube.SliceOf(c.Domain, dense, []int{dim, 2}))
	}
	return []figureRow{{lineCut, sliced(clamped)}, {linePlain, sliced(plain)}, {lineBlocks, richBy(c.Domain, dim, blocks)}, {lineTrue, truth}}, nil
}

func slopes(lines []figureRow) string {
	var words []string
	for _, l := range lines {
		words = append(words, fmt.Sprintf("%s %.2f", l.Name, cube.AverageSlope(l.Values)))
	}
	return strings.Join(words, "; ")
}

// offLines are the errors of all lines except the true counts.
func offLines(lines []figureRow, truth []float64) []figureRow {
	var out []figureRow
	for _, l := range lines[:len(lines)-1] {
		off := make([]float64, len(truth))
		for i, x := range l.Values {
			off[i] = math.Abs(x - truth[i])
		}
		out = append(out, figureRow{l.Name, off})
	}
	return out
}

// gainRuns is the number of runs averaged in 5.10: thresholds differ by far more than
// runs do.
const gainRuns = 5

// gainFigure is 5.10: the mean error of a count by age and income over epsilon, with
// thresholds of 1 and 0.1 of the gain as printed, and with our gain.
func gainFigure(ctx context.Context, c *cube.Counts, epsilons []ledger.Micro, runs int) (figure, error) {
	f := figure{File: "5.10-gain.svg", Title: "Error of a count by age and income, by gain", Note: fmt.Sprintf("mean of %d runs", runs), XLabel: "epsilon", YLabel: "off by"}
	w := cube.NewWorkload(c, [][]int{{0, 2}}, 0, 1)
	for _, p := range []struct {
		name string
		cube.Params
	}{
		{"printed, threshold 1", cube.Params{Gain: cube.Printed, Threshold: 1}}, {"printed, threshold 0.1", cube.Params{Gain: cube.Printed, Threshold: 0.1}},
		{"likelihood", cube.Params{}},
	} {
		row := figureRow{Name: p.name}
		for _, e := range epsilons {
			p.Method, p.Epsilon = cube.DPCube, e
			sum := 0.0
			for range runs {
				r, err := cube.Publish(ctx, c, p.Params, noise.Secure{})
				if err != nil {
					return f, err
				}
				off, err := w.SliceErrors(r)
				if err != nil {
					return f, err
				}
				sum += off[0] / float64(runs)
			}
			row.Values = append(row.Values, sum)
		}
		f.Lines = append(f.Lines, row)
	}
	for _, e := range epsilons {
		f.Steps = append(f.Steps, e.String())
	}
	return f, nil
}

// figures are 5.13 to 5.15 for one dataset: errors, counts and relative errors of
// prefixes by length.
func (b sequenceErrors) figures(n int) []figure {
	var steps []string
	for i := range b.Means {
		steps = append(steps, strconv.Itoa(i+1))
	}
	last := b.Results[len(b.Results)-1].Epsilon
	note := fmt.Sprintf("%d sequences, mean of the runs", b.Rows)
	off := figure{File: fmt.Sprintf("5.13-sequences-%d.svg", n), Title: fmt.Sprintf("Error of a prefix by its length, epsilon %v", last), Note: note, XLabel: "length", YLabel: "off by", Steps: steps}
	relative := figure{File: fmt.Sprintf("5.15-sequences-%d.svg", n), Title: fmt.Sprintf("Its share of the mean count, epsilon %v", last), Note: note + "; 1 at most", XLabel: "length", YLabel: "of the mean count, %", Share: true, Steps: steps}
	for _, r := range b.Results {
		if r.Epsilon != last {
			continue
		}
		share := make([]float64, len(r.Errors))
		for i, x := range r.Errors {
			share[i] = min(1, x/max(b.Means[i], 1e-9))
		}
		name := shortNames.Replace(r.Method)
		off.Lines = append(off.Lines, figureRow{name, r.Errors})
		relative.Lines = append(relative.Lines, figureRow{name, share})
	}
	counts := figure{File: fmt.Sprintf("5.14-sequences-%d.svg", n), Title: "Mean count of a prefix by its length", Note: fmt.Sprintf("%d sequences", b.Rows), XLabel: "length", YLabel: "sequences", Steps: steps, Lines: []figureRow{{lineTrue, b.Means}}}
	return []figure{off, counts, relative}
}

// shortNames fit into the legend of a figure.
var shortNames = strings.NewReplacer("prefix tree, ", "", "threshold of ", "", "order-1 ", "")

// slopeFigures are 5.12 and 5.16, and the cube of section 5.3.5, on generated sequences.
func (b *DPResult) slopeFigures(ctx context.Context, seqs [][]int, runs int, epsilons []ledger.Micro) error {
	four := figure{File: "5.12-four.svg", Title: "Four of the generated sequences", XLabel: "place", YLabel: "symbol"}
	for i := range stickyLength {
		four.Steps = append(four.Steps, strconv.Itoa(i+1))
	}
	for i, seq := range seqs[:4] {
		row := figureRow{Name: fmt.Sprintf("sequence %d", i+1)}
		for _, c := range seq {
			row.Values = append(row.Values, float64(c))
		}
		four.Lines = append(four.Lines, row)
	}
	bySlope, err := slopeErrors(ctx, seqs, runs, epsilons[len(epsilons)-1])
	if err != nil {
		return err
	}
	cells, err := sequenceCube(ctx, seqs, runs, epsilons)
	b.Figures = append(b.Figures, four, bySlope, cells)
	return err
}

// slopeErrors is 5.16: the error of the counts of falling, constant and rising sequences,
// by the number of symbols used.
func slopeErrors(ctx context.Context, seqs [][]int, runs int, e ledger.Micro) (figure, error) {
	f := figure{File: "5.16-slopes.svg", Title: fmt.Sprintf("Error of the number of sequences by slope, epsilon %v", e), Note: fmt.Sprintf("mean of %d runs", runs), XLabel: "length", YLabel: "off by"}
	bounds := []float64{-1.5, -0.5, 0.5, 1.5}
	for i, name := range []string{"falling", "level", "rising"} {
		f.Lines = append(f.Lines, figureRow{name + fmt.Sprintf(", %v to %v", bounds[i], bounds[i+1]), nil})
	}
	for n := 2; n <= stickyLength; n++ {
		f.Steps = append(f.Steps, strconv.Itoa(n))
		truth := make([]float64, len(f.Lines))
		for _, s := range seqs {
			for k := range truth {
				if x := prefixtree.Slope(s[:n]); x >= bounds[k] && x < bounds[k+1] {
					truth[k]++
				}
			}
		}
		off := make([]float64, len(truth))
		for range runs {
			t, err := prefixtree.Build(ctx, seqs, prefixtree.Params{Alphabet: len(stickyStart), Height: n, Epsilon: e, Fixed: true}, noise.Secure{})
			if err != nil {
				return f, err
			}
			for k := range off {
				count, _ := t.Slopes(bounds[k], bounds[k+1])
				off[k] += math.Abs(count-truth[k]) / float64(runs)
			}
		}
		for k := range f.Lines {
			f.Lines[k].Values = append(f.Lines[k].Values, off[k])
		}
	}
	return f, nil
}

// sequenceCube is section 5.3.5: sequences as a cube with one dimension per position, and
// the sum of the errors of its cells.
func sequenceCube(ctx context.Context, seqs [][]int, runs int, epsilons []ledger.Micro) (figure, error) {
	f := figure{File: "5.3.5-cube.svg", Title: fmt.Sprintf("Sequences as a cube of %d dimensions", stickyLength), Note: fmt.Sprintf("error over all cells, mean of %d runs", runs), XLabel: "epsilon", YLabel: "off by, in all"}
	c, err := countSequences(seqs)
	if err != nil {
		return f, err
	}
	w := cube.NewWorkload(c, nil, 0, 1)
	for _, e := range epsilons {
		f.Steps = append(f.Steps, e.String())
	}
	for _, m := range []struct {
		name string
		cube.Method
	}{{linePlain, cube.Identity}, {lineBlocks, cube.DPCube}} {
		row := figureRow{Name: m.name}
		for _, e := range epsilons {
			sum := 0.0
			for range runs {
				off, err := denseErrors(ctx, c, w, cube.Params{Method: m.Method, Epsilon: e})
				if err != nil {
					return f, err
				}
				sum += off[len(off)-1] / float64(runs)
			}
			row.Values = append(row.Values, sum)
		}
		f.Lines = append(f.Lines, row)
	}
	return f, nil
}

// countSequences makes a cube with one dimension per position.
func countSequences(seqs [][]int) (*cube.Counts, error) {
	var d cube.Domain
	for i := range stickyLength {
		d = append(d, cube.Dimension{Name: fmt.Sprint("place ", i+1), Min: 0, Max: float64(len(stickyStart) - 1), Width: 1})
	}
	return cube.Count(func(yield func(cube.Row, error) bool) {
		for _, s := range seqs {
			if !yield(cube.Row{Values: strings.Fields(strings.Trim(fmt.Sprint(s), "[]"))}, nil) {
				return
			}
		}
	}, d, 0)
}

// denseErrors gives the errors of one publication.
func denseErrors(ctx context.Context, c *cube.Counts, w *cube.Workload, p cube.Params) ([]float64, error) {
	r, err := cube.Publish(ctx, c, p, noise.Secure{})
	if err != nil {
		return nil, err
	}
	dense, err := r.Dense()
	if err != nil {
		return nil, err
	}
	return w.Errors(dense), nil
}

// WriteFigures writes each figure as a file in a new folder, and all figures with their
// tables as one page.
func (b *DPResult) WriteFigures(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var page bytes.Buffer
	page.WriteString("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Section 5.3</title>\n<style>body{font:16px sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}img{max-width:100%;height:auto}pre{overflow:auto}</style>\n<h1>Section 5.3 on public data</h1>\n")
	for _, f := range b.Figures {
		var svg, table bytes.Buffer
		if err := f.draw(&svg); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, f.File), svg.Bytes(), 0o644); err != nil {
			return err
		}
		f.table(&table)
		fmt.Fprintf(&page, "<h2>%s</h2>\n<p>%s</p>\n<p><img src=%q alt=%q></p>\n<details><summary>Table</summary><pre tabindex=\"0\">%s</pre></details>\n",
			html.EscapeString(f.Title), html.EscapeString(f.Note), html.EscapeString(f.File), html.EscapeString(f.Title), html.EscapeString(table.String()))
	}
	return os.WriteFile(filepath.Join(folder, "index.html"), page.Bytes(), 0o644)
}

func (f figure) draw(w io.Writer) error {
	if f.panels == nil {
		var all []string
		for _, l := range f.Lines {
			all = append(all, l.Name)
		}
		return chart.WriteLines(w, f.Title, []chart.Panel{f.panel(figurePanel{f.Title, all})})
	}
	var panels []chart.Panel
	for _, p := range f.panels {
		panels = append(panels, f.panel(p))
	}
	return chart.WriteLines(w, f.Title, panels)
}

// panel draws some of the lines. The others are there without points, so that each line
// has the same style in all panels.
func (f figure) panel(p figurePanel) chart.Panel {
	out := chart.Panel{Title: p.title, XLabel: f.XLabel, YLabel: f.YLabel, X: chart.AxisSteps, Steps: f.Steps}
	switch {
	case f.Share:
		out.Y = chart.AxisWholeShares
	case f.panels != nil:
		out.Y = chart.AxisLinear
	}
	for _, l := range f.Lines {
		line := chart.Line{Name: l.Name}
		if slices.Contains(p.lines, l.Name) {
			for i, y := range l.Values {
				line.Points = append(line.Points, chart.Point{X: float64(i), Y: y})
			}
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}

// table has the figure's values, one row per step.
func (f figure) table(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, f.XLabel)
	for _, l := range f.Lines {
		fmt.Fprint(t, "\t", l.Name)
	}
	fmt.Fprintln(t)
	for i, s := range f.Steps {
		fmt.Fprint(t, s)
		for _, l := range f.Lines {
			fmt.Fprintf(t, "\t%.2f", l.Values[i])
		}
		fmt.Fprintln(t)
	}
	t.Flush() // an error shows in a later write to w
}
