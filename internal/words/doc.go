// SPDX-License-Identifier: Apache-2.0

// Package words writes numbers and lists into sentences that people read.
//
//	words.Count(1, "note", "notes")    // 1 note
//	words.Count(1204, "note", "notes") // 1,204 notes
//
// It knows English and nothing else.
package words
