// SPDX-License-Identifier: Apache-2.0

package sanitize_test

import (
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/drift"
	"hide/internal/project/sanitize"
)

func TestWhatGivesSomebodyAwayIsCountedBesideLabels(t *testing.T) {
	p := sanitize.Params{Context: &greedy.Context{Redact: true}}
	if got := p.CountedWords(); got != "" {
		t.Errorf("of all kinds: %q", got)
	}
	p.Labels = []annotate.Label{"FAX"}
	if got := p.CountedWords(); got != "FAX and CONTEXT" || len(p.Labels) != 1 {
		t.Errorf("%q of %v", got, p.Labels)
	}
}

func TestWarningsSayWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*sanitize.Run)
		want   string
	}{
		{"none", func(*sanitize.Run) {}, ""},
		{"changed", func(r *sanitize.Run) { r.Changed = true }, "Notes have changed since this run"},
		{"paper", func(r *sanitize.Run) { r.Params.Mode = greedy.Paper }, "come from the training notes"},
		{"few", func(r *sanitize.Run) { r.Documents, r.Random = 12, 12 }, "Only 12 finished notes"},
		{"partly random", func(r *sanitize.Run) { r.Random, r.Measured = 30, 30 }, "30 of the 216 finished notes are a random sample, and the figures come from these alone"},
		{"hardly random", func(r *sanitize.Run) { r.Random = 3 }, "The random sample has 3 of the 216 finished notes, too few"},
		{"not random", func(r *sanitize.Run) { r.Random = 0 }, "None of the 216 finished notes is from a random sample. Figures"},
		{"not random, and what to do", func(r *sanitize.Run) { r.Random = 0 }, "in the order of the queue, or mark imported random notes as a random sample (--random-sample"},
		{"a few of another institution", func(r *sanitize.Run) {
			r.Drift = &drift.Report{All: drift.Side{Tests: []drift.Test{{P: 0.4}}}, Sources: []drift.Side{{Annotated: true, Target: 90}, {Target: 2}}}
		}, "Hardly any note is annotated from 1 institution with notes to be published: 2 of the compared notes."},
		{"some labels", func(r *sanitize.Run) { r.Params.Labels, r.Uncounted = []annotate.Label{"FAX"}, 1476 }, "counts only FAX, and its figures cover nothing else: 1,476 marked passages with other labels stay readable."},
		{"one passage of others", func(r *sanitize.Run) { r.Params.Labels, r.Uncounted = []annotate.Label{"FAX", "PHONE"}, 1 }, "counts only FAX and PHONE, and its figures cover nothing else: 1 marked passage with other labels stays readable."},
		{"others not counted", func(r *sanitize.Run) { r.Params.Labels = []annotate.Label{"A", "B", "C", "D"} }, "counts only 4 labels, and its figures cover nothing else: text with any other label, marked or not, stays readable."},
		{"attuned", func(r *sanitize.Run) { r.Attuned = 2.34 }, "odds were raised by a factor of 2.34 (prior-shift correction). More words are redacted than was measured"},
		{"hardly attuned", func(r *sanitize.Run) { r.Attuned = 1.049 }, ""},
		{"attuned a little", func(r *sanitize.Run) { r.Attuned = 1.05 }, "odds were raised by a factor of 1.05"},
		{"attuned to no more", func(r *sanitize.Run) { r.Attuned = 1 }, ""},
	} {
		r := &sanitize.Run{Params: sanitize.Params{Mode: greedy.Default}, Documents: 216, Random: 216, Measured: 216}
		c.change(r)
		got := strings.Join(r.Warnings(), "\n")
		if !strings.Contains(got, c.want) || (c.want == "") != (got == "") || strings.Contains(got, "\n") {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
