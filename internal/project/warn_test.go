// SPDX-License-Identifier: Apache-2.0

package project

import (
	"strings"
	"testing"

	"hide/internal/greedy"
	"hide/internal/greedy/drift"
)

func TestWarningsSayWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Run)
		want   string
	}{
		{"none", func(*Run) {}, ""},
		{"changed", func(r *Run) { r.Changed = true }, "Documents have changed since this run"},
		{"paper", func(r *Run) { r.Params.Mode = greedy.Paper }, "classifiers have seen"},
		{"few", func(r *Run) { r.Documents, r.Random = 12, 12 }, "Only 12 finished notes"},
		{"partly random", func(r *Run) { r.Random, r.Measured = 30, 30 }, "30 of the 216 finished notes are a random sample, and the figures are of these alone"},
		{"hardly random", func(r *Run) { r.Random = 3 }, "3 of the 216 finished notes are a random sample, too few"},
		{"a few of another institution", func(r *Run) {
			r.Drift = &drift.Report{All: drift.Side{Tests: []drift.Test{{P: 0.4}}}, Sources: []drift.Side{{Annotated: true, Target: 90}, {Target: 2}}}
		}, "Hardly any annotated note is from 1 institution whose notes are to be published: 2 of the notes compared."},
		{"attuned", func(r *Run) { r.Attuned = 2.34 }, "odds were raised 2.3 times. More is redacted than was measured"},
		{"attuned to no more", func(r *Run) { r.Attuned = 1 }, ""},
	} {
		r := &Run{Params: SanitizeParams{Mode: greedy.Default}, Documents: 216, Random: 216, Measured: 216}
		c.change(r)
		got := strings.Join(r.Warnings(), "\n")
		if !strings.Contains(got, c.want) || (c.want == "") != (got == "") || strings.Contains(got, "\n") {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
