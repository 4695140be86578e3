// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"strconv"

	"github.com/a-h/templ"

	"hide/internal/greedy"
	"hide/internal/project"
)

func runURL(id project.ID, run int) templ.SafeURL {
	return projectURL(id, fmt.Sprintf("/sanitize/%d", run))
}

func compareURL(id project.ID, run, other int) templ.SafeURL {
	return projectURL(id, fmt.Sprintf("/sanitize/%d?with=%d", run, other))
}

func chooseURL(id project.ID, run int) templ.SafeURL {
	return projectURL(id, fmt.Sprintf("/sanitize/%d/choose", run))
}

// placeURL is a note, opened at a place in it by sanitize_place.js.
func placeURL(id project.ID, l project.LeakView) templ.SafeURL {
	return templ.SafeURL(fmt.Sprintf("%s#at-%d-%d", notePath(id, l.Document), l.Start, l.End))
}

// trueWord is the value of aria-current for one of several choices.
func trueWord(is bool) string {
	if is {
		return "true"
	}
	return "false"
}

// roundsHelp is the line above the panels.
func roundsHelp(running bool, c project.LCResult) string {
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
func frontierHelp(p *plot) string {
	text := "One point per L/C, with 95 % intervals. Lower leaks less; further right keeps more. The ring marks the L/C in question. Names are all marked passages, dates and numbers too."
	if p.Lost {
		text += " Each step to the right loses a third as much."
	}
	return text
}

// comparisonHelp says what the numbers of a run by the papers' algorithm are.
func comparisonHelp(v sanitizeView) string {
	text := "The hollow points are run " + strconv.Itoa(v.Other.Number) + "."
	if v.Run.Params.Mode == greedy.Paper || v.Other.Params.Mode == greedy.Paper {
		text += " Figures of the papers' algorithm are those of documents it has not seen, where it measured them."
	}
	return text
}
