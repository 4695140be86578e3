// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"hide/internal/crf/score"
	"hide/internal/crf/trade"
)

// CurvePanels are the two charts of what sampling trades: by spans and by tokens.
// label writes a point; nil writes its settings as they were typed.
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
				text = "" // where all lines begin
			}
			t := of(c.Settings[p.Setting])
			lines[i].Points = append(lines[i].Points, Point{Label: text, X: t.Recall, Y: t.Precision})
		}
	}
	return lines
}
