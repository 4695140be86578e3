// SPDX-License-Identifier: Apache-2.0

package web

import (
	"slices"

	"hide/internal/chart"
	"hide/internal/greedy/attack"
	"hide/internal/project/sanitize"
)

// attackerMeasure is how an attacker is drawn and called.
func attackerMeasure(k attack.Kind) chart.Measure {
	switch k {
	case attack.Ranked:
		return measureRanked
	case attack.Classifier:
		return chart.Measure{Class: "line6", Name: "papers' attacker, what she marks first", Marker: "square"}
	case attack.Best:
		return chart.Measure{Class: "line7", Name: "whichever learner finds most", Marker: "circle"}
	case attack.Stacked:
		return chart.Measure{Class: "line0", Name: "all learners together", Marker: "circle"}
	case attack.Transfer:
		return chart.Measure{Class: "line5", Name: "trained on another project", Marker: "triangle"}
	case attack.Dictionary:
		return chart.Measure{Class: "line4", Name: "dictionaries and patterns", Marker: "cross"}
	case attack.Repeat:
		return chart.Measure{Class: "line2", Name: "knows what was redacted", Marker: "square"}
	}
	return chart.Measure{Class: "line1", Name: string(k), Marker: "diamond"}
}

// otherAttackers are what other attackers find, of each kind the one that finds most in
// the end. Reading at random and the ranked attacker are drawn anyway.
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
func attackerName(r attack.Result) string {
	name := attackerMeasure(r.Kind).Name
	if r.Learner != "" {
		name += ", with " + r.Learner
	}
	return name
}

// attackerCell is what an attacker finds among b words.
func attackerCell(r attack.Result, b int) string {
	for _, p := range r.Points {
		if p.Budget == b {
			return formatCount(p.Found)
		}
	}
	return "–"
}

// attackerSeries are the lines of the other attackers.
func attackerSeries(c sanitize.Result) []chart.Series {
	var out []chart.Series
	for _, r := range otherAttackers(c) {
		s := chart.Series{Measure: attackerMeasure(r.Kind), Data: []chart.Datum{{X: chart.Exact(0), Y: chart.Exact(0)}}}
		s.Name = attackerName(r)
		for _, p := range r.Points {
			s.Data = append(s.Data, chart.Datum{X: chart.Exact(float64(p.Budget)), Y: chart.Exact(p.Found), Budget: p.Budget})
		}
		out = append(out, s)
	}
	return out
}

// mostFoundCell is the most that any attacker of a run finds among b words.
func mostFoundCell(r *sanitize.Run, lc float64, b int) string {
	c := resultAt(r, lc)
	most, by, ok := c.MostFound(b)
	if !hasFigures(c) || !ok {
		return "–"
	}
	return formatCount(most) + " (" + attackerMeasure(by).Name + ")"
}
