// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"strings"
	"testing"

	greedyaudit "hide/internal/greedy/audit"
	"hide/internal/project/audit"
)

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
