// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"slices"

	"hide/internal/greedy/attack"
	"hide/internal/greedy/detect"
	"hide/internal/project"
)

// offeredAttackers are those of the start form: the others are always asked.
func offeredAttackers() []attack.Entry {
	return slices.DeleteFunc(attack.Table(), func(e attack.Entry) bool { return slices.Contains(project.AlwaysAsked(), e.Kind) })
}

// offeredParts are the parts that the detector may do without.
func offeredParts() []detect.Part {
	return slices.DeleteFunc(detect.PartTable(), func(p detect.Part) bool { return detect.Default&p.Parts == 0 })
}

// attackerMeasure is how an attacker is drawn and called.
func attackerMeasure(k attack.Kind) measure {
	switch k {
	case attack.Ranked:
		return measureRanked
	case attack.Classifier:
		return measure{"line6", "papers' attacker, what she marks first", "square"}
	case attack.Best:
		return measure{"line7", "whichever learner finds most", "circle"}
	case attack.Stacked:
		return measure{"line0", "all learners together", "circle"}
	case attack.Transfer:
		return measure{"line5", "trained on another project", "triangle"}
	case attack.Dictionary:
		return measure{"line4", "dictionaries and patterns", "cross"}
	case attack.Repeat:
		return measure{"line2", "knows what was redacted", "square"}
	}
	return measure{"line1", string(k), "diamond"}
}

// otherAttackers are what other attackers find, of each kind the one that finds most in
// the end. Reading at random and the ranked attacker are drawn anyway.
func otherAttackers(c project.LCResult) []attack.Result {
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
func attackerSeries(c project.LCResult) []series {
	var out []series
	for _, r := range otherAttackers(c) {
		s := series{measure: attackerMeasure(r.Kind), Data: []datum{{X: exact(0), Y: exact(0)}}}
		s.Name = attackerName(r)
		for _, p := range r.Points {
			s.Data = append(s.Data, datum{X: exact(float64(p.Budget)), Y: exact(p.Found), Budget: p.Budget})
		}
		out = append(out, s)
	}
	return out
}

// mostFoundCell is the most that any attacker of a run finds among b words.
func mostFoundCell(r *project.Run, lc float64, b int) string {
	c := resultAt(r, lc)
	most, by, ok := c.MostFound(b)
	if !hasFigures(c) || !ok {
		return "–"
	}
	return formatCount(most) + " (" + attackerMeasure(by).Name + ")"
}

// attackerKindWords lists attackers as they are called on the page; "" for none. One
// learner has no stacked attacker, whoever ticked it.
func attackerKindWords(p project.SanitizeParams, elsewhere []project.Overview) string {
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
