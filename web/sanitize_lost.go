// SPDX-License-Identifier: Apache-2.0

package web

import (
	"fmt"
	"slices"

	"hide/internal/project"
)

// lostWord is a text that would be lost, with the places of it that a run keeps.
type lostWord struct {
	text   string
	often  int // places, kept or not
	places []project.Excerpt
}

// lostWords puts equal texts together, in the order of the first of each.
func lostWords(lost []project.Excerpt) []lostWord {
	var out []lostWord
	for _, l := range lost {
		i := slices.IndexFunc(out, func(w lostWord) bool { return w.text == l.Text })
		if i < 0 {
			i, out = len(out), append(out, lostWord{text: l.Text})
		}
		w := &out[i]
		w.places = append(w.places, l)
		w.often = max(l.Often, len(w.places)) // runs of earlier versions do not say how often
	}
	return out
}

// oftenWords: "13 times", "13 times, of which 5 are listed".
func (w lostWord) oftenWords() string {
	words := number(w.often) + " times"
	if n := len(w.places); n < w.often {
		words += fmt.Sprintf(", of which %s listed", count(n, "is", "are"))
	}
	return words
}
