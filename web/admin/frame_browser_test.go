// SPDX-License-Identifier: Apache-2.0

package admin_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/browsertest"
	"hide/internal/greedy"
	"hide/internal/project"
	"hide/internal/project/sanitize"
	"hide/internal/project/training"
	"hide/web/webtest"
)

// busyProject is a project in the middle of its work.
func busyProject() *projects {
	p := newProjects()
	p.Overview = project.Overview{
		Project:   project.Project{ID: "p1", Name: "Discharge letters 2019", Labels: annotate.I2B2(), Created: time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)},
		Documents: 1214, Done: 214, InProgress: 3, Annotations: 4061,
	}
	p.training = training.Status{
		Model: 12, Documents: 214, Finished: time.Now(),
		Scores: training.Scores{Recall: greedy.Estimate{Value: 0.941, Low: 0.92, High: 0.958}, Folds: 4, Documents: 214},
	}
	p.runs = []sanitize.Run{{Number: 2, State: sanitize.Finished, Documents: 214}, {Number: 1, State: sanitize.Finished, Documents: 180}}
	for i := range 130 {
		p.rows = append(p.rows, project.AuditRow{Seq: uint64(130 - i), At: time.Date(2026, 11, 20, 18, 5, 0, 0, time.UTC), Who: "Ada", Action: "document.read", Object: fmt.Sprintf("p1/%d", i), Detail: "revision 3"})
	}
	return p
}

func TestPeopleComeInByLinkAndEveryPageIsAccessible(t *testing.T) {
	h := openHouseOver(t, busyProject())
	token, err := h.Accounts.FirstRun()
	if err != nil {
		t.Fatal(err)
	}
	b := browsertest.Start(t)
	b.Open(h.Base + "/sign-in")
	b.Axe()
	b.Shots("sign-in-first")
	b.Open(h.Base + "/welcome")
	b.Axe()
	b.Shots("welcome-paste")
	b.Open(h.WelcomeURL(token))
	b.WaitText("h1", "Welcome to hide")
	if strings.Contains(b.Path(), token) {
		t.Errorf("the token is in the address: %s", b.Path())
	}
	b.Axe()
	b.Shots("welcome-first")
	b.Type("#name", "Ada Lindqvist")
	b.Type("#password", webtest.GoodPassword)
	b.Type("#again", webtest.GoodPassword)
	b.Press("Enter")
	b.WaitText("h1", "Projects")

	pages := []struct{ path, name, heading string }{
		{"/", "projects", "Projects"},
		{"/p/p1", "home", "Discharge letters 2019"},
		{"/audit", "audit", "Audit trail"},
		{"/password", "password", "Change password"},
		{"/people", "people", "People"},
	}
	for _, p := range pages {
		b.Open(h.Base + p.path)
		b.WaitText("h1", p.heading)
		if n := b.Count("h1"); n != 1 {
			t.Errorf("%s has %d h1", p.path, n)
		}
		b.Axe()
		b.Shots(p.name)
	}

	b.Type("#name", "Rita Novak")
	b.Click(`input[value="reviewer"]`)
	b.Press("Enter")
	b.WaitText(".notice", "Give this link to Rita Novak")
	b.Axe()
	b.Shots("people-link")

	b.Expect("404")
	b.Open(h.Base + "/p/p9")
	b.WaitText("h1", "Not found")
	b.Axe()
	b.Shots("error")

	b.Open(h.Base + "/p/p1")
	b.Click(".menu > summary")
	b.Axe()
	b.Shots("menu")
	b.Size(1280, 800)
	b.Click(`form[action="/sign-out"] button`)
	b.WaitText("h1", "Sign in to hide")
	b.Expect("401")
	b.Type("#name", "Ada Lindqvist")
	b.Type("#password", "wrong")
	b.Press("Enter")
	b.WaitText("#problem", "wrong")
	b.Axe()
	b.Shots("sign-in-wrong")
}

func TestNewcomerSeesWhatToDoNext(t *testing.T) {
	empty := &nothingYet{newProjects()}
	h := openHouseOver(t, empty)
	b := browsertest.Start(t)
	h.SignIn(t, b)
	b.WaitText(".empty", "No project yet")
	b.Axe()
	b.Shots("projects-empty")
	b.Open(h.Base + "/p/p1")
	b.WaitText(`.step[data-state="next"]`, "Import")
	b.Axe()
	b.Shots("home-empty")
}

func TestHomeFollowsTheProjectWithoutReload(t *testing.T) {
	p := busyProject()
	h := openHouseOver(t, p)
	b := browsertest.Start(t)
	h.SignIn(t, b)
	b.Open(h.Base + "/p/p1")
	b.WaitText("#step-2", "214 of 1,214 notes finished, 3 begun; 4,061 spans.")
	b.Eval(`document.querySelector("#step-2 a").focus()`, nil)
	p.Change(func(o *project.Overview) { o.Done = 215 })
	p.Events <- project.Event{Topic: project.TopicQueue}
	b.WaitText("#step-2", "215 of 1,214")
	var focused string
	b.Eval(`document.activeElement.closest("li")?.id ?? "nowhere"`, &focused)
	if focused != "step-2" {
		t.Errorf("the update moved the focus to %s", focused)
	}
}

func TestIdlePageWarnsAndIsBlanked(t *testing.T) {
	h := openHouseOver(t, busyProject())
	b := browsertest.Start(t)
	h.SignIn(t, b)
	b.Open(h.Base + "/p/p1")
	// The page's own clock is moved, not waited for.
	b.Eval(`{ const real = Date.now; window.skip = 0; Date.now = () => real() + window.skip; window.skip = (15 * 60 - 50) * 1000; }`, nil)
	b.Wait("warning", `document.getElementById("idle").open`)
	b.Axe()
	b.Shots("idle-warning")
	b.Size(1280, 800)
	b.Click("#idle-stay")
	b.Wait("the warning to go", `!document.getElementById("idle").open`)
	b.Eval(`window.skip += 16 * 60 * 1000`, nil)
	b.WaitText("h1", "You were signed out")
	if said := b.Text("main"); !strings.Contains(said, "15 minutes") || strings.Contains(said, "another window") {
		t.Errorf("an idle page says %q", said)
	}
	if b.Count(".steps, .top") != 0 {
		t.Error("the page still shows the project")
	}
	b.Axe()
	b.Shots("idle-gone")
}

func TestSessionThatTheServerEndedBlanksThePage(t *testing.T) {
	p := busyProject()
	h := openHouseOver(t, p)
	b := browsertest.Start(t)
	h.SignIn(t, b)
	b.Open(h.Base + "/p/p1")
	b.Wait("live connection", `document.getElementById("live-state").dataset.connected === "true"`)
	u, err := h.Accounts.Find("Ada")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Accounts.RevokeAll(account.Operator(), u.ID); err != nil {
		t.Fatal(err)
	}
	p.Events <- project.Event{Topic: project.TopicQueue}
	b.WaitText("h1", "You were signed out")
}

// Who signs out has signed out of every window, and no other one says that nobody was
// there.
func TestSigningOutBlanksOtherWindows(t *testing.T) {
	h := openHouseOver(t, busyProject())
	b := browsertest.Start(t)
	h.SignIn(t, b)
	b.Open(h.Base + "/p/p1")
	b.Eval(`window.heard = [];
		window.other = new BroadcastChannel("hide-session");
		other.onmessage = (e) => heard.push(e.data);
		document.querySelector('form[action="/sign-out"]').addEventListener("submit", (e) => e.preventDefault())`, nil)
	b.Click(".menu > summary")
	b.Click(`form[action="/sign-out"] button`)
	b.Wait("word of it", `heard.includes("ended")`)
	b.Eval(`other.postMessage("ended")`, nil)
	b.WaitText("h1", "You were signed out")
	if said := b.Text("main"); !strings.Contains(said, "another window") || strings.Contains(said, "15 minutes") || !strings.Contains(said, "A form that was not sent is lost.") {
		t.Errorf("the other window says %q", said)
	}
}

// nothingYet has a project for those who know its address, and lists none.
type nothingYet struct{ *projects }

func (nothingYet) Projects(context.Context, account.User) ([]project.Overview, error) {
	return nil, nil
}

// Two people open their links on the same page, one after the other: the second one must
// not choose a password for the first.
func TestALinkOnTheOpenPageOfSomebodyElseOpensItself(t *testing.T) {
	h := openHouse(t)
	h.Admin(t)
	by, err := h.Accounts.Find("Ada")
	if err != nil {
		t.Fatal(err)
	}
	b := browsertest.Start(t)
	for _, name := range []string{"Ann", "Bob"} {
		_, token, err := h.Accounts.Create(by, name, account.Annotator)
		if err != nil {
			t.Fatal(err)
		}
		b.Open(h.WelcomeURL(token))
		b.WaitText("h1", "Welcome, "+name)
		if strings.Contains(b.Path(), token) {
			t.Errorf("the token is in the address: %s", b.Path())
		}
	}
	b.Type("#password", webtest.GoodPassword)
	b.Type("#again", webtest.GoodPassword)
	b.Press("Enter")
	b.WaitText("h1", "Projects")
	b.WaitText("header", "Bob")
}
