// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"strings"
	"testing"

	greedyaudit "hide/internal/greedy/audit"
	"hide/internal/project/audit"
)

// With nothing found in n of very many, a share of up to 1 - 0.05^(1/n) may leak.
func TestFewRandomNotesShowLittle(t *testing.T) {
	for _, c := range []struct{ documents, random, picked, low, high int }{
		{10_000, 3, 0, 6000, 6700}, {10_000, 20, 10, 1200, 1650}, {10_000, 100, 0, 250, 350}, {30, 20, 10, 0, 0}, {30, 500, 500, 0, 0},
	} {
		if got := audit.Shows(c.documents, c.random, c.picked); got < c.low || got > c.high {
			t.Errorf("%d and %d of %d: up to %d notes, want %d to %d", c.random, c.picked, c.documents, got, c.low, c.high)
		}
	}
}

// What is said beforehand is what audits that find nothing say.
func TestWhatAuditsShowIsWhatTheySay(t *testing.T) {
	for _, c := range [][3]int{{8, 3, 2}, {40, 2, 0}, {264, 30, 10}, {264, 2, 1}, {5000, 100, 0}, {3, 1, 0}} {
		got := float64(audit.Shows(c[0], c[1], c[2]))
		for seed := range uint64(3) {
			if r := greedyaudit.Count(c[0], make([]int, c[1]), make([]int, c[2]), seed); r.Leaking.AtMost != got || r.Remaining.AtMost != got {
				t.Errorf("%v: up to %v, an audit says %v notes, %v identifiers", c, got, r.Leaking.AtMost, r.Remaining.AtMost)
			}
		}
	}
	if said := audit.Few(25, 2, 10); !strings.HasSuffix(said, "With 20 random ones all notes are read.") {
		t.Errorf("of few notes in all: %q", said)
	}
	for n, want := range map[[3]int]bool{{264, 2, 0}: true, {264, 1, 10}: true, {264, audit.RandomNotes, 0}: false, {12, 2, 10}: false, {264, 0, 4}: false} {
		if got := audit.Few(n[0], n[1], n[2]); (got != "") != want {
			t.Errorf("%v: %q", n, got)
		}
	}
}

func TestAuditsSpeakOfOneAndOfAll(t *testing.T) {
	all := greedyaudit.Count(3, []int{1, 0, 0}, nil, 1)
	if got := audit.Words(all); got != "Audit: people read all 3 notes as they would be published, and found 1 identifier, in 1 of them. Nothing needs to be estimated." {
		t.Errorf("of all: %q", got)
	}
	some := audit.Words(greedyaudit.Count(2000, []int{1}, nil, 1))
	for _, want := range []string{"in 1 random note of 2,000", "people found 1 identifier.", "about 2,000 in all"} {
		if !strings.Contains(some, want) {
			t.Errorf("no %q in %q", want, some)
		}
	}
}
