// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"net/url"
	"slices"

	"hide/internal/project/draft"
	"hide/web/publishing"
	"hide/web/ui"
)

// answers are the fields of the form that publishes, as typed.
type answers struct {
	Statement, Uncertified string
	Agreed                 []string
	Unlinked               bool
}

// publish publishes the draft or freezes it as a candidate.
func (h *Handlers) publish(c ui.Context) error {
	q, err := c.FormParams()
	if err != nil {
		return err
	}
	a := answers{Statement: q.Get("statement"), Uncertified: q.Get(publishing.ReasonField), Agreed: q["agreed"], Unlinked: publishing.Unlinked(q)}
	if err = readEnding(q); err == nil {
		err = h.projects.PublishDraft(c.Request().Context(), ui.User(c), ui.ProjectID(c), publishing.Ending(c),
			draft.Answers{Statement: a.Statement, Agreed: a.Agreed, Uncertified: a.Uncertified, Found: number(q, foundField), Unlinked: a.Unlinked})
	}
	if err != nil {
		return h.refused(c, err, nil, func(v *view) { v.Answer = a })
	}
	return back(c, "#publish-state")
}

// foundField is the tick for identifiers that audits found.
const foundField = "found"

func readEnding(q url.Values) error {
	if !publishing.Ends(q.Get(publishing.EndingField)) {
		return ui.Refuse("No button was pressed.", "Press one of the buttons.")
	}
	return nil
}

// agreed reports whether an item of the checklist was confirmed.
func (a answers) agreed(item string) bool { return slices.Contains(a.Agreed, item) }
