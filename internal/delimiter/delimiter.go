// SPDX-License-Identifier: Apache-2.0

// Package delimiter guesses the delimiter of a text table, for all readers of tables.
//
//	reader.Comma = rune(delimiter.Of(head))
//
// It reads the first line only and knows comma, semicolon and tab. It is a guess: a
// caller who can ask a person should.
package delimiter

// Of is the one of comma, semicolon and tab that the first line has most often outside
// quotes; the comma, when it has none more often. head is the beginning of the table.
func Of(head []byte) byte {
	counts, quoted := map[byte]int{}, false
	for _, c := range head {
		if c == '\n' && !quoted {
			break
		}
		quoted = quoted != (c == '"')
		if !quoted {
			counts[c]++
		}
	}
	best := byte(',')
	for _, c := range []byte{';', '\t'} {
		if counts[c] > counts[best] {
			best = c
		}
	}
	return best
}
