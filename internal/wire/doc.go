// SPDX-License-Identifier: Apache-2.0

// Package wire reads and writes what the files of classifiers are made of: strict
// unsigned varints, floats within bounds, sections that begin with their length, and
// the seal around the whole. Everything is little endian.
package wire
