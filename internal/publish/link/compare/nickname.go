// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"slices"
	"sync"

	"hide/internal/publish/personname"
)

// nicknames has the numbers of the given names that a name is, or is short for, ascending.
var nicknames = sync.OnceValue(func() map[string][]uint16 {
	of := map[string][]uint16{}
	for i, forms := range personname.ShortForms() {
		for _, form := range forms {
			w := words(fold(form))
			of[w] = append(of[w], uint16(i))
		}
	}
	for w, ids := range of {
		slices.Sort(ids)
		of[w] = slices.Compact(ids)
	}
	return of
})

// isNickname reports whether two names are forms of one given name: Robert and Bob, Bob and
// Rob.
func isNickname(names map[string][]uint16, a, b []byte) bool {
	of := names[string(a)]
	if of == nil {
		return false
	}
	for _, id := range names[string(b)] {
		if slices.Contains(of, id) {
			return true
		}
	}
	return false
}
