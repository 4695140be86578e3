// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"hide/internal/annotate"
	"hide/internal/greedy"
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
