// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"hide/internal/words"
)

// Panel is a chart of lines. In a report and in a file, a line has the same style in every
// panel.
type Panel struct {
	Title, XLabel, YLabel string
	X, Y                  Axis
	Steps                 []string // for AxisSteps: the tick labels of 0, 1, 2 ...
	Lines                 []Line
}

// Line is one method or setting.
type Line struct {
	Name   string
	Points []Point
	Dashed bool // from an earlier measurement
}

// Point is one measurement. Label is written beside it where there is room. Low and High
// are an interval of Y, which reports draw; both are 0 for none.
type Point struct {
	Label           string
	X, Y, Low, High float64
}

// Axis is the scale of an axis.
type Axis int

// The axes.
const (
	AxisCounts      Axis = iota // from 0, logarithmic where counts span a wide range; linear where one is below 0
	AxisLinear                  // counts in equal steps, whatever their range
	AxisShares                  // shares of 1 in percent, close around the values
	AxisWholeShares             // the same, with ticks between 0 and 1 where the values include both
	AxisFactors                 // logarithmic, with a tick at every value
	AxisKept                    // shares near 1, logarithmic in the distance from 1
	AxisSteps                   // Panel.Steps
)

func (panel Panel) scale(a Axis, values []float64) Scale {
	switch {
	case a == AxisShares:
		return ShareScale(values)
	case a == AxisWholeShares:
		return WholeShareScale(values)
	case a == AxisKept:
		return KeptScale(values)
	case a == AxisFactors:
		return factorScale(values)
	case a == AxisSteps:
		return StepScale(panel.Steps)
	case len(values) > 0 && (a == AxisLinear || slices.Min(values) < 0):
		return LinearScale(min(0, slices.Min(values)), max(0, slices.Max(values)), 4, words.Amount)
	}
	return CountScale(values)
}

// text writes a value for a description.
func (a Axis) text(v float64) string {
	switch a {
	case AxisShares, AxisWholeShares, AxisKept:
		return words.Percent(v)
	case AxisFactors:
		return RatioTick(v)
	}
	return words.Amount(v)
}

// describe states a point in words: "GDF, k 5: 12.0 %." or "window 4: recall 91.0 %,
// precision 85.0 %."
func (panel Panel) describe(line string, at Point) string {
	if i := int(at.X); panel.X == AxisSteps && i >= 0 && i < len(panel.Steps) {
		return fmt.Sprintf("%s, %s %s: %s. ", line, panel.XLabel, panel.Steps[i], panel.Y.text(at.Y))
	}
	x, y := strings.TrimSuffix(panel.XLabel, ", %"), strings.TrimSuffix(panel.YLabel, ", %")
	return fmt.Sprintf("%s %s: %s %s, %s %s. ", line, at.Label, x, panel.X.text(at.X), y, panel.Y.text(at.Y))
}

const (
	panelsWidth, panelsHeight = 420, 300
	panelsGap                 = 28 // between panels
	panelsHead, panelsFoot    = 34, 26
)

// lineMarkers distinguish lines without colour.
var lineMarkers = []string{"circle", "square", "triangle", "diamond", "cross", "plus"}

// LineMeasure is the style of line i. There are styles for six lines.
func LineMeasure(i int, name string) Measure {
	n := i % len(lineMarkers)
	return Measure{Class: fmt.Sprintf("trade%d", n), Name: name, Marker: lineMarkers[n]}
}

// PanelPlot is an empty chart of the size of a panel.
func PanelPlot(id, title, xLabel, yLabel string) *Plot {
	return &Plot{ID: id, Title: title, XLabel: xLabel, YLabel: yLabel, W: panelsWidth, H: panelsHeight, Wide: true}
}

// NewPlot draws the lines of a panel.
func NewPlot(id string, panel Panel) *Plot {
	p := PanelPlot(id, panel.Title, panel.XLabel, panel.YLabel)
	all := make([]Series, len(panel.Lines))
	var xs, ys []float64
	for i, line := range panel.Lines {
		all[i] = Series{Measure: LineMeasure(i, line.Name)}
		if line.Dashed {
			all[i].Class += " m-earlier" // like earlier runs
		}
		for _, at := range line.Points {
			all[i].Data = append(all[i].Data, Datum{X: Exact(at.X), Y: Exact(at.Y), Label: at.Label})
			xs, ys = append(xs, at.X), append(ys, at.Y)
			p.Desc += panel.describe(line.Name, at)
		}
	}
	p.Layout(panel.scale(panel.X, xs), panel.scale(panel.Y, ys), all)
	p.thin()
	return p
}

// mostMarkers is the largest number of markers on a line: too many would hide the line.
const mostMarkers = 24

// thin removes markers from lines with many points, at different places for each line.
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

// mostTicks is the largest number of labelled steps on an axis.
const mostTicks = 10

// StepScale has equal steps from 0. With many steps only some are labelled.
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

// WholeShareScale is [ShareScale] with ticks between 0 and 1 when values include both.
func WholeShareScale(values []float64) Scale {
	if s := ShareScale(values); len(s.Ticks) > 2 {
		return s
	}
	return tenths()
}

// factorScale has a tick at each value and is logarithmic above 1.
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

// panelsFile is a drawing of panels side by side.
type panelsFile struct {
	Title  string
	W, H   float64
	Panels []panelPlace
	Keys   []panelKey
}

type panelPlace struct {
	X    float64
	Plot *Plot
}

type panelKey struct {
	X float64
	Measure
}

// WriteLines draws panels with the same lines as an SVG file.
func WriteLines(w io.Writer, title string, panels []Panel) error {
	f := panelsFile{Title: title, H: panelsHead + panelsHeight + panelsFoot}
	for i, panel := range panels {
		f.Panels = append(f.Panels, panelPlace{float64(i) * (panelsWidth + panelsGap), NewPlot(fmt.Sprintf("lines-%d", i+1), panel)})
		f.W = f.Panels[i].X + panelsWidth + panelsGap
	}
	x := 14.0
	if len(panels) > 0 {
		for i, line := range panels[0].Lines {
			f.Keys = append(f.Keys, panelKey{x, LineMeasure(i, line.Name)})
			x += 34 + 7.2*float64(len(line.Name))
		}
	}
	f.W = max(f.W, x)
	return writeChartFile(w, panelsDrawing(f))
}

// Bars is a chart of counts by name, one row each, from zero.
type Bars struct {
	ID, Title, Desc string
	Rows            []Bar
	W, H            float64
}

// Bar is a placed row.
type Bar struct {
	Name, Count string
	Y, Width    float64
	From, To    float64 // ends of the error line, from where bars begin; equal for none
}

// end is the right end of everything drawn for the bar.
func (b Bar) end() float64 { return max(b.Width, b.To) }

const (
	barLeft, BarLength = 160, 200 // where bars begin, and the longest bar
	barRow             = 26
)

// NewBars is a chart without rows.
func NewBars(id, title string) *Bars {
	return &Bars{ID: id, Title: title, W: barLeft + BarLength + 100, H: 8}
}

// Add appends a row at the bottom.
func (b *Bars) Add(name, count string, width float64) {
	b.Rows = append(b.Rows, Bar{Name: name, Count: count, Y: float64(4 + len(b.Rows)*barRow), Width: width})
	b.H += barRow
	b.Desc += name + " " + count + ". "
}
