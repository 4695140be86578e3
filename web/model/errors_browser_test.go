// SPDX-License-Identifier: Apache-2.0

package model

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/browsertest"
	"hide/internal/chart"
	"hide/internal/crf/score"
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
	report := *madeErrors().page.Report
	report.Masking = score.Masking{
		Runs:   score.Tally{Precision: .9, Recall: .8, F1: .847, TP: 72, FP: 8, FN: 18},
		Spans:  score.SpanMasking{Covered: score.Share{Count: 90, Of: 100, Share: .9, Interval: &score.Interval{Low: .85, High: .94}}, Touched: score.Share{Count: 96, Of: 100, Share: .96}},
		Labels: map[annotate.Label]score.SpanMasking{"PATIENT": {Covered: score.Share{Count: 90, Of: 100, Share: .9}, Touched: score.Share{Count: 96, Of: 100, Share: .96}}},
		Inside: score.Share{Count: 77, Of: 80, Share: .9625}, Alarms: score.Share{Count: 2, Of: 80, Share: .025},
	}
	report.Tags.Accuracy = score.Share{Count: 980, Of: 1000, Share: .98}
	report.Tags.Labels = map[annotate.Label]score.Tally{"B-PATIENT": {Precision: .9, Recall: .8, F1: .847, TP: 72, FP: 8, FN: 18}, "I-PATIENT": {Precision: 1, Recall: .9, F1: .947, TP: 9, FN: 1}}
	if err := chart.WriteScores(t.Context(), &b, report, nil); err != nil {
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
