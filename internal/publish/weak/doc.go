// SPDX-License-Identifier: Apache-2.0

// Package weak publishes k-anonymous tables (weak privacy; HIDE dissertation, 2.3.1 and
// 5.1): each row is one record, whose quasi-identifiers are generalized until at least k
// records share them.
//
//	r, err := weak.Anonymize(ctx, t, config)
//	report, err := r.Report(ctx)
//	sum, err := r.Write(ctx, dir, weak.Origin{...}, report)
//
// [Anonymize] finds the equivalence classes, [Result.Report] measures risk and utility
// before and after, and [Result.Write] writes a folder that package verify checks before
// it appears.
//
// # Caveats
//
// K-anonymity protects against an attacker who knows the quasi-identifiers and nothing
// more. The statement in each release says so.
package weak
