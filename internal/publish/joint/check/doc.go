// SPDX-License-Identifier: Apache-2.0

// Package check verifies a release of texts with their table without believing
// who wrote it, and shares no code with the package that publishes. It imports the
// standard library only.
//
//	report, err := check.Release(fsys)
//	if report.OK { ... }
//
// A release is a folder:
//
//	manifest.json  what is claimed
//	rows.jsonl     one row a line: person, values, texts with their places
//	data.csv       the same as a table
//	report.json, report.txt, *.svg  what was measured; only their hashes are checked
//	SHA256SUMS     of all the others
//
// [Release] recomputes from these files alone: classes, as persons with equal
// quasi-identifiers and equal sets of kept terms, and that each has k persons;
// that a person's quasi-identifiers are the same in every row; that each place
// holds its placeholder, the person's own released value, or a term that everybody
// of the class has in the same spelling; and every count.
//
// [Against], for the broker who holds mapping and originals, finds that every
// sensitive term of every note became one of the three, that every released value
// covers the original's, and that everything else is what the original says, byte
// for byte.
//
// # Caveats
//
// What nobody marked as sensitive is plain text to this package too. [Report]
// counts terms that went from their places and whose words still stand elsewhere
// in texts of the same person: mostly what the tagger overlooked.
package check
