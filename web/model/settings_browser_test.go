// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"strings"
	"testing"
	"time"

	"hide/internal/account"
	"hide/internal/bootstrap"
	"hide/internal/project"
	"hide/internal/project/training"
	"hide/web/webtest"
)

// With keys alone: a wrong number is refused beside its field and put right.
func TestSettingsByKeyboard(t *testing.T) {
	projects, id := webtest.RealProject(t, 4)
	v := openBrowser(t, account.Broker, projects)
	v.Expect("422") // what is wrong comes back as such
	v.Open(v.Base + "/p/" + string(id) + "/settings")
	v.WaitText("h1", "Settings")
	v.Axe()
	v.Eval(`document.querySelectorAll("main details").forEach(d => { d.open = true; })`, nil)
	v.Axe()
	v.Shots("settings")
	v.Focus("#min_recall")
	v.Press("Control+a", "1", "8", "0")
	v.Press("Tab", "Space", "Tab", "Control+a", "5", "Enter")
	v.WaitText("#min_recall-error", "nter a percentage from 0 to 100")
	v.Wait("the focus is where it is wrong", `document.activeElement.id === "min_recall"`)
	if got := v.Value("#blind"); got != "5" {
		t.Errorf("the share of blind notes is %q, want what was typed", got)
	}
	v.Axe()
	v.Shots("settings-wrong")
	v.Press("Control+a", "9", "0", "Enter")
	v.WaitText(".notice.good", "Saved.")
	if got := v.Value("#min_recall"); got != "90" {
		t.Errorf("the level is %q", got)
	}
}

// judgedSettings is a project with enough blind notes for a comparison.
type judgedSettings struct{ *frame }

func (judgedSettings) Settings(context.Context, account.User, project.ID) (project.Settings, error) {
	return project.DefaultSettings(), nil
}

func (judgedSettings) BlindNotes(context.Context, account.User, project.ID) (training.BlindNotes, error) {
	side := func(documents int, recall, agreement, marked float64) bootstrap.BiasSide {
		of := func(v float64) bootstrap.Estimate { return bootstrap.Estimate{Value: v, Low: v - 0.03, High: v + 0.02} }
		return bootstrap.BiasSide{Documents: documents, Groups: documents, Recall: of(recall), Precision: of(0.93), Agreement: of(agreement), Marked: bootstrap.Estimate{Value: marked, Low: marked - 1, High: marked + 1}}
	}
	return training.BlindNotes{
		Share: 0.1, Done: 21, Assisted: 188, At: time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC),
		Bias: bootstrap.Bias{
			Blind: side(21, 0.84, 0.79, 11.2), Assisted: side(188, 0.9, 0.86, 10.1),
			Recall: bootstrap.Estimate{Value: 0.06, Low: 0.02, High: 0.1}, Precision: bootstrap.Estimate{Value: 0, Low: -0.02, High: 0.02},
			Agreement: bootstrap.Estimate{Value: 0.07, Low: 0.01, High: 0.12}, Marked: bootstrap.Estimate{Value: -1.1, Low: -2.2, High: 0.1},
		},
	}, nil
}

func TestWhatBlindNotesTellIsShown(t *testing.T) {
	v := openBrowser(t, account.Broker, judgedSettings{newFrame()})
	v.Open(v.Base + "/p/p1/settings")
	v.WaitText("#blind-notes p", "the recall of the model is 6.0 points higher")
	if got := v.Text("#blind-notes tbody tr"); !strings.Contains(got, "84.0 [81.0–86.0]") || !strings.Contains(got, "+6.0 [2.0–10.0]") {
		t.Errorf("the row of recall is %q", got)
	}
	v.Axe()
	v.Shots("settings-blind")
}
