// SPDX-License-Identifier: Apache-2.0

package words

import (
	"math"
	"testing"
)

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

func TestAmountsKeepADecimalOnlyOfWhatIsSmallAndBroken(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 3: "3", 2.44: "2.4", -2.44: "-2.4", 9.99: "10.0", 10.4: "10", 14334: "14,334", 14333.6: "14,334", 1e15: "1e+15",
		math.Inf(1): notKnown, math.Inf(-1): notKnown,
	} {
		if got := Amount(v); got != want {
			t.Errorf("Amount(%g) is %q, want %q", v, got, want)
		}
	}
	if got := Amount(math.NaN()); got != notKnown {
		t.Errorf("Amount(NaN) is %q", got)
	}
}

// A share of which something is missing never reads as all, nor one of something as none.
func TestPercentsNeverRoundToAllOrNothing(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0.0 %", 1: "100.0 %", .96: "96.0 %", .9996: "99.96 %", .99996: "99.996 %", .9999999: "99.999 %",
		.0004: "0.04 %", .00004: "0.004 %", 1e-9: "0.001 %", 1.5: "150.0 %", math.Inf(1): notKnown,
	} {
		if got := Percent(v); got != want {
			t.Errorf("Percent(%g) is %q, want %q", v, got, want)
		}
	}
	for least, want := range []string{"1", "1.0", "1.00"} {
		if got := PercentDigits(.01, least); got != want {
			t.Errorf("PercentDigits(.01, %d) is %q, want %q", least, got, want)
		}
	}
}

func TestSentenceKeepsSymbols(t *testing.T) {
	for message, want := range map[string]string{
		"": "", "no file": "No file.", "ε to spend: enter a number": "ε to spend: enter a number.", "which one?": "Which one?",
	} {
		if got := Sentence(message); got != want {
			t.Errorf("%q becomes %q, want %q", message, got, want)
		}
	}
}
