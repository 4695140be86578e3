// SPDX-License-Identifier: Apache-2.0

package publishing

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/audit"
	"hide/internal/project/release"
	"hide/web/ui"
)

// Projects is what the list of releases asks.
type Projects interface {
	ui.Projects
	Publishing(ctx context.Context, by account.User, id project.ID) (release.Status, error)
	Releases(ctx context.Context, by account.User, id project.ID) ([]release.Release, error)
	// Counted says how the records of the project are counted as patients.
	Counted(ctx context.Context, by account.User, id project.ID) (release.Counted, error)
}

// View is the list of releases, newest first, and the state of the publishing task.
type View struct {
	Project  project.Overview
	Status   release.Status
	Releases []release.Release
	Only     release.Kind // the kind of all Releases; "" for any kind
}

// noneWords is shown when the list is empty.
func (v View) noneWords() string {
	if v.Only == "" {
		return "Nothing has been published yet."
	}
	return "Nothing of this kind has been published yet."
}

// made is the release that the last publication made, if it is verified and on the page.
func (v View) made() *release.Release {
	at := slices.IndexFunc(v.Releases, func(r release.Release) bool { return r.Number == v.Status.Made && r.Verified && !r.Gone && r.Valid() })
	if at < 0 || v.Status.Running {
		return nil
	}
	return &v.Releases[at]
}

// doing names the work that is counted in notes.
func (v View) doing() string {
	if v.Status.Doing != "" {
		return "Trying an attacker who goes for the patient"
	}
	return "Publishing"
}

func (v View) share() float64 { return float64(v.Status.Done) / float64(max(1, v.Status.Total)) }

// Load loads the releases of one kind, or of every kind for "", and the publishing task. Of
// a task of another kind it keeps only that it is running, since no second release can start
// meanwhile.
func Load(ctx context.Context, projects Projects, u account.User, p project.Overview, only release.Kind) (View, error) {
	v := View{Project: p, Only: only}
	var err error
	if v.Status, err = projects.Publishing(ctx, u, p.ID); err != nil {
		return v, err
	}
	releases, err := projects.Releases(ctx, u, p.ID)
	if err != nil {
		return v, err
	}
	v.Releases = ui.NewestFirst(releases, func(r release.Release) int { return r.Number })
	if only == "" {
		return v, nil
	}
	v.Releases = slices.DeleteFunc(v.Releases, func(r release.Release) bool { return r.Kind != only })
	if v.Status.Kind != only && !v.Status.Running {
		v.Status = release.Status{}
	}
	return v, nil
}

// ReleasesPart is a live part with what [Load] loads, for those with a permission. The page
// lists the name of the part in [ui.Page].Live.
func ReleasesPart(name string, projects Projects, only release.Kind, needs account.Permission) ui.LivePart {
	return ui.LivePart{
		Name: name, Target: "#publish-state", Needs: needs,
		Topics: []project.Topic{project.TopicPublish},
		Render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			p, err := projects.Project(ctx, u, id)
			if err != nil {
				return nil, err
			}
			v, err := Load(ctx, projects, u, p, only)
			return State(v), err
		},
	}
}

// EarlierLoader loads the releases that exist before one of a kind is published.
type EarlierLoader interface {
	EarlierReleases(ctx context.Context, by account.User, id project.ID, kind release.Kind) (release.Earlier, error)
}

// EarlierPart is the live part EarlierReleases of the page that publishes releases of a kind.
func EarlierPart(name string, projects EarlierLoader, kind release.Kind) ui.LivePart {
	return ui.LivePart{
		Name: name, Target: "#earlier-releases", Needs: account.Sanitize,
		Topics: []project.Topic{project.TopicPublish},
		Render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			b, err := projects.EarlierReleases(ctx, u, id, kind)
			return EarlierReleases(id, b), err
		},
	}
}

// OpenFindingsRefused explains why a form is refused whose [OpenFindingsTick] does not
// confirm the present number of open findings; it is "" when the numbers agree.
func OpenFindingsRefused(open audit.OpenFindings, ticked int) string {
	switch {
	case open.Found > ticked:
		return "Add the identifiers that the audit found to the notes, or tick the box to publish them anyway. Nothing was published."
	case open.Found < ticked:
		return "Fewer findings of audits are open than when you opened this page. Nothing was published. Check the page and confirm again."
	}
	return ""
}

// CandidateURL is the page of a candidate, or with more the address below it.
func CandidateURL(id project.ID, number int, more string) templ.SafeURL {
	return ui.ProjectURL(id, fmt.Sprintf("/candidates/%d%s", number, more))
}

// ReleaseURL is the page of a release, or with more the address below it.
func ReleaseURL(id project.ID, number int, more string) templ.SafeURL {
	return ui.ProjectURL(id, fmt.Sprintf("/releases/%d%s", number, more))
}
