// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"hide/internal/account"
	"hide/internal/project"
)

// tab is one step of a project in the top bar.
type tab struct {
	name, title, path string
	needs             account.Permission
}

var tabs = []tab{
	{"overview", "Overview", "", SignedIn},
	{"import", "Import", "/import", account.ManageWork},
	{"annotate", "Annotate", "/annotate", account.ReadNotes},
	{"sanitize", "Sanitize", "/sanitize", account.SeeFigures},
	{"publish", "Publish", "/publish", account.SeeFigures},
	{"reviews", "Reviews", "/reviews", SignedIn},
}

// ProjectURL is a page of a project: ProjectURL(id, "/import").
func ProjectURL(id project.ID, path string) templ.SafeURL {
	return templ.SafeURL("/p/" + url.PathEscape(string(id)) + path)
}

// Current is the value of aria-current on a link to a page.
func Current(is bool) string {
	if is {
		return "page"
	}
	return "false"
}

// True is the value of aria-current for one of several choices.
func True(is bool) string {
	if is {
		return "true"
	}
	return "false"
}

// liveURL is where a page's live connection is opened.
func liveURL(p Page) string {
	q := url.Values{}
	for key, values := range p.Query {
		q[key] = values
	}
	q.Set("topics", strings.Join(p.Live, ","))
	return string(ProjectURL(p.Project.ID, "/live")) + "?" + q.Encode()
}

func idleSeconds(ctx context.Context) string {
	return strconv.Itoa(int(VisitOf(ctx).IdleFor.Seconds()))
}

// idleWords: "15 minutes", "8 hours".
func idleWords(ctx context.Context) string {
	if d := VisitOf(ctx).IdleFor; d >= time.Hour {
		return Count(int(d.Hours()), "hour", "hours")
	}
	return Count(int(VisitOf(ctx).IdleFor.Minutes()), "minute", "minutes")
}
