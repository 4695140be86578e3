// SPDX-License-Identifier: Apache-2.0

package release

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/option"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/release"
	"hide/internal/project/sanitize"
	"hide/internal/publish/settings"
	"hide/web/outcome"
	"hide/web/publishing"
	"hide/web/ui"
)

// publishView is the page that publishes text.
type publishView struct {
	publishing.View
	Bundles  []sanitize.Bundle // newest first
	Bundle   *sanitize.Bundle  // the one to publish with; nil when there is none
	Outcome  *greedy.Outcome   // its figures; nil when its run is gone
	Run      *sanitize.Run
	Read     release.Sampled    // by people, of the bundle
	Open     audit.OpenFindings // identifiers found by audits that would be published
	Readable []annotate.Label   // labels of annotations that the bundle leaves readable
	Warnings []string           // of a release with the bundle, as its manifest would have them
	Earlier  release.Earlier
	Counted  release.Counted
	Policy   option.Form // of the release, as it was sent
	Error    string
}

// textPolicy says what a release of text redacts besides what the redaction model finds and
// people marked.
type textPolicy struct{ Known bool }

var policyFields = option.Table[textPolicy]{
	settings.KnownIdentifiers(func(p *textPolicy) *bool { return &p.Known }),
}

// unfinished is the number of notes that the redaction model redacts alone.
func (v publishView) unfinished() int { return v.Project.Documents - v.Project.Done }

// reading is what people have read of the notes with the redaction model.
func (v publishView) reading() publishing.Reading {
	return publishing.Reading{Project: v.Project.ID, Of: "these notes", Sampled: v.Read, Freeze: "#what-title"}
}

// main is the main action of the page.
func (v publishView) main() publishing.Main {
	switch {
	case v.Open.Found > 0:
		return publishing.MainElsewhere
	case v.Read.Lacks() != "":
		return publishing.MainFreeze
	}
	return publishing.MainPublish
}

// warnings are the warnings without those that the page shows in another place.
func (v publishView) warnings() []string {
	elsewhere := []string{v.Open.Words(), v.Read.Words()}
	if v.Read.Old != nil {
		elsewhere = append(elsewhere, audit.Words(*v.Read.Old))
	}
	return without(v.Warnings, elsewhere...)
}

// again reports whether the notes were published with the redaction model before, or are being
// published. Its form is then folded, so that nobody publishes twice by mistake.
func (v publishView) again() bool {
	return v.Status.Running && v.Status.Kind == release.KindText ||
		slices.ContainsFunc(v.Releases, func(r release.Release) bool { return r.Kind == release.KindText && r.Bundle == v.Bundle.Number })
}

// stateFirst reports whether the page leads with the publishing task and the releases.
func (v publishView) stateFirst() bool {
	return v.Error == "" && (v.Status.Running || v.Status.Error != "" || v.Bundle != nil && v.again())
}

// readableValue is the form value that lists the labels which stay readable.
func (v publishView) readableValue() string {
	words := make([]string, len(v.Readable))
	for i, l := range v.Readable {
		words[i] = string(l)
	}
	return strings.Join(words, ",")
}

// choose takes the redaction model with this number, or the newest for "". An unknown number
// is an error: nobody must publish with another model than the page names.
func (v *publishView) choose(number string) error {
	at, err := ui.NamedOrNewest("redaction model", number, v.Bundles, func(b sanitize.Bundle) int { return b.Number })
	if err == nil && len(v.Bundles) > 0 {
		v.Bundle = &v.Bundles[at]
	}
	return err
}

func bundleURL(id project.ID, number int) templ.SafeURL {
	return ui.ProjectURL(id, fmt.Sprintf("/bundles/%d", number))
}

// lastBudget lists the greatest budget B of the ranked attacker; the list is empty if the
// attacker did not run.
func lastBudget(o greedy.Outcome) []int {
	all := outcome.Budgets(o)
	return all[max(len(all)-1, 0):]
}
