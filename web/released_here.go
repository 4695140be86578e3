// SPDX-License-Identifier: Apache-2.0

package web

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

// releasesAsked is what a list of releases asks.
type releasesAsked interface {
	ui.Projects
	Publishing(ctx context.Context, by account.User, id project.ID) (release.Status, error)
	Releases(ctx context.Context, by account.User, id project.ID) ([]release.Release, error)
}

// releasesView is what has been published, newest first, and the task that publishes.
type releasesView struct {
	Project  project.Overview
	Status   release.Status
	Releases []release.Release
	Only     release.Kind // what Releases are of; "" for all kinds
}

// noneWords says that no release exists.
func (v releasesView) noneWords() string {
	if v.Only == "" {
		return "Nothing has been published yet."
	}
	return "Nothing of this kind has been published yet."
}

func (v releasesView) share() float64 {
	if v.Status.Total <= 0 {
		return 0
	}
	return min(max(float64(v.Status.Done)/float64(v.Status.Total), 0), 1)
}

func (v releasesView) shareAttr() string { return strconv.FormatFloat(v.share(), 'f', 3, 64) }

// fillReleases adds the releases of v's project and the task that publishes.
func fillReleases(ctx context.Context, projects releasesAsked, u account.User, v *releasesView) error {
	var err error
	if v.Status, err = projects.Publishing(ctx, u, v.Project.ID); err != nil {
		return err
	}
	releases, err := projects.Releases(ctx, u, v.Project.ID)
	v.Releases = newestFirst(releases, func(r release.Release) int { return r.Number })
	return err
}

// releasesPart is the live part that shows the releases of one kind on the page that
// publishes it.
func releasesPart(name string, projects releasesAsked, kind release.Kind) ui.LivePart {
	return ui.LivePart{
		Name: name, Target: "#publish-state", Needs: account.Sanitize,
		Topics: []project.Topic{project.TopicPublish},
		Render: func(ctx context.Context, u account.User, id project.ID, _ url.Values) (templ.Component, error) {
			p, err := projects.Project(ctx, u, id)
			if err != nil {
				return nil, err
			}
			v, err := releasesOf(ctx, projects, u, p, kind)
			return publishState(v), err
		},
	}
}

// releasesOf is what has been published of one kind, and the task if it is of this kind.
func releasesOf(ctx context.Context, projects releasesAsked, u account.User, p project.Overview, kind release.Kind) (releasesView, error) {
	v := releasesView{Project: p, Only: kind}
	if err := fillReleases(ctx, projects, u, &v); err != nil {
		return v, err
	}
	v.Releases = slices.DeleteFunc(v.Releases, func(r release.Release) bool { return r.Kind != kind })
	if v.Status.Kind != kind && !v.Status.Running {
		v.Status = release.Status{}
	}
	return v, nil
}

// openRefused is said to who leaves out the tick of openTick, or ticked a greater number,
// "" to who need not be asked again.
func openRefused(open audit.OpenFindings, ticked int) string {
	switch {
	case open.Found > ticked:
		return "Add what the audit found to the notes, or tick that it is published all the same. Nothing was published."
	case open.Found < ticked:
		return "Less of what audits found is open than when you opened this page. Nothing was published: look again and confirm."
	}
	return ""
}

func releaseURL(id project.ID, number int, more string) templ.SafeURL {
	return projectURL(id, fmt.Sprintf("/releases/%d%s", number, more))
}
