// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"slices"

	"hide/internal/chart"
	"hide/internal/greedy/attack"
	"hide/internal/greedy/detect"
	"hide/internal/project"
	"hide/internal/project/sanitize"
)

// offeredAttackers are those of the start form: the others are always asked.
func offeredAttackers() []attack.Entry {
	return slices.DeleteFunc(attack.Table(), func(e attack.Entry) bool { return slices.Contains(sanitize.AlwaysAsked(), e.Kind) })
}

// offeredParts are the parts that the detector may do without.
func offeredParts() []detect.Part {
	return slices.DeleteFunc(detect.PartTable(), func(p detect.Part) bool { return detect.Default&p.Parts == 0 })
}

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

// attackerKindWords lists attackers as they are called on the page; "" for none. One
// learner has no stacked attacker, whoever ticked it.
func attackerKindWords(p sanitize.Params, elsewhere []project.Overview) string {
	var names []string
	for _, k := range p.Attackers {
		if k == attack.Stacked && len(p.Learners) < 2 {
			continue
		}
		name := attackerMeasure(k).Name
		if k == attack.Transfer {
			name += fmt.Sprintf(" (%s)", projectName(p.Transfer, elsewhere))
		}
		names = append(names, name)
	}
	return listed(names)
}

// projectName is what a project is called, or its number for who may not see it.
func projectName(id project.ID, among []project.Overview) string {
	for _, p := range among {
		if p.ID == id {
			return p.Name
		}
	}
	return "project " + string(id)
}
