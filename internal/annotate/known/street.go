// SPDX-License-Identifier: Apache-2.0

package known

import "strings"

// units are words before the number of an apartment, abbreviated.
var units = map[string]bool{"apt": true, "ste": true, "unit": true, "fl": true, "rm": true, "app": true, "appt": true, "whg": true, "piso": true}

// addStreet adds a street with its number, without it, without the word for street, and
// without the apartment.
func (x *Index) addStreet(i int32, value string) {
	words := address(cut(value))
	x.insert(words, end{identity: i, how: Exact})
	for at, w := range words {
		if at > 1 && units[strings.TrimPrefix(w, addressMark)] {
			words = words[:at]
			break
		}
	}
	part := end{identity: i, how: Part}
	x.insertPart(words, part)
	switch n := len(words); {
	case n >= 3 && hasDigit(words[0]): // 12 Elm Street
		x.insertPart(words[1:], part)
		x.insertPart(words[:n-1], part)
	case n >= 2 && hasDigit(words[n-1]): // Hauptstraße 12
		x.insertPart(words[:n-1], part)
	}
}

// Letters of the shortest parts of an address that are found by themselves: of one word, and
// of more.
const (
	shortestStreet = 6
	shortestPart   = 5
)

// insertPart adds a part of an address, unless it is too short to say anything.
func (x *Index) insertPart(words []string, e end) {
	letters := runes(strings.ReplaceAll(strings.Join(words, ""), addressMark, ""))
	if len(words) > 1 && letters >= shortestPart || letters >= shortestStreet {
		x.insert(words, e)
	}
}
