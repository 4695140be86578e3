// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hide/internal/greedy"
	"hide/internal/words"
)

// Measure is one quantity in charts and tables. Its name is the class that sets its colour
// (static/css/chart.css); its marker distinguishes it without colour. A measure looks the
// same on every chart.
type Measure struct {
	Class  string // "left"
	Name   string // "remaining identifiers"
	Marker string // shape: see markerPath
}

const (
	PanelWidth, PanelHeight = 280, 185
	WideWidth, WideHeight   = 520, 290
)

// Datum is one point of a series. Intervals are given by their ends, not their lengths.
type Datum struct {
	X, Y   greedy.Estimate
	LC     float64 // the L/C of this point, 0 for none
	Label  string  // written beside the point
	Tried  bool    // of a round that was not used or not finished: drawn hollow
	Budget int     // the B of this point, 0 for none
}

// Series is one measure's points, in the order the line joins them.
type Series struct {
	Measure
	Data   []Datum
	Budget int // shown only with this budget; 0 for always
	Dodge  float64
	Loose  bool // points only, no line
	Apart  bool // no line to points with Tried
}

// Plot is a chart ready to draw: everything in SVG units, y downwards.
type Plot struct {
	ID, Title, Desc string
	XLabel, YLabel  string
	Empty           string // written where there is no data
	W, H            float64
	Box             plotBox // the plotting area
	X, Y            []axisMark
	Broken          bool    // y is logarithmic: draw the break between 0 and 1
	BreakY          float64 // y position of 1
	Lost            bool    // x has a logarithmic scale of 1 minus the share
	Series          []Drawn
	Wide            bool    // fills the column; otherwise it shares the column
	LC              float64 // the selected L/C, whose point is marked
	Budget          int     // the selected B
}

type plotBox struct{ Left, Top, Right, Bottom float64 }

// axisMark is a placed tick.
type axisMark struct {
	At    float64
	Label string
}

// Drawn is a placed series.
type Drawn struct {
	Measure
	Budget int
	Path   string // the line, with a gap where a value is unknown
	Points []Dot
}

// Dot is a placed point with its whiskers; a missing whisker has both ends at the point. An
// end outside the axis is drawn at the edge, without a cap.
type Dot struct {
	X, Y                     float64
	XLow, XHigh, YLow, YHigh float64
	Label                    string
	LabelX, LabelY           float64
	Anchor                   string
	Shared                   bool // the label also names other points here
	LC                       float64
	Tried                    bool
	Budget                   int
	CapXLow, CapXHigh        bool
	CapYLow, CapYHigh        bool
}

// Layout places series on the axes x and y.
func (p *Plot) Layout(x, y Scale, all []Series) {
	p.Box = plotBox{Left: p.leftMargin(y), Top: 32, Right: p.W - 18, Bottom: p.H - 46}
	p.Broken, p.Lost = y.Log, x.Lost
	p.BreakY = p.yAt(y, 1)
	for _, t := range x.Ticks {
		p.X = append(p.X, axisMark{p.xAt(x, t.Value), t.Label})
	}
	for _, t := range y.Ticks {
		p.Y = append(p.Y, axisMark{p.yAt(y, t.Value), t.Label})
	}
	p.thinTicks()
	for _, s := range all {
		p.Series = append(p.Series, p.draw(x, y, s))
	}
	p.placeLabels()
	if p.points() == 0 && p.Empty == "" {
		p.Empty = "Nothing to show yet."
	}
}

// A chart fills the available width. As it gets narrower, letters grow in units of the
// drawing to stay readable: chart.css has the steps for each width of a drawing. Ticks are
// laid out for the largest letters.

// letter is the width of the widest tick letters, height their line height.
func (p *Plot) letter() float64 { return 0.56 * p.height() }

func (p *Plot) height() float64 {
	if p.W <= PanelWidth {
		return 14
	}
	return 20.5
}

// leftMargin leaves room for the longest tick of the y axis.
func (p *Plot) leftMargin(y Scale) float64 {
	longest := 2
	for _, t := range y.Ticks {
		longest = max(longest, utf8.RuneCountInString(t.Label))
	}
	return 10 + p.letter()*float64(longest)
}

// thinTicks leaves out tick labels at even distances where neighbours would overlap. The
// ticks themselves stay.
func (p *Plot) thinTicks() {
	widest := 0
	for _, t := range p.X {
		widest = max(widest, utf8.RuneCountInString(t.Label))
	}
	thin(p.X, p.letter()*float64(widest+1))
	thin(p.Y, 1.1*p.height())
}

// thin keeps the label of every k-th mark, with the smallest k that leaves at least
// distance between the labels.
func thin(marks []axisMark, distance float64) {
	for k := 1; k <= len(marks); k++ {
		if tooClose(marks, k, distance) {
			continue
		}
		for i := range marks {
			if i%k != 0 {
				marks[i].Label = ""
			}
		}
		return
	}
}

func tooClose(marks []axisMark, k int, distance float64) bool {
	for i := k; i < len(marks); i += k {
		if math.Abs(marks[i].At-marks[i-k].At) < distance {
			return true
		}
	}
	return false
}

// emptyLines breaks Empty into lines that fit.
func (p *Plot) emptyLines() []string {
	most := int((p.Box.Right - p.Box.Left) / p.letter())
	var lines []string
	for _, word := range strings.Fields(p.Empty) {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+1+len(word) <= most {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

func (p *Plot) points() int {
	n := 0
	for _, s := range p.Series {
		n += len(s.Points)
	}
	return n
}

func (p *Plot) xAt(s Scale, v float64) float64 {
	return p.Box.Left + s.at(v)*(p.Box.Right-p.Box.Left)
}

func (p *Plot) yAt(s Scale, v float64) float64 {
	return p.Box.Bottom - s.at(v)*(p.Box.Bottom-p.Box.Top)
}

func (p *Plot) draw(x, y Scale, s Series) Drawn {
	d := Drawn{Measure: s.Measure, Budget: s.Budget}
	var path strings.Builder
	pen := "M"
	for _, v := range s.Data {
		if !known(v.X.Value) || !known(v.Y.Value) {
			pen = "M"
			continue
		}
		if s.Apart && v.Tried {
			pen = "M"
		}
		at := p.place(x, y, v, s.Dodge)
		d.Points = append(d.Points, at)
		path.WriteString(pen + Px(at.X) + " " + Px(at.Y))
		pen = "L"
	}
	if !s.Loose && len(d.Points) > 1 {
		d.Path = path.String()
	}
	return d
}

func (p *Plot) place(x, y Scale, v Datum, dodge float64) Dot {
	d := Dot{X: p.xAt(x, v.X.Value) + dodge, Y: p.yAt(y, v.Y.Value), Label: v.Label, LC: v.LC, Tried: v.Tried, Budget: v.Budget}
	d.X = min(max(d.X, p.Box.Left), p.Box.Right)
	d.XLow, d.XHigh, d.YLow, d.YHigh = d.X, d.X, d.Y, d.Y
	if hasInterval(v.X) {
		d.XLow, d.XHigh = p.xAt(x, v.X.Low), p.xAt(x, v.X.High)
		d.CapXLow, d.CapXHigh = x.covers(v.X.Low), x.covers(v.X.High)
	}
	if hasInterval(v.Y) {
		d.YLow, d.YHigh = p.yAt(y, v.Y.Low), p.yAt(y, v.Y.High)
		d.CapYLow, d.CapYHigh = y.covers(v.Y.Low), y.covers(v.Y.High)
	}
	return d
}

// hasInterval reports whether e has an interval worth drawing.
func hasInterval(e greedy.Estimate) bool {
	return known(e.Low) && known(e.High) && e.High > e.Low
}

// together is the distance, in units of the drawing, up to which points share a label.
const together = 7

// mergeLabels joins the labels of points that coincide in one label at the first point.
func mergeLabels(points []Dot) {
	for i := 0; i < len(points); {
		labels := []string{points[i].Label}
		k := i + 1
		for ; k < len(points) && points[i].Label != "" && points[i].near(points[k]); k++ {
			labels = append(labels, points[k].Label)
			points[k].Label = ""
		}
		if points[i].Label, points[i].Shared = strings.Join(labels, ", "), len(labels) > 1; len(labels) > 3 {
			points[i].Label = labels[0] + " to " + labels[len(labels)-1]
		}
		i = k
	}
}

func (d Dot) near(other Dot) bool {
	return other.Label != "" && math.Abs(d.X-other.X) <= together && math.Abs(d.Y-other.Y) <= together
}

// placeLabels puts each label beside its point where it covers no label and no point. A
// label without room is left out; the table has it.
func (p *Plot) placeLabels() {
	for _, s := range p.Series {
		mergeLabels(s.Points)
	}
	var taken []plotBox
	for _, s := range p.Series {
		for _, d := range s.Points {
			taken = append(taken, plotBox{d.X - 5, d.Y - 5, d.X + 5, d.Y + 5})
		}
	}
	for i := range p.Series {
		for k := range p.Series[i].Points {
			taken = p.placeLabel(&p.Series[i].Points[k], taken)
		}
	}
}

func (p *Plot) placeLabel(d *Dot, taken []plotBox) []plotBox {
	if d.Label == "" {
		return taken
	}
	width := 9 * float64(utf8.RuneCountInString(d.Label)) // with the letters of a narrow window
	for _, c := range []struct {
		dx, dy float64
		anchor string
	}{{8, -7, "start"}, {-8, -7, "end"}, {8, 16, "start"}, {-8, 16, "end"}, {10, 4, "start"}, {-10, 4, "end"}} {
		x, y := d.X+c.dx, d.Y+c.dy
		b := plotBox{x, y - 15, x + width, y + 3}
		if c.anchor == "end" {
			b.Left, b.Right = x-width, x
		}
		if !within(b, plotBox{p.Box.Left, 0, p.W, p.Box.Bottom}) || overlapsAny(b, taken) {
			continue
		}
		d.LabelX, d.LabelY, d.Anchor = x, y, c.anchor
		return append(taken, b)
	}
	d.Label = ""
	return taken
}

func within(b, outer plotBox) bool {
	return b.Left >= outer.Left && b.Right <= outer.Right && b.Top >= outer.Top && b.Bottom <= outer.Bottom
}

func overlapsAny(b plotBox, others []plotBox) bool {
	return slices.ContainsFunc(others, func(o plotBox) bool {
		return b.Left < o.Right && o.Left < b.Right && b.Top < o.Bottom && o.Top < b.Bottom
	})
}

// markerPath is the outline of a marker of about 8 units around (0, 0).
func markerPath(shape string) string {
	switch shape {
	case "square":
		return "M-3.5 -3.5H3.5V3.5H-3.5Z"
	case "triangle":
		return "M0 -4.6L4.4 3.4H-4.4Z"
	case "diamond":
		return "M0 -5L5 0L0 5L-5 0Z"
	case "cross":
		return "M-3.6 -3.6L3.6 3.6M-3.6 3.6L3.6 -3.6"
	case "plus":
		return "M-4.4 0H4.4M0 -4.4V4.4"
	case "dashes":
		return "M-5 0h3.5M1.5 0h3.5"
	default: // circle, ring
		return "M-4 0A4 4 0 1 1 4 0A4 4 0 1 1 -4 0Z"
	}
}

// Px writes an SVG length with at most one decimal.
func Px(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

func translate(d Dot) string { return "translate(" + Px(d.X) + " " + Px(d.Y) + ")" }

func viewBox(p *Plot) string { return "0 0 " + Px(p.W) + " " + Px(p.H) }

// verticals are the vertical whisker and its caps.
func (d Dot) verticals() string {
	s := "M" + Px(d.X) + " " + Px(d.YLow) + "V" + Px(d.YHigh)
	if d.CapYLow {
		s += "M" + Px(d.X-3) + " " + Px(d.YLow) + "h6"
	}
	if d.CapYHigh {
		s += "M" + Px(d.X-3) + " " + Px(d.YHigh) + "h6"
	}
	return s
}

// horizontals are the horizontal whisker and its caps.
func (d Dot) horizontals() string {
	s := "M" + Px(d.XLow) + " " + Px(d.Y) + "H" + Px(d.XHigh)
	if d.CapXLow {
		s += "M" + Px(d.XLow) + " " + Px(d.Y-3) + "v6"
	}
	if d.CapXHigh {
		s += "M" + Px(d.XHigh) + " " + Px(d.Y-3) + "v6"
	}
	return s
}

// current reports whether d is the selected point of the page.
func (p *Plot) current(d Dot) bool {
	return (d.LC != 0 && d.LC == p.LC) || (d.Budget != 0 && d.Budget == p.Budget)
}

// Has reports whether a measure is drawn.
func (p *Plot) Has(m Measure) bool {
	return slices.ContainsFunc(p.Series, func(d Drawn) bool { return d.Measure == m })
}

// keys lists each measure of the plot once; none when the title is enough.
func (p *Plot) keys() []Drawn {
	var out []Drawn
	if len(p.Series) == 1 && !p.Wide {
		return nil
	}
	for _, s := range p.Series {
		if !slices.ContainsFunc(out, func(d Drawn) bool { return d.Class == s.Class }) {
			out = append(out, s)
		}
	}
	return out
}

// breakPath is the zigzag on the y axis where it changes from linear to logarithmic.
func breakPath(p *Plot) string {
	y := (p.Box.Bottom + p.BreakY) / 2
	return "M" + Px(p.Box.Left-4) + " " + Px(y+4) + "l8 -3M" + Px(p.Box.Left-4) + " " + Px(y) + "l8 -3"
}

// Exact is a count, not an estimate.
func Exact(v float64) greedy.Estimate { return greedy.Estimate{Value: v, Low: v, High: v} }

// Extent lists every value and interval end that the y axis must cover.
func Extent(all []Series) []float64 {
	var out []float64
	for _, s := range all {
		for _, d := range s.Data {
			out = append(out, d.Y.Value, d.Y.Low, d.Y.High)
		}
	}
	return out
}

// Describe says in words where each series begins and ends, for screen readers.
func Describe(all []Series, format func(float64) string) string {
	out := ""
	for _, s := range all {
		if s.Budget != 0 || len(s.Data) == 0 {
			continue
		}
		first, last := s.Data[0].Y.Value, s.Data[len(s.Data)-1].Y.Value
		if len(s.Data) == 1 {
			out += fmt.Sprintf("%s: %s. ", s.Name, format(last))
			continue
		}
		out += fmt.Sprintf("%s: from %s to %s. ", s.Name, format(first), format(last))
	}
	return out + "The table below has the same figures."
}

// Bracket is " [95.4–96.5]", or "" without an interval.
func Bracket(e greedy.Estimate, digits func(float64) string) string {
	if !hasInterval(e) {
		return ""
	}
	return " [" + digits(e.Low) + "–" + digits(e.High) + "]"
}

// ShareCell is an estimate in a table of shares: "96.0 % [95.4–96.5]".
func ShareCell(e greedy.Estimate) string {
	return words.Percent(e.Value) + Bracket(e, words.OneDecimal)
}
