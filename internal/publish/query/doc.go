// SPDX-License-Identifier: Apache-2.0

// Package query answers counting queries under differential privacy, one at a time:
//
//	SELECT COUNT(*) WHERE sex = 'F' AND age BETWEEN 20 AND 39 GROUP BY ward
//
// A query is about the dimensions of a public domain (package cube), and compares them with
// its categories: bins cannot be cut. GROUP BY answers for every category, also for empty
// ones. The groups are disjoint except for several rows of one unit, within the bound, so
// that all of them cost epsilon once (PINQ's Partition). An answer gets Laplace noise of
// scale bound/epsilon, and the ledger pays for every query.
//
//	q, err := query.Parse(text, domain)
//	r, err := q.Answer(ctx, counts, epsilon, noise.Secure{})
//
// The language, without regard to upper and lower case of its words:
//
//	SELECT COUNT(*) [FROM name] [WHERE condition] [GROUP BY column, ...]
//	condition: condition OR condition, condition AND condition, NOT condition, (condition),
//	    column = value, column <> value, column IN (value, ...),
//	    column < number (and <=, >, >=), column BETWEEN number AND number
//
// Names that are no plain words stand in double quotes, values in single ones; a
// quote in them is doubled. BETWEEN includes both ends.
package query
