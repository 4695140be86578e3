// SPDX-License-Identifier: Apache-2.0

package model

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/browsertest"
	"hide/internal/chart"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web/webtest"
)

// From the list of notes to an error in its note, with keys alone.
func TestErrorIsFoundByKeyboardAndOpensItsNote(t *testing.T) {
	s, id := webtest.RealNotes(t, t.TempDir(), hardNotes(9))
	waitForCheck(t, s, id)
	v := openBrowser(t, account.Annotator, s)
	v.Open(v.Base + "/p/" + string(id) + "/notes")
	v.Focus(`a[href$="/errors"]`)
	v.Press("Enter")
	v.WaitText("h1", "What the model gets wrong")
	v.Axe()
	v.Focus("#errors-kind")
	v.Press("ArrowDown")
	v.Press("Tab", "ArrowDown", "ArrowDown")
	v.Press("Tab", "Tab", "Tab", "Enter")
	v.Wait("the filtered list", `location.search.includes("kind=miss") && location.search.includes("label=PATIENT")`)
	v.Wait("the list in view", `document.getElementById("wrong").getBoundingClientRect().top < innerHeight`)
	v.WaitText(".error-text", "rash")
	if n := v.Count(".error-group"); n != 1 {
		t.Errorf("%d texts pass the filter, want 1", n)
	}
	v.Focus(".error-places a")
	v.Press("Enter")
	v.Wait("the word is selected in its note", `getSelection().toString() === "rash"`)
	v.Wait("it is in view", `(() => { const box = getSelection().getRangeAt(0).getBoundingClientRect(); return box.top > 0 && box.bottom < innerHeight; })()`)
	if !strings.Contains(v.Path(), "/notes/") {
		t.Errorf("the page is %s", v.Path())
	}
}

func TestErrorsPageIsAccessible(t *testing.T) {
	v := openBrowser(t, account.Broker, madeErrors())
	v.Open(v.Base + "/p/p1/errors")
	v.Eval(`document.querySelectorAll("main details").forEach(d => { d.open = true; })`, nil)
	v.Axe()
	v.Legible()
	v.Shots("errors")
	v.Open(v.Base + "/p/p1/errors?kind=miss&reason=unseen")
	v.Axe()
	empty := &fakeErrors{Frame: webtest.NewFrame(), page: training.ErrorsPage{Check: training.Check{NeedMore: 2}}}
	empty.training = training.Status{NeedMore: 2}
	v = openBrowser(t, account.Annotator, empty)
	v.Open(v.Base + "/p/p1/errors")
	v.Axe()
	v.Shots("errors-empty")
}

func TestErrorsPageSaysWhenThereIsANewerCheck(t *testing.T) {
	f := madeErrors()
	v := openBrowser(t, account.Annotator, f)
	v.Open(v.Base + "/p/p1/errors")
	v.Wait("live connection", `document.getElementById("live-state").dataset.connected === "true"`)
	f.change(func() { f.training.Scores.At = checkedAt.AddDate(0, 0, 1) })
	f.Events <- project.Event{Project: "p1", Topic: project.TopicTraining}
	v.WaitText("#errors-newest", "checked again")
}

func TestReportIsOneAccessiblePage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.html")
	var b bytes.Buffer
	if err := chart.WriteScores(t.Context(), &b, *madeErrors().page.Report); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	v := browsertest.Start(t)
	v.Open("file://" + file)
	v.WaitText("h1", "What the tagger was worth")
	v.Axe()
	v.Legible()
	v.Shots("report")
}
