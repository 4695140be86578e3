// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"fmt"
	"hide/internal/words"
	"hide/static"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/a-h/templ"
)

// ChartReport is a page of charts, each with its table.
type ChartReport struct {
	Title    string
	Lines    []string // said at the top
	Command  string   // that made it
	Sections []ChartSection
}

// ChartSection is one question: panels that share a key, and the numbers.
type ChartSection struct {
	Title, About string
	Panels       []ChartPanel
	Tables       []ChartTable
}

// ChartPanel is one chart. A name looks the same in all panels of a section.
type ChartPanel struct {
	Title, XLabel, YLabel string
	X, Y                  ChartAxis
	Lines                 []ChartLine
}

// ChartAxis says how values are placed.
type ChartAxis int

// The axes.
const (
	AxisCounts  ChartAxis = iota // from 0, by factors where counts span many
	AxisShares                   // 0 to 1, as per cent
	AxisFactors                  // by factors, a tick at every value
	AxisKept                     // shares near 1, by factors of what is lacking
)

// ChartLine is one measure or method.
type ChartLine struct {
	Name   string
	Points []ChartPoint
}

// ChartPoint is one measurement. Low and High are an interval of Y; both 0 for none.
type ChartPoint struct{ X, Y, Low, High float64 }

// ChartTable is a table whose first column names its rows.
type ChartTable struct {
	Caption string
	Head    []string
	Rows    [][]string
}

// WriteCharts writes the report as one HTML page with its styles in it.
func WriteCharts(ctx context.Context, w io.Writer, r ChartReport) error {
	return writePage(ctx, w, r.Title, chartReportBody(r))
}

// writePage writes a page that needs no other file: the style sheet is in it.
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

// plots are the charts of a section, drawn alike.
func (s ChartSection) plots(section int) []*plot {
	names := s.names()
	out := make([]*plot, len(s.Panels))
	for i, panel := range s.Panels {
		out[i] = panel.plot(fmt.Sprintf("chart-%d-%d", section, i+1), names)
	}
	return out
}

// names are those of all lines, each once.
func (s ChartSection) names() []string {
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

// key has a series of every name.
func (s ChartSection) key() *plot {
	p := &plot{Title: s.Title, Wide: true}
	names := s.names()
	for _, name := range names {
		p.Series = append(p.Series, drawn{measure: lineMeasure(name, names)})
	}
	return p
}

// lineMarkers tell lines apart without colour.
var lineMarkers = []string{"circle", "square", "triangle", "diamond", "cross", "plus", "ring", "dashes"}

func lineMeasure(name string, names []string) measure {
	n := slices.Index(names, name) % len(lineMarkers)
	return measure{Class: fmt.Sprintf("line%d", n), Name: name, Marker: lineMarkers[n]}
}

func (c ChartPanel) plot(id string, names []string) *plot {
	p := &plot{ID: id, Title: c.Title, XLabel: c.XLabel, YLabel: c.YLabel, W: chartsWidth, H: chartsHeight, Wide: true}
	var all []series
	var xs, ys []float64
	var desc strings.Builder
	for i, l := range c.Lines {
		s := series{measure: lineMeasure(l.Name, names), Dodge: 3 * (float64(i) - float64(len(c.Lines)-1)/2)}
		fmt.Fprintf(&desc, "%s: ", l.Name)
		for _, at := range l.Points {
			y := exact(at.Y)
			if at.High > at.Low {
				y.Low, y.High = at.Low, at.High
			}
			s.Data = append(s.Data, datum{X: exact(at.X), Y: y})
			xs, ys = append(xs, at.X), append(ys, y.Value, y.Low, y.High)
			fmt.Fprintf(&desc, "%s at %s, ", c.Y.say(at.Y), c.X.say(at.X))
		}
		all = append(all, s)
	}
	p.Desc = desc.String() + "The same numbers are in the table below."
	p.layout(c.X.scale(xs), c.Y.scale(ys), all)
	return p
}

func (a ChartAxis) scale(values []float64) scale {
	switch a {
	case AxisShares:
		return shareScale(values)
	case AxisKept:
		return keptScale(values)
	case AxisFactors:
		return factorScale(values)
	default:
		return countScale(values)
	}
}

func (a ChartAxis) say(v float64) string {
	switch a {
	case AxisShares, AxisKept:
		return words.Percent(v)
	case AxisFactors:
		return ratioTick(v)
	default:
		return words.Amount(v)
	}
}

// factorScale has a tick at each value, by factors above 1.
func factorScale(values []float64) scale {
	s := scale{Log: true}
	for _, v := range slices.Compact(slices.Sorted(slices.Values(values))) {
		s.Ticks = append(s.Ticks, tick{v, ratioTick(v)})
	}
	if len(s.Ticks) == 1 {
		v := s.Ticks[0].Value
		s.Ticks = []tick{{v / 2, ""}, s.Ticks[0], {v * 2, ""}}
	}
	return s
}
