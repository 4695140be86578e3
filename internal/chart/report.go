// SPDX-License-Identifier: Apache-2.0

// Package chart draws figures as SVG and writes reports as HTML pages.
//
//	p := &chart.Plot{ID: "remaining", Title: "Remaining PHI", W: chart.WideWidth, H: chart.WideHeight}
//	p.Layout(chart.ShareScale(xs), chart.CountScale(ys), []chart.Series{left})
//	chart.Draw(p).Render(ctx, w)
//
// A [Plot] places [Series] of points with intervals on two [Scale]s. [Bars] and [Tree]
// are the other drawings. Pages include the drawings in their templates; commands write
// them as files: [WriteReport], [WriteScores], [WriteReplayReport] write a page that includes
// the style sheet, [WriteLines], [WriteTrade], [WriteReplayChart] an SVG file.
//
// Each drawing has a title and a text description. Its colours come from classes of
// static/css/chart.css. A drawing holds figures and labels, no text of a note.
package chart

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/crf/score"
	"hide/internal/crf/trade"
	"hide/internal/greedy"
	"hide/internal/words"
	"hide/static"
)

// Report is a page of charts, each with its table.
type Report struct {
	Title    string
	Lines    []string // at the top
	Command  string   // that reproduces the page
	Sections []Section
}

// Section is one question: panels that share a legend, and the numbers.
type Section struct {
	Title, About string
	Panels       []Panel
	Tables       []Table
}

// Table is a table whose first column names its rows.
type Table struct {
	Caption string
	Head    []string
	Rows    [][]string
}

// WriteReport writes the report as one HTML page with its styles included.
func WriteReport(ctx context.Context, w io.Writer, r Report) error {
	return writePage(ctx, w, r.Title, chartReportBody(r))
}

// writePage writes a self-contained page: it includes the style sheet.
func writePage(ctx context.Context, w io.Writer, title string, body templ.Component) error {
	styles, err := static.Styles()
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"+
		"<meta name=\"color-scheme\" content=\"light dark\"><title>%s · hide</title><style>%s</style></head><body><main id=\"main\">", html.EscapeString(title), styles); err != nil {
		return err
	}
	if err := body.Render(ctx, w); err != nil {
		return err
	}
	_, err = io.WriteString(w, "</main></body></html>\n")
	return err
}

const chartsWidth, chartsHeight = 380, 250

// plots are the charts of a section, in one style.
func (s Section) plots(section int) []*Plot {
	names := s.names()
	out := make([]*Plot, len(s.Panels))
	for i, panel := range s.Panels {
		out[i] = panel.plot(fmt.Sprintf("chart-%d-%d", section, i+1), names)
	}
	return out
}

// names lists the names of all lines, each once.
func (s Section) names() []string {
	var names []string
	for _, panel := range s.Panels {
		for _, l := range panel.Lines {
			if !slices.Contains(names, l.Name) {
				names = append(names, l.Name)
			}
		}
	}
	return names
}

// key has one series per name.
func (s Section) key() *Plot {
	p := &Plot{Title: s.Title, Wide: true}
	names := s.names()
	for _, name := range names {
		p.Series = append(p.Series, Drawn{Measure: reportMeasure(name, names)})
	}
	return p
}

// reportMarkers distinguish lines without colour.
var reportMarkers = []string{"circle", "square", "triangle", "diamond", "cross", "plus", "ring", "dashes"}

func reportMeasure(name string, names []string) Measure {
	n := slices.Index(names, name) % len(reportMarkers)
	return Measure{Class: fmt.Sprintf("line%d", n), Name: name, Marker: reportMarkers[n]}
}

func (c Panel) plot(id string, names []string) *Plot {
	p := &Plot{ID: id, Title: c.Title, XLabel: c.XLabel, YLabel: c.YLabel, W: chartsWidth, H: chartsHeight, Wide: true}
	var all []Series
	var xs, ys []float64
	var desc strings.Builder
	for i, l := range c.Lines {
		s := Series{Measure: reportMeasure(l.Name, names), Dodge: 3 * (float64(i) - float64(len(c.Lines)-1)/2)}
		fmt.Fprintf(&desc, "%s: ", l.Name)
		for _, at := range l.Points {
			y := Exact(at.Y)
			if at.High > at.Low {
				y.Low, y.High = at.Low, at.High
			}
			s.Data = append(s.Data, Datum{X: Exact(at.X), Y: y, Label: at.Label})
			xs, ys = append(xs, at.X), append(ys, y.Value, y.Low, y.High)
			fmt.Fprintf(&desc, "%s at %s, ", c.Y.text(at.Y), c.X.text(at.X))
		}
		all = append(all, s)
	}
	p.Desc = desc.String() + "The table below has the same figures."
	p.Layout(c.scale(c.X, xs), c.scale(c.Y, ys), all)
	return p
}

// writeChartFile writes a drawing, whose outermost element is svg, as a file that needs no
// style sheet: dark on white.
func writeChartFile(w io.Writer, drawing templ.Component) error {
	var b bytes.Buffer
	if err := drawing.Render(context.Background(), &b); err != nil {
		return err
	}
	svg := bytes.Replace(b.Bytes(), []byte("<svg "), []byte(`<svg xmlns="http://www.w3.org/2000/svg" `), 1)
	end := bytes.IndexByte(svg, '>') + 1
	_, err := fmt.Fprintf(w, "%s<style>%s</style>%s\n", svg[:end], chartFileStyle, svg[end:])
	return err
}

// chartFileStyle is the part of chart.css that a separate file needs, in colours that
// every viewer supports.
const chartFileStyle = `
svg{background:#fff}text{font:12px sans-serif;fill:#54626a}.chart-title,.dot-label{fill:#1b2327}.dot-label{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}.chart-y{text-anchor:end}.chart-x{text-anchor:middle}
.chart-grid{stroke:#d5dadd;fill:none}.chart-line0,.chart-tick,.chart-break{stroke:#85919a;fill:none}
.chart-path{stroke-width:1.75;fill:none}.whisker{opacity:.6;fill:none}.marker{stroke-width:1.5}.ring{fill:none}
.m-active .chart-path,.m-active .whisker,.m-active .marker{stroke:#1f5f78}.m-active .marker{fill:#1f5f78}
.m-chance .chart-path,.m-chance .whisker,.m-chance .marker{stroke:#6a767d}.m-chance .marker{fill:none;stroke-width:2}
.m-chance .chart-path{stroke-dasharray:4 4}.m-goal .chart-path{stroke:#22633f;stroke-dasharray:1 3}
.m-trade0 path{stroke:#0a5fa3}.m-trade0 .marker{fill:#0a5fa3}.m-trade1 path{stroke:#b23c07}.m-trade1 .marker{fill:#b23c07}
.m-trade2 path{stroke:#006b55}.m-trade2 .marker{fill:#006b55}.m-trade3 path{stroke:#77399c}.m-trade3 .marker{fill:#77399c}
.m-trade4 path{stroke:#8a5d00}.m-trade4 .marker{fill:none;stroke-width:2}.m-trade5 path{stroke:#53616a}.m-trade5 .marker{fill:none;stroke-width:2}`

// BoundWords say whether a theorem is informative here.
func BoundWords(b greedy.Bound) string {
	switch {
	case b.Trivial == 0:
		return "nothing is left to find"
	case !b.Applies:
		return "its conditions do not hold here"
	case !b.Vacuous:
		return "holds and is informative"
	case math.IsInf(b.NeedsLC, 0) || math.IsNaN(b.NeedsLC):
		return "not informative at any L/C: " + whyVacuous(b.Constants)
	case math.IsInf(b.Value, 0):
		return fmt.Sprintf("not informative: no bound (trivial bound %s). Informative from L/C %s on", BoundNumber(b.Trivial), BoundNumber(b.NeedsLC))
	}
	return fmt.Sprintf("not informative: %s times the trivial bound (%s). Informative from L/C %s on", BoundNumber(b.Excess), BoundNumber(b.Trivial), BoundNumber(b.NeedsLC))
}

// whyVacuous explains why no L/C is enough; theorems 3 and 4 have no constants.
func whyVacuous(c *greedy.Constants) string {
	switch {
	case c != nil && (c.Q == 0 || math.IsInf(c.Lambda, 0)):
		return fmt.Sprintf("with a dimension of %s there are too few training words", words.Amount(c.VC))
	case c != nil && c.R > 0 && c.S == 0:
		return "the attacker marks nothing wrongly"
	}
	return "there is a label of which leaving a word costs nothing"
}

// BoundConstants are the dimension of the class, p, q, r, s and lambda of theorems 5 and 6,
// and lemma 4's ratio.
func BoundConstants(b greedy.Bound) string {
	c := b.Constants
	if c == nil {
		return ""
	}
	return fmt.Sprintf("dimension %s, p %s, q %s, r %s, s %s, lambda %s; lemma 4: FP/TP at least %s", words.Amount(c.VC), constant(c.P), constant(c.Q), constant(c.R), constant(c.S), constant(c.Lambda), constant(c.ErrorRatio))
}

// constant has three significant digits: r may be a millionth.
func constant(v float64) string {
	if math.IsInf(v, 0) {
		return "infinite"
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// BoundNumber has two decimals, or none from 100 on.
func BoundNumber(v float64) string {
	switch {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return "no bound"
	case v < 100:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return words.Amount(math.Round(v))
}

// CurvePanels are the two charts of precision and recall by sampling: by spans and by
// tokens. label writes a point; nil writes its settings as typed.
func CurvePanels(c trade.Curves, label func(line, point int) string) []Panel {
	if label == nil {
		label = func(line, point int) string { return c.Lines[line].Points[point].Label }
	}
	spans, tokens := "Spans: start, end and label", "Words: label"
	if c.Folded {
		spans, tokens = "Spans: start and end", "Words: sensitive or not"
	}
	panel := func(title string, of func(trade.Setting) score.Tally) Panel {
		return Panel{Title: title, XLabel: "recall, %", YLabel: "precision, %", X: AxisShares, Y: AxisShares, Lines: curveLines(c, label, of)}
	}
	return []Panel{
		panel(spans, func(s trade.Setting) score.Tally { return s.Entity }),
		panel(tokens, func(s trade.Setting) score.Tally { return s.Token }),
	}
}

func curveLines(c trade.Curves, label func(line, point int) string, of func(trade.Setting) score.Tally) []Line {
	lines := make([]Line, len(c.Lines))
	for i, l := range c.Lines {
		lines[i].Name = l.Name
		for j, p := range l.Points {
			text := label(i, j)
			if i > 0 && p.Setting == 0 {
				text = "" // all lines start here
			}
			t := of(c.Settings[p.Setting])
			lines[i].Points = append(lines[i].Points, Point{Label: text, X: t.Recall, Y: t.Precision})
		}
	}
	return lines
}
