// SPDX-License-Identifier: Apache-2.0

// Package verify checks a release without trusting its author. It recomputes the claims
// of the release from its files alone, shares no code with the packages that publish, and
// imports only the standard library.
//
//	fsys, close, err := verify.Open("release-1")
//	...
//	result, err := verify.Release(fsys)
//	if result.Common().OK { ... }
//
// A release is a folder, or a zip of one, with manifest.json, SHA256SUMS and the files of
// its kind. For every kind [Release] finds each changed, missing and added byte. A
// recipient who has the hash of manifest.json from another source, such as the broker's
// audit trail, compares it with [Report.SHA256] and so detects a completely forged
// release. It also recomputes, by kind:
//
//	text       notes.jsonl against notes/*.txt, the place of each placeholder, all counts
//	table      equivalence classes and their sizes, l-diversity, t-closeness
//	joint      equivalence classes of persons by quasi-identifiers and kept terms, places
//	cube, sequences, query
//	           the sum of the phases' epsilon, sensitivity, scale of the noise, the
//	           receipt of the debit, the number of noisy counts, trends
//
// [Against] is for the broker, who also holds the re-identification map and the originals
// of a release of kind text or joint. It checks that each redacted term is gone from its
// place, that released values cover the originals, and that all other bytes equal the
// original.
//
// # Caveats
//
// Figures that cannot be recomputed from the release are only shown, such as utility and
// estimates made before publishing. A single release cannot show that noise was drawn as
// claimed, and only the holder of the ledger can check that the debit is in it. Bytes of
// a zip file that carry neither names nor content are not checked. Text that nobody
// marked as sensitive is plain text to this package too. A verified release matches its
// claims; nobody can verify that no person can be found in it.
package verify
