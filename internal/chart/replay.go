// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"hide/internal/bootstrap"
	"hide/internal/greedy"
	"hide/internal/words"
)

// The measures of learning curves. Random order looks as it does on other charts.
var (
	measureActive = Measure{"active", "in the order of the queue", "circle"}
	measureDrawn  = Measure{"chance", "drawn at random", "plus"}
	measureGoal   = Measure{"goal", "the goal", "dashes"}
)

// replayAxis is one quantity of a point: its name on charts, its unit, and how to read it.
type replayAxis struct {
	name, unit string
	of         func(bootstrap.Point) float64
}

// label is the title of the axis.
func (a replayAxis) label() string { return a.name + a.unit }

var (
	byDocuments   = replayAxis{"notes read", "", func(p bootstrap.Point) float64 { return p.Documents }}
	byTokens      = replayAxis{"tokens read", "", func(p bootstrap.Point) float64 { return p.Tokens }}
	ofF1          = replayAxis{"F1 of spans", ", %", func(p bootstrap.Point) float64 { return p.F1 }}
	ofTokenRecall = replayAxis{"sensitive tokens found", ", %", func(p bootstrap.Point) float64 { return p.TokenRecall }}
	ofLeaking     = replayAxis{"notes with a leak", "", func(p bootstrap.Point) float64 { return p.Leaking }}
)

// replayPlots are the learning curves of a replay.
func replayPlots(r *bootstrap.Result) []*Plot {
	return []*Plot{
		replayPlot("f1-notes", r, byDocuments, ofF1),
		replayPlot("f1-tokens", r, byTokens, ofF1),
		replayPlot("recall-notes", r, byDocuments, ofTokenRecall),
		replayPlot("leaks-notes", r, byDocuments, ofLeaking),
	}
}

func replayPlot(id string, r *bootstrap.Result, x, y replayAxis) *Plot {
	p := &Plot{ID: id, Title: strings.TrimSuffix(words.Sentence(y.name+" by "+x.name), "."), XLabel: x.label(), YLabel: y.label(), W: WideWidth, H: WideHeight, Wide: true}
	var all []Series
	var xs []float64
	for _, c := range r.Curves {
		s := replaySeries(c, x, y)
		all = append(all, s)
		for _, d := range s.Data {
			xs = append(xs, d.X.Value)
		}
	}
	format := words.Percent
	if y.name == ofLeaking.name {
		format = words.Amount
	}
	p.Desc = Describe(all, format)
	if y.name == ofF1.name {
		all = append(all, goalSeries(r, xs))
	}
	p.Layout(growthScale(xs), replayScale(y, all), all)
	return p
}

func replayScale(y replayAxis, all []Series) Scale {
	if y.name == ofLeaking.name {
		return CountScale(Extent(all))
	}
	return ShareScale(Extent(all))
}

// replaySeries draws the range over the repeats as whiskers.
func replaySeries(c bootstrap.Curve, x, y replayAxis) Series {
	s := Series{Measure: measureActive}
	if c.Order == bootstrap.AtRandom {
		s.Measure = measureDrawn
	}
	for i, p := range c.Points {
		s.Data = append(s.Data, Datum{X: Exact(x.of(p)), Y: greedy.Estimate{Value: y.of(p), Low: y.of(c.Low[i]), High: y.of(c.High[i])}})
	}
	return s
}

// goalSeries is a line across the plot.
func goalSeries(r *bootstrap.Result, xs []float64) Series {
	s := Series{Measure: measureGoal}
	s.Name = fmt.Sprintf("%s of what all notes give", words.ShortPercent(r.Goal))
	ticks := growthScale(xs).Ticks
	for _, t := range []Tick{ticks[0], ticks[len(ticks)-1]} {
		s.Data = append(s.Data, Datum{X: Exact(t.Value), Y: Exact(r.Goal * r.Full.F1)})
	}
	return s
}

// growthScale is a logarithmic axis from the smallest value to the largest.
func growthScale(values []float64) Scale {
	least, most := math.Inf(1), 1.0
	for _, v := range values {
		if known(v) && v >= 1 {
			least, most = min(least, v), max(most, v)
		}
	}
	if math.IsInf(least, 1) || most < 4*least {
		return LinearScale(0, most, 4, words.Amount)
	}
	s := Scale{Log: true}
	for base := 1.0; ; base *= 10 {
		for _, step := range []float64{1, 2, 5} {
			v := base * step
			if next := v * 2.5; next <= least {
				continue
			}
			s.Ticks = append(s.Ticks, Tick{v, words.Amount(v)})
			if v >= most {
				return s
			}
		}
	}
}

// replayVerdict states the result in a sentence or two.
func replayVerdict(r *bootstrap.Result) string {
	says := fmt.Sprintf("All %s give an F1 of %s.", words.Count(r.Pool.Documents, "note", "notes"), words.ShortPercent(r.Full.F1))
	for _, c := range r.Curves {
		says += " " + words.Sentence(orderWords(c.Order)+", "+neededWords(c.Needed, r.Goal))
	}
	if r.Saved != nil {
		says += fmt.Sprintf(" Reading at random takes %.2f times as many notes and %.2f times as many tokens.", r.Saved.Documents, r.Saved.Tokens)
	}
	return says
}

func orderWords(o bootstrap.Order) string {
	if o == bootstrap.AtRandom {
		return measureDrawn.Name
	}
	return measureActive.Name
}

func neededWords(n bootstrap.Needed, goal float64) string {
	if !n.Reached {
		return words.ShortPercent(goal) + " of that was not reached"
	}
	says := fmt.Sprintf("%s of that took %s (%s)", words.ShortPercent(goal), words.Count(int(math.Ceil(n.Documents)), "note", "notes"), words.Count(int(math.Ceil(n.Tokens)), "token", "tokens"))
	if n.AtStart {
		return says + " or fewer, as it was reached at the start"
	}
	return says
}

// replayFigure is a mean with the smallest and the largest value of the repeats.
func replayFigure(mean, low, high float64, format func(float64) string) string {
	if format(low) == format(high) {
		return format(mean)
	}
	return fmt.Sprintf("%s [%s–%s]", format(mean), format(low), format(high))
}

// nameLines writes each line's name beside one of its points, for a chart without a
// legend.
func (p *Plot) nameLines() {
	for i := range p.Series {
		s := &p.Series[i] // the ends of the lines may be close together
		if n := len(s.Points); n > 0 {
			s.Points[max(0, n-1-i)].Label = s.Name
		}
	}
	p.placeLabels()
}

func formatSeconds(v float64) string { return fmt.Sprintf("%.2f s", v) }

// WriteReplayReport writes the learning curves of a replay as a self-contained page. It
// holds figures only, no text of a note.
func WriteReplayReport(w io.Writer, r *bootstrap.Result) error {
	return writePage(context.Background(), w, "Learning curves", replayReport(r))
}

// WriteReplayChart writes the curve of F1 by notes read as one SVG file.
func WriteReplayChart(w io.Writer, r *bootstrap.Result) error {
	p := replayPlot("f1-notes", r, byDocuments, ofF1)
	p.nameLines()
	return writeChartFile(w, Draw(p))
}
