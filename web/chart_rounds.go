// SPDX-License-Identifier: Apache-2.0

package web

import (
	"math"
	"slices"

	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/project/sanitize"
)

// The measures.
var (
	measureFound      = chart.Measure{Class: "found", Name: "sensitive words found (TP)", Marker: "circle"}
	measureWrong      = chart.Measure{Class: "wrong", Name: "other words redacted (FP)", Marker: "cross"}
	measureMissed     = chart.Measure{Class: "missed", Name: "sensitive words missed (FN)", Marker: "triangle"}
	measureLeft       = chart.Measure{Class: "left", Name: "names left", Marker: "circle"}
	measureRanked     = chart.Measure{Class: "ranked", Name: "ranked attacker", Marker: "diamond"}
	measureClassifier = chart.Measure{Class: "classifier", Name: "papers' attacker (TP_A)", Marker: "square"}
	measureChance     = chart.Measure{Class: "chance", Name: "reading at random", Marker: "plus"}
	measureLoss       = chart.Measure{Class: "loss", Name: "loss T(H)", Marker: "triangle"}
	measureKept       = chart.Measure{Class: "kept", Name: "other words kept", Marker: "square"}
	measurePublished  = chart.Measure{Class: "published", Name: "all words published", Marker: "cross"}
	leftSeen          = chart.Measure{Class: "left", Name: "names left where it learnt", Marker: "circle"}
	measureUnseen     = chart.Measure{Class: "unseen", Name: "names left in unseen documents", Marker: "triangle"}
	measureFirst      = chart.Measure{Class: "first", Name: "names left after round 1 alone", Marker: "square"}
)

// unknown is a figure that nobody has measured.
var unknown = greedy.Estimate{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}

// roundPlots are the panels of the chart per round of one L/C: what each
// round finds, what is left and what attackers find of it, the loss, and what is kept.
// Round 0 is the text before any round. Of rounds that were not measured there is
// only what they find.
func roundPlots(r sanitize.Result) []*chart.Plot {
	id := "rounds-" + ratioSlug(r.LC)
	x := chart.RoundScale(0, len(r.Rounds))
	finds := countPlot(id+"-finds", "What each round finds", "words", x, roundCounts(r))
	if len(r.Rounds) > 0 && !roundsMeasured(r) {
		return []*chart.Plot{finds}
	}
	return []*chart.Plot{
		finds,
		countPlot(id+"-left", "What is left, what is found", "names or words", x, roundLeft(r)),
		countPlot(id+"-loss", "Loss T(H)", "loss", x, roundLoss(r)),
		sharePlot(id+"-kept", "What is kept", x, roundKept(r)),
	}
}

func countPlot(id, title, unit string, x chart.Scale, all []chart.Series) *chart.Plot {
	p := &chart.Plot{ID: id, Title: title, XLabel: "round", YLabel: unit, W: chart.PanelWidth, H: chart.PanelHeight}
	p.Desc = chart.Describe(all, formatCount)
	p.Layout(x, chart.CountScale(chart.Extent(all)), all)
	return p
}

func sharePlot(id, title string, x chart.Scale, all []chart.Series) *chart.Plot {
	p := &chart.Plot{ID: id, Title: title, XLabel: "round", YLabel: "% of words", W: chart.PanelWidth, H: chart.PanelHeight}
	p.Desc = chart.Describe(all, formatPercent)
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

// roundCounts are lines through the rounds that were used. What the one that was not
// would have marked stands apart: it may be thousands, and nothing of it is redacted.
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

// worthTrying is r without a round for which nothing was left: all words look alike to
// it, and it marks any or all of them.
func worthTrying(r sanitize.Result) sanitize.Result {
	r.Rounds = slices.DeleteFunc(slices.Clone(r.Rounds), func(k greedy.Round) bool { return !k.Accepted && nothingLeft(k.Counts) })
	return r
}

// nothingLeft reports whether there was nothing sensitive to find.
func nothingLeft(c greedy.Counts) bool { return c.TP+c.FN == 0 }

func roundLeft(r sanitize.Result) []chart.Series {
	var names *float64
	if n := float64(r.Outcome.Names); n > 0 {
		names = &n
	}
	out := []chart.Series{
		overRounds(measureLeft, r, names, func(k greedy.Round) greedy.Estimate { return k.Outcome.NamesLeft }),
		overRounds(measureClassifier, r, nil, func(k greedy.Round) greedy.Estimate { return k.Outcome.Attack.Classifier }),
	}
	out[0].Dodge, out[1].Dodge = -4, 4
	if heldOut(r) {
		out[0].Measure = leftSeen
		out = append(out, overRounds(measureUnseen, r, nil, unseenLeft))
	}
	for _, b := range roundBudgets(r) {
		s := overRounds(measureRanked, r, nil, func(k greedy.Round) greedy.Estimate { return rankedAt(k.Outcome, b) })
		s.Budget = b
		out = append(out, s)
	}
	return out
}

func unseenLeft(k greedy.Round) greedy.Estimate {
	if k.Outcome.HeldOut == nil {
		return unknown
	}
	return k.Outcome.HeldOut.NamesLeft
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

// attackPlot shows what the ranked attacker finds against the words inspected, and
// the others of the run, beside reading at random. The attacker must have been run.
func attackPlot(r sanitize.Result) *chart.Plot {
	o := r.Outcome.Unseen()
	p := &chart.Plot{ID: "attack-" + ratioSlug(r.LC), Title: "What an attacker finds", XLabel: "words inspected (B)", YLabel: "words found", W: chart.WideWidth, H: 210, Wide: true}
	random := chart.Series{Measure: measureChance, Data: []chart.Datum{{X: chart.Exact(0), Y: chart.Exact(0)}}}
	sorted := chart.Series{Measure: measureRanked, Data: []chart.Datum{{X: chart.Exact(0), Y: chart.Exact(0)}}}
	for _, b := range outcomeBudgets(o) {
		at := chart.Exact(float64(b))
		sorted.Data = append(sorted.Data, chart.Datum{X: at, Y: rankedAt(o, b), Budget: b})
		random.Data = append(random.Data, chart.Datum{X: at, Y: chart.Exact(atRandom(o, b))})
	}
	all := append([]chart.Series{random, sorted}, attackerSeries(r)...)
	p.Desc = chart.Describe(all, formatCount)
	p.Layout(chart.LinearScale(0, sorted.Data[len(sorted.Data)-1].X.Value, 5, formatCount), chart.CountScale(chart.Extent(all)), all)
	return p
}
