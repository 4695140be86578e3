// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"hide/internal/annotate"
	"hide/internal/project"
	"hide/internal/project/draft"
	"hide/internal/publish/policy"
	"hide/internal/publish/transform"
	"hide/web/publishing"
)

func share(s draft.Status) float64 { return float64(s.Done) / float64(max(1, s.Total)) }

// itemWords name the type of identifier of a label.
func itemWords(l annotate.Label) string {
	item, listed := policy.ItemOf(l)
	if !listed {
		return "not listed"
	}
	return item.Letter + ": " + item.Words
}

// ruleWords say what becomes of a place.
func ruleWords(d transform.Decision) string {
	return policy.Rule{Label: d.As, Action: d.Action, To: d.To}.Words()
}

// sharedWords name the other releases with the same key.
func sharedWords(k draft.Key) string {
	names := make([]string, len(k.Shared))
	for i, n := range k.Shared {
		names[i] = "release-" + strconv.Itoa(n)
	}
	return "The same key is stored with " + project.Joined(names) + ", too. It links all of these releases with the originals until you destroy it there as well."
}

func (v view) mayPublish() bool {
	return v.Draft.Problems == 0 && v.Draft.Stale == "" && v.Draft.Published == ""
}

// thatPass ends the words about all places of the table.
func thatPass(f draft.Filter) string {
	if query(f, 0) == "" {
		return " places"
	}
	return " that the filter shows"
}

// onPeoplePage reports whether the number of a place is that of a person. Institutions have
// numbers too, but the page of the people does not list them.
func onPeoplePage(d transform.Decision) bool {
	return d.Person > 0 && (d.As == "PATIENT" || d.As == "DOCTOR")
}

// noRows says why the table is empty.
func (v view) noRows() string {
	switch {
	case v.Draft.Places == 0:
		return "No identifier was found in these notes. Mark identifiers first, or choose a redaction model."
	case v.Table.Filter.Problems:
		return "Every place that the filter shows is decided."
	}
	return "No place passes the filter."
}

// choices are what the places shown can be changed to.
func (v view) choices() []publishing.Choice {
	if as := v.Table.shownLabel(); as != "" {
		choices := choicesFor(v.Draft.Policy.Basis, as)
		if v.hasRepeats() && !slices.ContainsFunc(choices, func(c publishing.Choice) bool { return c.Value == string(policy.Keep) }) {
			choices = append([]publishing.Choice{{Value: string(policy.Keep), Says: "Keep: it is no identifier here"}}, choices...)
		}
		return choices
	}
	return anyChoices(v.Draft.Policy.Basis)
}

// hasRepeats reports whether a row shown is an unmarked repeat, which may be kept.
func (v view) hasRepeats() bool {
	return slices.ContainsFunc(v.Table.Rows, func(r draft.Row) bool { return r.Decision.By == transform.ByRepeat })
}

func countQuery(c draft.Count, open bool) string {
	return query(draft.Filter{Label: c.Label, Action: c.Action, Problems: open}, 0)
}

func patientQuery(patient string) string { return "?" + url.Values{"patient": {patient}}.Encode() }

func personField(p transform.Person) string { return fmt.Sprintf("person-%s-%d", p.Group, p.Number) }
