// SPDX-License-Identifier: Apache-2.0

// Package table holds a table with one row per patient and the roles of its attributes,
// and generalizes the values of a class of rows to common ones. Its roles and kinds are
// those of the configurations of all releases.
//
// [ReadConfig] reads what the attributes are, [ReadCSV] the rows. A [Table] keeps
// each distinct value once and for each row a code, so ten million rows with nine
// attributes need 360 MB. Packages mondrian and incognito decide which rows make a class;
// [Column.Generalize] gives the generalized value of the class and its information loss.
//
// In the terms of k-anonymity: direct identifiers are omitted, quasi-identifiers are
// generalized so that at least k rows agree in all of them, sensitive attributes are
// unchanged and should be diverse in each class (HIDE dissertation, 2.3.1).
//
// # Caveats
//
// One row is one patient: k, l and t count rows. Errors name columns, rows and
// byte offsets, and never a value.
package table
