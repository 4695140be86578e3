// SPDX-License-Identifier: Apache-2.0

package model

import (
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/project/training"
	"hide/web/webtest"
)

// With keys alone: from the settings to the curves, measured, and one put to use.
func TestCurvesByKeyboard(t *testing.T) {
	projects, id := webtest.RealProject(t, 8)
	webtest.Checked(t, projects, id)
	v := openBrowser(t, account.Broker, projects)
	v.Expect("422") // what is wrong comes back as such
	v.Open(v.Base + "/p/" + string(id) + "/settings")
	v.Eval(`document.querySelectorAll("main details").forEach(d => { d.open = true; })`, nil)
	v.Focus(`main a[href$="/curves"]`)
	v.Press("Enter")
	v.WaitText("h1", "Sampling")
	v.Axe()
	v.Shots("curves-before")
	v.Size(1280, 800)
	v.TabTo("#shares")
	v.Press("Control+a", "h", "Enter")
	v.WaitText("#shares-error", "nter percentages above 0")
	v.Wait("the focus is where it is wrong", `document.activeElement.id === "shares"`)
	v.Axe()
	v.Press("Control+a", "5", "0", "Space", "1", "0")
	v.TabTo("#learner")
	v.Press("ArrowDown")
	v.TabTo(".curves-form button")
	v.Press("Enter")
	const patience = 2 * time.Minute
	v.WaitFor("the curves", `document.querySelectorAll("#curves tbody tr").length === 7`, patience)
	v.WaitText("#curves .say", "Trained on all words")
	v.Axe()
	v.Legible()
	v.Shots("curves")
	v.Size(1280, 800)
	v.TabTo("#curves tbody tr:nth-child(2) button")
	v.Press("Enter")
	v.WaitText("[role=status]", "Saved")
	v.WaitText("#curves tbody tr:nth-child(2) td:last-child", "in use")
	v.Axe()
}

func TestCurvesNotYetMeasurableAreAccessible(t *testing.T) {
	projects, id := webtest.RealProject(t, 2)
	v := openBrowser(t, account.Reviewer, projects)
	v.Open(v.Base + "/p/" + string(id) + "/curves")
	v.WaitText(".empty", "more finished note")
	v.Axe()
	v.Shots("curves-empty")
}

func TestTwoMeasurementsBesideEachOtherAreAccessible(t *testing.T) {
	projects, id := webtest.RealProject(t, 8)
	by := webtest.As(account.Broker)
	for _, learner := range []string{"bayes", "svm", "bayes"} {
		p := training.CurveParams{Lines: []string{"o=.5,.2,.1"}, Learner: learner, Folds: 4}
		if learner == "svm" {
			p.Lines = append(p.Lines, "window=4,2")
		}
		if err := projects.StartCurves(t.Context(), by, id, p); err != nil {
			t.Fatal(err)
		}
		if st := waitForCurves(t, projects, id); st.Error != "" {
			t.Fatal(st.Error)
		}
	}
	v := openBrowser(t, account.Broker, projects)
	v.Open(v.Base + "/p/" + string(id) + "/curves")
	v.WaitText("#compared-title", "Side by side: naive Bayes and svm")
	v.Axe()
	v.Legible()
	v.Shots("curves-beside")
}
