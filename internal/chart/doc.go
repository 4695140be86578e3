// SPDX-License-Identifier: Apache-2.0

// Package chart draws figures as SVG and writes reports as HTML pages.
//
//	p := &chart.Plot{ID: "remaining", Title: "Remaining PHI", W: chart.WideWidth, H: chart.WideHeight}
//	p.Layout(chart.ShareScale(xs), chart.CountScale(ys), []chart.Series{left})
//	chart.Draw(p).Render(ctx, w)
//
// A [Plot] places [Series] of points with intervals on two [Scale]s. [Bars] and [Tree]
// are the other drawings. Pages put the drawings into their templates; commands write
// them as files: [WriteReport], [WriteScores], [WriteReplayReport] make a page with the
// style sheet in it, [WriteLines], [WriteTrade], [WriteReplayChart] an SVG file.
//
// Each drawing has a title and a description in words, and its colours come from
// classes of static/css/chart.css. A drawing holds figures and labels, no text of a note.
package chart
