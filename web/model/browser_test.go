// SPDX-License-Identifier: Apache-2.0

package model

import (
	"testing"

	"hide/internal/account"
	"hide/internal/project"
	"hide/internal/project/training"
)

func TestModelPageIsAccessible(t *testing.T) {
	v := openBrowser(t, account.Broker, checkedModel())
	v.Open(v.Base + "/p/p1/model")
	v.Eval(`document.querySelectorAll("main details").forEach(d => { d.open = true; })`, nil)
	v.Axe()
	v.Legible()
	v.Eval(`document.querySelectorAll("main details").forEach(d => { d.open = false; })`, nil)
	v.Shots("model")
	v = openBrowser(t, account.Reviewer, noModel(training.Status{NeedMore: 2}))
	v.Open(v.Base + "/p/p1/model")
	v.Axe()
	v.Shots("model-empty")
}

func TestModelPageSaysWhenThereIsANewerModel(t *testing.T) {
	f := checkedModel()
	v := openBrowser(t, account.Reviewer, f)
	v.Open(v.Base + "/p/p1/model")
	v.Wait("live connection", `document.getElementById("live-state").dataset.connected === "true"`)
	f.change(func() { f.card.Model = 4 })
	f.Events <- project.Event{Project: "p1", Topic: project.TopicTraining}
	v.WaitText("#model-newest", "model 4")
}
