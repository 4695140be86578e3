// SPDX-License-Identifier: Apache-2.0

package model

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"hide/internal/account"
	"hide/internal/browsertest"
	"hide/internal/chart"
	"hide/internal/project"
	"hide/internal/project/training"
)

func TestErrorsPageIsAccessible(t *testing.T) {
	v := openBrowser(t, account.Broker, madeErrors())
	v.Open(v.Base + "/p/p1/errors")
	v.Eval(`document.querySelectorAll("main details").forEach(d => { d.open = true; })`, nil)
	v.Axe()
	v.Legible()
	v.Shots("errors")
	v.Open(v.Base + "/p/p1/errors?kind=miss&reason=unseen")
	v.Axe()
	empty := &fakeErrors{frame: newFrame(), page: training.ErrorsPage{Check: training.Check{NeedMore: 2}}}
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
	if err := chart.WriteScores(t.Context(), &b, *madeErrors().page.Report, nil); err != nil {
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
