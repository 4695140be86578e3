// SPDX-License-Identifier: Apache-2.0

package publishing

import (
	"strings"
	"testing"

	"hide/internal/project/release"
	envelope "hide/internal/publish/release"
)

func TestWhatIsSaidOfRecordsBeforeAPublication(t *testing.T) {
	duplicates := 0.5
	linked := envelope.Linkage{Linked: true, Records: 7, Patients: 6, Duplicates: &duplicates}
	for _, c := range []struct {
		counted release.Counted
		want    string
	}{
		{release.Counted{Linkage: envelope.Linkage{Records: 7, Patients: 7}}, envelope.NotLinked},
		{release.Counted{Linkage: linked}, "7 records are counted as 6 patients. Expected number of patients who count twice: 0.5. Twice."},
		{release.Counted{Linkage: envelope.Linkage{Linked: true}, Since: 2, Waiting: 1}, "Records of one person were linked. 2 notes were imported or restored after the records were linked. 1 pair of records waits for a decision."},
		{release.Counted{Linkage: envelope.Linkage{Linked: true}, Waiting: 3}, "Records of one person were linked. 3 pairs of records wait for a decision."},
	} {
		if got := strings.Join(countedWords(c.counted, "Twice."), " "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
