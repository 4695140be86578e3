// SPDX-License-Identifier: Apache-2.0

package classes

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// When a table covers notes. Of the words with three letters and more, the table of the
// program has .90 (social media) to .98 (court cases) in English notes. In Spanish and French
// notes it has .36 to .48, and in the Declaration of Human Rights .53 at most for 500 other
// languages (Scots .67, Nigerian Pidgin .89), because it has foreign names, too. Shorter
// words say less: every language has "de", "an" or "no", and English shorthand has letters
// of its own.
const (
	leastCover  = 0.65
	leastWord   = 3      // letters
	fewestWords = 100    // fewer tell nothing
	coverSample = 20_000 // tokens that are looked up
)

// Covers reports whether the table knows the language of notes, which are given by their
// tokens: at least .65 of the words with three letters and more are in it. Where there are
// fewer than 100 such words, nothing speaks against the table. Of many tokens it looks up an
// even sample.
func (t *Table) Covers(notes [][]string) bool {
	tokens := 0
	for _, words := range notes {
		tokens += len(words)
	}
	step, at, all, known := tokens/coverSample+1, 0, 0, 0
	for _, words := range notes {
		for ; at < len(words); at += step {
			if !telling(words[at]) {
				continue
			}
			all++
			if t.Code(lower(words[at])) != "" {
				known++
			}
		}
		at -= len(words)
	}
	return all < fewestWords || float64(known) >= leastCover*float64(all)
}

// telling reports whether a token is a word that is long enough to tell languages apart.
func telling(word string) bool {
	return utf8.RuneCountInString(word) >= leastWord && !strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
}

// Suited are the tables for notes. No list, or a nil table in it, means the program's own
// table where that covers the notes. Elsewhere it is left out, and left is true: classes of a
// few foreign words mislead.
func Suited(tables []*Table, notes [][]string) (suited []*Table, left bool) {
	if tables == nil {
		tables = []*Table{nil}
	}
	if !slices.Contains(tables, nil) {
		return tables, false
	}
	covers := Builtin().Covers(notes)
	for _, t := range tables {
		switch {
		case t != nil:
			suited = append(suited, t)
		case covers:
			suited = append(suited, Builtin())
		}
	}
	return suited, !covers
}
