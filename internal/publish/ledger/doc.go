// SPDX-License-Identifier: Apache-2.0

// Package ledger keeps the privacy budgets: how much epsilon each dataset has spent, so
// that no request can spend it twice.
//
//	l, err := ledger.OpenFile("ward.ledger", ledger.Options{})
//	err = l.Open(ledger.Opening{Lineage: "ward-7", Unit: "patient", Limit: limit})
//	r, err := l.Publish(ctx, ledger.Request{Lineage: "ward-7", Epsilon: e, Body: canonical}, draw)
//
// An account has a lineage, the dataset with everything that is ever added to it, and a
// unit of protection, such as "patient". Neighbouring datasets differ by one unit.
// Amounts are integers, millionths of epsilon. The sum of the debits is spent (sequential
// composition); of the parts of a declared partition only the most expensive one counts
// (parallel composition), see [Ledger.Declare].
//
// [Ledger.Publish] debits first, and draws noise only after the debit is on disk. There
// are no refunds: a failure after the debit costs it. A request that is byte for byte the
// same as an earlier one gets the stored answer at no cost.
//
// Entries never change and form a hash chain: each holds the SHA-256 of the one before.
// The end of the chain, each account's spending, and the lineages whose guarantee is void
// are also written to a head file outside the database, after the entry and before the
// noise. A database that is behind its head is an older copy: it is refused, and
// [RecoverFile] charges the missing debits.
//
// Releases that are not differentially private, such as redacted text and k-anonymous
// tables, are listed next to the debits ([Ledger.Weak]): together with them, the budget
// no longer limits what can be learned.
//
// # Caveats
//
// A data folder that was restored from a backup, or copied or renamed without its audit
// head, detects that ([Book].Restored). Then, as after a recovery, [Ledger.Open] requires
// a reason: spending of unknown accounts may be missing. A copy of all files under the
// same names is not detected.
//
// This package alone does not detect an older database restored together with its head of
// that time: keep a copy of the head elsewhere, or compare with the manifests of the
// releases, which name their debits. A lineage is only a name: the same data under a new
// name has a new budget, unless the bytes are the same.
//
// # Compatibility
//
// Entries are JSON; the first one holds a schema, and newer schemas are refused.
package ledger
