// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"strings"
	"testing"
)

// TestWhatMustNeverBeInALedgerIsRefused: a forger who writes a chain of their own with a
// head that fits has still to keep the rules.
func TestWhatMustNeverBeInALedgerIsRefused(t *testing.T) {
	wards := Part{Partition: "wards", Part: "A"}
	st, err := replay([]Entry{
		{Kind: KindNew}, {Kind: KindOpen, Lineage: ward, Micro: 10}, {Kind: KindOpen, Lineage: "other", Micro: 10},
		{Kind: KindPartition, Lineage: ward, What: "wards", Parts: []string{"A", "B"}}, {Seq: 4, Kind: KindDebit, Lineage: ward, Micro: 4, Request: "r"},
	}, make([]string, 5))
	must(t, err)
	for _, c := range []struct {
		want string // "" for what can be
		e    Entry
	}{
		{"", Entry{Kind: KindDebit, Micro: 6}},
		{"spends", Entry{Kind: KindDebit, Micro: 7}},
		{"", Entry{Kind: KindDebit, Micro: 6, Part: wards}},
		{"spends", Entry{Kind: KindDebit, Micro: 7, Part: wards}},
		{"above 0", Entry{Kind: KindDebit}},
		{"sketch", Entry{Kind: KindDebit, Micro: 1, Units: "?"}},
		{"undeclared", Entry{Kind: KindDebit, Micro: 1, Part: Part{"wards", "C"}}},
		{"already exists", Entry{Kind: KindOpen, Micro: 10}},
		{"a second time", Entry{Kind: KindPartition, What: "wards"}},
		{"", Entry{Kind: KindRelease, Debit: 4, Request: "r"}},
		{"no debit", Entry{Kind: KindRelease, Debit: 4, Request: "s"}},
		{"no debit", Entry{Kind: KindRelease, Debit: 1, Request: "r"}},
		{"charges nothing", Entry{Kind: KindRestore, What: putBack}},
		{"too large an amount", Entry{Kind: KindRestore, Micro: mostCharged + 1}},
		{"", Entry{Kind: KindRestore, What: headLost}},
		{"undeclared", Entry{Kind: KindRestore, Micro: 1, Part: Part{Partition: "years"}}},
		{"undeclared", Entry{Kind: KindRestore, Micro: 1, Part: wards}},
		{"", Entry{Kind: KindRaise, Micro: 11, What: "why"}},
		{"raises", Entry{Kind: KindRaise, Micro: 10, What: "why"}},
		{"raises", Entry{Kind: KindRaise, Micro: 11}},
		{"", Entry{Kind: KindApart, From: "other", What: "why"}},
		{"is about", Entry{Kind: KindApart, From: ward, What: "why"}},
		{"is about", Entry{Kind: KindApart, From: "nobody", What: "why"}},
		{"an unknown kind", Entry{Kind: "gift"}},
	} {
		c.e.Lineage = ward
		if err := st.check(c.e); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.e, err, c.want)
		}
	}
	if err := st.check(Entry{Kind: KindWeak, Lineage: "nobody"}); err == nil {
		t.Error("an unknown account was written about")
	}
}
