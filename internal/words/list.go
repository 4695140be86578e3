// SPDX-License-Identifier: Apache-2.0

package words

import "strings"

// List joins words: "a", "a and b", "a, b and c".
func List[S ~string](all []S) string {
	words := make([]string, len(all))
	for i, w := range all {
		words[i] = string(w)
	}
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
