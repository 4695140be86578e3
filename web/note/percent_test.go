// SPDX-License-Identifier: Apache-2.0

package note

import (
	"strings"
	"testing"

	"hide/internal/account"
	"hide/internal/greedy"
	"hide/web/ui"
)

func TestRoundingNeverClaimsAllOrNothing(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0 %", 0.0001: "0.01 %", 0.004: "0.4 %", 0.0049: "0.5 %", 0.006: "1 %", 0.5: "50 %", 0.94: "94 %",
		0.994: "99 %", 0.995: "99.5 %", 0.996: "99.6 %", 0.9996: "99.96 %", 0.9999999: "99.999 %", 1e-9: "0.001 %", 1: "100 %",
	} {
		if got := ui.Percent(share); got != want {
			t.Errorf("%g is %q, want %q", share, got, want)
		}
	}
	if got := ui.ProgressPercent(0.996); got != "99.6 %" {
		t.Errorf("a progress of 0.996 is %q", got)
	}
	if got := ui.ProgressPercent(7); got != "100 %" {
		t.Errorf("a progress beyond its end is %q", got)
	}
	f := newFakeNotes("Ann saw Bob.")
	f.propose(t, 1, "Ann", "PATIENT", 0.996)
	f.propose(t, 1, "Bob", "DOCTOR", 0.004)
	f.training.Scores.Recall = greedy.Estimate{Value: 0.996, Low: 0.004, High: 0.9999}
	page := newServer(t, f).Get(account.Annotator, "/p/p1/notes/1").Body.String()
	for _, want := range []string{`data-score="99"`, "patient suggested, 99 %", `data-score="&lt;1"`, "recall 99.6 % [0.4–99.99]"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
}
