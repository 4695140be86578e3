// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"hide/internal/annotate"
	"hide/internal/annotate/dictionary"
	"hide/internal/annotate/rules"
)

// nameLists are the program's own lists of what may be an identifier.
var nameLists = []string{"given", "surnames", "cities", "states", "countries", "organisations"}

// What dictionary gives.
const (
	listedScore = 1
	ruleScore   = 2
)

// listScores scores without training: 2 for what the rules find in the published
// text, 1 for capitalised words of the lists that are no common words, 0 for the
// rest.
func listScores(views []annotate.View) [][]float64 {
	listed := listedWords()
	out := blank(views)
	for i, v := range views {
		for x := range v.Words {
			if !v.Hidden(x) && listed[v.Words[x]] {
				out[i][x] = listedScore
			}
		}
		text, tokens := v.Published()
		for _, f := range rules.Find(text) {
			from, to := annotate.Covered(tokens, annotate.Span{Start: f.Start, End: f.End})
			for x := from; x < to; x++ {
				out[i][x] = ruleScore
			}
		}
	}
	return out
}

// listedWords are the capitalised words of the lists, as they are written.
func listedWords() map[string]bool {
	common := map[string]bool{}
	for _, term := range dictionary.Terms("common") {
		common[strings.ToLower(term)] = true
	}
	listed := map[string]bool{}
	for _, list := range nameLists {
		for _, term := range dictionary.Terms(list) {
			for w := range strings.FieldsSeq(term) {
				if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) && !common[strings.ToLower(w)] {
					listed[w] = true
				}
			}
		}
	}
	return listed
}
