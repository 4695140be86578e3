// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"strings"
	"testing"
	"time"
)

// TestAccountsAreWritten prints an account on which everything has happened.
func TestAccountsAreWritten(t *testing.T) {
	at := time.Date(2026, 1, 31, 9, 5, 0, 0, time.UTC)
	a := Account{
		Lineage: "ward", Unit: "patient", Limit: 3 * One, Spent: One / 2, Left: 5 * One / 2, Restored: One / 4, Unknown: true,
		Debits: []Debit{
			{Entry: 2, Time: at, Micro: One / 4, What: "counts", Result: "ab12"},
			{Entry: 3, Time: at, Micro: One / 4, What: "a query", Part: Part{Partition: "year", Part: "2020"}},
		},
		Weak:    []Weak{{What: "a table"}},
		Raises:  []Raise{{Entry: 4, From: One, To: 3 * One, Who: "Ada", Why: "agreed"}},
		Apart:   []Apart{{Entry: 5, From: "other", Who: "Ada", Why: "two towns"}},
		Shared:  []Overlap{{Lineage: "third", Share: .25}},
		Despite: &Despite{Entry: 1, Who: "Ada", Why: "a new disk"},
	}
	want := `ward: epsilon 0.5 of 3 spent, 2.5 left; protects each patient
  2  2026-01-31 09:05  0.25  counts   released
  3  2026-01-31 09:05  0.25  a query  debited, nothing was released, of year 2020
  0.25 of it was charged because an older copy of the ledger was restored
  its head was lost: if the limit had been raised, the real spending may be higher
  1 opened by Ada although a backup had been restored: a new disk
  4 raised from 1 to 3 by Ada: agreed
  5 declared by Ada to be about other people than other: two towns
  about 25 % of its people seem to be in third, too: nothing more can be spent
  void: this budget no longer limits what is known about the dataset, because a release without differential privacy was made: a table
`
	var out strings.Builder
	if WriteAccounts(&out, []Account{a}); out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	if WriteAccounts(&out, nil); out.String() != "no account has been opened\n" {
		t.Error(out.String())
	}
}
