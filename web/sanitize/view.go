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
	"hide/internal/greedy/target"
	"hide/internal/project"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/web/outcome"
	"hide/web/ui"
)

// mostOthers is how many runs a page compares with its own: the points of more runs would
// cover each other.
const mostOthers = 3

// allBudgets are the numbers of words B that an attacker may inspect.
var allBudgets = []int{25, 50, 100, 200, 500, 1000}

// view is everything the sanitize page shows.
type view struct {
	Project project.Overview
	Run     *sanitize.Run // nil before the first
	Runs    []sanitize.Run
	Others  []*sanitize.Run   // compared with, at most mostOthers
	Read    release.Sampled   // by people, of what this run would publish
	Bundles []sanitize.Bundle // of this run, newest first, when nothing else of it can be used
	LC      float64           // shown
	Budget  int               // shown
	All     bool              // list all missed PHI, not only the most exposed
	Missing bool              // the address names an L/C that the run does not have
	NoSuchB bool              // the address names a B that the run does not have
	Newest  bool              // the address names no run: the page follows the newest
	Form    startForm
	Plan    target.Plan // of the usual target
}

// values are the L/C of the slider, ascending, whether they have figures or not.
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

// budgets are the B of the slider: those that the run has figures for or, while it is
// running, may still get. A run without a ranked attacker has none.
func (v view) budgets() []int {
	if out := v.measured(); len(out) > 0 || !v.running() {
		return out
	}
	return allBudgets
}

// measured are the budgets with figures.
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

// choose selects the L/C to show: the one in the address, else the one chosen before, else
// the answer when the run was started, with figures or without. If nobody answered it is the
// first that is at least 10; while the run has no figures for that one, it is the last L/C with
// figures, or the first of all, which gets its figures first.
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
	for _, lc := range []float64{v.Run.Params.Leak, v.Run.Chosen, asked} {
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

// missingWords say which L/C the page shows instead of the one in the address.
func (v view) missingWords() string {
	var have []string
	for _, lc := range v.values() {
		have = append(have, ui.Ratio(lc))
	}
	if len(have) == 0 {
		return sentenceName(*v.Run) + " has no L/C yet."
	}
	return fmt.Sprintf("%s does not have the L/C of this address. It has %s; the page shows %s.", sentenceName(*v.Run), ui.Listed(have), ui.Ratio(v.LC))
}

// noSuchBWords say which B the page shows instead of the one in the address.
func (v view) noSuchBWords() string {
	var have []string
	for _, b := range v.budgets() {
		have = append(have, ui.Number(b))
	}
	return fmt.Sprintf("%s has no figures for the B of this address. It has %s; the page shows %s.", sentenceName(*v.Run), ui.Listed(have), ui.Number(v.Budget))
}

// chooseBudget selects the B of the address if the run has it, else the largest.
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

// compared are the run on the page and the runs that it is compared with.
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

// worstLeaks is how many entries a list has, unless the address asks for all.
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

// compareURL adds a run to the comparison, or removes it.
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

// leakID is the element that a note leads back to.
func leakID(lc float64, kind string, l project.Excerpt) string {
	return fmt.Sprintf("%s-%s-%d-%d", kind, ratioSlug(lc), l.Document, l.Start)
}

// roundsHelp is the line above the panels.
func roundsHelp(running bool, c sanitize.Result) string {
	switch {
	case len(c.Rounds) == 0 && running:
		return "The first round appears here as soon as it is done."
	case len(c.Rounds) == 0:
		return "No round has finished."
	case !c.Rounds[len(c.Rounds)-1].Accepted:
		return "Round 0 is the text before any redaction. The last round (hollow point) was tried and not used, because it did not pay. Bars are 95 % intervals."
	default:
		return "Round 0 is the text before any redaction. Bars are 95 % intervals."
	}
}

// frontierHelp is the line above the frontier.
func frontierHelp(asked sanitize.Params, p *chart.Plot) string {
	text := "One point per L/C, with 95 % intervals. Lower points miss less PHI; points further right keep more text. The ring marks the selected L/C. " + identifiersAre(asked)
	if p.Has(measureFirst) {
		text += " The squares show what remains after round 1: further rounds are worth it only where their points are lower."
	}
	if p.Lost {
		text += " Each step to the right redacts a third as many non-PHI words."
	}
	return text
}

// identifiersAre says what counts as an identifier.
func identifiersAre(p sanitize.Params) string {
	if only := p.CountedWords(); only != "" {
		return "Only passages marked as " + only + " count as identifiers here."
	}
	return "Identifiers are all marked passages, including dates and numbers."
}

// comparisonHelp explains the points and numbers of other runs.
func comparisonHelp(v view) string {
	text := "The hollow points are other runs."
	for _, r := range append(v.Others, v.Run) {
		if r.Params.Mode == greedy.Paper {
			return text + " Figures of the papers' algorithm are from unseen notes, where it measured these."
		}
	}
	return text
}

// notComparable says why figures of the compared runs do not measure the same thing. It is
// empty when they do.
func (v view) notComparable() []string {
	var out []string
	if v.differ(func(a, b *sanitize.Run) bool { return !sameLabels(a.Params, b.Params) }) {
		counted := make([]string, len(v.compared()))
		for i, r := range v.compared() {
			counted[i] = "run " + strconv.Itoa(r.Number) + " " + labelsCounted(r.Params)
		}
		out = append(out, "These runs count different labels: "+strings.Join(counted, ", ")+". Their numbers of identifiers cannot be compared.")
	}
	if v.differ(otherNotes) {
		out = append(out, "These runs used different notes or different annotations, which may explain differences between them.")
	}
	return out
}

// differ reports whether a compared run differs from the run on the page.
func (v view) differ(differs func(a, b *sanitize.Run) bool) bool {
	return slices.ContainsFunc(v.Others, func(r *sanitize.Run) bool { return differs(v.Run, r) })
}

func sameLabels(a, b sanitize.Params) bool {
	ours, theirs := a.Counted(), b.Counted()
	slices.Sort(ours)
	slices.Sort(theirs)
	return (ours == nil) == (theirs == nil) && slices.Equal(ours, theirs) && redactsContext(a) == redactsContext(b)
}

func labelsCounted(p sanitize.Params) string {
	if p.Labels == nil && redactsContext(p) {
		return "all labels and contextual identifiers"
	}
	return cmp.Or(p.CountedWords(), "all labels")
}

// redactsContext reports whether contextual identifiers count as well.
func redactsContext(p sanitize.Params) bool { return p.Context != nil && p.Context.Redact }

// otherNotes reports whether two runs used different notes or annotations. Earlier
// versions did not record which ones.
func otherNotes(a, b *sanitize.Run) bool {
	return a.Documents != b.Documents || a.Corpus != "" && b.Corpus != "" && a.Corpus != b.Corpus
}
