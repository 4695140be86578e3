// SPDX-License-Identifier: Apache-2.0

package attack

import (
	"strings"
	"unicode"

	"hide/internal/annotate"
)

// Redacted lists the distinct surfaces that views redact, as runs of neighbouring tokens
// in order of first appearance. The strongest [Repeat] attacker knows all of them, from
// structured fields, another release or a leak; a weaker one is given a part.
func Redacted(views []annotate.View) []string {
	var out []string
	seen := map[string]bool{}
	for _, v := range views {
		for x := 0; x < len(v.Words); x++ {
			from := x
			for x < len(v.Words) && v.Hidden(x) {
				x++
			}
			surface := strings.Join(v.Words[from:x], " ")
			if surface != "" && !seen[surface] {
				seen[surface] = true
				out = append(out, surface)
			}
		}
	}
	return out
}

// Scores that repeat adds to r.
const (
	partScore  = 1
	wholeScore = 2
)

// repeat scores by the known redacted surfaces, ignoring case: 2 + r for tokens of a
// whole known surface, 1 + r for words of known surfaces, r for neighbours of a
// placeholder, where r = 1 / (1 + the number of times the word is published) ranks rare
// words first. Tokens without letter or digit count only within a whole surface. She
// marks whole surfaces as sensitive.
func repeat(views []annotate.View, known []string) [][]float64 {
	whole, parts, often := &trie{}, map[string]bool{}, map[string]int{}
	for _, surface := range known {
		words := folded(surface)
		whole.add(words)
		for _, w := range words {
			parts[w] = true
		}
	}
	words := make([][]string, len(views))
	for i, v := range views {
		words[i] = visibleWords(v)
		for _, w := range words[i] {
			often[w]++
		}
	}
	out := blank(views)
	for i, v := range views {
		for x, w := range words[i] {
			rare := 1 / float64(1+often[w])
			switch {
			case w == "" || !hasLetterOrDigit(w):
			case parts[w]:
				out[i][x] = max(out[i][x], partScore+rare)
			case x > 0 && v.Hidden(x-1) || x+1 < len(words[i]) && v.Hidden(x+1):
				out[i][x] = max(out[i][x], rare)
			}
			for end := whole.longest(words[i][x:]); end > 0; end-- {
				y := x + end - 1
				out[i][y] = max(out[i][y], wholeScore+1/float64(1+often[words[i][y]]))
			}
		}
	}
	return out
}

// visibleWords are the words of v in lower case, "" for redacted ones.
func visibleWords(v annotate.View) []string {
	out := make([]string, len(v.Words))
	for x, w := range v.Words {
		if !v.Hidden(x) {
			out[x] = strings.ToLower(w)
		}
	}
	return out
}

// folded are the tokens of a surface in lower case.
func folded(surface string) []string {
	var out []string
	for _, t := range annotate.Tokenize(surface) {
		out = append(out, strings.ToLower(surface[t.Start:t.End]))
	}
	return out
}

// hasLetterOrDigit reports whether a word has a letter or a digit.
func hasLetterOrDigit(w string) bool {
	return strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// trie holds sequences of words.
type trie struct {
	next map[string]*trie
	ends bool
}

// add adds a sequence, unless it has only punctuation.
func (t *trie) add(words []string) {
	if !hasLetterOrDigit(strings.Join(words, "")) {
		return
	}
	for _, w := range words {
		if t.next == nil {
			t.next = map[string]*trie{}
		}
		if t.next[w] == nil {
			t.next[w] = &trie{}
		}
		t = t.next[w]
	}
	t.ends = true
}

// longest is the length of the longest sequence at the start of words; 0 if there is
// none.
func (t *trie) longest(words []string) int {
	best := 0
	for n, w := range words {
		if t = t.next[w]; t == nil {
			break
		}
		if t.ends {
			best = n + 1
		}
	}
	return best
}
