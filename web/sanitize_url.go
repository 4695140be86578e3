// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"hide/internal/chart"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/sanitize"
)

func runURL(id project.ID, run int) templ.SafeURL {
	return projectURL(id, fmt.Sprintf("/sanitize/%d", run))
}

func nameURL(id project.ID, run int) templ.SafeURL {
	return projectURL(id, fmt.Sprintf("/sanitize/%d/name", run))
}

func resumeURL(id project.ID, run int) templ.SafeURL {
	return projectURL(id, fmt.Sprintf("/sanitize/%d/resume", run))
}

// compares reports whether the run shown is compared with this one.
func (v sanitizeView) compares(run int) bool {
	return slices.ContainsFunc(v.Others, func(r *sanitize.Run) bool { return r.Number == run })
}

// compareURL compares the run shown with this one as well, or does so no more.
func (v sanitizeView) compareURL(run int) templ.SafeURL {
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
	return projectURL(v.Project.ID, path)
}

// newerRun is the newest run when the page shows an older one without saying so.
func newerRun(v sanitizeView) *sanitize.Run {
	if len(v.Runs) == 0 || v.Run != nil && v.Runs[0].Number <= v.Run.Number {
		return nil
	}
	return &v.Runs[0]
}

func chooseURL(id project.ID, run int) templ.SafeURL {
	return projectURL(id, fmt.Sprintf("/sanitize/%d/choose", run))
}

// placeURL is a note, opened at a place in it by sanitize_place.js.
func placeURL(id project.ID, l project.Excerpt) templ.SafeURL {
	return templ.SafeURL(fmt.Sprintf("%s#at-%d-%d", notePath(id, l.Document), l.Start, l.End))
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
func comparisonHelp(v sanitizeView) string {
	text := "The hollow points are other runs."
	for _, r := range append(v.Others, v.Run) {
		if r.Params.Mode == greedy.Paper {
			return text + " Figures of the papers' algorithm are those of documents it has not seen, where it measured them."
		}
	}
	return text
}
