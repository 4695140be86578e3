// SPDX-License-Identifier: Apache-2.0

// Package delimiter guesses what is between the columns of a text table, for all that
// read tables alike.
//
//	reader.Comma = rune(delimiter.Of(head))
//
// It looks at the first line alone and knows comma, semicolon and tab. It is a guess:
// whoever can ask a person does.
package delimiter
