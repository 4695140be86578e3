// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"hide/internal/words"
)

// LinesPanel is a chart of shares, from 0 to 1, or of counts, drawn from the lines
// of a measurement.
type LinesPanel struct {
	Title          string
	XLabel, YLabel string
	Steps          []string // what X counts, in equal steps from 0; nil when X is a share too
	Counts         bool     // Y counts, from 0, or from below it
	Linear         bool     // Y counts in equal steps, however far it reaches
	Lines          []Line
}

// Line is what one setting gives.
type Line struct {
	Name   string
	Points []LinePoint
}

// LinePoint is one measurement; Label is written beside it where there is room.
type LinePoint struct {
	Label string
	X, Y  float64
}

func LinesPlot(id string, panel LinesPanel) *Plot {
	p := PanelPlot(id, panel.Title, panel.XLabel, panel.YLabel)
	all := make([]Series, len(panel.Lines))
	var xs, ys []float64
	var desc strings.Builder
	for i, line := range panel.Lines {
		all[i] = Series{Measure: TradeMeasure(i, line.Name)}
		for _, at := range line.Points {
			all[i].Data = append(all[i].Data, Datum{X: Exact(at.X), Y: Exact(at.Y), Label: at.Label})
			xs, ys = append(xs, at.X), append(ys, at.Y)
			fmt.Fprintf(&desc, "%s, %s: %s. ", line.Name, panel.at(at.X), panel.says(at.Y))
		}
	}
	p.Desc = desc.String()
	x := FineShareScale(xs)
	if panel.Steps != nil {
		x = StepScale(panel.Steps)
	}
	p.Layout(x, panel.yScale(ys), all)
	p.thin()
	return p
}

// mostMarkers is how many points of a line have a marker; of more only some do,
// since markers would hide lines.
const mostMarkers = 24

// thin takes markers from lines of many points, from each line others.
func (p *Plot) thin() {
	for i := range p.Series {
		s := &p.Series[i]
		every := (len(s.Points) + mostMarkers - 1) / mostMarkers
		if every < 2 {
			continue
		}
		var kept []Dot
		for k := i % every; k < len(s.Points); k += every {
			kept = append(kept, s.Points[k])
		}
		s.Points = kept
	}
}

// mostTicks is how many steps are written along an axis.
const mostTicks = 10

// stepScale has equal steps from 0, of many only some written out.
func StepScale(steps []string) Scale {
	s := Scale{}
	every := (len(steps) + mostTicks - 1) / mostTicks
	for i, step := range steps {
		if i%every != 0 {
			step = ""
		}
		s.Ticks = append(s.Ticks, Tick{float64(i), step})
	}
	return s
}

func (panel LinesPanel) yScale(ys []float64) Scale {
	switch {
	case !panel.Counts:
		return FineShareScale(ys)
	case len(ys) > 0 && (panel.Linear || slices.Min(ys) < 0):
		return LinearScale(min(0, slices.Min(ys)), max(0, slices.Max(ys)), 4, words.Amount)
	}
	return CountScale(ys)
}

func (panel LinesPanel) says(y float64) string {
	if panel.Counts {
		return words.Amount(y)
	}
	return words.Percent(y)
}

// fineShares is [shareScale] with ticks between 0 and 1 when values reach both.
func FineShareScale(values []float64) Scale {
	if s := ShareScale(values); len(s.Ticks) > 2 {
		return s
	}
	return tenths()
}

// at says a place on the x axis in words.
func (panel LinesPanel) at(x float64) string {
	if i := int(x); panel.Steps != nil && i >= 0 && i < len(panel.Steps) {
		return panel.XLabel + " " + panel.Steps[i]
	}
	return panel.XLabel + " " + words.Percent(x)
}

// WriteLines draws the panels, which have the same lines, as an SVG file. There are
// looks for six lines.
func WriteLines(w io.Writer, title string, panels []LinesPanel) error {
	f := tradeFile{Title: title, H: tradeHead + tradeHeight + tradeFoot}
	for i, panel := range panels {
		f.Panels = append(f.Panels, tradePlace{float64(i) * (tradeWidth + tradeGap), LinesPlot(fmt.Sprintf("lines-%d", i+1), panel)})
		f.W = f.Panels[i].X + tradeWidth + tradeGap
	}
	if len(panels) > 0 {
		f.keys(panels[0].Lines)
	}
	return writeChartFile(w, tradeDrawing(f))
}

func (f *tradeFile) keys(lines []Line) {
	x := 14.0
	for i, line := range lines {
		f.Keys = append(f.Keys, tradeKey{x, TradeMeasure(i, line.Name)})
		x += 34 + 7.2*float64(len(line.Name))
	}
	f.W = max(f.W, x)
}
