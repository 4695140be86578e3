// SPDX-License-Identifier: Apache-2.0

// Package weak publishes a table with weak privacy (HIDE dissertation, 2.3.1 and
// 5.1): records stay records, and their quasi-identifiers are generalized until
// each person is among k.
//
//	r, err := weak.Anonymize(ctx, t, config)
//	report, err := r.Report(ctx)
//	sum, err := r.Write(ctx, dir, weak.Origin{...}, report)
//
// [Anonymize] finds the classes as the configuration says, [Result.Report] tells
// risk and utility before and after, and [Result.Write] writes a folder that
// package check has verified before it appears.
//
// # Caveats
//
// What k-anonymity promises holds against who knows the quasi-identifiers and
// nothing more. The statement in each release says so.
package weak
