// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/greedy"
	"hide/internal/project/sanitize"
	"hide/web/webtest"
)

func TestARunThatWasCutShortCanGoOn(t *testing.T) {
	r := webtest.MadeRun()
	f := newFakeSanitize(r)
	s := newServer(t, f)
	const button = "Resume run 3"
	for _, c := range []struct {
		state   sanitize.State
		changed bool
		role    account.Role
		offered bool
	}{
		{sanitize.Cancelled, false, account.Broker, true},
		{sanitize.Interrupted, false, account.Broker, true},
		{sanitize.Interrupted, false, account.Reviewer, false},
		{sanitize.Interrupted, true, account.Broker, false},
		{sanitize.Finished, false, account.Broker, false},
		{sanitize.Failed, false, account.Broker, false},
	} {
		r.State, r.Changed = c.state, c.changed
		body := s.Get(c.role, "/p/p1/sanitize/3").Body.String()
		if strings.Contains(body, button) != c.offered || strings.Contains(body, "Notes have changed since: the run cannot be resumed.") != c.changed {
			t.Errorf("%+v: the page offers otherwise", c)
		}
	}
	if w := s.Post(account.Reviewer, "/p/p1/sanitize/3/resume", nil); w.Code != http.StatusForbidden || f.resumed != nil {
		t.Errorf("a reviewer resumes: status %d", w.Code)
	}
	w := s.Post(account.Broker, "/p/p1/sanitize/3/resume", nil)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/p/p1/sanitize/3" || !slices.Equal(f.resumed, []int{3}) {
		t.Errorf("status %d to %q, resumed %v", w.Code, w.Header().Get("Location"), f.resumed)
	}
}

// First figures stand on the page before any round, and claim nothing of attackers.
func TestFirstFiguresSayThatNobodyHasAttackedThem(t *testing.T) {
	r := webtest.MadeRunning()
	o := webtest.MadeOutcome(20, 1, 21, 700)
	o.Attack = greedy.Attack{}
	r.Choices = append(r.Choices, sanitize.Result{LC: 20, First: true, Outcome: o})
	s := newServer(t, newFakeSanitize(r))
	body := s.Get(account.Broker, "/p/p1/sanitize?lc=20").Body.String()
	from := strings.Index(body, `aria-label="With L/C 20"`)
	if from < 0 {
		t.Fatal("no part of L/C 20")
	}
	part, _, _ := strings.Cut(body[from:], "</section>")
	for _, want := range []string{"21 of 980 identifiers in 216 notes would stay readable", "First figures of L/C 20", "the no-profitable-attack check will follow"} {
		if !strings.Contains(part, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(part, "hard labels of the best classifier") || strings.Contains(part, "Choose L/C") {
		t.Error("it claims to know what an attacker finds, or can be chosen")
	}
	if !strings.Contains(body, `data-lc="20"`) {
		t.Error("the frontier has no point of L/C 20")
	}
	r.State = sanitize.Cancelled
	if body = s.Get(account.Broker, "/p/p1/sanitize?lc=20").Body.String(); !strings.Contains(body, "The run ended before the first attack.") {
		t.Error("a run that ended promises more")
	}
}

// Beside the share of the whole, the page says how far the step at hand is.
func TestARunSaysHowFarItsStepIs(t *testing.T) {
	r := webtest.MadeRunning()
	r.Progress = sanitize.Progress{Doing: "L/C 1, round 1: training detector, base learners, 4 of 15", Share: 0.01, Step: 4, Steps: 15}
	body := newServer(t, newFakeSanitize(r)).Get(account.Broker, "/p/p1/sanitize").Body.String()
	for _, want := range []string{"training detector, base learners, 4 of 15.", `class="run-step" max="15" value="4"`, `<progress max="1" value="0.010"`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
}
