// SPDX-License-Identifier: Apache-2.0

// Package hierarchy holds domain generalization hierarchies: for each value of
// an attribute the ever coarser labels that it may be replaced with, up to one
// that says nothing.
//
// A [Hierarchy] is a table with one row per value. Its columns are levels: level
// 0 is the value, the last level is one label for all. [Read] reads the form in
// which ARX keeps them, semicolons between the levels, and [Hierarchy.Write]
// writes it:
//
//	53710;5371*;537**;*
//	53711;5371*;537**;*
//	53220;5322*;532**;*
//
// [Numbers] and [Dates] make hierarchies from the values alone.
//
// What is read is a tree or refused: each label has one label above it, none
// stands above itself, all rows have as many levels, and the last one is shared.
// A row may repeat a label on the next level.
package hierarchy
