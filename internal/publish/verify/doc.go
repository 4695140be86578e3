// SPDX-License-Identifier: Apache-2.0

// Package verify checks a release without believing who wrote it. It recomputes what
// the release claims from the files of the release alone, shares no code with the
// packages that publish, and imports the standard library only.
//
//	fsys, close, err := verify.Open("release-1")
//	...
//	result, err := verify.Release(fsys)
//	if result.Common().OK { ... }
//
// A release is a folder, or a zip of one, with manifest.json, SHA256SUMS and the files
// of its kind. Of every kind [Release] finds each changed, missing and added byte.
// A recipient who has the hash of manifest.json from elsewhere, as the broker's audit trail
// does, compares it with [Report.SHA256] and so also finds a release that was forged as
// a whole. It also recomputes, by kind:
//
//	text       notes.jsonl against notes/*.txt, the place of each placeholder, all counts
//	table      equivalence classes and their sizes, l-diversity, t-closeness
//	joint      equivalence classes of persons by quasi-identifiers and kept terms, places
//	cube, sequences, query
//	           the sum of what the phases spend, sensitivity, scale of the noise, the
//	           receipt of the debit, the number of noisy counts, trends
//
// [Against] is for the broker, who also holds the re-identification map and the
// originals of a release of kind text or joint. It finds that each redacted term is
// gone from its place, that released values cover the originals', and that
// everything else is what the original says, byte for byte.
//
// # Caveats
//
// Figures that cannot be recomputed from the release are only shown, such as utility
// and estimates made before publishing. That noise was drawn as claimed cannot be
// seen in one release, and whether the debit is in a ledger only the ledger's holder
// can tell. Bytes of a zip file that carry neither names nor content are not looked
// at. What nobody marked as sensitive is plain text to this package too. A release
// that verifies is what it claims; that nobody can be found in it, nobody can verify.
package verify
