// SPDX-License-Identifier: Apache-2.0

// Package ledger keeps account of privacy budgets: how much of its epsilon each
// dataset has spent, so that no request can spend it twice.
//
//	l, err := ledger.OpenFile("ward.ledger", ledger.Options{})
//	err = l.Open(ledger.Opening{Lineage: "ward-7", Unit: "patient", Limit: limit})
//	r, err := l.Publish(ctx, ledger.Request{Lineage: "ward-7", Epsilon: e, Body: canonical}, draw)
//
// An account is a lineage, the dataset with everything that is ever added to it,
// and a unit, what is protected: "patient". Neighbours are datasets of which one
// has one unit more than the other. Amounts are integers, millionths of epsilon. The sum of
// the debits is spent (sequential composition); of the parts of a declared partition only
// the most expensive one counts (parallel composition), see [Ledger.Declare].
//
// [Ledger.Publish] debits first, and lets noise be drawn only when the debit is on disk.
// There are no refunds: a failure after the debit has cost it. A request that was answered
// before, byte for byte the same, gets the stored answer at no cost.
//
// Entries are never changed and form a hash chain: each holds the SHA-256 of the
// one before. The end of the chain, with what each account has spent, is also
// written to a head file outside of the database, with the lineages whose promise
// is void, after the entry and before the noise. A database that is behind its head is an
// older copy: it is refused, and [RecoverFile] charges the missing debits.
//
// Releases that are not differentially private, such as redacted text and k-anonymous
// tables, are listed beside the debits ([Ledger.Weak]): together with them, the budget no
// longer bounds what anybody can learn.
//
// # Caveats
//
// A data folder that was restored from a backup, or copied or renamed without its audit
// head, detects that ([Book].Restored). Then, as after a recovery, [Ledger.Open] asks for a
// reason: unknown accounts may have been spent. A copy of all files under the same names is
// not detected.
//
// This package alone does not detect an older copy of the database that is restored with
// its head of that time: keep the head elsewhere, or compare with the manifests of the
// releases, which name their debits. A lineage is a name: the same data under a new name
// has a new budget, unless it is the same to the byte.
//
// # Compatibility
//
// Entries are JSON and carry a schema in the first one; newer ones are refused.
package ledger
