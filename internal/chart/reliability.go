// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"strings"

	"hide/internal/crf/score"
	"hide/internal/greedy"
	"hide/internal/words"
)

var (
	measureWidth = Measure{"found", "ten equal parts of the scale", "circle"}
	measureMass  = Measure{"ranked", "deciles of the scores", "diamond"}
)

const reliabilitySize = 400

// reliabilityPlot shows, for bins of scores, how often they came true against
// what they promised, with intervals. Bins of equal mass are points without a line.
func reliabilityPlot(id, title string, c *score.Calibration) *Plot {
	p := &Plot{
		ID: id, Title: title, XLabel: "score, %", YLabel: "came true, %",
		W: reliabilitySize, H: reliabilitySize, Wide: true,
	}
	width := Series{Measure: measureWidth}
	var desc strings.Builder
	for _, b := range c.Width {
		width.Data = append(width.Data, Datum{X: greedy.Estimate{Value: b.Predicted}, Y: estimate(b.Observed, b.Interval), Label: words.Number(b.Count)})
		fmt.Fprintf(&desc, "Of %s with a mean score of %s, %s were correct. ", words.Number(b.Count), words.Percent(b.Predicted), words.Percent(b.Observed))
	}
	mass := Series{Measure: measureMass, Loose: true}
	for _, b := range c.Mass {
		mass.Data = append(mass.Data, Datum{X: greedy.Estimate{Value: b.Predicted}, Y: greedy.Estimate{Value: b.Observed}})
	}
	p.Desc = desc.String() + "The table below has the same figures."
	p.Layout(tenths(), tenths(), []Series{mass, width})
	return p
}

// tenths is an axis of shares from 0 to 1.
func tenths() Scale {
	var s Scale
	for k := 0; k <= 10; k += 2 {
		v := float64(k) / 10
		s.Ticks = append(s.Ticks, Tick{v, percentTick(v, 0.2)})
	}
	return s
}

// diagonal is where scores come true as often as they promise.
func diagonal(p *Plot) string {
	return "M" + Px(p.Box.Left) + " " + Px(p.Box.Bottom) + "L" + Px(p.Box.Right) + " " + Px(p.Box.Top)
}
