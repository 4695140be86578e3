// SPDX-License-Identifier: Apache-2.0

package words

import "testing"

func TestCountAgreesWithItsNounAndGroupsDigits(t *testing.T) {
	for n, want := range map[int]string{0: "0 notes", 1: "1 note", 2: "2 notes", -1: "-1 notes", 999: "999 notes", 1000: "1,000 notes", 1234567: "1,234,567 notes", -1204: "-1,204 notes"} {
		if got := Count(n, "note", "notes"); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestListJoinsTheLastByAnd(t *testing.T) {
	for want, all := range map[string][]string{"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b and c": {"a", "b", "c"}} {
		if got := List(all); got != want {
			t.Errorf("%q is %q, want %q", all, got, want)
		}
	}
}
