// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteAccounts prints accounts with their debits.
func WriteAccounts(w io.Writer, accounts []Account) {
	if len(accounts) == 0 {
		fmt.Fprintln(w, "no account has been opened")
	}
	for _, a := range accounts {
		a.Write(w)
	}
}

// Write prints an account with its debits, and why its budget may not mean what it says.
func (a Account) Write(w io.Writer) {
	fmt.Fprintf(w, "%s: epsilon %v of %v spent, %v left; protects each %s\n", a.Lineage, a.Spent, a.Limit, a.Left, a.Unit)
	t := tabwriter.NewWriter(w, 2, 0, 2, ' ', 0)
	for _, d := range a.Debits {
		outcome := "released"
		if d.Result == "" {
			outcome = "debited, nothing was released"
		}
		if d.Part.Partition != "" {
			outcome += ", of " + d.Part.Partition + " " + d.Part.Part
		}
		fmt.Fprintf(t, "  %d\t%s\t%v\t%s\t%s\n", d.Entry, d.Time.Format("2006-01-02 15:04"), d.Micro, d.What, outcome)
	}
	_ = t.Flush() // a write error shows in the next write
	if a.Restored > 0 {
		fmt.Fprintf(w, "  %v of it was charged because an older copy of the ledger was restored\n", a.Restored)
	}
	if a.Unknown {
		fmt.Fprintln(w, "  its head was lost: if the limit had been raised, the real spending may be higher")
	}
	a.writeAmendments(w)
	for _, k := range a.Weak {
		fmt.Fprintf(w, "  void: this budget no longer limits what is known about the dataset, because a release without differential privacy was made: %s\n", k.What)
	}
}

// writeAmendments prints why an account was opened after a restore, raised limits, and
// lineages with the same keys.
func (a Account) writeAmendments(w io.Writer) {
	if d := a.Despite; d != nil {
		fmt.Fprintf(w, "  %d opened by %s although a backup had been restored: %s\n", d.Entry, d.Who, d.Why)
	}
	for _, r := range a.Raises {
		fmt.Fprintf(w, "  %d raised from %v to %v by %s: %s\n", r.Entry, r.From, r.To, r.Who, r.Why)
	}
	for _, o := range a.Apart {
		fmt.Fprintf(w, "  %d declared by %s to be about other people than %s: %s\n", o.Entry, o.Who, o.From, o.Why)
	}
	for _, o := range a.Shared {
		fmt.Fprintf(w, "  about %.0f %% of its people seem to be in %s, too: nothing more can be spent\n", 100*o.Share, o.Lineage)
	}
}
