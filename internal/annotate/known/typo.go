// SPDX-License-Identifier: Apache-2.0

package known

import "unicode/utf8"

// Typos are found by deletion neighbourhoods: two words are at most one edit apart only if
// they are equal after at most one letter is deleted from each. So the words of names are
// indexed by all their spellings with one letter less, and a word of a text is looked up by
// its own.

// typosFrom is the number of letters of the shortest word that typos are found of. Shorter
// names are one letter away from too many other words.
const typosFrom = 6

// longestTypo bounds the work for one word.
const longestTypo = 40

func (v *vocabulary) prepareTypos() {
	v.typos, v.length = map[string][]int32{}, [2]int{longestTypo, 0}
	for id, w := range v.known {
		n := runes(w.text)
		if !w.named || w.common || n < typosFrom || n > longestTypo || hasDigit(w.text) {
			continue
		}
		v.length[0], v.length[1] = min(v.length[0], n), max(v.length[1], n)
		v.typos[w.text] = append(v.typos[w.text], int32(id))
		eachDeletion(w.text, func(less string) { v.typos[less] = append(v.typos[less], int32(id)) })
	}
}

// meant is the word of a name that differs from a folded word by one edit, or none.
func (v *vocabulary) meant(folded string) int32 {
	n := runes(folded)
	if n < v.length[0]-1 || n > v.length[1]+1 || hasDigit(folded) || isCommon(folded) {
		return none
	}
	best := none
	look := func(spelling string) {
		for _, id := range v.typos[spelling] {
			if (best == none || id < best) && oneEdit(folded, v.known[id].text) {
				best = id
			}
		}
	}
	look(folded)
	eachDeletion(folded, look)
	return best
}

// eachDeletion calls fn for each spelling with one letter less.
func eachDeletion(word string, fn func(string)) {
	for at, r := range word {
		fn(word[:at] + word[at+utf8.RuneLen(r):])
	}
}

// oneEdit reports whether two words differ by one letter that is wrong, missing or added, or
// by two neighbours that are exchanged.
func oneEdit(a, b string) bool {
	x, y := []rune(a), []rune(b)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	if len(x) == 2 && len(y) == 2 {
		return x[0] == y[1] && x[1] == y[0]
	}
	return max(len(x), len(y)) == 1
}
