// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
	"hide/internal/greedy/attack/retrieve"
	"hide/internal/project/sanitize"
)

func TestARunOfSomeKindsIsPrintedAsSuch(t *testing.T) {
	r := &sanitize.Run{Number: 2, Params: sanitize.Params{Mode: greedy.Default, Labels: []annotate.Label{"FAX"}}, Documents: 60, Random: 60, Measured: 60, Uncounted: 1476}
	var out strings.Builder
	writeRun(&out, r)
	for _, want := range []string{"run 2, default, over 60 finished notes, counting only FAX\n", "warning: The run counts only FAX, and its figures cover nothing else: 1,476 marked passages with other labels stay readable.\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %q", want, out.String())
		}
	}
}

func TestARunPrintsWhatIsLinkedToPatients(t *testing.T) {
	linked := &retrieve.Result{Patients: 40, Notes: 60, Chance1: 1. / 40, Rows: []retrieve.Row{
		{Knowledge: retrieve.Table, Ranker: retrieve.BM25, Known: 60, Top1: retrieve.Rate{Hits: 12, Of: 60, Share: .2, Low: .11, High: .32}},
	}}
	r := &sanitize.Run{Params: sanitize.Params{Mode: greedy.Default}, Choices: []sanitize.Result{{LC: 2, Linked: linked}, {LC: 5}}}
	var out strings.Builder
	writeRun(&out, r)
	want := "\nL/C 2: An attacker who has the table links 12 of 60 notes to the right patient at the first guess (20.0 %, 11.0 to 32.0); guessing would link 2.5 %.\n"
	if got := out.String(); !strings.Contains(got, want) || strings.Contains(got, "L/C 5:") {
		t.Errorf("no %q in %q", want, got)
	}
}
