// SPDX-License-Identifier: Apache-2.0

// Package check verifies the release of a table from its files alone, without
// believing who wrote it. It imports the standard library only and shares no code
// with what publishes.
//
//	report, err := check.Release(os.DirFS("release"))
//	if report.OK { ... }
//
// A release is a folder:
//
//	manifest.json  what is claimed: parameters, attributes with their roles, counts
//	table.csv      the rows
//	report.json    risk and utility before and after
//	report.txt     the same for people
//	*.hierarchy    of sensitive attributes that need one
//	SHA256SUMS     of all the others
//
// Rows with equal quasi-identifiers are a class. Release recomputes the classes,
// their number and the smallest, and for each sensitive attribute l-diversity and
// t-closeness as claimed.
//
// # Caveats
//
// Figures of the reports that need the originals, such as utility and the risk
// before, are only shown.
package check
