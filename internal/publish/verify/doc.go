// SPDX-License-Identifier: Apache-2.0

// Package verify checks a release without believing who wrote it: it recomputes
// every hash, size, count and place that the release claims from the release
// alone, and shares no code with the package that publishes. It imports the
// standard library only.
//
//	fsys, close, err := verify.Open("release-1")
//	...
//	report, err := verify.Verify(fsys)
//	if report.OK { ... }
//
// A release is a folder, or a zip of one:
//
//	manifest.json     what is claimed
//	notes.jsonl       one document per line: id, text, redactions
//	notes/000001.txt  the same text, one file per document
//	SHA256SUMS        of all the others, as sha256sum writes and checks it
//
// [Verify] finds each changed, missing and added byte. Who holds the hash of
// manifest.json from elsewhere, as the broker's audit trail does, compares it
// with [Report.SHA256] and so also finds a release that was forged as a whole.
//
// The broker, who also holds the mapping and the originals, checks more with
// [Against]: that what was redacted is gone from its place and that everything
// else is what the original says, byte for byte.
//
// # Caveats
//
// What cannot be recomputed is only shown: the figures of the manifest are
// estimates made before publishing. Bytes of a zip file that carry neither names
// nor content, such as times, are not looked at. That a release verifies says
// that it is what it claims, not that nobody can be found in it.
package verify
