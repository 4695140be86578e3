// SPDX-License-Identifier: Apache-2.0

package signin_test

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/browsertest"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/internal/project/training"
	"hide/web"
	"hide/web/admin"
	"hide/web/home"
	"hide/web/signin"
	"hide/web/webtest"
)

// projects is one project, as far as its overview goes.
type projects struct {
	*webtest.Frame
	unasked
}

// unasked is for methods that these tests do not call.
type unasked struct{ everything }

type everything interface {
	web.Projects
	home.Projects
	admin.Projects
}

func (p *projects) Create(context.Context, account.User, string, annotate.LabelSet) (project.Project, error) {
	return project.Project{}, nil
}

func (p *projects) Training(context.Context, account.User, project.ID) (training.Status, error) {
	return training.Status{}, nil
}

func (p *projects) Runs(context.Context, account.User, project.ID) ([]sanitize.Run, error) {
	return nil, nil
}

// openDoor has the pages of the door, of home and of people; change completes their
// configuration.
func openDoor(t *testing.T, people account.Options, change func(*webtest.House, *signin.Config)) *webtest.House {
	t.Helper()
	p := &projects{Frame: webtest.NewFrame()}
	return webtest.OpenHouseOf(t, people, p, func(h *webtest.House) []web.Feature {
		cfg := signin.Config{Accounts: h.Accounts, Factors: h.Accounts, Projects: p, Origin: h.Base, Now: h.Clock.Now}
		if change != nil {
			change(h, &cfg)
		}
		return []web.Feature{home.New(p, nil), signin.New(cfg), admin.New(admin.Config{Accounts: h.Accounts, Projects: p, Origin: h.Base, Now: h.Clock.Now})}
	})
}

// enter makes the first administrator in a browser.
func enter(t *testing.T, h *webtest.House, b *browsertest.Browser) {
	t.Helper()
	token, err := h.Accounts.FirstRun()
	if err != nil {
		t.Fatal(err)
	}
	b.Open(h.WelcomeURL(token))
	b.WaitText("h1", "Welcome to hide")
	b.Type("#name", "Ada")
	b.Type("#password", webtest.GoodPassword)
	b.Type("#again", webtest.GoodPassword)
	b.Press("Enter")
}

// password signs Ada in as far as the password goes.
func password(h *webtest.House, b *browsertest.Browser) {
	b.Open(h.Base + "/sign-in")
	b.Type("#name", "Ada")
	b.Type("#password", webtest.GoodPassword)
	b.Press("Enter")
}

func signOut(h *webtest.House, b *browsertest.Browser) {
	b.Open(h.Base + "/")
	b.Click(".menu > summary")
	b.Click(`form[action="/sign-out"] button`)
	b.WaitText("h1", "Sign in to hide")
}

var hidden = regexp.MustCompile(`name="enrolment" value="([^"]+)"`)

func enrolmentIn(t *testing.T, body string) string {
	t.Helper()
	found := hidden.FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("no enrolment in\n%.900s", body)
	}
	return found[1]
}

func credentials() url.Values {
	return url.Values{"name": {"Ada"}, "password": {webtest.GoodPassword}}
}

func contains(t *testing.T, what, body string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(body, part) {
			t.Errorf("%s lacks %q:\n%.1500s", what, part, body)
		}
	}
}
