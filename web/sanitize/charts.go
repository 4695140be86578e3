// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"fmt"
	"slices"
	"strings"

	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/greedy/attack"
	"hide/internal/project/sanitize"
	"hide/internal/words"
	"hide/web/outcome"
	"hide/web/ui"
)

// frontierPlot shows, for each L/C with figures, the remaining identifiers against the
// share of non-PHI words kept, with both intervals. The first round and other runs are
// drawn without intervals.
func frontierPlot(r *sanitize.Run, others []*sanitize.Run) *chart.Plot {
	p := &chart.Plot{
		ID: "frontier", Title: "Remaining identifiers against non-PHI words kept, by L/C",
		XLabel: "non-PHI words kept, %", YLabel: "remaining identifiers",
		W: chart.WideWidth, H: chart.WideHeight, Wide: true,
	}
	if !r.Validity(0).Hold { // a picture of the chart says it too
		p.Title, p.XLabel, p.YLabel = p.Title+", in the measured notes", "non-PHI words kept in measured notes, %", p.YLabel+" in measured notes"
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

// frontierLines are the compared runs, then the first round, then the figures of the run.
// If these were counted on training notes, the last line is from unseen notes.
func frontierLines(r *sanitize.Run, others []*sanitize.Run) []chart.Series {
	var all []chart.Series
	for i, other := range others {
		m := chart.Measure{Class: fmt.Sprintf("earlier%d", i+1), Name: "remaining identifiers in " + runName(other), Marker: earlierMarkers[i%len(earlierMarkers)]}
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

// earlierMarkers distinguish the compared runs without colour.
var earlierMarkers = []string{"circle", "square", "diamond"}

// firstRounds are the results of a run after round 1 of each L/C. There are none when no
// L/C has used a second round.
func firstRounds(r *sanitize.Run) []sanitize.Result {
	var out []sanitize.Result
	further := false
	for _, c := range r.Choices {
		if len(c.Rounds) == 0 || !c.Rounds[0].Accepted || !outcome.RoundsMeasured(c) {
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

// bare removes the intervals, which are in the table. Its points cannot be selected: only
// the line of the run marks the selected L/C.
func bare(s chart.Series) chart.Series {
	for i := range s.Data {
		s.Data[i].X, s.Data[i].Y, s.Data[i].LC = chart.Exact(s.Data[i].X.Value), chart.Exact(s.Data[i].Y.Value), 0
	}
	return s
}

func frontierSeries(m chart.Measure, choices []sanitize.Result, of func(greedy.Outcome) greedy.Outcome) chart.Series {
	s := chart.Series{Measure: m}
	for _, c := range choices {
		if outcome.HasFigures(c) {
			o := of(c.Outcome)
			s.Data = append(s.Data, chart.Datum{X: o.NonsensitiveKept, Y: o.IdentifiersMissed, LC: c.LC, Tried: !c.Done})
		}
	}
	return s
}

func frontierDesc(s chart.Series) string {
	var b strings.Builder
	for _, d := range s.Data {
		fmt.Fprintf(&b, "L/C %s: remaining identifiers %s, non-PHI words kept %s. ", ui.Ratio(d.LC), words.Amount(d.Y.Value), words.Percent(d.X.Value))
	}
	return b.String() + "The table below has the same figures."
}

// ratioSlug makes an L/C fit for an element's id: 2.5 becomes 2-5.
func ratioSlug(lc float64) string { return strings.ReplaceAll(ui.Ratio(lc), ".", "-") }

// budgetsOf are all budgets with figures: of the rounds, the outcome, or unseen notes.
func budgetsOf(r sanitize.Result) []int {
	out := slices.Concat(roundBudgets(r), outcome.Budgets(r.Outcome), outcome.Budgets(r.Outcome.Unseen()))
	slices.Sort(out)
	return slices.Compact(out)
}

// roundBudgets are the budgets that the rounds have figures for: none in paper mode,
// where the ranked attacker is run once, at the end.
func roundBudgets(r sanitize.Result) []int {
	var out []int
	for _, k := range r.Rounds {
		out = append(out, outcome.Budgets(k.Outcome)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// The measures.
var (
	measureFound      = chart.Measure{Class: "found", Name: "sensitive words found (TP)", Marker: "circle"}
	measureWrong      = chart.Measure{Class: "wrong", Name: "non-PHI words redacted (FP)", Marker: "cross"}
	measureMissed     = chart.Measure{Class: "missed", Name: "sensitive words missed (FN)", Marker: "triangle"}
	measureLeft       = chart.Measure{Class: "left", Name: "remaining identifiers", Marker: "circle"}
	measureRanked     = chart.Measure{Class: "ranked", Name: "ranked attacker", Marker: "diamond"}
	measureClassifier = chart.Measure{Class: "classifier", Name: "papers' attacker (TP_A)", Marker: "square"}
	measureChance     = chart.Measure{Class: "chance", Name: "reading at random", Marker: "plus"}
	measureLoss       = chart.Measure{Class: "loss", Name: "loss T(H)", Marker: "triangle"}
	measureKept       = chart.Measure{Class: "kept", Name: "non-PHI words kept", Marker: "square"}
	measurePublished  = chart.Measure{Class: "published", Name: "all words published", Marker: "cross"}
	leftSeen          = chart.Measure{Class: "left", Name: "remaining identifiers in training notes", Marker: "circle"}
	measureUnseen     = chart.Measure{Class: "unseen", Name: "remaining identifiers in unseen notes", Marker: "triangle"}
	measureFirst      = chart.Measure{Class: "first", Name: "remaining identifiers after round 1", Marker: "square"}
)

// roundPlots are the panels of the chart of rounds of one L/C: what each round finds, what
// remains and what attackers find of it, the loss, and the text kept. Round 0 is the text
// before any round. Rounds that were not measured have only the first panel.
func roundPlots(r sanitize.Result) []*chart.Plot {
	id := "rounds-" + ratioSlug(r.LC)
	x := chart.RoundScale(0, len(r.Rounds))
	finds := countPlot(id+"-finds", "What each round finds", "words", x, roundCounts(r))
	if len(r.Rounds) > 0 && !outcome.RoundsMeasured(r) {
		return []*chart.Plot{finds}
	}
	return []*chart.Plot{
		finds,
		countPlot(id+"-left", "What remains and what attackers find", "identifiers or words", x, roundLeft(r)),
		countPlot(id+"-loss", "Loss T(H)", "loss", x, roundLoss(r)),
		sharePlot(id+"-kept", "Text kept", x, roundKept(r)),
	}
}

func countPlot(id, title, unit string, x chart.Scale, all []chart.Series) *chart.Plot {
	p := &chart.Plot{ID: id, Title: title, XLabel: "round", YLabel: unit, W: chart.PanelWidth, H: chart.PanelHeight}
	p.Desc = chart.Describe(all, words.Amount)
	p.Layout(x, chart.CountScale(chart.Extent(all)), all)
	return p
}

func sharePlot(id, title string, x chart.Scale, all []chart.Series) *chart.Plot {
	p := &chart.Plot{ID: id, Title: title, XLabel: "round", YLabel: "% of words", W: chart.PanelWidth, H: chart.PanelHeight}
	p.Desc = chart.Describe(all, words.Percent)
	p.Layout(x, chart.ShareScale(chart.Extent(all)), all)
	return p
}

// overRounds is a measure with one point per round, from round 0 when before is
// given and there are rounds.
func overRounds(m chart.Measure, r sanitize.Result, before *float64, of func(greedy.Round) greedy.Estimate) chart.Series {
	s := chart.Series{Measure: m}
	if before != nil && len(r.Rounds) > 0 {
		s.Data = append(s.Data, chart.Datum{X: chart.Exact(0), Y: chart.Exact(*before)})
	}
	for _, k := range r.Rounds {
		s.Data = append(s.Data, chart.Datum{X: chart.Exact(float64(k.Number)), Y: of(k), Tried: !k.Accepted})
	}
	return s
}

// roundCounts are lines through the rounds that were used. The round that was not used is
// a separate point: it may mark thousands of words, and none of them is redacted.
func roundCounts(r sanitize.Result) []chart.Series {
	out := []chart.Series{
		overRounds(measureFound, r, nil, func(k greedy.Round) greedy.Estimate { return chart.Exact(float64(k.Counts.TP)) }),
		overRounds(measureWrong, worthTrying(r), nil, func(k greedy.Round) greedy.Estimate { return chart.Exact(float64(k.Counts.FP)) }),
		overRounds(measureMissed, r, nil, func(k greedy.Round) greedy.Estimate { return chart.Exact(float64(k.Counts.FN)) }),
	}
	for i := range out {
		out[i].Apart = true
	}
	return out
}

// worthTrying is r without a round that had nothing left to find: such a round cannot tell
// words apart, and marks any or all of them.
func worthTrying(r sanitize.Result) sanitize.Result {
	r.Rounds = slices.DeleteFunc(slices.Clone(r.Rounds), func(k greedy.Round) bool { return !k.Accepted && nothingLeft(k.Counts) })
	return r
}

// nothingLeft reports whether no sensitive word was left to find.
func nothingLeft(c greedy.Counts) bool { return c.TP+c.FN == 0 }

func roundLeft(r sanitize.Result) []chart.Series {
	var names *float64
	if n := float64(r.Outcome.Identifiers); n > 0 {
		names = &n
	}
	out := []chart.Series{
		overRounds(measureLeft, r, names, func(k greedy.Round) greedy.Estimate { return k.Outcome.IdentifiersMissed }),
		overRounds(measureClassifier, r, nil, func(k greedy.Round) greedy.Estimate { return k.Outcome.Attack.Classifier }),
	}
	out[0].Dodge, out[1].Dodge = -4, 4
	if heldOut(r) {
		out[0].Measure = leftSeen
		out = append(out, overRounds(measureUnseen, r, nil, unseenLeft))
	}
	for _, b := range roundBudgets(r) {
		s := overRounds(measureRanked, r, nil, func(k greedy.Round) greedy.Estimate { return outcome.RankedAt(k.Outcome, b) })
		s.Budget = b
		out = append(out, s)
	}
	return out
}

func unseenLeft(k greedy.Round) greedy.Estimate {
	if k.Outcome.HeldOut == nil {
		return outcome.Unknown
	}
	return k.Outcome.HeldOut.IdentifiersMissed
}

func roundLoss(r sanitize.Result) []chart.Series {
	var before *float64
	if l := r.LC * float64(r.Outcome.Sensitive); l > 0 {
		before = &l
	}
	return []chart.Series{overRounds(measureLoss, r, before, func(k greedy.Round) greedy.Estimate { return k.Outcome.Loss })}
}

func roundKept(r sanitize.Result) []chart.Series {
	all := 1.0
	out := []chart.Series{
		overRounds(measureKept, r, &all, func(k greedy.Round) greedy.Estimate { return k.Outcome.NonsensitiveKept }),
		overRounds(measurePublished, r, &all, func(k greedy.Round) greedy.Estimate { return k.Outcome.PublishedRatio }),
	}
	out[0].Dodge, out[1].Dodge = -3, 3
	return out
}

// attackPlot shows what the ranked attacker, the other attackers of the run and random
// reading find against the words inspected. The ranked attacker must have been run.
func attackPlot(r sanitize.Result) *chart.Plot {
	o := r.Outcome.Unseen()
	p := &chart.Plot{ID: "attack-" + ratioSlug(r.LC), Title: "What an attacker finds", XLabel: "words inspected (B)", YLabel: "words found", W: chart.WideWidth, H: 210, Wide: true}
	random := chart.Series{Measure: measureChance, Data: []chart.Datum{{X: chart.Exact(0), Y: chart.Exact(0)}}}
	sorted := chart.Series{Measure: measureRanked, Data: []chart.Datum{{X: chart.Exact(0), Y: chart.Exact(0)}}}
	for _, b := range outcome.Budgets(o) {
		at := chart.Exact(float64(b))
		sorted.Data = append(sorted.Data, chart.Datum{X: at, Y: outcome.RankedAt(o, b), Budget: b})
		random.Data = append(random.Data, chart.Datum{X: at, Y: chart.Exact(outcome.AtRandom(o, b))})
	}
	all := append([]chart.Series{random, sorted}, attackerSeries(r)...)
	p.Desc = chart.Describe(all, words.Amount)
	p.Layout(chart.LinearScale(0, sorted.Data[len(sorted.Data)-1].X.Value, 5, words.Amount), chart.CountScale(chart.Extent(all)), all)
	return p
}

// attackerMeasure is the name and the line of an attacker.
func attackerMeasure(k attack.Kind) chart.Measure {
	switch k {
	case attack.Ranked:
		return measureRanked
	case attack.Classifier:
		return chart.Measure{Class: "line6", Name: "papers' attacker, marked words first", Marker: "square"}
	case attack.Best:
		return chart.Measure{Class: "line7", Name: "the learner that finds most", Marker: "circle"}
	case attack.Stacked:
		return chart.Measure{Class: "line0", Name: "all learners together", Marker: "circle"}
	case attack.Transfer:
		return chart.Measure{Class: "line5", Name: "trained on another project", Marker: "triangle"}
	case attack.Dictionary:
		return chart.Measure{Class: "line4", Name: "dictionaries and patterns", Marker: "cross"}
	case attack.Outside:
		return chart.Measure{Class: "line1", Name: "trained elsewhere", Marker: "square"}
	case attack.Repeat:
		return chart.Measure{Class: "line2", Name: "knows the redacted words", Marker: "square"}
	}
	return chart.Measure{Class: "line1", Name: string(k), Marker: "diamond"}
}

// otherAttackers are the results of the other attackers: of each kind the one that finds
// most at the largest budget. Random reading and the ranked attacker are always drawn.
func otherAttackers(c sanitize.Result) []attack.Result {
	var out []attack.Result
	for _, r := range c.Attackers {
		if r.Kind == attack.Uniform || r.Kind == attack.Ranked || len(r.Points) == 0 {
			continue
		}
		i := slices.IndexFunc(out, func(o attack.Result) bool { return o.Kind == r.Kind })
		switch {
		case i < 0:
			out = append(out, r)
		case lastFound(r) > lastFound(out[i]):
			out[i] = r
		}
	}
	return out
}

func lastFound(r attack.Result) float64 { return r.Points[len(r.Points)-1].Found }

// attackerName: "trained on another project, with crf".
func attackerName(k attack.Kind, learner string) string {
	name := attackerMeasure(k).Name
	if learner != "" {
		name += ", with " + learner
	}
	return name
}

// otherAttacksWords introduce the last rows of the table of attacks. share is the share of
// the published notes that an attacker labels.
func otherAttacksWords(all []sanitize.Paying, share float64) string {
	s := ui.Count(len(all), "other attack still pays", "other attacks still pay") + ", see the end of the table."
	if slices.ContainsFunc(all, func(a sanitize.Paying) bool { return a.Kind.Labels() }) {
		s += " The attackers label " + sanitize.LabelledWords(share) + " of the notes as published."
	}
	return s
}

// attackerCell is what an attacker finds among b words.
func attackerCell(r attack.Result, b int) string {
	for _, p := range r.Points {
		if p.Budget == b {
			return words.Amount(p.Found)
		}
	}
	return "–"
}

// attackerSeries are the lines of the other attackers.
func attackerSeries(c sanitize.Result) []chart.Series {
	var out []chart.Series
	for _, r := range otherAttackers(c) {
		s := chart.Series{Measure: attackerMeasure(r.Kind), Data: []chart.Datum{{X: chart.Exact(0), Y: chart.Exact(0)}}}
		s.Name = attackerName(r.Kind, r.Learner)
		for _, p := range r.Points {
			s.Data = append(s.Data, chart.Datum{X: chart.Exact(float64(p.Budget)), Y: chart.Exact(p.Found), Budget: p.Budget})
		}
		out = append(out, s)
	}
	return out
}

// mostFoundCell is the most that any attacker of a run finds among b words.
func mostFoundCell(r *sanitize.Run, lc float64, b int) string {
	c := outcome.At(r, lc)
	most, by, ok := c.MostFound(b)
	if !outcome.HasFigures(c) || !ok {
		return "–"
	}
	return words.Amount(most) + " (" + attackerMeasure(by).Name + ")"
}
