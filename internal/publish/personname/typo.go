// SPDX-License-Identifier: Apache-2.0

package personname

// isTypo reports whether one word is the other with one slip: a letter too many, missing or
// wrong, or two letters exchanged. Short words are never slips, except by an exchange, and
// two words that are both known names are two names: Peterson and Petersen.
func isTypo(a, b string, known map[string]bool) bool {
	if known[a] && known[b] {
		return false
	}
	x, y := []rune(a), []rune(b)
	shortest := min(len(x), len(y))
	if !known[a] && !known[b] && shortest < 6 {
		return false
	}
	if isExchange(x, y) {
		return shortest >= 4
	}
	return shortest >= 5 && isOneEdit(x, y)
}

// commonEnds are the lengths of the common start, and of the common end behind it.
func commonEnds(x, y []rune) (start, end int) {
	n := min(len(x), len(y))
	for start < n && x[start] == y[start] {
		start++
	}
	for end < n-start && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	return start, end
}

// isExchange reports whether two neighbouring letters are exchanged.
func isExchange(x, y []rune) bool {
	start, end := commonEnds(x, y)
	return len(x) == len(y) && len(x)-start-end == 2 && x[start] == y[start+1] && x[start+1] == y[start]
}

// isOneEdit reports whether one letter is added, missing or wrong.
func isOneEdit(x, y []rune) bool {
	start, end := commonEnds(x, y)
	return max(len(x), len(y))-start-end == 1
}
