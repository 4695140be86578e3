// SPDX-License-Identifier: Apache-2.0

package web

import (
	"math"
	"slices"

	"hide/internal/greedy"
	"hide/internal/project"
)

// The measures.
var (
	measureFound      = measure{"found", "sensitive words found (TP)", "circle"}
	measureWrong      = measure{"wrong", "other words redacted (FP)", "cross"}
	measureMissed     = measure{"missed", "sensitive words missed (FN)", "triangle"}
	measureLeft       = measure{"left", "names left", "circle"}
	measureRanked     = measure{"ranked", "ranked attacker", "diamond"}
	measureClassifier = measure{"classifier", "papers' attacker (TP_A)", "square"}
	measureChance     = measure{"chance", "reading at random", "plus"}
	measureLoss       = measure{"loss", "loss T(H)", "triangle"}
	measureKept       = measure{"kept", "other words kept", "square"}
	measurePublished  = measure{"published", "all words published", "cross"}
	leftSeen          = measure{"left", "names left where it learnt", "circle"}
	measureUnseen     = measure{"unseen", "names left in unseen documents", "triangle"}
	measureFirst      = measure{"first", "names left after round 1 alone", "square"}
)

// unknown is a figure that nobody has measured.
var unknown = greedy.Estimate{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}

// roundPlots are the panels of the chart per round of one L/C: what each
// round finds, what is left and what attackers find of it, the loss, and what is kept.
// Round 0 is the text before any round. Of rounds that were not measured there is
// only what they find.
func roundPlots(r project.LCResult) []*plot {
	id := "rounds-" + ratioSlug(r.LC)
	x := roundScale(0, len(r.Rounds))
	finds := countPlot(id+"-finds", "What each round finds", "words", x, roundCounts(r))
	if len(r.Rounds) > 0 && !roundsMeasured(r) {
		return []*plot{finds}
	}
	return []*plot{
		finds,
		countPlot(id+"-left", "What is left, what is found", "names or words", x, roundLeft(r)),
		countPlot(id+"-loss", "Loss T(H)", "loss", x, roundLoss(r)),
		sharePlot(id+"-kept", "What is kept", x, roundKept(r)),
	}
}

func countPlot(id, title, unit string, x scale, all []series) *plot {
	p := &plot{ID: id, Title: title, XLabel: "round", YLabel: unit, W: panelWidth, H: panelHeight}
	p.Desc = describe(all, formatCount)
	p.layout(x, countScale(extent(all)), all)
	return p
}

func sharePlot(id, title string, x scale, all []series) *plot {
	p := &plot{ID: id, Title: title, XLabel: "round", YLabel: "% of words", W: panelWidth, H: panelHeight}
	p.Desc = describe(all, formatPercent)
	p.layout(x, shareScale(extent(all)), all)
	return p
}

// overRounds is a measure with one point per round, from round 0 when before is
// given and there are rounds.
func overRounds(m measure, r project.LCResult, before *float64, of func(greedy.Round) greedy.Estimate) series {
	s := series{measure: m}
	if before != nil && len(r.Rounds) > 0 {
		s.Data = append(s.Data, datum{X: exact(0), Y: exact(*before)})
	}
	for _, k := range r.Rounds {
		s.Data = append(s.Data, datum{X: exact(float64(k.Number)), Y: of(k), Tried: !k.Accepted})
	}
	return s
}

// roundCounts are lines through the rounds that were used. What the one that was not
// would have marked stands apart: it may be thousands, and nothing of it is redacted.
func roundCounts(r project.LCResult) []series {
	out := []series{
		overRounds(measureFound, r, nil, func(k greedy.Round) greedy.Estimate { return exact(float64(k.Counts.TP)) }),
		overRounds(measureWrong, worthTrying(r), nil, func(k greedy.Round) greedy.Estimate { return exact(float64(k.Counts.FP)) }),
		overRounds(measureMissed, r, nil, func(k greedy.Round) greedy.Estimate { return exact(float64(k.Counts.FN)) }),
	}
	for i := range out {
		out[i].Apart = true
	}
	return out
}

// worthTrying is r without a round for which nothing was left: all words look alike to
// it, and it marks any or all of them.
func worthTrying(r project.LCResult) project.LCResult {
	r.Rounds = slices.DeleteFunc(slices.Clone(r.Rounds), func(k greedy.Round) bool { return !k.Accepted && nothingLeft(k.Counts) })
	return r
}

// nothingLeft reports whether there was nothing sensitive to find.
func nothingLeft(c greedy.Counts) bool { return c.TP+c.FN == 0 }

func roundLeft(r project.LCResult) []series {
	var names *float64
	if n := float64(r.Outcome.Names); n > 0 {
		names = &n
	}
	out := []series{
		overRounds(measureLeft, r, names, func(k greedy.Round) greedy.Estimate { return k.Outcome.NamesLeft }),
		overRounds(measureClassifier, r, nil, func(k greedy.Round) greedy.Estimate { return k.Outcome.Attack.Classifier }),
	}
	out[0].Dodge, out[1].Dodge = -4, 4
	if heldOut(r) {
		out[0].measure = leftSeen
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

func roundLoss(r project.LCResult) []series {
	var before *float64
	if l := r.LC * float64(r.Outcome.Sensitive); l > 0 {
		before = &l
	}
	return []series{overRounds(measureLoss, r, before, func(k greedy.Round) greedy.Estimate { return k.Outcome.Loss })}
}

func roundKept(r project.LCResult) []series {
	all := 1.0
	out := []series{
		overRounds(measureKept, r, &all, func(k greedy.Round) greedy.Estimate { return k.Outcome.NonsensitiveKept }),
		overRounds(measurePublished, r, &all, func(k greedy.Round) greedy.Estimate { return k.Outcome.PublishedRatio }),
	}
	out[0].Dodge, out[1].Dodge = -3, 3
	return out
}

// attackPlot shows what the ranked attacker finds against the words inspected, and
// the others of the run, beside reading at random. The attacker must have been run.
func attackPlot(r project.LCResult) *plot {
	o := r.Outcome.Unseen()
	p := &plot{ID: "attack-" + ratioSlug(r.LC), Title: "What an attacker finds", XLabel: "words inspected (B)", YLabel: "words found", W: frontierWidth, H: 210, Wide: true}
	random := series{measure: measureChance, Data: []datum{{X: exact(0), Y: exact(0)}}}
	sorted := series{measure: measureRanked, Data: []datum{{X: exact(0), Y: exact(0)}}}
	for _, b := range outcomeBudgets(o) {
		at := exact(float64(b))
		sorted.Data = append(sorted.Data, datum{X: at, Y: rankedAt(o, b), Budget: b})
		random.Data = append(random.Data, datum{X: at, Y: exact(atRandom(o, b))})
	}
	all := append([]series{random, sorted}, attackerSeries(r)...)
	p.Desc = describe(all, formatCount)
	p.layout(linearScale(0, sorted.Data[len(sorted.Data)-1].X.Value, 5, formatCount), countScale(extent(all)), all)
	return p
}
