// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"io"
	"strings"

	"hide/internal/crf/score"
	"hide/internal/crf/trade"
	"hide/internal/words"
)

// TradePanel is a chart of precision against recall.
type TradePanel struct {
	Title string
	Lines []TradeLine
}

// TradeLine is what one kind of setting trades along, in order of the setting.
type TradeLine struct {
	Name   string
	Points []TradePoint
	Dashed bool // it is of an earlier measurement
}

// TradePoint is what was measured with one setting. Intervals are not drawn: all
// settings are measured on the same documents, so theirs say nothing of differences.
type TradePoint struct {
	Label             string
	Recall, Precision float64
}

const (
	tradeWidth, tradeHeight = 420, 300
	tradeGap                = 28 // between panels
	tradeHead, tradeFoot    = 34, 26
)

// tradeMarkers tell lines apart without colour.
var tradeMarkers = []string{"circle", "square", "triangle", "diamond", "cross", "plus"}

// tradeMeasure is the look of the line at index i.
func TradeMeasure(i int, name string) Measure {
	n := i % len(tradeMarkers)
	return Measure{Class: fmt.Sprintf("trade%d", n), Name: name, Marker: tradeMarkers[n]}
}

// panelPlot is a chart, still empty, of the size of a panel.
func PanelPlot(id, title, xLabel, yLabel string) *Plot {
	return &Plot{ID: id, Title: title, XLabel: xLabel, YLabel: yLabel, W: tradeWidth, H: tradeHeight, Wide: true}
}

func TradePlot(id string, panel TradePanel) *Plot {
	p := PanelPlot(id, panel.Title, "recall, %", "precision, %")
	all := make([]Series, len(panel.Lines))
	var xs, ys []float64
	var desc strings.Builder
	for i, line := range panel.Lines {
		all[i] = Series{Measure: TradeMeasure(i, line.Name)}
		if line.Dashed {
			all[i].Class += " m-earlier" // as earlier runs are
		}
		for _, at := range line.Points {
			all[i].Data = append(all[i].Data, Datum{X: Exact(at.Recall), Y: Exact(at.Precision), Label: at.Label})
			xs, ys = append(xs, at.Recall), append(ys, at.Precision)
			fmt.Fprintf(&desc, "%s %s: recall %s, precision %s. ", line.Name, at.Label, words.Percent(at.Recall), words.Percent(at.Precision))
		}
	}
	p.Desc = desc.String()
	p.Layout(ShareScale(xs), ShareScale(ys), all)
	return p
}

// tradeFile is a drawing of several panels side by side.
type tradeFile struct {
	Title  string
	W, H   float64
	Panels []tradePlace
	Keys   []tradeKey
}

type tradePlace struct {
	X    float64
	Plot *Plot
}

type tradeKey struct {
	X float64
	Measure
}

// WriteTrade draws the panels, which have the same lines, as an SVG file.
func WriteTrade(w io.Writer, title string, panels []TradePanel) error {
	f := tradeFile{Title: title, H: tradeHead + tradeHeight + tradeFoot}
	for i, panel := range panels {
		f.Panels = append(f.Panels, tradePlace{float64(i) * (tradeWidth + tradeGap), TradePlot(fmt.Sprintf("trade-%d", i+1), panel)})
		f.W = f.Panels[i].X + tradeWidth + tradeGap
	}
	if len(panels) > 0 {
		x := 14.0
		for i, line := range panels[0].Lines {
			f.Keys = append(f.Keys, tradeKey{x, TradeMeasure(i, line.Name)})
			x += 34 + 7.2*float64(len(line.Name))
		}
	}
	return writeChartFile(w, tradeDrawing(f))
}

// CurvePanels are the two charts of what sampling trades: by spans and by tokens.
// label writes a point; nil writes its settings as they were typed.
func CurvePanels(c trade.Curves, label func(line, point int) string) []TradePanel {
	if label == nil {
		label = func(line, point int) string { return c.Lines[line].Points[point].Label }
	}
	spans, tokens := "Spans: start, end and label", "Words: label"
	if c.Folded {
		spans, tokens = "Spans: start and end", "Words: sensitive or not"
	}
	return []TradePanel{
		{spans, curveLines(c, label, func(s trade.Setting) score.Tally { return s.Entity })},
		{tokens, curveLines(c, label, func(s trade.Setting) score.Tally { return s.Token })},
	}
}

func curveLines(c trade.Curves, label func(line, point int) string, of func(trade.Setting) score.Tally) []TradeLine {
	lines := make([]TradeLine, len(c.Lines))
	for i, l := range c.Lines {
		lines[i].Name = l.Name
		for j, p := range l.Points {
			text := label(i, j)
			if i > 0 && p.Setting == 0 {
				text = "" // where all lines begin
			}
			t := of(c.Settings[p.Setting])
			lines[i].Points = append(lines[i].Points, TradePoint{Label: text, Recall: t.Recall, Precision: t.Precision})
		}
	}
	return lines
}
