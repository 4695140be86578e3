// SPDX-License-Identifier: Apache-2.0

// Package query answers counting questions under differential privacy, one at a
// time:
//
//	SELECT COUNT(*) WHERE sex = 'F' AND age BETWEEN 20 AND 39 GROUP BY ward
//
// A question is about the dimensions of a public domain (package cube), and what it
// compares must be categories of it: bins are not cut. GROUP BY answers for every
// category, also those that nobody is in; groups share nobody but what the bound of
// contributions allows, so that all of them cost epsilon once (PINQ's Partition).
// An answer gets Laplace noise of scale bound/epsilon, and every question is paid
// for by the ledger.
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
