// SPDX-License-Identifier: Apache-2.0

package sanitize

import (
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/annotate"
	"hide/internal/greedy/drift"
	"hide/internal/greedy/local"
	"hide/internal/project/sanitize"
	"hide/web/webtest"
)

// madeDrift is an alarm: one institution differs, of one too few notes are there.
func madeDrift() *drift.Report {
	tests := func(p float64) []drift.Test {
		return []drift.Test{
			{Name: drift.Doubt, Reference: 2.6, Target: 7, P: p}, {Name: drift.Kept, Reference: 0.8, Target: 0.7, P: 0.2},
			{Name: drift.Words, Reference: 0.09, Target: 0.32, P: p}, {Name: drift.Heads, Reference: 0, Target: 0.5, P: p},
			{Name: drift.Length, Reference: 340, Target: 1330, P: 0.5}, {Name: drift.Kinds, Distance: 0.22, P: 1}, {Name: drift.Sources, Distance: 0.6, P: 0.02},
		}
	}
	return &drift.Report{
		All: drift.Side{Reference: 60, Target: 264, Tests: tests(0.003)},
		Sources: []drift.Side{
			{Source: "Hillside", Annotated: true, Reference: 60, Target: 200, Tests: tests(0.6)},
			{Source: "Lakeside Hospital for Children", Reference: 60, Target: 62, Tests: tests(0.001)},
			{Source: "Riverside", Target: 2},
		},
	}
}

func driftedRun() *sanitize.Run {
	r := webtest.MadeRun()
	r.Drift, r.Local = madeDrift(), []annotate.DocumentID{41, 7, 300}
	return r
}

func TestAnAlarmIsDrawnWithATableAndWhatToDo(t *testing.T) {
	f := audited()
	f.RunList, f.AuditList = []*sanitize.Run{driftedRun()}, nil
	s := newServer(t, f)
	body := s.Get(account.Broker, "/p/p1/sanitize/3").Body.String()
	for _, want := range []string{
		`<details class="drift" open>`, `<svg class="chart drift-chart"`, "words in no other note: measured 9.0, to be published 32 %, warning.",
		"Annotate 10 to 30 of these notes", "How much this helps is unknown until then", `href="/p/p1/notes/41"`,
		"Lakeside Hospital for Children", "hardly any is from this institution", "Riverside: too few to tell.", "2.6 → 7.0",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if got := strings.Count(body, "<strong>warning</strong>"); got != 3+3 {
		t.Errorf("%d tests are marked in the tables, want 3 of all and 3 of Lakeside", got)
	}
	for _, secret := range []string{"Lakeside", "Hillside", "/notes/41"} {
		if strings.Contains(s.Get(account.Reviewer, "/p/p1/sanitize/3").Body.String(), secret) {
			t.Errorf("a reviewer is told %s", secret)
		}
	}
}

// foretoldRun is a drifted run with twelve local notes.
func foretoldRun() *sanitize.Run {
	r := driftedRun()
	for _, lc := range []float64{1, 10} {
		f := sanitize.Foretold{LC: lc}
		for _, n := range []int{12, 30, 100} {
			high := 0.9 / lc / float64(n)
			f.At = append(f.At, local.Prediction{Notes: n, Missed: local.Range{Value: high / 2, Low: high / 4, High: high}, Kept: local.Range{Value: 0.95, Low: 0.93, High: 0.97}})
		}
		r.Foretold = append(r.Foretold, f)
	}
	return r
}

func TestWhatLocalNotesBringIsDrawnWithATable(t *testing.T) {
	f := audited()
	f.RunList, f.AuditList = []*sanitize.Run{foretoldRun()}, nil
	body := newServer(t, f).Get(account.Broker, "/p/p1/sanitize/3").Body.String()
	for _, want := range []string{"What these notes bring", "now, 12 notes", "100 notes, predicted", "0.19 to 0.75 %", "93.0 to 97.0 %", `<details open><summary>L/C 10:`, "bar-off"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(body, "is unknown until then") {
		t.Error("what is measured is called unknown")
	}
}

func TestWithoutAnAlarmTheComparisonIsFoldedAway(t *testing.T) {
	r := driftedRun()
	for i := range r.Drift.All.Tests {
		r.Drift.All.Tests[i].P = 0.4
	}
	r.Drift.Sources = nil
	body := newServer(t, newFakeSanitize(r)).Get(account.Broker, "/p/p1/sanitize/3").Body.String()
	if !strings.Contains(body, `<details class="drift"><summary>`) || strings.Contains(body, "Annotate 10 to 30") || strings.Contains(body, "By institution") {
		t.Error("without an alarm, the comparison stands open, or something is advised")
	}
}

// A bar that has nothing to be measured by is no bar, and none leaves the chart.
func TestBarsOfTheComparisonStayInTheChart(t *testing.T) {
	side := madeDrift().All
	side.Tests = append(side.Tests, drift.Test{Name: drift.Doubt}, drift.Test{Name: drift.Length, Reference: 1e9, Target: 1})
	for _, r := range driftRows(side) {
		if r.Measured < 0 || r.Measured > driftMost || r.Other < 0 || r.Other > driftMost {
			t.Errorf("%s: bars of %g and %g", r.Name, r.Measured, r.Other)
		}
	}
}
