// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

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
	{"overview", "Overview", "", signedIn},
	{"import", "Import", "/import", account.ManageWork},
	{"annotate", "Annotate", "/annotate", account.ReadNotes},
	{"sanitize", "Sanitize", "/sanitize", account.SeeFigures},
	{"publish", "Publish", "/publish", account.SeeFigures},
}

// projectURL is a page of a project: projectURL(id, "/import").
func projectURL(id project.ID, path string) templ.SafeURL {
	return templ.SafeURL("/p/" + url.PathEscape(string(id)) + path)
}

// current is the value of aria-current.
func current(is bool) string {
	if is {
		return "page"
	}
	return "false"
}

// csrfHeaders makes htmx send the form token with everything.
func csrfHeaders(ctx context.Context) string {
	b, err := json.Marshal(map[string]string{csrfHeader: visitFrom(ctx).csrf})
	if err != nil {
		panic("web: " + err.Error()) // a map of strings always encodes
	}
	return string(b)
}

// liveURL is where a page's live connection is opened.
func liveURL(p Page) string {
	q := url.Values{}
	for key, values := range p.Query {
		q[key] = values
	}
	q.Set("topics", strings.Join(p.Live, ","))
	return string(projectURL(p.Project.ID, "/live")) + "?" + q.Encode()
}

func idleSeconds() string { return strconv.Itoa(int(account.IdleFor.Seconds())) }
