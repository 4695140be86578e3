// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"slices"
	"strings"

	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/project/sanitize"
)

// frontierPlot shows, for each L/C that is known, the names left against the
// share of other words kept, with both intervals; beside it what the first round
// alone left, and other runs, without intervals.
func frontierPlot(r *sanitize.Run, others []*sanitize.Run) *chart.Plot {
	p := &chart.Plot{
		ID: "frontier", Title: "Names left against other words kept, by L/C",
		XLabel: "other words kept, %", YLabel: "names left",
		W: chart.WideWidth, H: chart.WideHeight, Wide: true,
	}
	all := frontierLines(r, others)
	main := all[len(all)-1]
	for i, d := range main.Data {
		main.Data[i].Label = chart.RatioTick(d.LC)
	}
	if len(main.Data) == 0 {
		p.Empty = "The first point appears when the first L/C has had its first round."
	}
	var xs []float64
	for _, s := range all {
		for _, d := range s.Data {
			xs = append(xs, d.X.Value, d.X.Low)
		}
	}
	p.Desc = frontierDesc(main)
	p.Layout(chart.KeptScale(xs), chart.CountScale(chart.Extent(all)), all)
	return p
}

// frontierLines are the runs compared with, then what the first round alone left,
// then what was counted, then, where that was counted on documents the classifiers
// had seen, what was measured on others.
func frontierLines(r *sanitize.Run, others []*sanitize.Run) []chart.Series {
	var all []chart.Series
	for i, other := range others {
		m := chart.Measure{Class: fmt.Sprintf("earlier%d", i+1), Name: "names left in " + runName(other), Marker: earlierMarkers[i%len(earlierMarkers)]}
		all = append(all, bare(frontierSeries(m, other.Choices, greedy.Outcome.Unseen)))
	}
	if first := firstRounds(r); len(first) > 0 {
		all = append(all, bare(frontierSeries(measureFirst, first, greedy.Outcome.Unseen)))
	}
	if r.Params.Mode != greedy.Paper {
		return append(all, frontierSeries(measureLeft, r.Choices, greedy.Outcome.Unseen))
	}
	all = append(all, frontierSeries(leftSeen, r.Choices, func(o greedy.Outcome) greedy.Outcome { return o }))
	measured := slices.DeleteFunc(slices.Clone(r.Choices), func(c sanitize.Result) bool { return c.Outcome.HeldOut == nil })
	if len(measured) > 0 {
		all = append(all, frontierSeries(measureUnseen, measured, greedy.Outcome.Unseen))
	}
	return all
}

// earlierMarkers tell the runs compared with apart without colour.
var earlierMarkers = []string{"circle", "square", "diamond"}

// firstRounds are a run's results had each L/C ended after its first round: one
// classifier with thresholds by cost. There are none when no L/C has used a second.
func firstRounds(r *sanitize.Run) []sanitize.Result {
	var out []sanitize.Result
	further := false
	for _, c := range r.Choices {
		if len(c.Rounds) == 0 || !c.Rounds[0].Accepted || !roundsMeasured(c) {
			continue
		}
		further = further || len(c.Rounds) > 1 && c.Rounds[1].Accepted
		out = append(out, sanitize.Result{LC: c.LC, Done: true, Outcome: c.Rounds[0].Outcome})
	}
	if !further {
		return nil
	}
	return out
}

// bare leaves the intervals out, which the table has, and cannot be picked: the L/C
// in question is marked on the run's own line only.
func bare(s chart.Series) chart.Series {
	for i := range s.Data {
		s.Data[i].X, s.Data[i].Y, s.Data[i].LC = chart.Exact(s.Data[i].X.Value), chart.Exact(s.Data[i].Y.Value), 0
	}
	return s
}

func frontierSeries(m chart.Measure, choices []sanitize.Result, of func(greedy.Outcome) greedy.Outcome) chart.Series {
	s := chart.Series{Measure: m}
	for _, c := range choices {
		if hasFigures(c) {
			o := of(c.Outcome)
			s.Data = append(s.Data, chart.Datum{X: o.NonsensitiveKept, Y: o.NamesLeft, LC: c.LC, Tried: !c.Done})
		}
	}
	return s
}

func frontierDesc(s chart.Series) string {
	var b strings.Builder
	for _, d := range s.Data {
		fmt.Fprintf(&b, "L/C %s: names left %s, other words kept %s. ", formatRatio(d.LC), formatCount(d.Y.Value), formatPercent(d.X.Value))
	}
	return b.String() + "The same numbers are in the table below."
}

// ratioSlug makes an L/C fit for an element's id: 2.5 becomes 2-5.
func ratioSlug(lc float64) string { return strings.ReplaceAll(formatRatio(lc), ".", "-") }

// outcomeBudgets are the budgets B of an outcome's ranked attacker, ascending.
func outcomeBudgets(o greedy.Outcome) []int {
	out := make([]int, 0, len(o.Attack.Ranked))
	for b := range o.Attack.Ranked {
		out = append(out, b)
	}
	slices.Sort(out)
	return out
}

// budgetsOf are all budgets that a result has figures for, of its rounds, of its
// outcome or of documents not seen.
func budgetsOf(r sanitize.Result) []int {
	out := slices.Concat(roundBudgets(r), outcomeBudgets(r.Outcome), outcomeBudgets(r.Outcome.Unseen()))
	slices.Sort(out)
	return slices.Compact(out)
}

// roundBudgets are the budgets that the rounds have figures for: none in paper
// mode, where the ranked attacker is asked once, at the end.
func roundBudgets(r sanitize.Result) []int {
	var out []int
	for _, k := range r.Rounds {
		out = append(out, outcomeBudgets(k.Outcome)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// rankedAt is what the ranked attacker finds with budget b, NaN when not known.
func rankedAt(o greedy.Outcome, b int) greedy.Estimate {
	if e, ok := o.Attack.Ranked[b]; ok {
		return e
	}
	return unknown
}

// atRandom is U_A/L, what reading b published words at random finds on average.
func atRandom(o greedy.Outcome, b int) float64 {
	return greedy.AtRandom(b, o.PublishedRatio.Value*float64(o.Tokens), o.Residual.Value)
}
