// SPDX-License-Identifier: Apache-2.0

package publishing

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"

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

func (v View) share() float64 {
	if v.Status.Total <= 0 {
		return 0
	}
	return min(max(float64(v.Status.Done)/float64(v.Status.Total), 0), 1)
}

func (v View) shareAttr() string { return strconv.FormatFloat(v.share(), 'f', 3, 64) }

// Fill loads the releases of the project and the state of the publishing task.
func Fill(ctx context.Context, projects Projects, u account.User, v *View) error {
	var err error
	if v.Status, err = projects.Publishing(ctx, u, v.Project.ID); err != nil {
		return err
	}
	releases, err := projects.Releases(ctx, u, v.Project.ID)
	v.Releases = ui.NewestFirst(releases, func(r release.Release) int { return r.Number })
	return err
}

// ReleasesPart is a live part with the publishing task and the releases of one kind. The
// page that publishes this kind lists the name of the part in [ui.Page].Live.
func ReleasesPart(name string, projects Projects, kind release.Kind) ui.LivePart {
	return ui.LivePart{
		Name: name, Target: "#publish-state", Needs: account.Sanitize,
		Topics: []project.Topic{project.TopicPublish},
		Render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			p, err := projects.Project(ctx, u, id)
			if err != nil {
				return nil, err
			}
			v, err := ReleasesOf(ctx, projects, u, p, kind)
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

// ReleasesOf loads the releases of one kind. Of a task of another kind it keeps only that
// it is running, since no second release can start meanwhile.
func ReleasesOf(ctx context.Context, projects Projects, u account.User, p project.Overview, kind release.Kind) (View, error) {
	v := View{Project: p, Only: kind}
	if err := Fill(ctx, projects, u, &v); err != nil {
		return v, err
	}
	v.Releases = slices.DeleteFunc(v.Releases, func(r release.Release) bool { return r.Kind != kind })
	if v.Status.Kind != kind && !v.Status.Running {
		v.Status = release.Status{}
	}
	return v, nil
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

// ReleaseURL is the page of a release, or with more the address below it.
func ReleaseURL(id project.ID, number int, more string) templ.SafeURL {
	return ui.ProjectURL(id, fmt.Sprintf("/releases/%d%s", number, more))
}
