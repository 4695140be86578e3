// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy/drift"
	"hide/web/webtest"
)

func TestThePageSaysWhatATargetNeeds(t *testing.T) {
	s := newServer(t, newFakeSanitize())
	body := s.Get(account.Broker, "/p/p1/sanitize").Body.String()
	for _, want := range []string{
		"A target instead of a ratio", "59 patients without a leak are needed for 5 % at 95 %, and 299 for 1 %.",
		"The random sample has 60 finished: 40 can be set aside, and the smallest target possible at 95 % is 7.22 %.", "never a certificate",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestATargetIsAskedFor(t *testing.T) {
	f := newFakeSanitize()
	s := newServer(t, f)
	v := sanitizeValues()
	v.Set("target", "5 %")
	v.Set("sure", "90 %")
	v.Set("target-labels", "PATIENT")
	if w := s.Post(account.Broker, "/p/p1/sanitize", v); w.Code != http.StatusSeeOther || len(f.started) != 1 {
		t.Fatalf("status %d, started %v", w.Code, f.started)
	}
	if p := f.started[0]; p.TargetShare != 0.05 || p.TargetSure != 0.9 || !slices.Equal(p.TargetLabels, []annotate.Label{"PATIENT"}) {
		t.Errorf("started with %+v", p)
	}
	v.Set("target", "5")
	v.Set("sure", "no share")
	if w := s.Post(account.Broker, "/p/p1/sanitize", v); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "A target instead of a ratio</b> <span>5 %</span>") {
		t.Errorf("status %d, or a target of 5 is not named as 5 %%", w.Code)
	}
	v.Set("sure", "90 %")
	for _, typed := range []string{"0", "100", "5 notes"} {
		v.Set("target", typed)
		if w := s.Post(account.Broker, "/p/p1/sanitize", v); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), `id="target-error"`) {
			t.Errorf("target %q: status %d", typed, w.Code)
		}
	}
}

func TestTheTargetStandsBesideTheRatios(t *testing.T) {
	r := webtest.MadeTargeted()
	f := newFakeSanitize(r)
	s := newServer(t, f)
	page := func() string { return s.Get(account.Broker, "/p/p1/sanitize").Body.String() }
	for _, want := range []string{
		"An identifier remains in at most 5 % of the notes (95 % sure): 1 of 90 calibration notes leak, and 1 may.",
		"Of the 480 notes to be published that nobody has read, at most 27 leak.", "This is a choice of threshold, not a certificate.",
		"from a probability of 0.0042 on, as one classifier would for L/C 237.1", "Choose the target", "Choose L/C 10",
	} {
		if body := page(); !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if w := s.Post(account.Broker, "/p/p1/sanitize/3/choose", url.Values{"target": {"yes"}}); w.Code != http.StatusSeeOther || f.targets != 1 || len(f.chosen) != 0 {
		t.Errorf("status %d, %d targets and %v chosen", w.Code, f.targets, f.chosen)
	}
	r.Chosen = 237.1
	if !strings.Contains(page(), ", the target chosen") {
		t.Error("the list of runs does not say what was chosen")
	}
	r.Target.Earlier = 2
	if !strings.Contains(page(), "Targets of 2 earlier runs were chosen on the same calibration notes.") {
		t.Error("no word about earlier runs")
	}
	r.Drift = &drift.Report{All: drift.Side{Tests: []drift.Test{{Name: drift.Doubt, P: 0.001}}}}
	if body := page(); !strings.Contains(body, "The target is void: the notes to be published differ from the annotated notes.") || strings.Contains(body, "Choose the target") {
		t.Error("a void target can be chosen, or the page does not say why not")
	}
	if !strings.Contains(page(), "at the next run, its target will be void") {
		t.Error("who asks for a target after a drift warning is not told what it will be worth")
	}
}

// TestTargetsAreAccessible in pictures too.
func TestTargetsAreAccessible(t *testing.T) {
	v := openBrowser(t, account.Broker, newFakeSanitize(webtest.MadeTargeted()))
	v.Open(v.Base + "/p/p1/sanitize")
	v.Shots("sanitize-target")
	v.Axe()
	v.Click(".start > summary")
	v.Eval(`document.querySelectorAll(".question").forEach(d => { d.open = true })`, nil)
	v.Shots("sanitize-target-asked")
	v.Axe()
}
