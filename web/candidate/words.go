// SPDX-License-Identifier: Apache-2.0

package candidate

import (
	"fmt"
	"slices"
	"strings"

	"hide/internal/annotate"
	"hide/internal/project/audit"
	"hide/internal/project/candidate"
	"hide/internal/project/release"
	"hide/internal/project/review"
	"hide/web/ui"
)

// sizeWords: " of 96 notes", or nothing for tables.
func sizeWords(c release.Candidate) string {
	if c.Documents == 0 {
		return ""
	}
	return " of " + ui.Count(c.Documents, "note", "notes")
}

// policyWords: ", by the policy safe-harbor 1", or nothing without a policy.
func policyWords(c release.Candidate) string {
	if c.Policy == nil {
		return ""
	}
	return ", by the policy " + c.Policy.ID()
}

// byBasis reports whether the basis of the policy asks for an approving review.
func (v view) byBasis() bool { return v.Policy != nil && v.Policy.Basis.Needs().Certificate }

// needsReview reports whether the candidate may be published only after a review.
func (v view) needsReview() bool { return v.Project.Rule.Needed() || v.byBasis() }

// whoDecides says which rule asks for a review, or that none does.
func (v view) whoDecides() string {
	if v.byBasis() && !v.Project.Rule.Needed() {
		return v.Policy.Basis.Words() + " needs a review that approves it, in which people read a random sample."
	}
	return "The rule of the project: " + v.Project.Rule.Words() + "."
}

// parentWords: ", a repair of candidate 3: it redacts more, and nothing less".
func parentWords(c release.Candidate) string {
	if c.Parent == 0 {
		return ""
	}
	return fmt.Sprintf(", a repair of candidate %d: it redacts more, and nothing less", c.Parent)
}

// stateWords say where a review is, or what it decided.
func stateWords(s review.Session) string {
	if s.Decision == nil {
		return string(s.State)
	}
	if s.Decision.Outcome == review.Approved {
		return "approved until " + ui.Day(s.Decision.Until)
	}
	return string(s.Decision.Outcome)
}

// underReview reports whether a review of it is not over.
func underReview(all []review.Session) bool {
	return slices.ContainsFunc(all, func(s review.Session) bool { return !s.State.Over() })
}

// approved reports whether the newest review approved it.
func approved(all []review.Session) bool {
	return len(all) > 0 && all[0].Decision != nil && all[0].Decision.Outcome == review.Approved
}

// recipients are those that the newest review allows or was asked for, one a line.
func recipients(all []review.Session) string {
	if len(all) == 0 {
		return ""
	}
	if d := all[0].Decision; d != nil && d.Conditions.Recipients != nil {
		return strings.Join(d.Conditions.Recipients, "\n")
	}
	return strings.Join(all[0].Recipients, "\n")
}

func cutWords(v view) string {
	if len(v.Hits) < mostHits {
		return ""
	}
	return fmt.Sprintf(" The first %d places are shown.", mostHits)
}

func onlyWords(v compareView) string {
	if v.Only == [2]int{} {
		return ""
	}
	return fmt.Sprintf(" %s only in %s, %s only in %s.", ui.Count(v.Only[0], "note is", "notes are"), v.First.Title(), ui.Count(v.Only[1], "note is", "notes are"), v.Second.Title())
}

// released is a note as pages show released ones.
func released(n candidate.Note) audit.ReleasedText {
	d := audit.ReleasedText{ID: n.ID, Text: n.Text}
	for _, r := range n.Redactions {
		d.Redactions = append(d.Redactions, audit.ReleasedAt{Start: annotate.RuneOff(r.Start), End: annotate.RuneOff(r.End), Label: annotate.Label(r.Label)})
	}
	return d
}

// around is how many characters of unchanged text a comparison shows beside a change.
const around = 80

// shortened cuts long unchanged pieces.
func shortened(all []release.Piece) []release.Piece {
	out := slices.Clone(all)
	for i, p := range out {
		runes := []rune(p.Text)
		if p.Kind != release.Same || len(runes) <= 2*around+10 {
			continue
		}
		head, tail := string(runes[:around]), string(runes[len(runes)-around:])
		switch {
		case i == 0:
			head = ""
		case i == len(out)-1:
			tail = ""
		}
		out[i].Text = head + " … " + tail
	}
	return out
}
