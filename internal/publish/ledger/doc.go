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
// has one unit more than the other. Amounts are integers, millionths of epsilon;
// what is spent is the sum of the debits (sequential composition), except that of
// the parts of a declared partition only the most expensive one counts (parallel
// composition): see [Ledger.Declare].
//
// [Ledger.Publish] debits first, and only when the debit is on disk does it let
// noise be drawn. There are no refunds: what fails after the debit has cost it. A
// request that was answered before, byte for byte the same, gets the stored
// answer, at no cost.
//
// Entries are never changed and form a hash chain: each holds the SHA-256 of the
// one before. The end of the chain, with what each account has spent, is also
// written to a head file outside of the database, with the lineages whose promise
// is void, after the entry and before the noise. A database that is behind its
// head is an older copy that was put back; it is refused, and [RecoverFile] charges
// what it has forgotten, even when it has forgotten all.
//
// Releases that promise less, redacted text or k-anonymous tables, are listed
// beside the debits ([Ledger.Weak]): together with them, what was spent is no
// longer all that anybody can learn.
//
// # Caveats
//
// A data folder that was made of a backup, or copied or renamed without its audit
// head, knows that of itself ([Book].Restored), and then, as after a recovery,
// [Ledger.Open] asks for a reason: accounts that it does not know may have been
// spent. Who copies all files under the same names is not asked.
//
// Who puts back an older copy of the database together with the head of that time
// is not found out by this package alone: keep the head elsewhere, or compare with
// the manifests of the releases, which name their debits. A lineage is a name, and
// somebody who gives the same data a new name has a new budget; only data that is
// the same to the byte is noticed.
//
// # Compatibility
//
// Entries are JSON and carry a schema in the first one; newer ones are refused.
package ledger
