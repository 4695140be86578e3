// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/sanitize"
)

// mostOthers is how many runs a page compares one with: more would hide each other.
const mostOthers = 3

// allBudgets are the numbers of words B that an attacker may inspect.
var allBudgets = []int{25, 50, 100, 200, 500, 1000}

// sanitizeView is everything the sanitize page shows.
type sanitizeView struct {
	Project project.Overview
	Run     *sanitize.Run // nil before the first
	Runs    []sanitize.Run
	Others  []*sanitize.Run   // compared with, at most mostOthers
	Audits  []audit.Audit     // of this run, newest first
	Bundles []sanitize.Bundle // of this run, newest first, when nothing else of it can be used
	LC      float64           // shown
	Budget  int               // shown
	All     bool              // list everything that leaks, not only the worst
	Missing bool              // another L/C was asked for, which the run has not
	NoSuchB bool              // another B was, of a run that has some
	Form    startForm
}

// values are the L/C of the slider, ascending: what was asked for, known or not.
func (v sanitizeView) values() []float64 {
	if v.Run == nil {
		return nil
	}
	out := slices.Clone(v.Run.Params.LC)
	for _, c := range v.Run.Choices {
		out = append(out, c.LC)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (v sanitizeView) index() int { return max(slices.Index(v.values(), v.LC), 0) }

// budgets are those of the slider: what the run's attackers were given, or may be
// given yet while it goes on. A run without a ranked attacker has none.
func (v sanitizeView) budgets() []int {
	if out := v.measured(); len(out) > 0 || !v.running() {
		return out
	}
	return allBudgets
}

// measured are the budgets that there are figures for.
func (v sanitizeView) measured() []int {
	var out []int
	if v.Run != nil {
		for _, c := range v.Run.Choices {
			out = append(out, budgetsOf(c)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (v sanitizeView) budgetIndex() int { return max(slices.Index(v.budgets(), v.Budget), 0) }

func (v sanitizeView) running() bool {
	return v.Run != nil && v.Run.State == sanitize.Running
}

// result is what is known for an L/C; its Rounds are empty before the first.
func (v sanitizeView) result(lc float64) sanitize.Result { return resultAt(v.Run, lc) }

func resultAt(r *sanitize.Run, lc float64) sanitize.Result {
	for _, c := range r.Choices {
		if c.LC == lc {
			return c
		}
	}
	return sanitize.Result{LC: lc}
}

// sofar is a run in which each L/C that is not finished has the outcome of the
// rounds used so far, so that its figures can be shown while it runs.
func sofar(r *sanitize.Run) *sanitize.Run {
	out := *r
	out.Choices = slices.Clone(r.Choices)
	for i := range out.Choices {
		c := &out.Choices[i]
		if !unfinishedFigures(*c) {
			continue
		}
		c.Outcome = c.Rounds[len(c.Rounds)-1].Outcome
		for _, k := range slices.Backward(c.Rounds) {
			if k.Accepted {
				c.Outcome = k.Outcome
				break
			}
		}
	}
	return &out
}

// unfinishedFigures reports whether c has no outcome yet, but rounds with one. Those
// of greedy-union are many and have none.
func unfinishedFigures(c sanitize.Result) bool { return !c.Done && roundsMeasured(c) }

// roundsMeasured reports whether the rounds of c say what would be left after them.
func roundsMeasured(c sanitize.Result) bool {
	return slices.ContainsFunc(c.Rounds, func(k greedy.Round) bool { return k.Outcome.Tokens > 0 })
}

// hasFigures reports whether there is an outcome of c to show.
func hasFigures(c sanitize.Result) bool { return c.Done || c.First || roundsMeasured(c) }

// heldOut reports whether c was also measured on documents the classifiers never saw.
func heldOut(c sanitize.Result) bool {
	return c.Outcome.HeldOut != nil || slices.ContainsFunc(c.Rounds, func(k greedy.Round) bool { return k.Outcome.HeldOut != nil })
}

// choose picks the L/C to show: what was asked for, else what was chosen before,
// else the first from 10 on. While a run goes on that is the last one with
// figures, or the first, where its rounds will arrive.
func (v *sanitizeView) choose(asked float64) {
	values := v.values()
	if len(values) == 0 {
		return
	}
	v.LC = values[len(values)-1]
	if at := slices.IndexFunc(values, func(lc float64) bool { return lc >= 10 }); at >= 0 {
		v.LC = values[at]
	}
	if v.running() && !hasFigures(v.result(v.LC)) {
		v.LC = values[0]
		for _, lc := range values {
			if hasFigures(v.result(lc)) {
				v.LC = lc
			}
		}
	}
	for _, lc := range []float64{v.Run.Chosen, asked} {
		if slices.Contains(values, lc) {
			v.LC = lc
		}
	}
}

// frozen is the newest bundle of an L/C, nil when there is none.
func (v sanitizeView) frozen(lc float64) *sanitize.Bundle {
	for i := range v.Bundles {
		if v.Bundles[i].LC == lc {
			return &v.Bundles[i]
		}
	}
	return nil
}

// missingWords say what is shown in the place of what was asked for.
func (v sanitizeView) missingWords() string {
	var have []string
	for _, lc := range v.values() {
		have = append(have, formatRatio(lc))
	}
	if len(have) == 0 {
		return sentenceName(*v.Run) + " has no L/C yet."
	}
	return fmt.Sprintf("%s has not the L/C that the address asks for. It has %s; shown is %s.", sentenceName(*v.Run), listed(have), formatRatio(v.LC))
}

// noSuchBWords say so of the words that an attacker reads.
func (v sanitizeView) noSuchBWords() string {
	var have []string
	for _, b := range v.budgets() {
		have = append(have, number(b))
	}
	return fmt.Sprintf("%s has no figures for the words B that the address asks for. It has %s; shown is %s.", sentenceName(*v.Run), listed(have), number(v.Budget))
}

// chooseBudget takes what was asked for when the run has it, else the largest, if
// there is any.
func (v *sanitizeView) chooseBudget(asked int) {
	all := v.budgets()
	if len(all) == 0 {
		return
	}
	v.Budget = all[len(all)-1]
	if slices.Contains(all, asked) {
		v.Budget = asked
	}
}

// url is the page with another L/C or budget, everything else as it is.
func (v sanitizeView) url(lc float64, budget int) string {
	q := url.Values{"lc": {formatRatio(lc)}}
	if budget > 0 {
		q.Set("b", strconv.Itoa(budget))
	}
	for _, other := range v.Others {
		q.Add("with", strconv.Itoa(other.Number))
	}
	return string(runURL(v.Project.ID, v.Run.Number)) + "?" + q.Encode()
}

// frontier is the chart against L/C with the current choice marked.
func (v sanitizeView) frontier() *chart.Plot {
	p := frontierPlot(v.Run, v.Others)
	p.LC = v.LC
	return p
}

// compared are the run shown and those beside it.
func (v sanitizeView) compared() []*sanitize.Run {
	return append([]*sanitize.Run{v.Run}, v.Others...)
}

func (v sanitizeView) rounds(lc float64) []*chart.Plot {
	all := roundPlots(v.result(lc))
	for _, p := range all {
		p.Budget = v.Budget
	}
	return all
}

func (v sanitizeView) attack(lc float64) *chart.Plot {
	p := attackPlot(v.result(lc))
	p.Budget = v.Budget
	return p
}

// How many leaks a page lists unless asked for all.
const worstLeaks = 30

// shown are those of all that the page lists.
func shown[T any](v sanitizeView, all []T) []T {
	if v.All || len(all) <= worstLeaks {
		return all
	}
	return all[:worstLeaks]
}
