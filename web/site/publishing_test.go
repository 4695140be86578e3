// SPDX-License-Identifier: Apache-2.0

package site

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/dp"
	"hide/internal/project/release"
	"hide/internal/project/services"
	"hide/internal/publish/cube"
	"hide/internal/publish/idview"
	"hide/internal/publish/joint"
	"hide/internal/publish/kanonymity"
	"hide/internal/publish/ledger"
	"hide/internal/publish/verify"
	"hide/web/webtest"
)

// waysToPublish are the tabs of the page "Publish" and the headings that they lead to.
var waysToPublish = map[string]string{
	"table": "Publish a table", "joint": "Publish notes with their fields", "counts": "Publish counts",
	"sequences": "Publish sequences", "questions": "Publish answers",
}

func TestEveryWayToPublishIsReachedByKeyboard(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(4))
	v := openBrowser(t, account.Broker, projects)
	for page, heading := range waysToPublish {
		v.Open(v.Base + "/p/" + string(id) + "/publish")
		v.Focus(`.kinds a[href$="/publish/` + page + `"]`)
		v.Press("Enter")
		v.WaitText("h1", heading)
	}
}

func TestReviewersAreNotLedToPagesOfBrokers(t *testing.T) {
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(4))
	body := newServer(t, projects).Get(account.Reviewer, "/p/"+string(id)+"/publish").Body.String()
	for page := range waysToPublish {
		if strings.Contains(body, "/publish/"+page) {
			t.Errorf("a reviewer is led to %s", page)
		}
	}
}

// publishEveryKind releases, in this order, a table, a table whose whole attributes are
// generalized, notes with fields, counts, sequences and an answer, of 40 patients.
func publishEveryKind(t *testing.T) (*services.All, project.ID) {
	t.Helper()
	projects, id := webtest.RealNotes(t, t.TempDir(), webtest.CohortNotes(40))
	by, ctx := webtest.As(account.Broker), t.Context()
	if err := projects.OpenBudget(ctx, by, id, dp.BudgetOpening{Limit: 3 * ledger.One}); err != nil {
		t.Fatal(err)
	}
	whole := release.TableSettings{K: 10}
	whole.Method.Name = kanonymity.Incognito
	sexAge := cube.Domain{{Name: "sex", Values: []string{"F", "M"}}, {Name: "AGE", Min: 0, Max: 99, Width: 20, Other: true}}
	towns := dp.SequenceSettings{
		Of: idview.Key{Source: idview.Label, Name: "CITY"}, Alphabet: []string{"Arden", "Bilton", "Corley"}, Other: true, Height: 2,
		Source: "list of towns", Epsilon: 500_000,
	}
	for _, start := range []func() error{
		func() error {
			return projects.StartPublishTable(ctx, by, id, release.Publish, release.TableSettings{K: 5}, 40)
		},
		func() error { return projects.StartPublishTable(ctx, by, id, release.Publish, whole, 40) },
		func() error {
			choice := release.JointChoice{Strategy: joint.Mondrian, K: 2, Lambda: 0.5, Cut: joint.Median, Found: 1, Threshold: 0.33}
			return projects.StartPublishJoint(ctx, by, id, release.Publish, choice, 80, 0)
		},
		func() error {
			return projects.StartPublishCube(ctx, by, id, release.Publish, dp.CubeSettings{Epsilon: 500_000, Source: "admission form", Dimensions: sexAge})
		},
		func() error { return projects.StartPublishSequences(ctx, by, id, release.Publish, towns) },
		func() error {
			return projects.StartQuery(ctx, by, id, release.Publish, dp.QuerySettings{Epsilon: 500_000, Source: "admission form", Dimensions: sexAge, Question: "SELECT COUNT(*) GROUP BY sex"})
		},
	} {
		if err := start(); err != nil {
			t.Fatal(err)
		}
		webtest.Released(t, projects, id)
	}
	return projects, id
}

// With keys alone: from the page that publishes to the page of each release.
func TestReleasesOfEveryKindByKeyboard(t *testing.T) {
	projects, id := publishEveryKind(t)
	v := openBrowser(t, account.Broker, projects)
	for number, c := range []struct {
		page, name string
		counted    bool // it shows the counts of a cube
		look       func()
	}{
		1: {page: "table", name: "table-release"},
		2: {page: "table", name: "table-levels-release", look: func() { v.WaitText("main", "selected") }},
		3: {page: "joint", name: "joint-release", look: func() {
			folder := t.TempDir()
			v.SaveTo(folder)
			v.Focus(`a[download]`)
			v.Press("Enter")
			checkJointZip(t, v.Saved(folder, "release-3*.zip"), "release-3")
		}},
		4: {page: "counts", name: "counts-release", counted: true, look: func() {
			v.Legible()
			v.Focus("#by") // by age alone
			v.Press("ArrowDown", "ArrowDown", "Tab", "Tab", "Enter")
			v.WaitText("#counts ~ h3", "By AGE")
			v.Axe()
		}},
		5: {page: "sequences", name: "sequences-release", look: func() {
			v.WaitText("#sequences", "The most frequent sequences")
			v.WaitText(".chart-figure figcaption", "Patients by sequence")
		}},
		6: {page: "questions", name: "answer-release", look: func() { v.WaitText("#answer-title", "The answer") }},
	} {
		if number == 0 {
			continue
		}
		v.Open(v.Base + "/p/" + string(id) + "/publish/" + c.page)
		v.Focus(fmt.Sprintf(`a[href$="/releases/%d"]`, number))
		v.Press("Enter")
		v.WaitText("h1", fmt.Sprintf("release-%d", number))
		v.Axe()
		v.Shots(c.name)
		if got := v.Count("#counts") == 1; got != c.counted {
			t.Errorf("%s: it shows counts: %t", c.name, got)
		}
		if c.look != nil {
			c.look()
		}
	}
}

// checkJointZip lets the verifier look at a downloaded release.
func checkJointZip(t *testing.T, file, name string) {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	root, err := fs.Sub(z, name)
	if err != nil {
		t.Fatal(err)
	}
	found, err := verify.Release(root)
	if r, ok := found.(*verify.Joint); err != nil || !ok || !r.OK || r.Persons != 40 || r.Least < 2 {
		t.Errorf("%+v, %v", found, err)
	}
}
