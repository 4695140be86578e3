// SPDX-License-Identifier: Apache-2.0

package words

import (
	"slices"
	"strings"
)

// Nearest is the name with the fewest edits from got, if they are at most a third of its
// length.
//
// The one name that begins with got is nearest: people leave out the ends of long names.
func Nearest(got string, names []string) (string, bool) {
	if longer := beginning(got, names); len(got) > 3 && len(longer) == 1 {
		return longer[0], true
	}
	best, least := "", len(got)/3+2
	for _, name := range names {
		if d := editDistance(got, name); d < least {
			best, least = name, d
		}
	}
	return best, best != ""
}

func beginning(with string, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasPrefix(name, with) })
}

// editDistance counts the single-byte insertions, deletions and changes that
// turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1) // row[j] is the distance between a[:i] and b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
