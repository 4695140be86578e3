// SPDX-License-Identifier: Apache-2.0

package release

import (
	"strings"
	"testing"
)

func TestLinkageWords(t *testing.T) {
	duplicates, none := 2.34, 3e-15
	for _, c := range []struct {
		linkage Linkage
		want    string
	}{
		{Linkage{Linked: true, Records: 7, Patients: 6, LinkageError: &LinkageError{Links: 1, Missed: 3e-15, False: .4989, Precision: .98279, Recall: 1 - 1e-15}, Duplicates: &none},
			"7 records are counted as 6 patients. Of the links an estimated 98.3 % are right, and an estimated 99.999 % of all were found: less than 0.001 missed and 0.499 false links are expected. Expected number of patients who count twice: less than 0.001."},
		{Linkage{Linked: true, Records: 7, Patients: 6, Duplicates: &duplicates, Classes: &LinkageRisk{K: 5, People: 4, Risk: .25, BelowK: .3}},
			"7 records are counted as 6 patients. Expected number of patients who count twice: 2.34. The smallest class is expected to have 4 people where k is 5, so the risk of the prosecutor is 0.25 and not 0.2. The probability that a class has fewer than 5 people is 0.3."},
		{Linkage{Linked: true, Records: 6, Patients: 6, Classes: &LinkageRisk{K: 5, People: 5, Risk: .2}},
			"6 records are counted as 6 patients. The smallest class is expected to have 5 people where k is 5, so the risk of the prosecutor is 0.2. The probability that a class has fewer than 5 people is 0."},
		{Linkage{Linked: true}, "Records of one person were linked."},
		{Linkage{Agreeing: 12, Unlinked: true}, NotLinked + " 12 records look like the same people, and a person said to publish without linking them."},
		{Linkage{Unlinked: true}, NotLinked + " A person said to publish although records may look like the same people."},
	} {
		if got := strings.Join(c.linkage.Words(), " "); got != c.want {
			t.Errorf("%+v:\n%s\nwant\n%s", c.linkage, got, c.want)
		}
	}
}
