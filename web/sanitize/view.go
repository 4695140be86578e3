// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/sanitize"
	"hide/web/outcome"
	"hide/web/ui"
)

// mostOthers is how many runs a page compares one with: more would hide each other.
const mostOthers = 3

// allBudgets are the numbers of words B that an attacker may inspect.
var allBudgets = []int{25, 50, 100, 200, 500, 1000}

// view is everything the sanitize page shows.
type view struct {
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
func (v view) values() []float64 {
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

func (v view) index() int { return max(slices.Index(v.values(), v.LC), 0) }

// budgets are those of the slider: what the run's attackers were given, or may be
// given yet while it goes on. A run without a ranked attacker has none.
func (v view) budgets() []int {
	if out := v.measured(); len(out) > 0 || !v.running() {
		return out
	}
	return allBudgets
}

// measured are the budgets that there are figures for.
func (v view) measured() []int {
	var out []int
	if v.Run != nil {
		for _, c := range v.Run.Choices {
			out = append(out, budgetsOf(c)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (v view) budgetIndex() int { return max(slices.Index(v.budgets(), v.Budget), 0) }

func (v view) running() bool {
	return v.Run != nil && v.Run.State == sanitize.Running
}

// result is what is known for an L/C; its Rounds are empty before the first.
func (v view) result(lc float64) sanitize.Result { return outcome.At(v.Run, lc) }

// heldOut reports whether c was also measured on documents the classifiers never saw.
func heldOut(c sanitize.Result) bool {
	return c.Outcome.HeldOut != nil || slices.ContainsFunc(c.Rounds, func(k greedy.Round) bool { return k.Outcome.HeldOut != nil })
}

// choose picks the L/C to show: what was asked for, else what was chosen before,
// else the first from 10 on. While a run goes on that is the last one with
// figures, or the first, where its rounds will arrive.
func (v *view) choose(asked float64) {
	values := v.values()
	if len(values) == 0 {
		return
	}
	v.LC = values[len(values)-1]
	if at := slices.IndexFunc(values, func(lc float64) bool { return lc >= 10 }); at >= 0 {
		v.LC = values[at]
	}
	if v.running() && !outcome.HasFigures(v.result(v.LC)) {
		v.LC = values[0]
		for _, lc := range values {
			if outcome.HasFigures(v.result(lc)) {
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
func (v view) frozen(lc float64) *sanitize.Bundle {
	for i := range v.Bundles {
		if v.Bundles[i].LC == lc {
			return &v.Bundles[i]
		}
	}
	return nil
}

// missingWords say what is shown in the place of what was asked for.
func (v view) missingWords() string {
	var have []string
	for _, lc := range v.values() {
		have = append(have, ui.Ratio(lc))
	}
	if len(have) == 0 {
		return sentenceName(*v.Run) + " has no L/C yet."
	}
	return fmt.Sprintf("%s has not the L/C that the address asks for. It has %s; shown is %s.", sentenceName(*v.Run), ui.Listed(have), ui.Ratio(v.LC))
}

// noSuchBWords say so of the words that an attacker reads.
func (v view) noSuchBWords() string {
	var have []string
	for _, b := range v.budgets() {
		have = append(have, ui.Number(b))
	}
	return fmt.Sprintf("%s has no figures for the words B that the address asks for. It has %s; shown is %s.", sentenceName(*v.Run), ui.Listed(have), ui.Number(v.Budget))
}

// chooseBudget takes what was asked for when the run has it, else the largest, if
// there is any.
func (v *view) chooseBudget(asked int) {
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
func (v view) url(lc float64, budget int) string {
	q := url.Values{"lc": {ui.Ratio(lc)}}
	if budget > 0 {
		q.Set("b", strconv.Itoa(budget))
	}
	for _, other := range v.Others {
		q.Add("with", strconv.Itoa(other.Number))
	}
	return string(ui.RunURL(v.Project.ID, v.Run.Number)) + "?" + q.Encode()
}

// frontier is the chart against L/C with the current choice marked.
func (v view) frontier() *chart.Plot {
	p := frontierPlot(v.Run, v.Others)
	p.LC = v.LC
	return p
}

// compared are the run shown and those beside it.
func (v view) compared() []*sanitize.Run {
	return append([]*sanitize.Run{v.Run}, v.Others...)
}

func (v view) rounds(lc float64) []*chart.Plot {
	all := roundPlots(v.result(lc))
	for _, p := range all {
		p.Budget = v.Budget
	}
	return all
}

func (v view) attack(lc float64) *chart.Plot {
	p := attackPlot(v.result(lc))
	p.Budget = v.Budget
	return p
}

// How many leaks a page lists unless asked for all.
const worstLeaks = 30

// shown are those of all that the page lists.
func shown[T any](v view, all []T) []T {
	if v.All || len(all) <= worstLeaks {
		return all
	}
	return all[:worstLeaks]
}

func nameURL(id project.ID, run int) templ.SafeURL {
	return ui.ProjectURL(id, fmt.Sprintf("/sanitize/%d/name", run))
}

func resumeURL(id project.ID, run int) templ.SafeURL {
	return ui.ProjectURL(id, fmt.Sprintf("/sanitize/%d/resume", run))
}

// compares reports whether the run shown is compared with this one.
func (v view) compares(run int) bool {
	return slices.ContainsFunc(v.Others, func(r *sanitize.Run) bool { return r.Number == run })
}

// compareURL compares the run shown with this one as well, or does so no more.
func (v view) compareURL(run int) templ.SafeURL {
	q := url.Values{}
	for _, other := range v.Others {
		if other.Number != run {
			q.Add("with", strconv.Itoa(other.Number))
		}
	}
	if !v.compares(run) {
		q.Add("with", strconv.Itoa(run))
	}
	path := fmt.Sprintf("/sanitize/%d", v.Run.Number)
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	return ui.ProjectURL(v.Project.ID, path)
}

// newerRun is the newest run when the page shows an older one without saying so.
func newerRun(v view) *sanitize.Run {
	if len(v.Runs) == 0 || v.Run != nil && v.Runs[0].Number <= v.Run.Number {
		return nil
	}
	return &v.Runs[0]
}

func chooseURL(id project.ID, run int) templ.SafeURL {
	return ui.ProjectURL(id, fmt.Sprintf("/sanitize/%d/choose", run))
}

// leakID is where its note comes back to.
func leakID(lc float64, kind string, l project.Excerpt) string {
	return fmt.Sprintf("%s-%s-%d-%d", kind, ratioSlug(lc), l.Document, l.Start)
}

// roundsHelp is the line above the panels.
func roundsHelp(running bool, c sanitize.Result) string {
	switch {
	case len(c.Rounds) == 0 && running:
		return "The first round appears here as soon as it is done."
	case len(c.Rounds) == 0:
		return "There is no round."
	case !c.Rounds[len(c.Rounds)-1].Accepted:
		return "Round 0 is the text before any redaction. The hollow last point was tried and not used: it did not pay. Bars are 95 % intervals."
	default:
		return "Round 0 is the text before any redaction. Bars are 95 % intervals."
	}
}

// frontierHelp is the line above the frontier.
func frontierHelp(asked sanitize.Params, p *chart.Plot) string {
	text := "One point per L/C, with 95 % intervals. Lower leaks less; further right keeps more. The ring marks the L/C in question. " + namesAre(asked)
	if p.Has(measureFirst) {
		text += " The squares are what the first classifier alone would leave: further rounds have to be below them to earn their keep."
	}
	if p.Lost {
		text += " Each step to the right loses a third as much."
	}
	return text
}

// namesAre says what is counted as a name.
func namesAre(p sanitize.Params) string {
	if only := p.CountedWords(); only != "" {
		return "Names are here only what is marked as " + only + "."
	}
	return "Names are all marked passages, dates and numbers too."
}

// comparisonHelp says what the numbers of a run by the papers' algorithm are.
func comparisonHelp(v view) string {
	text := "The hollow points are other runs."
	for _, r := range append(v.Others, v.Run) {
		if r.Params.Mode == greedy.Paper {
			return text + " Figures of the papers' algorithm are those of documents it has not seen, where it measured them."
		}
	}
	return text
}

// unlikeWords say why figures of the runs compared do not stand for the same thing;
// none when they do.
func (v view) unlikeWords() []string {
	var out []string
	if v.differ(func(a, b *sanitize.Run) bool { return !sameKinds(a.Params, b.Params) }) {
		kinds := make([]string, len(v.compared()))
		for i, r := range v.compared() {
			kinds[i] = "run " + strconv.Itoa(r.Number) + " " + kindsCounted(r.Params)
		}
		out = append(out, "These runs count different kinds: "+strings.Join(kinds, ", ")+". Names left, and what they are out of, cannot be compared.")
	}
	if v.differ(otherNotes) {
		out = append(out, "These runs are not over the same documents, or not with the same marks in them: what differs may be due to that.")
	}
	return out
}

// differ reports whether a run beside the one shown does.
func (v view) differ(unlike func(a, b *sanitize.Run) bool) bool {
	return slices.ContainsFunc(v.Others, func(r *sanitize.Run) bool { return unlike(v.Run, r) })
}

func sameKinds(a, b sanitize.Params) bool {
	ours, theirs := a.Counted(), b.Counted()
	slices.Sort(ours)
	slices.Sort(theirs)
	return (ours == nil) == (theirs == nil) && slices.Equal(ours, theirs) && redactsNear(a) == redactsNear(b)
}

func kindsCounted(p sanitize.Params) string {
	if p.Labels == nil && redactsNear(p) {
		return "all kinds and words that give somebody away"
	}
	return cmp.Or(p.CountedWords(), "all kinds")
}

// redactsNear reports whether words that give somebody away count as well.
func redactsNear(p sanitize.Params) bool { return p.Context != nil && p.Context.Redact }

// otherNotes reports whether runs read other documents or other marks. Earlier versions
// did not keep what they read.
func otherNotes(a, b *sanitize.Run) bool {
	return a.Documents != b.Documents || a.Corpus != "" && b.Corpus != "" && a.Corpus != b.Corpus
}
