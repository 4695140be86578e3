// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"context"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/words"
	"hide/static"
)

// ChartReport is a page of charts, each with its table.
type Report struct {
	Title    string
	Lines    []string // said at the top
	Command  string   // that made it
	Sections []Section
}

// ChartSection is one question: panels that share a key, and the numbers.
type Section struct {
	Title, About string
	Panels       []Panel
	Tables       []Table
}

// ChartPanel is one chart. A name looks the same in all panels of a section.
type Panel struct {
	Title, XLabel, YLabel string
	X, Y                  Axis
	Lines                 []ReportLine
}

// ChartAxis says how values are placed.
type Axis int

// The axes.
const (
	AxisCounts  Axis = iota // from 0, by factors where counts span many
	AxisShares              // 0 to 1, as per cent
	AxisFactors             // by factors, a tick at every value
	AxisKept                // shares near 1, by factors of what is lacking
)

// ChartLine is one measure or method.
type ReportLine struct {
	Name   string
	Points []ReportPoint
}

// ChartPoint is one measurement. Low and High are an interval of Y; both 0 for none.
type ReportPoint struct{ X, Y, Low, High float64 }

// ChartTable is a table whose first column names its rows.
type Table struct {
	Caption string
	Head    []string
	Rows    [][]string
}

// WriteCharts writes the report as one HTML page with its styles in it.
func WriteReport(ctx context.Context, w io.Writer, r Report) error {
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
func (s Section) plots(section int) []*Plot {
	names := s.names()
	out := make([]*Plot, len(s.Panels))
	for i, panel := range s.Panels {
		out[i] = panel.plot(fmt.Sprintf("chart-%d-%d", section, i+1), names)
	}
	return out
}

// names are those of all lines, each once.
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

// key has a series of every name.
func (s Section) key() *Plot {
	p := &Plot{Title: s.Title, Wide: true}
	names := s.names()
	for _, name := range names {
		p.Series = append(p.Series, Drawn{Measure: lineMeasure(name, names)})
	}
	return p
}

// lineMarkers tell lines apart without colour.
var lineMarkers = []string{"circle", "square", "triangle", "diamond", "cross", "plus", "ring", "dashes"}

func lineMeasure(name string, names []string) Measure {
	n := slices.Index(names, name) % len(lineMarkers)
	return Measure{Class: fmt.Sprintf("line%d", n), Name: name, Marker: lineMarkers[n]}
}

func (c Panel) plot(id string, names []string) *Plot {
	p := &Plot{ID: id, Title: c.Title, XLabel: c.XLabel, YLabel: c.YLabel, W: chartsWidth, H: chartsHeight, Wide: true}
	var all []Series
	var xs, ys []float64
	var desc strings.Builder
	for i, l := range c.Lines {
		s := Series{Measure: lineMeasure(l.Name, names), Dodge: 3 * (float64(i) - float64(len(c.Lines)-1)/2)}
		fmt.Fprintf(&desc, "%s: ", l.Name)
		for _, at := range l.Points {
			y := Exact(at.Y)
			if at.High > at.Low {
				y.Low, y.High = at.Low, at.High
			}
			s.Data = append(s.Data, Datum{X: Exact(at.X), Y: y})
			xs, ys = append(xs, at.X), append(ys, y.Value, y.Low, y.High)
			fmt.Fprintf(&desc, "%s at %s, ", c.Y.say(at.Y), c.X.say(at.X))
		}
		all = append(all, s)
	}
	p.Desc = desc.String() + "The table below has the same figures."
	p.Layout(c.X.scale(xs), c.Y.scale(ys), all)
	return p
}

func (a Axis) scale(values []float64) Scale {
	switch a {
	case AxisShares:
		return ShareScale(values)
	case AxisKept:
		return KeptScale(values)
	case AxisFactors:
		return factorScale(values)
	default:
		return CountScale(values)
	}
}

func (a Axis) say(v float64) string {
	switch a {
	case AxisShares, AxisKept:
		return words.Percent(v)
	case AxisFactors:
		return RatioTick(v)
	default:
		return words.Amount(v)
	}
}

// factorScale has a tick at each value, by factors above 1.
func factorScale(values []float64) Scale {
	s := Scale{Log: true}
	for _, v := range slices.Compact(slices.Sorted(slices.Values(values))) {
		s.Ticks = append(s.Ticks, Tick{v, RatioTick(v)})
	}
	if len(s.Ticks) == 1 {
		v := s.Ticks[0].Value
		s.Ticks = []Tick{{v / 2, ""}, s.Ticks[0], {v * 2, ""}}
	}
	return s
}
