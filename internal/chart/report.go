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

	"hide/static"
)

// Report is a page of charts, each with its table.
type Report struct {
	Title    string
	Lines    []string // at the top
	Command  string   // that makes the page
	Sections []Section
}

// Section is one question: panels that share a key, and the numbers.
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

// WriteReport writes the report as one HTML page with its styles in it.
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
		p.Series = append(p.Series, Drawn{Measure: reportMeasure(name, names)})
	}
	return p
}

// reportMarkers tell lines apart without colour.
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
