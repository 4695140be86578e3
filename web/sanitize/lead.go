// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"strconv"

	"github.com/a-h/templ"

	"hide/internal/greedy"
	"hide/internal/project/sanitize"
	"hide/internal/words"
	"hide/web/outcome"
	"hide/web/ui"
)

// rankedLead: "An attacker who inspects 1,000 words finds 7 of the sensitive words, upper
// bound 12."
func rankedLead(o greedy.Outcome, budget int) string {
	e := outcome.RankedAt(o, budget)
	if !outcome.Known(e.Value) {
		return ""
	}
	return "An attacker who inspects " + ui.Number(budget) + " words finds " + words.Amount(e.Value) + " of the sensitive words" + outcome.UpperBoundWords(e) + "."
}

// nextStep is what to do after reading the figures of an L/C.
type nextStep struct {
	says, action string
	url          templ.SafeURL // "" for no link
}

// warns reports whether the notes to be published differ from the measured ones.
func (v view) warns() bool { return v.Run != nil && v.Run.Drift.Warns() }

// next is the first thing that stands between the person and a release with this L/C. Only
// those who may choose an L/C are told to.
func (v view) next(c sanitize.Result, may bool) nextStep {
	r := v.Run
	switch {
	case r.State == sanitize.Running:
		return nextStep{says: "wait until the run has finished. You can leave this page."}
	case r.CutShort():
		return nextStep{says: "resume the run, or start another one."}
	case r.State != sanitize.Finished:
		return nextStep{says: "start another run, because this one failed."}
	case r.Changed:
		return nextStep{says: "start another run, because notes have changed since this one."}
	case v.warns():
		return nextStep{"annotate 10 to 30 of the notes that differ, and start another run.", "See what differs", "#sanitize-holds"}
	case tooFew(r):
		return nextStep{"finish at least " + strconv.Itoa(usable) + " notes (now " + strconv.Itoa(r.Documents) + ") and start another run, because these figures are imprecise.", "Annotate", ui.ProjectURL(v.Project.ID, "/annotate")}
	case !may:
		return nextStep{says: "read the warnings and the chart. The broker chooses the L/C."}
	case r.Forgotten:
		return nextStep{says: "start another run, because this one is too old to choose from."}
	case r.Chosen == c.LC:
		return nextStep{"publish: this L/C is chosen.", "Open the releases", ui.ProjectURL(v.Project.ID, "/publish")}
	case !r.Validity(c.LC).Hold:
		return nextStep{"freeze a candidate with an L/C that you choose, and let people read a sample, because no figure holds for the notes to be published.", "See why", "#sanitize-holds"}
	case stillPaying(r, c) > 0:
		return nextStep{says: v.larger(c) + ", because " + ui.Count(stillPaying(r, c), "attack still pays", "attacks still pay") + " at this one."}
	}
	return nextStep{says: "choose this L/C if so much remaining PHI is acceptable. If not, " + v.larger(c) + moreNotes(r) + "."}
}

// larger says how to get to an L/C above this one.
func (v view) larger(c sanitize.Result) string {
	if all := v.values(); c.LC == all[len(all)-1] {
		return "start another run with larger values of L/C, under Advanced"
	}
	return "move the slider to a larger L/C"
}

// moreNotes says what else lowers the remaining PHI.
func moreNotes(r *sanitize.Run) string {
	if r.AllFinished {
		return ""
	}
	return ", or finish more notes"
}

// usable is how many finished notes give usable figures.
var usable = sanitize.EnoughDocuments(1 << 30)

func tooFew(r *sanitize.Run) bool { return r.Documents < usable && !r.AllFinished }

// stillPaying is how many attacks on the text as published gain more than they cost.
func stillPaying(r *sanitize.Run, c sanitize.Result) int {
	n := len(r.Params.Paying(c))
	for _, k := range c.Certificate {
		if k.Pays {
			n++
		}
	}
	return n
}

// verdictWords answer whether an attack would still pay.
func verdictWords(v view, c sanitize.Result) string {
	switch n := stillPaying(v.Run, c); {
	case len(c.Certificate) == 0:
		return ""
	case !v.Run.Validity(c.LC).Hold:
		return "unknown for the notes to be published"
	case n == 0:
		return "no attack of this run does"
	default:
		return ui.Count(n, "attack does", "attacks do")
	}
}

func missedCount(_ view, c sanitize.Result) string { return listed(len(c.Leaks)) }

func lostCount(_ view, c sanitize.Result) string { return listed(len(lostWords(c.Lost))) }

func listed(n int) string {
	if n == 0 {
		return "none listed"
	}
	return ui.Number(n) + " listed"
}

// driftVerdict is driftWarning in two or three words.
func driftVerdict(r *sanitize.Run) string {
	switch {
	case r.Drift == nil && r.State == sanitize.Running:
		return "compared when the run has finished"
	case r.Drift == nil:
		return "unknown"
	case r.Drift.Warns():
		return "drift warning"
	case !r.Drift.Known():
		return "unknown: too few notes"
	}
	return "no drift warning"
}
