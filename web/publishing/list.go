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

// Asked is what a list of releases asks of the project.
type Asked interface {
	ui.Projects
	Publishing(ctx context.Context, by account.User, id project.ID) (release.Status, error)
	Releases(ctx context.Context, by account.User, id project.ID) ([]release.Release, error)
}

// View is what has been published, newest first, and the task that publishes.
type View struct {
	Project  project.Overview
	Status   release.Status
	Releases []release.Release
	Only     release.Kind // what Releases are of; "" for all kinds
}

// noneWords says that no release exists.
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

// Fill adds the releases of v's project and the task that publishes.
func Fill(ctx context.Context, projects Asked, u account.User, v *View) error {
	var err error
	if v.Status, err = projects.Publishing(ctx, u, v.Project.ID); err != nil {
		return err
	}
	releases, err := projects.Releases(ctx, u, v.Project.ID)
	v.Releases = ui.NewestFirst(releases, func(r release.Release) int { return r.Number })
	return err
}

// ReleasesPart is the live part with the job and the releases of one kind, for the page
// that publishes that kind. The page names it in its Live.
func ReleasesPart(name string, projects Asked, kind release.Kind) ui.LivePart {
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

// ReleasesOf is what has been published of one kind, and the task if it is of this kind.
func ReleasesOf(ctx context.Context, projects Asked, u account.User, p project.Overview, kind release.Kind) (View, error) {
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

// OpenFindingsRefused is said to who leaves out the tick of openTick, or ticked a greater number,
// "" to who need not be asked again.
func OpenFindingsRefused(open audit.OpenFindings, ticked int) string {
	switch {
	case open.Found > ticked:
		return "Add what the audit found to the notes, or tick that it is published all the same. Nothing was published."
	case open.Found < ticked:
		return "Less of what audits found is open than when you opened this page. Nothing was published: look again and confirm."
	}
	return ""
}

func ReleaseURL(id project.ID, number int, more string) templ.SafeURL {
	return ui.ProjectURL(id, fmt.Sprintf("/releases/%d%s", number, more))
}
