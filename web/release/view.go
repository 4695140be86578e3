// SPDX-License-Identifier: Apache-2.0

package release

import (
	"fmt"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/web/outcome"
	"hide/web/publishing"
	"hide/web/ui"
)

// publishView is everything the publish page shows.
type publishView struct {
	publishing.View
	Bundles  []sanitize.Bundle // newest first
	Bundle   *sanitize.Bundle  // the one to publish with, or nil
	Outcome  *greedy.Outcome   // its figures, when its run is still there
	Run      *sanitize.Run
	Audit    *audit.Audit       // the newest of the bundle that is read and still holds, or nil
	Open     audit.OpenFindings // what audits found that would be published
	Readable []annotate.Label   // that the bundle leaves readable and that people have used
	Beside   release.Beside
	Error    string
}

// unfinished documents are redacted by the bundle alone.
func (v publishView) unfinished() int { return v.Project.Documents - v.Project.Done }

// unaudited reports whether an audit has to come first, and none has.
func (v publishView) unaudited() bool {
	return v.Run != nil && v.Audit == nil && v.unfinished() > 0 && v.Run.AuditNeeded() != ""
}

// readableValue is what a form carries of the labels that it says stay readable.
func (v publishView) readableValue() string {
	words := make([]string, len(v.Readable))
	for i, l := range v.Readable {
		words[i] = string(l)
	}
	return strings.Join(words, ",")
}

// choose takes the bundle with this number, for "" the newest. It never takes another
// than was asked for: people publish what they see.
func (v *publishView) choose(number string) error {
	at, err := ui.NamedOrNewest("bundle", number, v.Bundles, func(b sanitize.Bundle) int { return b.Number })
	if err == nil && len(v.Bundles) > 0 {
		v.Bundle = &v.Bundles[at]
	}
	return err
}

func bundleURL(id project.ID, number int) templ.SafeURL {
	return ui.ProjectURL(id, fmt.Sprintf("/bundles/%d", number))
}

// lastBudget is the greatest budget of an outcome's attacker, alone in a list, or
// an empty list.
func lastBudget(o greedy.Outcome) []int {
	all := outcome.Budgets(o)
	return all[max(len(all)-1, 0):]
}
