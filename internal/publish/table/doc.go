// SPDX-License-Identifier: Apache-2.0

// Package table holds a table with one row per patient, says what role each of
// its attributes plays, and generalizes the values of a class of rows until they
// are alike.
//
// [ReadConfig] reads what the attributes are, [ReadCSV] the rows. A [Table] keeps
// each distinct value once and for each row a code, so ten million rows with nine
// attributes need 360 MB. Which rows make a class is for others to decide
// (packages mondrian and incognito); [Column.Generalize] then gives what the
// values of the class become and what that loses.
//
// In the words of k-anonymity: direct identifiers are left out, quasi-identifiers
// are generalized so that at least k rows agree in all of them, sensitive
// attributes stay and should be diverse in each class (HIDE dissertation, 2.3.1).
//
// # Caveats
//
// One row is one patient: k, l and t count rows. Errors name columns, rows and
// byte offsets, and never a value.
package table
